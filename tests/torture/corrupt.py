#!/usr/bin/env python3
"""corrupt.py FILES [SEED]: makes FILES damaged copies of a model and of checkpoints: bits flipped, bytes overwritten, blocks
zeroed, swapped or removed, files cut or made longer. Every command that reads a damaged model exits with code 65. A run
whose newest checkpoint is damaged resumes from the one before, and ends with the bytes of an undisturbed run."""

import os
import random
import shutil
import sys

from common import BASE, BINARY, CONFIGS, Count, command, contents, differences, run, whole_run


def damage(data, rng):
    """A copy with damage, and a description of the damage."""
    data, size = bytearray(data), len(data)
    at, length = rng.randrange(size), rng.choice((1, 2, 8, 64, 512, 4096))
    kind = rng.choice(("flip", "overwrite", "zero", "swap", "remove", "cut", "grow", "repeat"))
    if kind == "flip":
        data[at] ^= 1 << rng.randrange(8)
    elif kind == "overwrite":
        data[at : at + length] = rng.randbytes(len(data[at : at + length]))
    elif kind == "zero":
        data[at : at + length] = bytes(len(data[at : at + length]))
    elif kind == "swap":
        other = rng.randrange(size)
        data[at], data[other] = data[other], data[at]
    elif kind == "remove":
        del data[at : at + length]
    elif kind == "cut":
        del data[at:]
    elif kind == "grow":
        data += rng.randbytes(length)
    else:
        data[at:at] = data[at : at + length]
    return bytes(data), f"{kind} of {length} at {at} of {size}"


def models(name, files, rng, count):
    _, whole = whole_run(name)
    sound = contents(os.path.join(whole, "model.bin"))
    path = os.path.join(BASE, "damaged.bin")
    uses = [["inspect", path], ["eval", path, "--device", "cpu"], ["export", path, "--format", "c"],
            ["predict", path, "--input", path, "--device", "cpu"], ["simulate", path]]
    for _ in range(files):
        bad, what = damage(sound, rng)
        if bad == sound:
            continue
        with open(path, "wb") as file:
            file.write(bad)
        words = rng.choice(uses)
        code, err = run([BINARY, *words])
        count.add(code == 65 and err, name, "model:", what, words[0], "exit code", code)


def checkpoints(name, files, rng, count):
    config, whole = whole_run(name)
    halted = os.path.join(BASE, name + "-halted")
    shutil.rmtree(halted, ignore_errors=True)
    shutil.copytree(whole, halted)
    os.remove(os.path.join(halted, "model.bin"))
    folder = os.path.join(halted, "checkpoints")
    newest = sorted(os.listdir(folder))[-1]
    sound = contents(os.path.join(folder, newest))
    work = os.path.join(BASE, name + "-work")
    for _ in range(files):
        bad, what = damage(sound, rng)
        if bad == sound:
            continue
        shutil.rmtree(work, ignore_errors=True)
        shutil.copytree(halted, work)
        with open(os.path.join(work, "checkpoints", newest), "wb") as file:
            file.write(bad)
        code, err = run(command(config, work, "--resume"))
        count.add(code == 0 and not differences(whole, work), name, "checkpoint:", what, "exit code", code,
                  differences(whole, work), err)


def main():
    files, seed = int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1
    rng, count = random.Random(seed), Count()
    each = -(-files // (2 * len(CONFIGS)))
    for name in CONFIGS:
        models(name, each, rng, count)
        checkpoints(name, each, rng, count)
    return count.finish(f"corrupt, {files} files")


if __name__ == "__main__":
    sys.exit(main())
