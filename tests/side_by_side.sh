#!/usr/bin/env bash
# tests/side_by_side.sh [-j JOBS] [-l] [-u] OLD NEW [PATTERN…]: runs two gtrain programs on the same inputs and compares
# all that they write. Developers use it to show that a change keeps every output; it needs a program built before the
# change, so it is not part of `make check`. PATTERN, such as 'predict/*', selects cases; -l lists their names.
#
# A case is a function of tests/support/side_by_side/*.sh, called in an empty folder. Its commands, their standard
# output, standard error and exit codes become the file `log`; log and all files that are left in the folder are
# compared byte by byte. Commands have relative paths, one thread and the device cpu.
#
# Only what depends on the clock is masked, and what the comparison of another file contains:
# - log: the duration in "finished after N steps in …", the rate that ends a line of evaluation, "elapsed_s" and
#   "samples_per_s" in JSON, and the estimate of the most important columns after a training, which ends after 5 % of
#   its time (the line and the key "importance" of `train`; `explain` is compared)
# - log: the hash of a file's contents that `inspect` prints, because the file itself is compared
# - timing.jsonl: "elapsed_s" and "samples_per_s"
# - the file .lock of a run, which has the number of a process, is left out
# A run without --quiet prints its first and last evaluation, others at most once a second: cases with more are quiet.
#
# tests/side_by_side.named lists intended differences. OLD's files are kept under ~/.cache, by the hash of OLD and of
# everything that the cases read. An entry that explains no difference is an error in a run of all cases, or with -u.
# Exit code: 0 if there are no other differences, 1 if there are, 2 for wrong usage.
set -euo pipefail
self=$(realpath "$0")
root=${self%/tests/*}
named=${SIDE_BY_SIDE_NAMED:-$root/tests/side_by_side.named}

# --- cases ---

# Cases are functions with a / in their names, and those that `cases` adds: cases GROUP NAME… adds a case GROUP/NAME for
# each NAME, in which the function GROUP is called with NAME.
declare -A grouped=()
cases() {
  local name
  for name in "${@:2}"; do grouped[$1/$name]=$1; done
}
# gtrain ARGUMENT…: runs the program and adds what it prints to the log, stderr with ! before each line. INPUT: the file
# for its standard input.
gtrain() {
  local code=0
  timeout 300 "$PROGRAM" "$@" > "$HIDDEN/stdout" 2> "$HIDDEN/stderr" < "${INPUT:-/dev/null}" || code=$?
  {
    printf '$ gtrain %s\n' "$*"
    sed '$a\' "$HIDDEN/stdout"
    sed 's/^/! /' "$HIDDEN/stderr" | sed '$a\'
    echo "exit code $code"
  } | mask "${1-}" >> log
}
# mask COMMAND: masks times in the output of `gtrain COMMAND`.
mask() {
  local in_training=()
  [[ $1 != train ]] || in_training=(-e '/^! most important columns: .*\(rise of the loss when/d' -e 's/"importance":\[[^]]*\],//')
  sed -E -e 's/( after [0-9]+ steps in )[0-9.:]+( (us|ms|s))?$/\1TIME/' -e 's/ +[^ ]+( [kMGT])? samples\/s$/ RATE/' \
    -e 's/("(elapsed_s|samples_per_s)":)[^,}]*/\1TIME/g' -e 's/(gtrain\.xxh3("?: ?"?))[0-9a-f]{16}/\1HASH/' "${in_training[@]}"
}
for file in "$root"/tests/support/side_by_side/*.sh; do
  # shellcheck source=/dev/null
  source "$file"
done

list() {
  {
    printf '%s\n' "${!grouped[@]}"
    compgen -A function | grep / || true
  } | LC_ALL=C sort
}
# Data for configs whose data has to be downloaded, and links to those in the tree; in the folder datasets.
make_datasets() {
  local name
  mkdir datasets
  for name in "$root"/datasets/{ca,clothes,digits,fraud,houses,penguins,rentals,reviews,shapes,tales,titanic-like}; do
    ln -s "$name" datasets/
  done
  made_datasets
}

# --- one case ---

# run_case NAME SIDE FOLDER: runs the case with a program; its files are then in FOLDER.
run_case() {
  local name=$1 folder=$3
  export PROGRAM=$WORK/$2 HIDDEN=$WORK/hidden/$name.$2
  export GTRAIN_CACHE_DIR=$HIDDEN/cache
  rm -rf "$folder" "$HIDDEN" "${WORK:?}/cases/$name"
  mkdir -p "$HIDDEN" "${folder%/*}" "$WORK/cases/$name"
  (
    cd "$WORK/cases/$name"
    ln -s "$root/configs" "$root/tests" "$WORK/datasets" .
    : > log
    set +e
    "${grouped[$name]:-$name}" "${name#*/}" > "$HIDDEN/case" 2>&1 ||
      echo "the case ends with exit code $?" >> "$HIDDEN/case"
    cat "$HIDDEN/case" >> log
    find . -type l -delete
    find . -name .lock -delete
    find . -name timing.jsonl -exec sed -i -E 's/("(elapsed_s|samples_per_s)":)[^,}]*/\1TIME/g' {} +
  )
  mv "$WORK/cases/$name" "$folder"
  rm -rf "$HIDDEN"
}

