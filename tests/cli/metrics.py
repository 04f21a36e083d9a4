"""Compares the metrics of `gtrain eval` with their definitions, computed here from `gtrain predict`'s outputs and the
targets: metrics.py GTRAIN FOLDER. Definitions are scikit-learn's."""
import csv
import json
import math
import os
import random
import statistics
import struct
import subprocess
import sys

gtrain, folder = sys.argv[1:]
os.chdir(folder)
rng = random.Random(3)
failed = 0


def run(*words):
    done = subprocess.run([gtrain, *words], capture_output=True, text=True)
    assert done.returncode == 0, (words, done.stderr)
    return done.stdout


def compare(case, got, want):
    global failed
    for name, value in want.items():
        found = got.get(name)
        if found is None or abs(found - value) > 1e-5 * max(1, abs(value)):
            print(f"{case}: {name} is {found}, not {value}")
            failed += 1


def write_csv(name, header, rows):
    with open(name, "w", newline="") as file:
        csv.writer(file).writerows([header, *rows])


def trained(case, config, metrics):
    with open(case + ".yaml", "w") as file:
        file.write(config + f"metrics: [{', '.join(metrics)}]\n")
    run("train", case + ".yaml", "--run-dir", case, "--device", os.environ.get("DEVICE", "cpu"), "--quiet")
    return json.loads(run("eval", case, "--json"))


def predictions(case, inputs):
    run("predict", case, inputs, "--output", case + ".csv")
    with open(case + ".csv") as file:
        rows = list(csv.reader(file))
    if rows[0][0] == "class":
        return [[float(cell) for cell in row[1:]] for row in rows[1:]]
    if not rows[0][0].replace("e-", "").replace(".", "").isdigit():
        rows = rows[1:]  # the header
    return [[float(cell) for cell in row] for row in rows]


def ratio(part, whole):
    return part / whole if whole else 0


# --- metrics of predicted classes ---

def by_class(labels, answers, classes, value):
    """value(right answers, answers, labels) of each class."""
    out = []
    for c in range(classes):
        right = sum(a == b == c for a, b in zip(labels, answers))
        out.append(value(right, sum(a == c for a in answers), sum(b == c for b in labels)))
    return out


VALUES = {"precision": lambda r, a, b: ratio(r, a), "recall": lambda r, a, b: ratio(r, b),
          "f1": lambda r, a, b: ratio(2 * r, a + b)}


def of_answers(labels, answers, classes):
    counts = [sum(b == c for b in labels) for c in range(classes)]
    occurs = [c for c in range(classes) if c in labels or c in answers]
    want = {"accuracy": sum(a == b for a, b in zip(labels, answers)) / len(labels)}
    for name, value in VALUES.items():
        each = by_class(labels, answers, classes, value)
        macro = sum(each[c] for c in occurs) / len(occurs)
        want[name] = each[1] if classes == 2 else macro
        want[name + "_macro"] = macro
        want[name + "_micro"] = want["accuracy"]
        want[name + "_weighted"] = sum(e * n for e, n in zip(each, counts)) / len(labels)
    recall = by_class(labels, answers, classes, VALUES["recall"])
    want["balanced_accuracy"] = sum(recall[c] for c in range(classes) if counts[c]) / sum(n > 0 for n in counts)
    union = by_class(labels, answers, classes, lambda r, a, b: ratio(r, a + b - r))
    want["iou"] = sum(union[c] for c in occurs) / len(occurs)
    want["dice"] = want["f1_macro"]
    return want


# --- metrics of probabilities and other scores ---

def roc_area(labels, scores):
    """The fraction of pairs of a positive and a negative item that the scores order correctly; a tie counts half."""
    positive = [s for s, l in zip(scores, labels) if l]
    negative = [s for s, l in zip(scores, labels) if not l]
    won = sum((p > n) + (p == n) / 2 for p in positive for n in negative)
    return won / (len(positive) * len(negative))


