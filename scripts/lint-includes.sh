#!/usr/bin/env bash
# scripts/lint-includes.sh [ROOT]: checks the project's rules on files and their includes.
#   - a room (a directory of src/, or a folder of a room that has a row of its own) includes only headers of the rooms in its
#     row below; a row may name only rooms with earlier rows, so there are no include cycles;
#   - yaml.h only in src/spec/, vulkan.h and volk.h only in src/backend/vulkan/, libjpeg's headers only in src/data/,
#     utf8proc.h and xxhash.h only in src/base/;
#   - every op has test cases: src/op/NAME.c that registers an op needs tests/op/NAME.c with GT_REGISTER(opcase, NAME), and
#     src/op/FAMILY/NAME.c needs tests/op/FAMILY/NAME.c;
#   - no shader writes the id of a specialization constant as a number;
#   - no file has more than 600 lines.
# Each error says how to fix it.
set -euo pipefail
cd "${1:-$(dirname "$0")/..}"
shopt -s nullglob

sources=(src/*.[ch] src/*/*.[ch] src/*/*/*.[ch])
counted=("${sources[@]}" tools/*.c tools/*/*.[ch] tests/*/*.[ch] tests/op/*/*.c shaders/*/*.{h,comp,glsl} shaders/op/*/*.{h,comp,glsl})
failed=0

