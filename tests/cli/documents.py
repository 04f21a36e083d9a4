#!/usr/bin/env python3
"""documents.py [--record] FILE.md...: runs the commands in the documents, and compares their output with the documents.

In each file, in order and in one folder of its own that has the repository's configs/ and datasets/:
- a block whose first line is "# NAME" or "// NAME" with a suffix (NAME.yaml, NAME.py, …) is written to that file;
- in a block ```console, lines "$ COMMAND" are run by bash ("> " continues one); the lines after it are its output,
  including standard error, in which a line "…" stands for any number of lines, and "[exit N]" for a code other than 0.
Within a line, "…" stands for any text, and "< 1e-6" for a number whose absolute value is less. Other numbers with a
point may differ by a tenth, as processors round differently. So a loss that only rounding keeps from 0 must be shown as
a bound or as "…". Times, rates, sizes of memory, devices and paths of temporary files may be anything. --record writes
the actual output of commands that differ to the files."""

import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
GTRAIN = os.path.abspath(os.environ.get("GTRAIN", os.path.join(ROOT, "build/gtrain")))
NAMED = re.compile(r"^(?:#|//) ([\w.-]+\.\w+)(?:[: ].*)?$")
LINK = re.compile(r"\]\((?!https?:)([^)#]+)[^)]*\)")
MASKS = [
    (r"^device: .*", "device: DEVICE"),
    (r"^(us_per_step|samples_per_s) .*", r"\1"),
    (r" on [^,]*, \d+ threads", " on DEVICE"),
    (r"\b[\d.]+ ?[kMG]? samples/s", "RATE"),
    (r"\b\d+(\.\d+)?(e-?\d+)? ?(ns|us|µs|ms|s|min|h)\b", "TIME"),
    (r"\b\d+(\.\d+)? ?([KMG]i?B|[kMGT]?FLOP(/s)?)\b", "SIZE"),
    (r"/tmp/[\w./-]*", "PATH"),
]
NUMBER = re.compile(r"-?\d+\.\d+(?:e[-+]?\d+)?|-?\d+e[-+]?\d+")
VARYING = re.compile(r"(…)|< (\d[\d.e-]*)|(" + NUMBER.pattern + ")")


def masked(line):
    for pattern, name in MASKS:
        line = re.sub(pattern, name, line)
    return " ".join(line.split())


def close(found, shown):
    """True if the numbers differ by at most a tenth, or by one unit of the last decimal shown if that is at most 0.02."""
    unit = 0 if "e" in shown else 10.0 ** -len(shown.partition(".")[2])
    return abs(float(found) - float(shown)) <= max(0.1 * abs(float(shown)), 1.001 * min(unit, 0.02))


def same(line, shown):
    line, shown = masked(line), masked(shown)
    pattern, at = "", 0
    checks = []  # of each number in the line, in order
    for match in VARYING.finditer(shown):
        text, bound, number = match.groups()
        pattern += re.escape(shown[at:match.start()]) + (".*" if text else "(" + NUMBER.pattern + r"|\d+)")
        at = match.end()
        if bound:
            checks.append(lambda found, bound=bound: abs(float(found)) < float(bound))
        elif number:
            checks.append(lambda found, number=number: close(found, number))
    found = re.fullmatch(pattern + re.escape(shown[at:]), line)
    return found is not None and all(check(number) for check, number in zip(checks, found.groups()))


def agrees(lines, shown):
    """True if the output is as shown, with "…" standing for any number of lines."""
    if not shown:
        return not lines
    if shown[0] == "…":
        return any(agrees(lines[i:], shown[1:]) for i in range(len(lines) + 1))
    return bool(lines) and same(lines[0], shown[0]) and agrees(lines[1:], shown[1:])


def shortened(lines, shown):
    """The output, with as many lines before and after the first "…" as are shown now, and lines that agree as shown."""
    lines = [next((old for old in shown if old != "…" and same(line, old)), line) for line in lines]
    if "…" not in shown:
        return lines
    head = shown.index("…")
    tail = len(shown) - head - 1
    return lines[:head] + ["…"] + (lines[-tail:] if tail else [])


def run(command, folder):
    environment = {**os.environ, "PATH": os.path.dirname(GTRAIN) + ":" + os.environ["PATH"], "NO_COLOR": "1",
                   "GTRAIN_DEVICE": "cpu", "HOME": folder}
    done = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    lines = [line.rstrip() for line in done.stdout.splitlines()]
    return lines + ([f"[exit {done.returncode}]"] if done.returncode else [])


class Document:
    def __init__(self, path, record):
        self.path, self.record, self.failed, self.passed, self.out = path, record, 0, 0, []
        with open(path, encoding="utf-8") as file:
            self.lines = file.read().split("\n")

    def console(self, block, folder):
        at = 0
        while at < len(block):
            start, command = at, block[at][2:]
            assert block[at].startswith("$ "), f"{self.path}: output without a command: {block[at]}"
            at += 1
            while at < len(block) and block[at].startswith("> "):
                command += "\n" + block[at][2:]
                at += 1
            self.out += block[start:at]
            shown = []
            while at < len(block) and not block[at].startswith("$ "):
                shown.append(block[at])
                at += 1
            blank = shown[-1:] == [""]
            lines, shown = run(command, folder), shown[:-1] if blank else shown
            good = agrees(lines, shown)
            self.passed, self.failed = self.passed + good, self.failed + (not good)
            if not good and not self.record:
                print(f"not ok {self.path}: $ {command}", *lines, "… where the document has", *shown, sep="\n  ")
            self.out += (shown if good or not self.record else shortened(lines, shown)) + ([""] if blank else [])

    def check(self, folder):
        at = 0
        while at < len(self.lines):
            line = self.lines[at]
            self.out.append(line)
            at += 1
            if not line.startswith("```"):
                continue
            end = self.lines.index("```", at)
            block, named = self.lines[at:end], NAMED.match(self.lines[at])
            if line == "```console":
                self.console(block, folder)
            else:
                self.out += block
            if line != "```console" and named:
                with open(os.path.join(folder, named[1]), "w", encoding="utf-8") as file:
                    file.write("\n".join(block) + "\n")
            self.out.append("```")
            at = end + 1
        if self.record and self.out != self.lines:
            with open(self.path, "w", encoding="utf-8") as file:
                file.write("\n".join(self.out))
        for target in LINK.findall("\n".join(self.lines)):
            if not os.path.exists(os.path.join(os.path.dirname(self.path), target)):
                self.failed += 1
                print(f"not ok {self.path}: no file '{target}', to which it links")
        print(f"{'not ok' if self.failed and not self.record else 'ok'} {self.path}: {self.passed} commands as shown")
        return self.failed == 0 or self.record


def main():
    record, good = "--record" in sys.argv, True
    for path in sys.argv[1:]:
        if path == "--record":
            continue
        with tempfile.TemporaryDirectory(prefix="documents-") as folder:
            for name in ("configs", "datasets"):
                os.symlink(os.path.join(ROOT, name), os.path.join(folder, name))
            good = Document(path, record).check(folder) and good
    return not good


if __name__ == "__main__":
    sys.exit(main())
