"""Bundled networks as a whole: losses of ten steps, gradients, and weights and statistics after ten steps, relative to the
largest value of each tensor, against PyTorch in double precision.

A kink (relu, max pooling) amplifies rounding errors: near 0, rounding can change the gradient, and after ten steps the
network differs. So each network is compared twice: with smooth functions in place of kinks everything agrees to 1e-4,
and with the kinks, to 1e-4 or to the error of PyTorch's own single precision."""

import numpy
import torch

import gtrain
from cases import generator, numbers
from layers import initial_state, is_state
from training import train

STEPS, SAMPLES, AGREES = 10, 10, 1e-4
SMOOTH = {"relu": "silu", "max_pool2d": "avg_pool2d", "adaptive_max_pool": "adaptive_avg_pool"}
# Not Adam, whose first steps are the sign of the gradient, even if that is only rounding.
OPTIMIZER = {"type": "sgd", "lr": 1e-3, "momentum": 0.9}
ONE_STEP = {"type": "sgd", "lr": 100.0}  # so large that the update is much larger than the rounding of the weights


def smoothed(node):
    if isinstance(node, dict):
        return {SMOOTH.get(key, key): smoothed(value) for key, value in node.items()}
    return [smoothed(item) for item in node] if isinstance(node, list) else SMOOTH.get(node, node) if isinstance(node, str) else node


def network_cases():
    import yaml  # installed with Debian's torch

    labels = numpy.arange(SAMPLES) % 10
    for name in ("lenet", "cnn", "resnet9", "mobilenet"):
        with open(f"configs/{name}.yaml") as file:
            config = yaml.safe_load(file)
        for kind in ("smooth", "as it is"):
            model = smoothed(config["model"]) if kind == "smooth" else config["model"]
            case = f"network {name}, {kind}"
            x = numbers(SAMPLES, 28, 28)(generator(case))
            yield case, {"seed": 7, "model": model, "loss": config["loss"]}, x, labels, kind == "smooth"


def worst(tensors, exact, origin, wanted=lambda name: True):
    """The largest error of all tensors, each relative to its change since `origin`."""
    return max(numpy.abs(tensors[name] - value).max() / max(numpy.abs(value - origin.get(name, 0)).max(), 1e-12)
               for name, value in exact.items() if wanted(name))


def trained(config, optimizer, x, labels, steps, device):
    """[(losses, tensors)] of gtrain and of PyTorch in double and single precision, and the common initial tensors."""
    config = {**config, "optimizer": optimizer, "data": gtrain.table(x, labels), "train": {"batch_size": len(x), "eval_every": steps}}
    start = {name: initial_state(name, value) for name, value in gtrain.initial("network", config).items()}
    folder = gtrain.train("network", config, steps, device)
    results = [([row["loss"] for row in gtrain.rows(folder, "train")], gtrain.model(folder))]
    for dtype in (torch.float64, torch.float32):
        history = train(config, start, x, labels, steps, dtype)
        results.append(([loss for loss, _, _ in history], history[-1][2]))
    return results, start


def compare_network(name, config, x, labels, smooth, device):
    results, start = trained(config, ONE_STEP, x, labels, 1, device)
    exact = results[1][1]
    gradients = [worst(tensors, exact, start, lambda name: not is_state(name)) for _, tensors in results]
    results, _ = trained(config, OPTIMIZER, x, labels, STEPS, device)
    (_, _), (exact_losses, exact), (_, _) = results
    losses = [max(abs(a - b) / abs(b) for a, b in zip(own, exact_losses)) for own, _ in results]
    weights = [worst(tensors, exact, {}) for _, tensors in results]
    problems = []
    for what, errors in (("losses", losses), ("gradients", gradients), (f"weights after {STEPS} steps", weights)):
        allowed = AGREES if smooth else max(AGREES, 4 * errors[2])
        print(f"  {name}: {what}: relative error {errors[0]:.1e}, PyTorch's in single precision {errors[2]:.1e}", flush=True)
        if errors[0] > allowed:
            problems.append(f"{what}: relative error {errors[0]:.3g} is above {allowed:.3g}")
    return problems