# difference NAME FILE: prints how OLD's file differs from NEW's.
difference() {
  local old=$WORK/old.files/$1/$2 new=$WORK/new.files/$1/$2
  echo "--- $1: $2"
  if [[ ! -e $old ]]; then
    echo "only NEW writes it"
  elif [[ ! -e $new ]]; then
    echo "only OLD writes it"
  elif grep -qI . "$old" "$new" 2> /dev/null && [[ $2 != *.bin && $2 != *.safetensors ]]; then
    diff -U 2 -a "$old" "$new" | sed 1,2d | cut -c 1-300 | head -n 30
  else
    cmp "$old" "$new" 2>&1 | sed 's/.*: //; s/^/first: /'
    # Text at the beginning, such as the header of a model file, with a line for each key.
    diff -U 0 -a <(head_of "$old") <(head_of "$new") | sed 1,2d | cut -c 1-300 | head -n 20
  fi || true
}
head_of() { head -c 65536 "$1" | tr -c '[:print:]\n' '?' | sed 's/,"/,\n"/g; s/\\n/\n/g' | grep -a '"\|: ' | head -n 1000; }

# Compares a file of a case. Entries of `named` that explain a difference are noted.
compare_file() {
  local name=$1 file=$2 line=0 case pattern action
  local old=$WORK/old.files/$name/$file new=$WORK/new.files/$name/$file
  while read -r case pattern action; do
    line=$((line + 1))
    cmp -s "$old" "$new" && return
    # shellcheck disable=SC2053 # patterns
    [[ -n $case && $case != '#'* && $name == $case && $file == $pattern ]] || continue
    if [[ $action == skip:* ]]; then
      echo "$line" >> "$WORK/used"
      return
    elif [[ -e $old ]]; then
      LC_ALL=C sed -E -e "$action" "$old" > "$old.named"
      cmp -s "$old" "$old.named" || echo "$line" >> "$WORK/used"
      mv "$old.named" "$old"
    fi
  done < "$named"
  cmp -s "$old" "$new" || difference "$name" "$file"
}

one_case() {
  local name=$1 kept=$KEPT/$1 file
  if [[ ! -e $kept/log ]]; then
    run_case "$name" old "$WORK/made/$name"
    mkdir -p "${kept%/*}"
    mv -T "$WORK/made/$name" "$kept" 2> /dev/null || true # another run may have been faster
  fi
  mkdir -p "$WORK/old.files/${name%/*}" "$WORK/reports/${name%/*}"
  cp -r "$kept" "$WORK/old.files/$name"
  run_case "$name" new "$WORK/new.files/$name"
  while read -r file; do compare_file "$name" "$file"; done \
    < <(cd "$WORK" && find "old.files/$name" "new.files/$name" -type f | sed "s|^...\.files/$name/||" | LC_ALL=C sort -u) \
    > "$WORK/reports/$name"
  rm -rf "$WORK/old.files/$name" "$WORK/new.files/$name"
}

