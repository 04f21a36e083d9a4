"""Compares two steps of SGD on two targets, a number and a class, with the same steps computed here in double precision:
several_targets.py GTRAIN FOLDER DEVICE. The objective is 1 · mean of load + 0.5 · mean of kind. Each mean is weighted on
its own: both by the weights of samples; that of kind also by the weights of classes, and without ignored labels."""
import json
import math
import os
import random
import struct
import subprocess
import sys
import zipfile

gtrain, folder, device = sys.argv[1:]
os.chdir(folder)
rng = random.Random(5)
N, HIDDEN, CLASSES, RATE, WEIGHT = 12, 3, 3, 0.3, 0.5
x = [[rng.uniform(-1, 1) for _ in range(2)] for _ in range(N)]
load = [rng.uniform(-2, 2) for _ in range(N)]
kind = [i % CLASSES for i in range(N)]
failed = False

MODEL = """
model:
  - linear: {units: 3, name: trunk}
  - tanh: {name: body}
  - linear: {units: 1, name: load, from: body}
  - linear: {units: 3, name: kind, from: body}
optimizer: {type: sgd, lr: %g}
train: {steps: %d, batch_size: %d, accumulate: %d, log_every: 1}
"""


def write_npy(name, values, code, shape):
    header = f"{{'descr': '{code}', 'fortran_order': False, 'shape': {shape}, }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    with open(name, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        file.write(struct.pack(f"<{len(values)}{'f' if code == '<f4' else 'i'}", *values))


def train(run, config, rate, steps, batch, accumulate):
    with open(run + ".yaml", "w") as file:
        file.write(config + MODEL % (rate, steps, batch, accumulate))
    done = subprocess.run([gtrain, "train", run + ".yaml", "--device", device, "--run-dir", run, "--quiet"],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    with open(run + "/model.bin", "rb") as file:
        data = file.read()
    size = struct.unpack("<Q", data[:8])[0]
    tensors = {}
    for name, entry in json.loads(data[8:8 + size]).items():
        if name == "__metadata__" or name.startswith("data."):
            continue
        begin, end = (8 + size + offset for offset in entry["data_offsets"])
        tensors[name] = list(struct.unpack(f"<{(end - begin) // 4}f", data[begin:end]))
    with open(run + "/metrics.jsonl") as file:
        return tensors, [json.loads(line) for line in file]


def step(p, weights, labels, class_weights):
    """The two means and the gradient of the objective, by the chain rule. weights: of the samples; labels: the classes, -1
    if ignored."""
    total = sum(weights)
    kind_weights = [w * (class_weights[k] if k >= 0 else 0) for w, k in zip(weights, labels)]
    divisor = sum(kind_weights)
    g = {name: [0.0] * len(values) for name, values in p.items()}
    mean_load = mean_kind = 0.0
    for i in range(N):
        h = [math.tanh(sum(p["trunk.weight"][2 * u + c] * x[i][c] for c in range(2)) + p["trunk.bias"][u])
             for u in range(HIDDEN)]
        out = sum(p["load.weight"][u] * h[u] for u in range(HIDDEN)) + p["load.bias"][0]
        logit = [sum(p["kind.weight"][HIDDEN * c + u] * h[u] for u in range(HIDDEN)) + p["kind.bias"][c]
                 for c in range(CLASSES)]
        log_sum = math.log(sum(math.exp(v) for v in logit))
        mean_load += weights[i] * (out - load[i]) ** 2 / total
        d_out = weights[i] * 2 * (out - load[i]) / total
        d_logit = [0.0] * CLASSES
        if labels[i] >= 0:
            mean_kind += kind_weights[i] * (log_sum - logit[labels[i]]) / divisor
            d_logit = [WEIGHT * kind_weights[i] / divisor * (math.exp(v - log_sum) - (c == labels[i]))
                       for c, v in enumerate(logit)]
        g["load.bias"][0] += d_out
        for c in range(CLASSES):
            g["kind.bias"][c] += d_logit[c]
        for u in range(HIDDEN):
            g["load.weight"][u] += d_out * h[u]
            for c in range(CLASSES):
                g["kind.weight"][HIDDEN * c + u] += d_logit[c] * h[u]
            d = d_out * p["load.weight"][u] + sum(d_logit[c] * p["kind.weight"][HIDDEN * c + u]
                                                  for c in range(CLASSES))
            d *= 1 - h[u] ** 2
            g["trunk.bias"][u] += d
            for c in range(2):
                g["trunk.weight"][2 * u + c] += d * x[i][c]
    return mean_load, mean_kind, g


def compare(case, what, got, want):
    global failed
    if abs(got - want) > 2e-6 * max(1, abs(want)):
        failed = True
        print(f"{case}: {what} is {got}, not {want}")


def case(name, config, weights, labels, class_weights, batch=N, accumulate=1):
    # One step with a rate of nearly 0 gives the initial parameters.
    p, _ = train(name + "0", config, 1e-30, 1, batch, accumulate)
    tensors, rows = train(name, config, RATE, 2, batch, accumulate)
    rows = {row["step"]: row for row in rows if row["split"] == "train"}
    assert sorted(rows) == [1, 2], rows
    for row in rows.values():
        mean_load, mean_kind, g = step(p, weights, labels, class_weights)
        compare(name, "load.loss", row["load.loss"], mean_load)
        compare(name, "kind.loss", row["kind.loss"], mean_kind)
        compare(name, "loss", row["loss"], mean_load + WEIGHT * mean_kind)
        p = {key: [v - RATE * d for v, d in zip(p[key], g[key])] for key in p}
    for key, values in p.items():
        for i, value in enumerate(values):
            compare(name, f"{key}[{i}]", tensors[key][i], value)


LOSS = "loss: {load: mse, kind: {type: cross_entropy, weight: 0.5%s}}\n"
CSV = "data: {train: t.csv, targets: {load: y, kind: kind}, weight: w, normalize: none, normalize_targets: none}\n"
sample_weights = [float(i % 4) for i in range(N)]
with open("t.csv", "w") as out:
    out.write("a,b,y,kind,w\n")
    for i in range(N):
        out.write(f"{x[i][0]:.9g},{x[i][1]:.9g},{load[i]:.9g},{'abc'[kind[i]]},{sample_weights[i]:g}\n")
case("weights", CSV + LOSS % "", sample_weights, kind, [1, 1, 1])
case("accumulated", CSV + LOSS % "", sample_weights, kind, [1, 1, 1], N // 3, 3)

ignored = [-1 if i % 5 == 2 else k for i, k in enumerate(kind)]
write_npy("x.npy", [v for row in x for v in row], "<f4", (N, 2))
write_npy("y.npy", load, "<f4", (N,))
write_npy("k.npy", [k if k >= 0 else 9 for k in ignored], "<i4", (N,))
NPY = "data: {train: {inputs: x.npy, targets: {load: y.npy, kind: k.npy}}, ignore_index: 9, normalize: none}\n"
with zipfile.ZipFile("a.npz", "w") as archive:
    for name in ("x.npy", "y.npy", "k.npy"):
        archive.write(name)
NPZ = "data: {train: a.npz, inputs: x, targets: {load: y, kind: k}, ignore_index: 9, normalize: none}\n"
case("archive", NPZ + LOSS % "", [1.0] * N, ignored, [1, 1, 1])
case("ignored", NPY + LOSS % ", class_weights: [1, 2, 0.5]", [1.0] * N, ignored, [1, 2, 0.5])
sys.exit(failed)