def average_precision(labels, scores):
    total, before = 0, 0
    for threshold in sorted(set(scores), reverse=True):
        taken = [l for s, l in zip(scores, labels) if s >= threshold]
        recall = sum(taken) / sum(labels)
        total += (recall - before) * sum(taken) / len(taken)
        before = recall
    return total


def of_scores(labels, rows):
    classes = len(rows[0])
    each = [1] if classes == 2 else range(classes)
    want = {}
    for name, of in (("roc_auc", roc_area), ("average_precision", average_precision)):
        want[name] = sum(of([l == c for l in labels], [r[c] for r in rows]) for c in each) / len(each)
    want["log_loss"] = -sum(math.log(r[l]) for l, r in zip(labels, rows)) / len(labels)
    brier = sum((p - (c == l)) ** 2 for l, r in zip(labels, rows) for c, p in enumerate(r)) / len(labels)
    want["brier"] = brier / 2 if classes == 2 else brier
    for k in (3, 5):
        want[f"top_{k}"] = sum(sum(p > r[l] for p in r) < k for l, r in zip(labels, rows)) / len(labels)
    return want


NAMES = ["balanced_accuracy", "iou", "dice", "roc_auc", "average_precision", "log_loss", "brier"]
NAMES += [v + a for v in VALUES for a in ("", "_macro", "_micro", "_weighted")]


def classes_case(classes):
    case = f"classes{classes}"
    rows = [[rng.gauss(0, 1), rng.gauss(0, 1)] for _ in range(260)]
    for row in rows:
        label = int((math.atan2(row[1], row[0]) / math.pi + 1) / 2 * classes + rng.gauss(0, 0.4)) % classes
        row.append(label if rng.random() < 0.9 else 0)
    write_csv(case + "-train.csv", "abc", rows[:150])
    write_csv(case + "-test.csv", "abc", rows[150:])
    config = f"""data: {{train: {case}-train.csv, test: {case}-test.csv, target: c, task: classification}}
model: [{{linear: 8}}, tanh, {{linear: {classes}}}]
train: {{epochs: 5, batch_size: 32, eval_batch_size: 37}}
"""
    names = NAMES + (["top_3", "top_5"] if classes > 2 else [])
    got = trained(case, config, names)
    labels = [row[2] for row in rows[150:]]
    write_csv(case + "-inputs.csv", "ab", [row[:2] for row in rows[150:]])
    outputs = predictions(case, case + "-inputs.csv")
    answers = [max(range(classes), key=row.__getitem__) for row in outputs]
    want = {**of_answers(labels, answers, classes), **of_scores(labels, outputs)}
    compare(case, got, {name: want[name] for name in ["accuracy", *names]})


def bits_case():
    rows = [[rng.gauss(0, 1), rng.gauss(0, 1)] for _ in range(200)]
    for row in rows:
        row += [int(row[0] + rng.gauss(0, 1) > 0), int(row[0] * row[1] + rng.gauss(0, 1) > 0.5)]
    write_csv("bits-train.csv", ["a", "b", "up", "right"], rows[:120])
    write_csv("bits-test.csv", ["a", "b", "up", "right"], rows[120:])
    config = """data: {train: bits-train.csv, test: bits-test.csv, target: [up, right], task: regression}
model: [{linear: 8}, tanh, {linear: 2}]
loss: bce
train: {epochs: 10, batch_size: 32}
"""
    got = trained("bits", config, NAMES)
    write_csv("bits-inputs.csv", "ab", [row[:2] for row in rows[120:]])
    outputs = predictions("bits", "bits-inputs.csv")
    both = []
    for k, name in enumerate(("up", "right")):
        # gtrain predict writes the two classes, then the two probabilities.
        labels, p = [row[2 + k] for row in rows[120:]], [row[2 + k] for row in outputs]
        want = {**of_answers(labels, [int(x > 0.5) for x in p], 2), **of_scores(labels, [[1 - x, x] for x in p])}
        both.append({n: want[n] for n in NAMES})
        compare("bits", got, {f"{n}.{name}": want[n] for n in NAMES})
    compare("bits", got, {n: (both[0][n] + both[1][n]) / 2 for n in NAMES})


