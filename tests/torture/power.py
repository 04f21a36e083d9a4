#!/usr/bin/env python3
"""power.py [--states N] [--every N] [--seed N] [RUN...]: power loss. The writes, syncs, renames and other changes that a run
makes in its directory are recorded (strace) and replayed into a model of a disk, cut at every point. Synced changes are
on the disk; every other change may be on it or not, in any order: all, none, only the names, only the contents, and N
random subsets. From every such state the user starts gtrain again, and the run must end with the bytes of an undisturbed
run. Needs strace."""

import argparse
import os
import random
import re
import shutil
import subprocess
import sys

from common import BASE, CONFIGS, Count, command, differences, run, whole_run

CALLS = "mkdir,mkdirat,openat,write,pwrite64,ftruncate,fsync,fdatasync,rename,renameat,renameat2,unlink,unlinkat"
LINE = re.compile(r"^(?:\d+ +)?(\w+)\((.*)\) += (-?\d+)")
UNFINISHED = re.compile(r"^(\d+) +(.*) <unfinished \.\.\.>$")
RESUMED = re.compile(r"^(\d+) +<\.\.\. \w+ resumed>(.*)$")


def unescape(text):
    return bytes.fromhex(text.replace("\\x", ""))


def lines(path):
    """The lines of strace; the parts of a call that another thread interrupted are joined."""
    begun = {}
    with open(path) as file:
        for line in file:
            line = line.rstrip("\n")
            if match := UNFINISHED.match(line):
                begun[match[1]] = match[2]
            elif match := RESUMED.match(line):
                yield begun.pop(match[1]) + match[2]
            else:
                yield line


def events(path, root):
    """The changes below the directory root: (call, path, data or new path or length), paths relative to it; the
    directory itself is "."."""
    def inside(text):
        name = os.path.normpath(os.path.join(os.getcwd(), unescape(text).decode()))
        return os.path.relpath(name, root) if name == root or name.startswith(root + "/") else None

    for line in lines(path):
        match = LINE.match(line)
        if not match or match[3].startswith("-"):
            continue
        call, words = match[1], match[2]
        quoted = re.findall(r'"((?:\\x[0-9a-f]{2})*)"', words)
        opened = re.match(r"\d+<((?:\\x[0-9a-f]{2})+)(?: ?\(deleted\))?>", words)
        name = inside(quoted[0]) if quoted and not opened else inside(opened[1]) if opened else None
        if name is None:
            continue
        if call in ("mkdir", "mkdirat"):
            yield "mkdir", name, None
        elif call == "openat" and "O_CREAT" in words:
            yield "create", name, "O_TRUNC" in words
        elif call == "write":
            yield "write", name, unescape(quoted[0])[: int(match[3])]
        elif call == "ftruncate":
            yield "cut", name, int(words.rsplit(",", 1)[1])
        elif call in ("fsync", "fdatasync"):
            yield "sync", name, None
        elif call.startswith("rename"):
            yield "rename", name, inside(quoted[1])
        elif call.startswith("unlink"):
            yield "unlink", name, None
        else:
            assert call != "pwrite64", "the model of the disk knows appending writes only"


class Disk:
    """Files are numbered; a change is [what it changes, kind, …, synced]. Directories are the files of their names."""

    def __init__(self, start):
        self.number, self.of, self.size, self.changes = 0, {".": "."}, {}, []
        for folder, _, files in os.walk(start):
            where = os.path.relpath(folder, start)
            if where != ".":
                self.do("mkdir", where, None)
            for name in files:
                path = os.path.normpath(os.path.join(where, name))
                with open(os.path.join(start, path), "rb") as file:
                    self.do("create", path, False)
                    self.do("write", path, file.read())
        for change in self.changes:
            change["synced"] = True

    def add(self, target, **change):
        self.changes.append({"target": target, "synced": False, **change})

    def name(self, path, file):
        """The change in a directory that makes a name refer to a file, or to nothing."""
        self.add("names of " + (os.path.dirname(path) or "."), path=path, file=file)

    def do(self, call, path, extra):
        if call == "mkdir":
            self.of[path] = path
            self.name(path, "directory")
        elif call == "create":
            if path not in self.of:
                self.number += 1
                self.of[path] = self.number
                self.size[self.number] = 0
                self.name(path, self.number)
            elif extra:
                self.do("cut", path, 0)
        elif call == "write":
            file = self.of[path]
            self.add(file, at=self.size[file], data=extra)
            self.size[file] += len(extra)
        elif call == "cut":
            self.size[self.of[path]] = extra
            self.add(self.of[path], cut=extra)
        elif call == "sync":
            synced = {self.of[path], "names of " + path}
            for change in self.changes:
                change["synced"] |= change["target"] in synced
        elif call == "rename":
            self.of[extra] = self.of.pop(path)
            self.add("names of " + (os.path.dirname(extra) or "."), path=extra, file=self.of[extra], gone=path)
        else:
            self.of.pop(path, None)
            self.name(path, None)

    def lay(self, directory, reached):
        """Creates the directory as on a disk to which only these of the unsynced changes were written."""
        names, files = {}, {}
        for change in self.changes:
            if not change["synced"] and not reached(change):
                continue
            if "path" in change:
                names[change["path"]] = change["file"]
                if "gone" in change:
                    names[change["gone"]] = None
            else:
                data = files.setdefault(change["target"], bytearray())
                if "cut" in change:
                    size = change["cut"]
                    data[:] = data[:size] + bytes(max(0, size - len(data)))
                else:
                    end = change["at"] + len(change["data"])
                    data += bytes(max(0, end - len(data)))
                    data[change["at"] : end] = change["data"]
        shutil.rmtree(directory, ignore_errors=True)
        # A name in a directory that is not there is lost with it.
        for path, file in sorted(names.items()):
            where = os.path.join(directory, path)
            if file is None or (os.path.dirname(path) and not os.path.isdir(os.path.dirname(where))):
                continue
            if file == "directory":
                os.makedirs(where)
            else:
                os.makedirs(directory, exist_ok=True)
                with open(where, "wb") as out:
                    out.write(files.get(file, b""))


