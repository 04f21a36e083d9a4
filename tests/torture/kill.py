#!/usr/bin/env python3
"""kill.py KILLS [SEED]: runs are killed (-9) at random moments and resumed, repeatedly, until they end; model, metrics, best
model and config must have the bytes of an undisturbed run. Every fourth time the signal is one that gtrain handles: it
must save and end with 75, or (SIGUSR1) save and continue."""

import os
import random
import shutil
import signal
import subprocess
import sys
import time

from common import BASE, CONFIGS, Count, command, differences, whole_run

ANSWERED = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1]


def listens(child, number):
    """True if there is a handler for the signal. A process that has just started cannot handle one."""
    try:
        with open(f"/proc/{child.pid}/status") as file:
            caught = next(line for line in file if line.startswith("SigCgt:")).split()[1]
    except (FileNotFoundError, ProcessLookupError, StopIteration):
        return False
    return int(caught, 16) >> (number - 1) & 1


def one_life(words, delay, number):
    """Starts the run, sends the signal after this many seconds; returns (exit code, whether the run was still alive)."""
    with subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as child:
        try:
            child.wait(delay)
            alive = False
        except subprocess.TimeoutExpired:
            while number != signal.SIGKILL and child.poll() is None and not listens(child, number):
                time.sleep(0.001)
            alive = child.poll() is None
            child.send_signal(number)
        _, err = child.communicate(timeout=120)
    return child.returncode, alive, err.decode(errors="replace")


def expected(code, alive, number):
    if not alive or number == signal.SIGUSR1:
        return code == 0
    if number == signal.SIGKILL:
        return code in (-signal.SIGKILL, 0)  # 0: it ended before the signal
    # In the last moments of a run, after everything is saved, signals have their default effect again.
    return code in (75, 0, -number)


def forget_pictures():
    """Removes the cache, so that the next run decodes the images again and can be killed while it does."""
    for name in os.listdir(BASE):
        if name.startswith("photos.cache"):
            os.remove(os.path.join(BASE, name))


def torture(name, kills, rng, count):
    config, whole = whole_run(name)
    began = time.monotonic()
    directory = os.path.join(BASE, name + "-killed")
    shutil.rmtree(directory, ignore_errors=True)
    one_life(command(config, directory), 600, signal.SIGKILL)
    length = time.monotonic() - began
    shutil.rmtree(directory)
    forget_pictures()
    sent = lives = 0
    while sent < kills:
        number = rng.choice(ANSWERED) if rng.random() < 0.25 else signal.SIGKILL
        words = command(config, directory, *(["--resume"] if os.path.exists(directory) else []))
        code, alive, err = one_life(words, rng.uniform(0, 1.1 * length), number)
        count.add(expected(code, alive, number), name, "signal", int(number), "exit code", code, err)
        sent += alive
        if code != 0:
            continue
        lives += 1
        different = differences(whole, directory)
        count.add(not different, name, "differs in", different)
        shutil.rmtree(directory)
        forget_pictures()
    print(f"{name}: {sent} signals, {lives} runs that came to their end", flush=True)


def main():
    kills, seed = int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1
    rng, count = random.Random(seed), Count()
    for name in CONFIGS:
        torture(name, -(-kills // len(CONFIGS)), rng, count)
    return count.finish(f"kill, {kills} signals")


if __name__ == "__main__":
    sys.exit(main())
