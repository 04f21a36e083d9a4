"""Runs gtrain from Python and reads the files that it writes. Needs numpy only."""

import json
import os
import shutil
import struct
import subprocess

import numpy

BINARY = os.environ.get("GTRAIN", "build/gtrain")
FOLDER = os.environ.get("TEST_TMP", "build/tmp/oracle")
DTYPES = {"F32": numpy.float32, "I32": numpy.int32, "U8": numpy.uint8}


class Failed(Exception):
    """gtrain ended with an exit code other than 0."""


def call(*words):
    """stdout of a command, as text."""
    done = subprocess.run([BINARY, *map(str, words)], capture_output=True, text=True, timeout=300)
    if done.returncode:
        raise Failed(f"{' '.join(map(str, words))}: exit code {done.returncode}\n{done.stderr}")
    return done.stdout


def tensors(path):
    """The tensors of a model file, by name."""
    with open(path, "rb") as file:
        data = file.read()
    length = struct.unpack("<Q", data[:8])[0]
    header, body = json.loads(data[8 : 8 + length]), data[8 + length :]
    header.pop("__metadata__")
    result = {}
    for name, entry in header.items():
        begin, end = entry["data_offsets"]
        result[name] = numpy.frombuffer(body[begin:end], DTYPES[entry["dtype"]]).reshape(entry["shape"])
    return result


def train(name, config, steps, device="cpu", **changes):
    """Trains for this many steps. Returns the run's folder."""
    config = {**config, "train": {"log_every": 1, **config.get("train", {}), "steps": steps, **changes}}
    folder = os.path.join(FOLDER, f"{name}-{steps}")
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(FOLDER, exist_ok=True)
    path = folder + ".yaml"  # JSON is YAML
    with open(path, "w") as file:
        json.dump(config, file)
    call("train", path, "--run-dir", folder, "--device", device, "--quiet")
    return folder


def data(inputs, targets):
    """The `data:` map: a table, or of integers [samples, window] a text of letters, whose targets are the next ones."""
    if inputs.dtype.kind == "i":
        text = "".join(chr(ord("a") + i) for i in [*inputs.flatten(), targets[-1, -1]])
        with open(text_file(), "w") as file:
            file.write(text)
        return {"train": text_file(), "text": {"vocabulary": "char", "window": inputs.shape[1], "stride": inputs.shape[1]}}
    return table(inputs, targets)


def text_file():
    os.makedirs(FOLDER, exist_ok=True)
    return os.path.join(FOLDER, "text.txt")


def table(inputs, targets):
    return {"inputs": [[float(v) for v in row] for row in inputs.reshape(len(inputs), -1)],
            "targets": targets.tolist()}


def rows(folder, split):
    """Rows of metrics.jsonl, the first for each step."""
    result = {}
    with open(os.path.join(folder, "metrics.jsonl")) as file:
        for row in map(json.loads, file):
            if row["split"] == split:
                result.setdefault(row["step"], row)
    return [result[step] for step in sorted(result)]


def model(folder):
    return tensors(os.path.join(folder, "model.bin"))


def initial(name, config):
    """The initial weights: after one step that is too small to change any of them."""
    still = {"type": "sgd", "lr": 1e-30}
    return model(train(name + "-initial", {**config, "optimizer": still, "schedule": "constant"}, 1))