# /dev/null: if there are no sources, awk must not wait for standard input.
awk '
BEGIN {
  # Each room and the rooms that it may include, lowest layer first. A room may always include its own headers. "data" is
  # the files that are in no folder of src/data; "train/*" is all folders of src/train with earlier rows.
  row("base",     "")
  row("draw",     "base")
  row("circuit",  "base")
  row("spec",     "base")
  row("graph",    "base")
  row("step",     "base graph")
  row("op",       "base graph step")
  row("augment",  "base spec op")
  row("plan",     "base graph step op")
  row("backend",  "base plan")
  row("selftest", "base graph op backend")
  row("tokens",   "base")
  row("data",     "base spec tokens")
  row("data/series", "base spec data")
  row("data/table",  "base spec data data/series")
  row("data/images", "base draw spec data data/table")
  row("data/open",   "base spec tokens data data/*")
  row("automaton", "base draw circuit data data/images")
  row("store",    "base graph step op backend")
  row("loss",     "base spec graph op data")
  row("metric",   "base graph op loss")
  row("layer",    "base circuit spec graph op store")
  row("optim",    "base spec graph op store")
  row("model",    "base op store loss layer optim")
  row("kan",      "base draw spec op data store layer model")
  below_train = "base draw spec tokens graph op augment plan backend data store loss metric layer optim model "
  row("train/file",   below_train)
  row("train/config", below_train "data/table train/*")
  row("train/net",    below_train "train/*")
  row("train/eval",   below_train "train/*")
  row("train/run",    below_train "train/*")
  row("train/bench",  below_train "train/*")
  row("change",   "base spec data store layer model kan train/*")
  row("export",   "base circuit op layer model train/*")
  row("cli",      "base draw tokens graph op augment backend selftest data data/table store loss metric layer optim model kan train/* automaton export")
  row("main",     "base cli")
  # Rooms that may include kernel headers (shaders/op/NAME.h, the argument struct of a kernel).
  may_include_kernels = " op "
}
function complain(where, what, fix) {
  printf "%s: error: %s\n    fix: %s\n", where, what, fix > "/dev/stderr"
  failed = 1
}
function fail(what, fix) { complain(FILENAME ":" FNR, what, fix) }
# If every room includes only rooms with earlier rows, there are no include cycles.
function row(room, rooms,   n, below, i, k) {
  if (room in may)
    complain("scripts/lint-includes.sh", "src/" room " has two rows", "keep one row, before those of the rooms that include it")
  n = split(rooms, below, " ")
  rooms = ""
  for (i = 1; i <= n; i++) {
    if (sub(/\*$/, "", below[i])) {
      for (k = 1; k <= rows; k++) if (index(order[k], below[i]) == 1) rooms = rooms order[k] " "
      continue
    }
    rooms = rooms below[i] " "
    if (!(below[i] in may))
      complain("scripts/lint-includes.sh", "the row of src/" room " allows " below[i] ", which has no earlier row",
        "move shared code into a lower room; if " below[i] " includes nothing from " room ", move its row before that of " room)
  }
  may[room] = rooms
  order[++rows] = room
}
# The room of a file or header of src, from the parts of its path in src.
function room_of(part, n,   inner, other) {
  inner = part[1] "/" part[2]
  if (n < 3 || inner in may) return n < 3 ? part[1] : inner
  for (other in may) if (index(other, part[1] "/") == 1) return inner
  return part[1]
}
function exists(path,   line, got) {
  got = (getline line < path)
  close(path)
  return got >= 0
}
FNR == 1 {
  path = FILENAME
  in_src = sub(/^src\//, "", path)
  n = split(path, part, "/")
  room = in_src && n == 1 ? "main" : room_of(part, n)
  folder = FILENAME
  sub(/\/[^\/]*$/, "", folder)
  if (in_src && !(room in may))
    fail("src/" room " is not listed in scripts/lint-includes.sh", "move the file into an existing room, or add a row for the new room")
}
/^[ \t]*#[ \t]*include[ \t]*[<"]/ {
  header = $0
  sub(/^[ \t]*#[ \t]*include[ \t]*[<"]/, "", header)
  sub(/[>"].*/, "", header)

  if (header ~ /(^|\/)yaml\.h$/ && room != "spec")
    fail("yaml.h outside src/spec/", "read the config through spec/spec.h; libyaml stays inside the spec room")
  if (header ~ /(^|\/)utf8proc\.h$/ && room != "base")
    fail("utf8proc.h outside src/base/", "go through base/unicode.h; libutf8proc stays inside the base room")
  if (header ~ /(^|\/)(xxhash|xxh3)\.h$/ && room != "base")
    fail(header " outside src/base/", "go through base/fingerprint.h; libxxhash stays inside the base room")
  if (header ~ /(^|\/)(jpeglib|jerror|turbojpeg)\.h$/ && room !~ /^data/)
    fail(header " outside src/data/", "read images through data/data.h; libjpeg stays inside the data room")
  if (header ~ /(^|\/)(volk|vulkan|vulkan_core)\.h$/ && folder != "src/backend/vulkan")
    fail(header " outside src/backend/vulkan/", "go through backend/backend.h; Vulkan stays inside its backend")

  # "shaders/op/NAME.h", from the root, is the same file as "op/NAME.h" in shaders/.
  kernel = sub(/^(\.\.\/)?shaders\//, "", header)
  # The search order of the compiler: the directory of the file, src/, shaders/.
  n = split(header, part, "/")
  if (n == 1 && !exists(folder "/" header)) next
  target = n == 1 ? room : room_of(part, n)
  if (kernel || (n > 1 && !exists("src/" header) && exists("shaders/" header))) {
    if (part[1] == "op" && !index(may_include_kernels, " " room " "))
      fail("src/" room " includes the kernel header " header, "emit the op through the graph builder; only src/op/ may include kernel headers")
    next
  }
  if (header ~ /^backend\/vulkan\// && room != "backend")
    fail(header " outside src/backend/", "go through the function table of backend/backend.h")
  if (!(target in may) || target == room || !(room in may)) next
  if (!index(" " may[room] " ", " " target " "))
    fail("src/" room " must not include " header, "src/" room " may include only: " (may[room] == "" ? "libc" : may[room]) "; move shared code into a lower room, or pass it as an argument from the caller")
}
END { exit failed }' /dev/null "${sources[@]}" || failed=1

# grep fails silently if the pattern or the file is missing.
while read -r file; do
  name=${file##*/} name=${name%.c}
  cases=tests/op/${file#src/op/}
  if ! grep -qsE "^GT_REGISTER\(opcase, *$name *\)" "$cases"; then
    printf '%s:1: error: the ops in this file have no test cases\n    fix: %s\n' "$file" \
      "write $cases with GT_REGISTER(opcase, $name) and the shapes to try (another file there shows how)" >&2
    failed=1
  fi
done < <(grep -ls '^GT_DEFINE(op,' /dev/null src/op/*.c src/op/*/*.c)

while IFS=: read -r file line _; do
  printf '%s:%d: error: a specialization constant id is a literal number\n    fix: %s\n' "$file" "$line" \
    "#define it in the kernel's header, where C reads it too, or use one of shaders/lib/spec.h" >&2
  failed=1
done < <(grep -nE '(constant_id|local_size_._id) *= *[0-9]' /dev/null shaders/*/*.{h,comp,glsl} shaders/op/*/*.{h,comp,glsl})

while read -r lines file; do
  [[ $file == total ]] || ((lines <= 600)) && continue
  printf '%s:600: error: %d lines; a file has at most 600\n    fix: %s\n' "$file" "$lines" \
    "split it by concern into files of its room; the Makefile finds them" >&2
  failed=1
done < <(wc -l /dev/null "${counted[@]}")
exit "$failed"