def record(words, root):
    """The events of a command in the directory that holds its run directory."""
    log = os.path.join(BASE, "strace.log")
    tracer = ["strace", "-f", "-y", "-xx", "-s", str(1 << 28), "-e", "trace=" + CALLS, "-o", log]
    subprocess.run([*tracer, *words], check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL, timeout=600)
    return list(events(log, root))


def states(disk, randoms, rng):
    """Which unsynced changes are on the disk, as functions of a change."""
    pending = [change for change in disk.changes if not change["synced"]]
    yield "all", lambda change: True
    if not pending:
        return
    yield "none", lambda change: False
    yield "names only", lambda change: "path" in change
    yield "contents only", lambda change: "path" not in change
    for number in range(randoms):
        chosen = {id(change) for change in pending if rng.random() < 0.5}
        yield f"random {number}", lambda change, chosen=chosen: id(change) in chosen


def go_on(config, directory):
    """What the user does after the power is back: resume, or start if there is nothing to resume."""
    if os.path.exists(directory):
        code, err = run(command(config, directory, "--resume"))
        if code == 0:
            return code, err
        if os.path.isdir(os.path.join(directory, "checkpoints")) and os.listdir(os.path.join(directory, "checkpoints")):
            return code, err
        if not os.path.exists(os.path.join(directory, "config.yaml")):
            shutil.rmtree(directory)  # only empty names are left of the run
    return run(command(config, directory))


def torture(name, options, rng, count, start=None):
    """start: a folder whose `run` is to be resumed; None: a fresh run."""
    config, whole = whole_run(name)
    scene, work = os.path.join(BASE, name + "-scene"), os.path.join(BASE, name + "-disk")
    shutil.rmtree(scene, ignore_errors=True)
    shutil.copytree(start, scene) if start else os.makedirs(scene)
    disk = Disk(scene)
    happened = record(command(config, os.path.join(scene, "run"), *(["--resume"] if start else [])), scene)
    assert not differences(whole, os.path.join(scene, "run")), "a traced run is another one"
    saved = False
    for place, (call, path, extra) in enumerate(happened):
        disk.do(call, path, extra)
        saved |= call == "sync" and os.path.basename(path) == "checkpoints"
        if rng.randrange(options.every):
            continue
        for what, reached in states(disk, options.states, rng):
            disk.lay(work, reached)
            label = f"{name}{' resumed' if start else ''}, power lost after {call} of {path} ({place + 1}), {what}"
            run_dir = os.path.join(work, "run")
            kept = os.path.isdir(os.path.join(run_dir, "checkpoints")) and os.listdir(os.path.join(run_dir, "checkpoints"))
            count.add(not saved or kept, label, "lost its checkpoints")
            code, err = go_on(config, run_dir)
            different = differences(whole, run_dir)
            count.add(code == 0 and not different, label, "exit code", code, different, err)
    return happened


def halfway(name, happened):
    """A folder with the run after half of its events."""
    folder = os.path.join(BASE, name + "-half")
    empty = os.path.join(BASE, "empty")
    os.makedirs(empty, exist_ok=True)
    disk = Disk(empty)
    for event in happened[: len(happened) // 2]:
        disk.do(*event)
    disk.lay(folder, lambda change: True)
    return folder


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--states", type=int, default=3, help="random states at each place")
    parser.add_argument("--every", type=int, default=1, help="one place in so many, at random")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("runs", nargs="*", metavar="RUN")
    options = parser.parse_args()
    rng, count = random.Random(options.seed), Count()
    for name in options.runs or CONFIGS:
        happened = torture(name, options, rng, count)
        torture(name, options, rng, count, halfway(name, happened))
        print(f"{name}: {len(happened)} events", flush=True)
    return count.finish("power loss")


if __name__ == "__main__":
    sys.exit(main())