# --- all cases ---

usage() {
  echo "usage: tests/side_by_side.sh [-j JOBS] [-l] [-u] OLD NEW [PATTERN…]" >&2
  exit 2
}
# The hash of OLD, of this machine's processor, and of everything that cases read.
key_of() {
  {
    sha256sum < "$1"
    grep -m 1 '^model name' /proc/cpuinfo || uname -m
    cd "$root" && git ls-files -z -co --exclude-standard tests/side_by_side.sh tests/support/side_by_side tests/data/broken \
      tests/cli/mistakes configs datasets | xargs -0 sha256sum
  } | sha256sum | cut -c 1-20
}
# An entry that was not needed, in a run of all cases.
report_unused() {
  local line=0 text
  while read -r text; do
    line=$((line + 1))
    [[ -z $text || $text == '#'* ]] || grep -qx "$line" "$WORK/used" || echo "${named#"$root"/}:$line: no difference needs this entry: $text"
  done < "$named"
}

if [[ ${1-} == --case ]]; then
  one_case "$2"
  exit
fi
jobs=2 checks_unused=0
while getopts j:lu option; do
  case $option in
    j) jobs=$OPTARG ;;
    l)
      list
      exit
      ;;
    u) checks_unused=1 ;;
    *) usage ;;
  esac
done
shift $((OPTIND - 1))
(($# >= 2)) && [[ -x $1 && -x $2 ]] || usage
old=$(realpath "$1") new=$(realpath "$2")
shift 2

unset "${!GTRAIN_@}" "${!OPENBLAS_@}" "${!OMP_@}" GLIBC_TUNABLES
export GTRAIN_DEVICE=cpu GTRAIN_THREADS=1 LC_ALL=C NO_COLOR=1 TZ=UTC
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
ln -s "$old" "$WORK/old"
ln -s "$new" "$WORK/new"
cache=${XDG_CACHE_HOME:-$HOME/.cache}/gtrain-side-by-side
KEPT=$cache/$(key_of "$old")
mkdir -p "$KEPT" && touch "$KEPT"
find "$cache" -mindepth 1 -maxdepth 1 -mtime +7 -exec rm -rf {} +
export WORK KEPT SIDE_BY_SIDE_NAMED=$named
: > "$WORK/used"
(cd "$WORK" && make_datasets)

chosen=()
while read -r name; do
  (($#)) || chosen+=("$name")
  for pattern in "$@"; do
    # shellcheck disable=SC2053 # a pattern
    if [[ $name == $pattern ]]; then chosen+=("$name") && break; fi
  done
done < <(list)
((${#chosen[@]})) || { echo "tests/side_by_side.sh: no case has such a name; -l lists them" >&2 && exit 2; }
printf '%s\0' "${chosen[@]}" | xargs -0 -n 1 -P "$jobs" "$self" --case || true

differing=0 failed=0
for name in "${chosen[@]}"; do
  if [[ ! -e $WORK/reports/$name ]]; then
    echo "--- $name: could not be run"
    failed=$((failed + 1))
  elif [[ -s $WORK/reports/$name ]]; then
    cat "$WORK/reports/$name"
    differing=$((differing + 1))
  fi
done
unused=
(($# && !checks_unused)) || unused=$(report_unused)
[[ -z $unused ]] || echo "$unused"
echo "${#chosen[@]} cases, $differing differ$( ((failed == 0)) || echo ", $failed could not be run")"
((differing + failed == 0)) && [[ -z $unused ]]
