#!/usr/bin/env python3
"""PyTorch as oracle: gtrain and PyTorch train from the same weights, and the loss, learning rate and weights of every step
are compared with PyTorch in double precision.

    GTRAIN=build/gtrain tests/oracle/oracle.py [--device DEVICE] [--filter TEXT] [--verbose]

networks.py compares whole networks. An error counts as rounding if it is at most 8 times that of PyTorch in single
precision, or about 1e-5 of the change of the weights, whichever is larger. Ends with `N passed, N failed`."""

import argparse
import os
import re
import sys

import numpy
import torch

import gtrain
from cases import all_cases
from layers import forward, initial_state
from networks import compare_network, network_cases
from training import numbers_of, train, typed

LARGEST_LOSS = 1e6  # if it is larger, training has diverged, and only rounding decides
STEPS_CHECKED = 3  # and the last step; each needs its own run, because a model is written only at the end


def differs(what, ours, exact, single, scale):
    """The reason why a value is wrong, or None."""
    ours, exact, single = (numpy.asarray(v, dtype=numpy.float64) for v in (ours, exact, single))
    error, allowed = numpy.abs(ours - exact).max(), 8 * numpy.abs(single - exact).max() + scale
    return None if error <= allowed else f"{what}: off by {error:.3g}, of which {allowed:.3g} would be rounding"


def compare_losses(folder, exact, single):
    """Compares the training loss of every step of a run."""
    for step, row in enumerate(gtrain.rows(folder, "train"), 1):
        trained = row.get("soft_loss", row.get("loss"))  # for logic gates, the loss of the soft gates
        loss = exact[step - 1][0]
        yield differs(f"loss of step {step}", trained, loss, single[step - 1][0], 2e-6 * abs(loss) + 1e-7)


def compare_step(folder, step, start, exact, single):
    ours = gtrain.model(folder)
    _, lr, weights = exact[step - 1]
    row = gtrain.rows(folder, "train")[step - 1]
    if lr is not None:  # None for a line search
        yield differs(f"learning rate of step {step}", row["lr"], lr, lr, 2e-7 * abs(lr))
    for name, value in weights.items():
        moved = numpy.abs(value - start[name]).max()
        rounding = 1e-5 * moved + 4e-7 * numpy.abs(value).max() * step ** 0.5
        yield differs(f"{name} after step {step}", ours[name], value, single[step - 1][2][name], rounding)


def predictions(config, tensors, inputs, dtype):
    """The output of `predict` for a trained model: probabilities if the loss uses them, hard gates for logic networks."""
    tensors = {name: torch.tensor(value) for name, value in tensors.items()}
    tensors = {name: v.to(dtype) if v.is_floating_point() else v for name, v in tensors.items()}
    y = forward(config["model"], tensors, numbers_of(inputs, dtype), hard=True)
    last = {"cross_entropy": lambda y: torch.softmax(y, -1), "bce": torch.sigmoid}
    return last.get(typed(config.get("loss"), "mse")[0], lambda y: y)(y).double().numpy()


def compare_predictions(folder, config, inputs):
    source, out = os.path.join(gtrain.FOLDER, "inputs.npy"), os.path.join(gtrain.FOLDER, "outputs.npy")
    if "text" in config["data"]:
        source = gtrain.text_file()
    else:
        numpy.save(source, inputs.reshape(len(inputs), -1))
    gtrain.call("predict", os.path.join(folder, "model.bin"), "--input", source, "--output", out, "--device", "cpu")
    tensors = gtrain.model(folder)
    exact, single = (predictions(config, tensors, inputs, dtype) for dtype in (torch.float64, torch.float32))
    ours = numpy.load(out).reshape(exact.shape)
    return differs("predictions", ours, exact, single, 1e-6 * numpy.abs(exact).max() + 1e-7)


def compare(name, config, inputs, targets, steps, device):
    """All differences in a case, as text."""
    slug = re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")[:80]
    config = {**config, "data": {**gtrain.data(inputs, targets), **config.get("data", {})},
              "train": {"batch_size": len(inputs), "eval_every": 1}}
    start = {name: initial_state(name, value) for name, value in gtrain.initial(slug, config).items()}
    exact = train(config, start, inputs, targets, steps, torch.float64)
    single = train(config, start, inputs, targets, steps, torch.float32)
    if max(loss for loss, _, _ in exact) > LARGEST_LOSS:
        return [f"PyTorch's own loss diverges: {', '.join(f'{loss:.3g}' for loss, _, _ in exact)}; the case needs other data"]
    # A schedule may depend on the length of the run, so with a schedule only the whole run is compared.
    ends = [steps] if "schedule" in config else sorted({*range(1, 1 + STEPS_CHECKED), steps})
    problems = []
    for end in ends:
        folder = gtrain.train(slug, config, end, device)
        problems += [p for p in compare_step(folder, end, start, exact, single) if p]
    problems += [p for p in compare_losses(folder, exact, single) if p]
    problems += [p for p in [compare_predictions(folder, config, inputs)] if p]
    if "schedule" in config:
        rates = [row["lr"] for row in gtrain.rows(folder, "train")]
        expected = [lr for _, lr, _ in exact]
        problems += [p for p in [differs("learning rates", rates, expected, expected, 3e-7 * max(expected))] if p]
    return problems


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--filter", default="", help="only cases whose name contains this")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    torch.set_num_threads(1)
    passed = failed = 0
    cases = [(compare, *case) for case in all_cases()] + [(compare_network, *case) for case in network_cases()]
    for check, name, *rest in cases:
        if options.filter not in name:
            continue
        try:
            problems = check(name, *rest, options.device)
        except gtrain.Failed as error:
            problems = [str(error)]
        passed, failed = passed + (not problems), failed + bool(problems)
        if problems or options.verbose:
            print("\n  ".join([f"{'not ok' if problems else 'ok'} {name}", *problems]), flush=True)
    print(f"{passed} passed, {failed} failed")
    return failed > 0 or passed == 0


if __name__ == "__main__":
    sys.exit(main())
