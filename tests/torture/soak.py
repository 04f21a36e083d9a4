#!/usr/bin/env python3
"""soak.py SECONDS [DEVICE]: the memory of long runs that evaluate, save, log and restart all the time must not grow. The
resident memory of each run is sampled; after the first tenth of the time its median over a tenth may not rise by more
than 1 % and 256 KiB in all."""

import copy
import os
import shutil
import signal
import statistics
import subprocess
import sys
import time

import common
from common import BASE, CONFIGS, Count, command, write_config

ENDLESS = 10**9
READINGS = 600


def endless(name):
    """A config with all of these features, but without an end."""
    config = copy.deepcopy(CONFIGS[name])
    train = config["train"]
    train["epochs" if "epochs" in train else "steps"] = ENDLESS
    train["threads"] = 1
    if "early_stopping" in train:
        train["early_stopping"] = {"metric": "hard_loss", "goal": -1}  # never: it restarts forever
    return config


def resident(pid):
    """KiB, or None if the process has ended."""
    try:
        with open(f"/proc/{pid}/status") as file:
            return int(next(line for line in file if line.startswith("VmRSS:")).split()[1])
    except (FileNotFoundError, ProcessLookupError, StopIteration):
        return None


def start(name, device):
    common.CONFIGS["soak-" + name] = endless(name)
    config, directory = write_config("soak-" + name), os.path.join(BASE, "soak-" + name)
    shutil.rmtree(directory, ignore_errors=True)
    words = [device if word == "cpu" else word for word in command(config, directory)]
    with open(directory + ".err", "w") as err:
        return subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=err), directory


def judge(name, child, directory, readings, count):
    tenths = [readings[i * len(readings) // 10 : (i + 1) * len(readings) // 10] for i in range(10)]
    medians = [statistics.median(tenth) for tenth in tenths]
    child.send_signal(signal.SIGTERM)
    child.wait(120)
    saved = sorted(os.listdir(os.path.join(directory, "checkpoints")))
    print(f"{name}: {saved[-1] if saved else 'nothing saved'}; median KiB of each tenth: {medians}", flush=True)
    count.add(child.returncode == 75, name, "exit code", child.returncode)
    count.add(max(medians[2:]) <= 1.01 * medians[1] + 256, name, "grows:", medians)


def main():
    seconds, device = float(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else "cpu"
    count, runs = Count(), {n: start(n, device) for n in list(CONFIGS) if "phases" not in CONFIGS[n]["train"]}
    readings = {name: [] for name in runs}
    for _ in range(READINGS):
        time.sleep(seconds / READINGS)
        for name, (child, _) in runs.items():
            if child.poll() is None:
                readings[name].append(resident(child.pid))
    for name, (child, directory) in runs.items():
        if child.poll() is None:
            judge(name, child, directory, readings[name], count)
        else:
            count.add(False, name, "ended by itself with exit code", child.returncode)
    return count.finish(f"soak of {seconds:.0f} s on {device}")


if __name__ == "__main__":
    sys.exit(main())
