#!/usr/bin/env bash
# How reliably automata learn: trains configs with seeds 1 to N and prints a table with one row per config.
#
#   scripts/ca-reliability.sh [--device DEVICE] [--seeds N] [--jobs N] [--set KEY=VALUE]...
#     [--simulate OPTIONS] CONFIG...
#
# --simulate: options of gtrain simulate for each model, as one argument; adds a column with the mean fraction of wrong
# cells.
# solved: seeds whose final circuit makes no mistake (hard loss 0 on the test boards). stay: solved seeds whose boards
# also have no wrong cell after 2, 4 and 10 times as many steps as in training, or "-" for a rule with boards that never
# come to rest, such as the Game of Life. Seconds are those of the whole process; do not quote them if several jobs ran
# at once.
set -euo pipefail
shopt -s nullglob
cd "$(dirname "$0")/.."

gtrain=${GTRAIN:-build/gtrain} device=auto seeds=10 jobs=1 simulate=
sets=()
while [[ ${1-} == --* ]]; do
  case $1 in
    --device) device=$2 ;;
    --seeds) seeds=$2 ;;
    --jobs) jobs=$2 ;;
    --simulate) simulate=$2 ;;
    --set) sets+=(--set "$2") ;;
    *)
      sed -n '2,12s/^# \{0,1\}//p' "$0" >&2
      exit 2
      ;;
  esac
  shift 2
done
(($# > 0)) || { echo "ca-reliability: no config given" >&2 && exit 2; }

runs=$(mktemp -d)
trap 'rm -rf "$runs"' EXIT

# Prints the mean fraction of wrong cells while a model is simulated.
wrong_fraction() {
  local options
  read -ra options <<< "$simulate"
  "$gtrain" simulate "$1" "${options[@]}" --quiet --json | tail -n 1 |
    sed 's/.*"height":\([0-9]*\),"width":\([0-9]*\),.*"mean_errors":\([^,}]*\).*/\1 \2 \3/' | awk '{ print $3 / ($1 * $2) }'
}

# Prints "yes" if the boards stay correct, "no" if not, "-" if the model has no such check.
stays() {
  "$gtrain" eval "$1" --device "$device" --quiet --json | sed 's/.*"lasting":/lasting/' |
    awk '{ print !/^lasting/ ? "-" : /"errors":[1-9]/ ? "no" : "yes" }'
}

# Trains one model. Writes a row: steps, hard loss, hard accuracy, seconds, what stays prints, fraction of wrong cells.
train() {
  local config=$1 seed=$2 out=$runs/$seed began ended wrong= stay
  began=$(date +%s.%N)
  "$gtrain" train "$config" --device "$device" --run-dir "$out" --quiet --json --set seed="$seed" "${sets[@]}" > "$out.json"
  ended=$(date +%s.%N)
  stay=$(stays "$out/model.bin") && [[ $stay ]] || return 1
  if [[ $simulate ]]; then
    wrong=$(wrong_fraction "$out/model.bin") && [[ $wrong =~ ^[0-9] ]] || return 1
  fi
  sed 's/.*"step":\([0-9]*\),.*"test":{"loss":\([^,}]*\),"accuracy":\([^,}]*\).*/\1 \2 \3/' "$out.json" |
    awk -v from="$began" -v to="$ended" -v stay="$stay" -v wrong="$wrong" '{ print $1, $2, $3, to - from, stay, wrong }' > "$out.row"
  rm -rf "$out" "$out.json"
}

echo "| config | seeds | solved | stay | mean hard accuracy | lowest | median last step | median seconds | most seconds |${simulate:+ wrong in $simulate |}"
echo "|---|---|---|---|---|---|---|---|---|${simulate:+---|}"
for config in "$@"; do
  for ((seed = 1; seed <= seeds; seed++)); do
    while (($(jobs -rp | wc -l) >= jobs)); do wait -n; done
    train "$config" "$seed" &
  done
  wait
  rows=("$runs"/*.row)
  ((${#rows[@]} == seeds)) || { echo "ca-reliability: some runs of $config failed" >&2 && exit 1; }
  median() { sort -g | awk '{ v[NR] = $1 } END { print (v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2 }'; }
  steps=$(awk '{ print $1 }' "$runs"/*.row | median)
  seconds=$(awk '{ print $4 }' "$runs"/*.row | median)
  name=$(basename "$config" .yaml)
  awk -v simulated="$simulate" -v name="$name" -v steps="$steps" -v seconds="$seconds" '
    { solved += $2 == 0; stay += $5 == "yes"; no_check = $5 == "-"; sum += $3; wrong += $6; if (NR == 1 || $3 < lowest) lowest = $3; if ($4 > longest) longest = $4 }
    END { printf "| %s | %d | %d | %s | %.2f %% | %.2f %% | %d | %.2f | %.2f |",
            name, NR, solved, no_check ? "-" : stay + 0, 100 * sum / NR, 100 * lowest, steps, seconds, longest
          if (simulated) printf " %.1f %% |", 100 * wrong / NR
          print "" }' "$runs"/*.row
  rm -f "$runs"/*.row
done
