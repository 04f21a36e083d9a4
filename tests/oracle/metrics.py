#!/usr/bin/env python3
"""scikit-learn as oracle: every metric of `gtrain eval` is computed from the outputs of `gtrain predict` and the targets.

    GTRAIN=build/gtrain tests/oracle/metrics.py [--device DEVICE]

Values may differ by 1e-5 of their size, counts of a confusion matrix not at all. Ends with `N passed, N failed`."""

import argparse
import csv
import json
import os
import subprocess
import tempfile

import numpy
from sklearn import metrics as of

GTRAIN = os.path.abspath(os.environ["GTRAIN"])
AVERAGES = ("macro", "micro", "weighted")
results = {True: 0, False: 0}


def check(case, name, got, want):
    good = got is not None and abs(got - want) <= 1e-5 * max(1, abs(want))
    results[good] += 1
    if not good:
        print(f"not ok {case}: {name} is {got}, scikit-learn's {want}")


def run(device, *words):
    done = subprocess.run([GTRAIN, *words, "--device", device], capture_output=True, text=True)
    assert done.returncode == 0, (words, done.stderr)
    return done.stdout


def write(name, header, rows):
    with open(name, "w", newline="") as file:
        csv.writer(file).writerows([header, *rows])


def trained(device, case, data, model, loss, names, rows, header):
    """Results of `eval`, and the outputs of `predict` as numbers."""
    write(case + ".csv", header, rows)
    with open(case + ".yaml", "w") as file:
        file.write(f"data: {{train: {case}.csv, test: {case}.csv, {data}}}\nmodel: {model}\nloss: {loss}\n"
                   f"optimizer: {{type: adam, lr: 0.02}}\ntrain: {{epochs: 15, batch_size: 40}}\nquiet: [repeated_samples]\n"
                   f"metrics: [{', '.join(names)}]\n")
    run(device, "train", case + ".yaml", "--run-dir", case, "--quiet")
    values = json.loads(run(device, "eval", case, "--json", "--confusion", case + ".json") if "cross" in loss
                        else run(device, "eval", case, "--json"))
    run(device, "predict", case, case + ".csv", "--output", case + ".npy")
    return values, numpy.load(case + ".npy").astype(float)


def of_classes(device, classes, rng):
    case = f"classes{classes}"
    x = rng.normal(size=(300, 3))
    label = (numpy.floor((numpy.arctan2(x[:, 0], x[:, 1]) / numpy.pi + 1) / 2 * classes + rng.normal(0, 0.3, 300))
             .astype(int) % classes)
    names = ["balanced_accuracy", "iou", "dice", "roc_auc", "average_precision", "log_loss", "brier"]
    names += [f"{v}{a}" for v in ("precision", "recall", "f1") for a in ("", *("_" + a for a in AVERAGES))]
    names += [f"top_{k}" for k in (3, 5) if k < classes]
    values, p = trained(device, case, "target: c, task: classification", f"[{{linear: 8}}, tanh, {{linear: {classes}}}]",
                        "cross_entropy", names, [[*a, b] for a, b in zip(x, label)], ["a", "b", "d", "c"])
    p /= p.sum(axis=1, keepdims=True)
    answer, each = p.argmax(axis=1), numpy.eye(classes)[label]
    check(case, "accuracy", values["accuracy"], of.accuracy_score(label, answer))
    check(case, "balanced_accuracy", values["balanced_accuracy"], of.balanced_accuracy_score(label, answer))
    for name, score in (("precision", of.precision_score), ("recall", of.recall_score), ("f1", of.f1_score)):
        own = "binary" if classes == 2 else "macro"
        check(case, name, values[name], score(label, answer, average=own, zero_division=0))
        for average in AVERAGES:
            check(case, f"{name}_{average}", values[f"{name}_{average}"],
                  score(label, answer, average=average, zero_division=0))
    check(case, "iou", values["iou"], of.jaccard_score(label, answer, average="macro"))
    check(case, "dice", values["dice"], of.f1_score(label, answer, average="macro"))
    scores, truth = (p[:, 1], label) if classes == 2 else (p, each)
    check(case, "roc_auc", values["roc_auc"], of.roc_auc_score(truth, scores))
    check(case, "average_precision", values["average_precision"], of.average_precision_score(truth, scores))
    check(case, "log_loss", values["log_loss"], of.log_loss(label, p))
    brier = ((p - each) ** 2).sum(axis=1).mean()
    check(case, "brier", values["brier"], of.brier_score_loss(label, p[:, 1]) if classes == 2 else brier)
    for k in (3, 5):
        if k < classes:
            check(case, f"top_{k}", values[f"top_{k}"], of.top_k_accuracy_score(label, p, k=k))
    with open(case + ".json") as file:
        counts = numpy.array(json.load(file)["confusion"])
    results[good := bool((counts == of.confusion_matrix(label, answer)).all())] += 1
    if not good:
        print(f"not ok {case}: the confusion matrix")


def of_bits(device, rng):
    x = rng.normal(size=(240, 3))
    bits = (x[:, :2] + rng.normal(0, 0.5, (240, 2)) > 0.3).astype(int)
    names = ["precision", "recall", "f1", "roc_auc", "average_precision", "log_loss", "brier", "balanced_accuracy"]
    values, p = trained(device, "bits", "target: [u, v]", "[{linear: 2}]", "bce", names,
                        [[*a, *b] for a, b in zip(x, bits)], ["a", "b", "c", "u", "v"])
    for i, target in enumerate("uv"):
        truth, score = bits[:, i], p[:, i]
        for name, want in (("precision", of.precision_score(truth, score > 0.5)), ("f1", of.f1_score(truth, score > 0.5)),
                           ("recall", of.recall_score(truth, score > 0.5)), ("roc_auc", of.roc_auc_score(truth, score)),
                           ("average_precision", of.average_precision_score(truth, score)),
                           ("log_loss", of.log_loss(truth, score)), ("brier", of.brier_score_loss(truth, score)),
                           ("balanced_accuracy", of.balanced_accuracy_score(truth, score > 0.5))):
            check("bits", f"{name}.{target}", values.get(f"{name}.{target}"), want)


def of_numbers(device, rng):
    x = rng.normal(size=(200, 3))
    y = numpy.stack([3000 + 500 * x[:, 0] + 90 * rng.normal(size=200), x[:, 1] * x[:, 2]], axis=1)
    names = ["mae", "rmse", "r2", "mape", "median_error"]
    values, p = trained(device, "numbers", "target: [u, v], task: regression", "[{linear: 16}, silu, {linear: 2}]", "mse",
                        names, [[*a, *b] for a, b in zip(x, y)], ["a", "b", "c", "u", "v"])
    for i, target in enumerate("uv"):
        truth, out = y[:, i], p[:, i]
        for name, want in (("mae", of.mean_absolute_error(truth, out)), ("r2", of.r2_score(truth, out)),
                           ("rmse", of.mean_squared_error(truth, out) ** 0.5),
                           ("mape", of.mean_absolute_percentage_error(truth, out)),
                           ("median_error", of.median_absolute_error(truth, out))):
            check("numbers", f"{name}.{target}", values.get(f"{name}.{target}"), want)


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--device", default="cpu")
    device = options.parse_args().device
    rng = numpy.random.default_rng(5)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for classes in (2, 3, 7):
            of_classes(device, classes, rng)
        of_bits(device, rng)
        of_numbers(device, rng)
        os.chdir("/")
    print(f"{results[True]} passed, {results[False]} failed")
    raise SystemExit(results[False] > 0)


main()
