#!/usr/bin/env bash
# The include rules of scripts/lint-includes.sh: the repository follows them, and small trees that break a rule are
# rejected, with a hint how to fix them.
# shellcheck source=tests/support/cli.sh
source "$(dirname "$0")/../support/cli.sh"

lint=scripts/lint-includes.sh
tree=$TEST_TMP/tree

# plant FILE INCLUDE: makes a tree with only FILE, which has this include line, and the included file.
plant() {
  local target
  rm -rf "$tree"
  mkdir -p "$(dirname "$tree/$1")"
  printf '#include %s\n' "$2" > "$tree/$1"
  target=${2//[\"<>]/}
  mkdir -p "$tree/src/$(dirname "$target")"
  [[ $2 == \"* ]] && : > "$tree/src/$target"
  return 0
}
# refused NAME FILE INCLUDE TEXT…: a tree as by `plant` is rejected, and the message contains each TEXT.
refused() {
  local name=$1
  plant "$2" "$3"
  exits 1 "$name is refused" "$lint" "$tree"
  shift 3
  for text in "src/" "fix: " "$@"; do says "$name: '$text'" "$text"; done
}
# allowed NAME FILE INCLUDE: such a tree is accepted.
allowed() {
  plant "$2" "$3"
  exits 0 "$1 is allowed" "$lint" "$tree"
}

exits 0 "the repository keeps the rules" "$lint"

# A room (a folder of src) must not include a higher room: tested for each room and the next higher one.
upwards() { refused "$1 including $2" "src/$1/low.c" "\"$2/high.h\"" "src/$1 must not include $2/high.h"; }
floors=(base graph step op plan backend store layer model train/run cli)
for ((i = 1; i < ${#floors[@]}; i++)); do upwards "${floors[i - 1]}" "${floors[i]}"; done
upwards graph op
upwards op backend
upwards data model
# The folders of a room that have rows of their own are rooms, too.
upwards data data/table
upwards data/table data/open
folders=(file config net eval run bench)
for ((i = 1; i < ${#folders[@]}; i++)); do upwards "train/${folders[i - 1]}" "train/${folders[i]}"; done
upwards data/open train/file
upwards model train/net
allowed "an arrow between folders downwards" src/train/run/a.c '"train/file/b.h"'
allowed "an arrow to every folder of a room" src/cli/a.c '"train/bench/b.h"'
refused "an unknown folder" src/train/attic/a.c '"base/b.h"' "src/train/attic is not listed"
allowed "an arrow downwards" src/plan/a.c '"op/b.h"'
allowed "an arrow within a room" src/op/a.c '"op/b.h"'
refused "an unknown room" src/attic/a.c '"base/b.h"' "src/attic is not listed"

# Headers that only some rooms may include.
kernel() {
  plant "$1" '"shaders/op/b.h"'
  mkdir -p "$tree/shaders/op"
  : > "$tree/shaders/op/b.h"
}
kernel src/plan/a.c
exits 1 "a kernel's arguments outside op are refused" "$lint" "$tree"
says "a kernel's arguments: who may" "only src/op/ may include kernel headers"
kernel src/op/a.c
exits 0 "a kernel's arguments in op are allowed" "$lint" "$tree"
kernel src/op/family/a.c
exits 0 "a kernel's arguments in a family of ops are allowed" "$lint" "$tree"

# The number of a specialization constant is defined in one place, the kernel's header.
plant src/op/a.c '"base/b.h"'
mkdir -p "$tree/shaders/op/family"
echo 'layout(constant_id = GT_A_SPEC_MODE) const uint MODE = 0u;' > "$tree/shaders/op/family/a.comp"
exits 0 "a constant by its name is allowed" "$lint" "$tree"
echo 'layout(constant_id = 3) const uint MODE = 0u;' > "$tree/shaders/op/family/a.comp"
exits 1 "a constant by its number is refused" "$lint" "$tree"
says "a constant by its number: where it goes" "#define it in the kernel's header"

# An op needs test cases, in the folder of its family if it has one.
for op in lonely family/lonely; do
  plant "src/op/$op.c" '"base/b.h"'
  echo 'GT_DEFINE(op, lonely) = {ops, 1};' >> "$tree/src/op/$op.c"
  exits 1 "$op.c without cases is refused" "$lint" "$tree"
  says "$op.c without cases: where" "write tests/op/$op.c with GT_REGISTER(opcase, lonely)"
  mkdir -p "$tree/tests/op/family"
  echo 'GT_REGISTER(opcase, lonely);' > "$tree/tests/op/$op.c"
  exits 0 "$op.c with cases is allowed" "$lint" "$tree"
done
refused "yaml.h outside spec" src/data/a.c '<yaml.h>' "yaml.h outside src/spec/"
allowed "yaml.h in spec" src/spec/a.c '<yaml.h>'
refused "libjpeg outside data" src/cli/a.c '<jpeglib.h>' "jpeglib.h outside src/data/"
allowed "libjpeg in data" src/data/a.c '<jpeglib.h>'
allowed "libjpeg in a folder of data" src/data/images/a.c '<jpeglib.h>'
refused "libxxhash outside base" src/data/a.c '<xxhash.h>' "xxhash.h outside src/base/"
refused "Vulkan outside its backend" src/backend/cpu/a.c '<volk.h>' "volk.h outside src/backend/vulkan/"

# The script's table of rooms: a row may allow only rooms of earlier rows, so that include cycles are impossible.
table() {
  local name=$1 edit=$2
  shift 2
  sed "$edit" "$lint" > "$TEST_TMP/lint.sh"
  plant src/base/a.c '"base/b.h"'
  cmp -s "$lint" "$TEST_TMP/lint.sh" && fail "$name: the edit '$edit' changes nothing"
  exits 1 "$name is refused" bash "$TEST_TMP/lint.sh" "$tree"
  for text in "fix: " "$@"; do says "$name: '$text'" "$text"; done
}
table "a row that names a later one" 's/row("graph", *"base/& op/' "the row of src/graph allows op, which has no earlier row"
table "a row that names all folders of a later one" 's/row("data", *"/&train\/file /' "the row of src/data allows train/file"
table "a cycle of three" 's/row("base", *"/&plan/' "the row of src/base allows plan"
table "a room of two rows" 's/row("op", .*/&\n  row("graph", "base op")/' "src/graph has two rows"
finish
