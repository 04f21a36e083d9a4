"""Shared by the torture tests: small runs that use every kind of file and state of a run, and functions that start and compare them."""

import json
import os
import shutil
import struct
import subprocess
import tempfile
import zlib

BINARY = os.path.abspath(os.environ.get("GTRAIN", "build/gtrain"))
ROOT = os.path.abspath(os.environ.get("ROOT", "."))
BASE = os.environ.get("TEST_TMP") or tempfile.mkdtemp(prefix="torture-")
SAME = ("model.bin", "metrics.jsonl", "best.bin", "config.yaml")

DIGITS = {"train": os.path.join(ROOT, "datasets/digits/digits.csv"), "target": "label", "test_fraction": 0.2,
          "validation": 0.1, "normalize": {"scale": 0.0625}}
CONFIGS = {
    "mlp": {"data": DIGITS, "model": [{"linear": 24}, "relu", {"dropout": 0.2}, {"linear": 10}],
            "optimizer": {"type": "adam", "lr": 3e-3, "ema": 0.9}, "schedule": {"type": "plateau", "patience": 1},
            "train": {"epochs": 4, "batch_size": 128, "log_every": 3, "checkpoint": {"every": 1, "keep_best": True}}},
    "steps": {"data": {"format": "function", "formula": "sin(3*x)", "samples": 64, "test_samples": 16},
              "model": [{"linear": 8}, "tanh", {"linear": 1}], "optimizer": {"type": "sgd", "lr": 0.1, "momentum": 0.9},
              "train": {"steps": 24, "batch_size": 16, "eval_every": 6, "log_every": 2, "checkpoint": {"every": 4}}},
    "gates": {"data": {**DIGITS, "validation": 0},
              "model": [{"threshold": [0.3, 0.6]}, {"logic": 160}, {"logic": 160}, {"group_sum": {"groups": 10, "tau": 2}}],
              "optimizer": {"type": "adam", "lr": 0.02},
              "train": {"steps": 40, "batch_size": 100, "eval_every": 5, "restart_every": 15,
                        "early_stopping": {"metric": "hard_loss", "goal": 0}, "checkpoint": {"every": 3}}},
    "phases": {"data": {**DIGITS, "validation": 0}, "model": [{"linear": 16}, "batch_norm", "relu", {"linear": 10}],
               "optimizer": {"type": "adam", "lr": 5e-3, "ema": 0.9, "parameters": [{"match": "linear1.*", "frozen": True}]},
               "train": {"batch_size": 128, "checkpoint": {"every": 1},
                         "phases": [{"epochs": 2}, {"epochs": 2, "train.accumulate": 3, "optimizer.parameters": []},
                                    {"epochs": 2, "model.0.linear": 20, "optimizer": "adamw"}]}},
    "automaton": {"data": {"format": "ca", "grid": [6, 6], "target": "checkerboard", "samples": 8},
                  "model": [{"logic_ca": {"steps": 4, "kernels": 3, "update": [8, 4, 2, 1], "fire_rate": 0.7,
                                          "sampling": 0.1}}],
                  "loss": "sum_squared", "optimizer": {"type": "adamw", "lr": 0.05},
                  "train": {"steps": 30, "batch_size": 4, "eval_every": 6, "checkpoint": {"every": 2}}},
    # Knots that adapt to the data, a finer grid in the second phase, and edges that become functions.
    "knots": {"data": {"format": "function", "formula": "exp(sin(pi*x0) + x1^2)", "samples": 64, "test_samples": 16},
              "model": [{"kan": {"units": 3, "grid": 3, "grid_update": {"every": 3, "until": 20, "blend": 0.5}}},
                        {"kan": {"units": 1, "grid": 3, "grid_update": {"every": 3, "until": 20, "blend": 0.5}}}],
              "optimizer": {"type": "adam", "lr": 0.02},
              "train": {"batch_size": 16, "eval_every": 4, "checkpoint": {"every": 2},
                        "phases": [{"steps": 12}, {"steps": 12, "model.0.kan.grid": 6, "prune": {"node": 0.01}},
                                   {"steps": 8, "symbolic": {"library": ["x", "x^2"], "minimum_r2": 0.9}}]}},
    # Images whose decoded pixels are cached in a file; a killed run may have been writing it.
    "pictures": {"data": {"train": "photos", "size": [6, 6], "channels": 1, "test_fraction": 0.25, "cache": os.path.join(BASE, "photos.cache")},
                 "model": ["flatten", {"linear": 2}], "optimizer": {"type": "sgd", "lr": 0.1},
                 "train": {"steps": 12, "batch_size": 8, "eval_every": 4, "checkpoint": {"every": 2}}},
}


def write_pictures():
    """Gray PNG files of 12 x 12 pixels in two folders."""
    for index in range(200):
        folder = os.path.join(BASE, "photos", "ab"[index % 2])
        os.makedirs(folder, exist_ok=True)
        rows = b"".join(bytes([0] + [(index * 37 + y * (5 + index % 2) + x * 11) % 256 for x in range(12)]) for y in range(12))
        chunks = (b"IHDR", struct.pack(">IIBBBBB", 12, 12, 8, 0, 0, 0, 0)), (b"IDAT", zlib.compress(rows)), (b"IEND", b"")
        with open(os.path.join(folder, f"{index}.png"), "wb") as file:
            file.write(b"\x89PNG\r\n\x1a\n")
            for kind, data in chunks:
                file.write(struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)))


def write_config(name):
    path = os.path.join(BASE, name + ".yaml")
    if name == "pictures":
        write_pictures()
    with open(path, "w") as file:
        json.dump(CONFIGS[name], file)  # JSON is YAML
    return path


def command(config, run_dir, *words):
    return [BINARY, "train", config, "--run-dir", run_dir, "--device", "cpu", "--quiet", *words]


def run(words, timeout=120):
    """(exit code, stderr)"""
    done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace",
                          timeout=timeout)
    return done.returncode, done.stderr


def whole_run(name):
    """An undisturbed run: (config, its directory)."""
    config, directory = write_config(name), os.path.join(BASE, name + "-whole")
    shutil.rmtree(directory, ignore_errors=True)
    code, err = run(command(config, directory))
    assert code == 0, err
    return config, directory


def contents(path):
    try:
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        return None


def differences(whole, directory):
    """Names of the files whose bytes differ."""
    return [n for n in SAME if contents(os.path.join(whole, n)) != contents(os.path.join(directory, n))]


class Count:
    def __init__(self):
        self.passed = self.failed = 0

    def add(self, good, *words):
        self.passed, self.failed = self.passed + bool(good), self.failed + (not good)
        if not good and self.failed <= 50:
            print("not ok", *words, flush=True)

    def finish(self, what):
        print(f"{what}: {self.passed} passed, {self.failed} failed", flush=True)
        return self.failed > 0 or self.passed == 0
