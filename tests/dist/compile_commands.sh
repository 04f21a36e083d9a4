#!/usr/bin/env bash
# `make compile_commands.json`: the file is valid JSON and contains every C file of the tree once, with a command that
# works.
# shellcheck source=tests/support/cli.sh
source "$(dirname "$0")/../support/cli.sh"
command -v python3 > /dev/null || {
  echo "python3 is missing"
  exit 77
}

exits 0 "it is written" env -u MAKEFLAGS -u MAKELEVEL make -s compile_commands.json BUILD="$TEST_TMP/build"
exits 0 "it names every source, with its command" python3 - "$TEST_TMP/build/compile_commands.json" << 'END'
import json, os, shlex, subprocess, sys
entries = json.load(open(sys.argv[1]))
there = [os.path.join(folder, file) for room in ("src", "tests", "tools") for folder, _, files in os.walk(room)
         for file in files if file.endswith(".c")]
assert [entry["file"] for entry in entries] == sorted(there), set(there) ^ {entry["file"] for entry in entries}
for entry in entries:
    words = shlex.split(entry["command"])
    assert words[-2:] == ["-c", entry["file"]] and "-Isrc" in words, entry
    assert ("-Itests" in words) == entry["file"].startswith("tests/"), entry
for file in ("src/main.c", "tests/base/names.c"):
    entry = next(entry for entry in entries if entry["file"] == file)
    subprocess.run(entry["command"] + " -fsyntax-only -o /dev/null", shell=True, cwd=entry["directory"], check=True)
END
finish