def numbers_case():
    names = ["mae", "rmse", "r2", "mape", "median_error"]
    rows = [[rng.gauss(0, 1), rng.gauss(0, 1)] for _ in range(201)]
    for row in rows:
        row += [100 + row[0] * 3 + rng.gauss(0, 1), row[0] * row[1] + rng.gauss(0, 0.1)]
    write_csv("numbers-train.csv", ["a", "b", "load", "price"], rows[:120])
    write_csv("numbers-test.csv", ["a", "b", "load", "price"], rows[120:])
    config = """data: {train: numbers-train.csv, test: numbers-test.csv, target: [load, price]}
model: [{linear: 8}, tanh, {linear: 2}]
optimizer: {type: adam, lr: 0.1}
train: {epochs: 20, batch_size: 32}
"""
    got = trained("numbers", config, names)
    write_csv("numbers-inputs.csv", "ab", [row[:2] for row in rows[120:]])
    outputs = predictions("numbers", "numbers-inputs.csv")
    both = []
    for k, name in enumerate(("load", "price")):
        t, x = [row[2 + k] for row in rows[120:]], [row[k] for row in outputs]
        error = [abs(a - b) for a, b in zip(t, x)]
        mean = sum(t) / len(t)
        squares = sum(e * e for e in error)
        want = {"mae": sum(error) / len(t), "rmse": math.sqrt(squares / len(t)),
                "r2": 1 - squares / sum((v - mean) ** 2 for v in t),
                "mape": sum(e / abs(v) for e, v in zip(error, t)) / len(t), "median_error": statistics.median(error)}
        both.append(want)
        compare("numbers", got, {f"{n}.{name}": want[n] for n in names})
    compare("numbers", got, {n: (both[0][n] + both[1][n]) / 2 for n in names})


def npy(name, kind, shape, data):
    text = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': ({''.join(f'{n}, ' for n in shape)}), }}"
    text += " " * (-(len(text) + 11) % 64) + "\n"
    with open(name, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode() + data)


def pixels_case():
    side, count = 5, 40
    pixels = [rng.gauss(0, 1) for _ in range(count * side * side)]
    labels = [255 if rng.random() < 0.2 else int(x > 0.5) + int(x > 1) for x in pixels]
    npy("x.npy", "<f4", (count, side, side, 1), struct.pack(f"<{len(pixels)}f", *pixels))
    npy("y.npy", "|u1", (count, side, side), bytes(labels))
    config = """data: {train: {inputs: x.npy, targets: y.npy}, test: {inputs: x.npy, targets: y.npy}, task: classification,
  ignore_index: 255}
model: [{conv2d: {out_channels: 3, kernel_size: 3, padding: same}}]
quiet: [repeated_samples]
train: {epochs: 4, batch_size: 7, accumulate: 2, eval_batch_size: 9}
"""
    got = trained("pixels", config, NAMES)
    outputs = predictions("pixels", "x.npy")
    rows = [out[i:i + 3] for out in outputs for i in range(0, len(out), 3)]
    known = [(label, row) for label, row in zip(labels, rows) if label != 255]
    labels, rows = [k[0] for k in known], [k[1] for k in known]
    want = {**of_answers(labels, [max(range(3), key=row.__getitem__) for row in rows], 3), **of_scores(labels, rows),
            "samples": count, "items": len(labels)}
    want["loss"] = want["log_loss"]
    compare("pixels", got, {n: want[n] for n in ["accuracy", "samples", "items", "loss", *NAMES]})


for classes in (2, 3, 7):
    classes_case(classes)
bits_case()
numbers_case()
pixels_case()
sys.exit(failed > 0)
