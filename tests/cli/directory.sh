#!/usr/bin/env bash
# The run directory: a directory that is not a run is not changed, neither is a run that cannot be resumed, and a run
# starts over only if there is no checkpoint.
# shellcheck source=tests/support/cli.sh
source "$(dirname "$0")/../support/cli.sh"

config=configs/xor.yaml
train() { "$GTRAIN" train "$config" --device "$DEVICE" --quiet --run-dir "$@"; }
# look DIR: the state of a directory, to see changes: names, types, modes, times, link targets and contents, except for
# the content of a run's lock file, which names its last owner.
look() {
  (cd "$1" && find . -printf '%p %y %m %l\n' | sort && find . ! -name .lock -printf '%p %s %T@\n' | sort &&
    find . -type f ! -name .lock -exec cksum {} + | sort -k 3)
}
# refused CODE NAME DIR ARGUMENTS…: train exits with this code and leaves the directory unchanged.
refused() {
  local code=$1 name=$2 directory=$3 before
  shift 3
  before=$(look "$directory")
  exits "$code" "$name" train "$directory" "$@"
  check "$name: nothing is changed" test "$before" = "$(look "$directory")"
}
same() { cmp "$whole/model.bin" "$1/model.bin" && cmp "$whole/metrics.jsonl" "$1/metrics.jsonl"; }
# A copy of the finished run, as if it had been stopped after its newest checkpoint.
copy() {
  rm -rf "$TEST_TMP/run"
  cp -r "$whole" "$TEST_TMP/run"
  run=$TEST_TMP/run
  rm -f "$run/model.bin"
}

whole=$TEST_TMP/whole
exits 0 "the whole run" train "$whole"

# --- checkpoints that could not be read --------------------------------------------------------------------------
each_checkpoint() { for file in "$run"/checkpoints/*; do "$@"; done; }
loop() { rm "$file" && ln -s "$file" "$file"; }
folder() { rm "$file" && mkdir "$file"; }
other() { cp "$whole/model.bin" "$file"; }
cut() { truncate -s 50 "$file"; }
rubbish() { echo "no container at all, but long enough to have a length" > "$file"; }
flip() { printf X | dd of="$file" bs=1 seek=$(($(stat -c %s "$file") - 5)) conv=notrunc status=none; }

for how in loop folder; do
  copy
  each_checkpoint "$how"
  refused 74 "unreadable checkpoints ($how)" "$run" --resume
done
copy
each_checkpoint other
refused 65 "checkpoints of another version" "$run" --resume
for how in cut rubbish flip; do
  copy
  each_checkpoint "$how"
  refused 65 "no valid checkpoint ($how)" "$run" --resume
  says "what to do" "Remove $run/checkpoints"
done
rm -r "$run/checkpoints"
mkdir "$run/checkpoints"
exits 0 "without checkpoints it starts over" train "$run" --resume
check "and reaches the same end" same "$run"

for how in loop other; do
  copy
  file=$(ls "$run"/checkpoints/* | tail -n 1)
  "$how"
  [[ $how == loop ]] && want=74 || want=65
  refused "$want" "an older checkpoint does not stand in for one that may be sound ($how)" "$run" --resume
done
copy
rm -r "$run/checkpoints"
touch "$run/checkpoints"
refused 74 "checkpoints/ is a file" "$run" --resume
bad=0
for descriptors in 3 4 5 6 7 8 9 10; do
  copy
  code=0
  (ulimit -n $descriptors && train "$run" --resume) > /dev/null 2>&1 || code=$?
  exits 0 "resumed after it ran out of $descriptors descriptors" train "$run" --resume
  ((code == 0 || code == 74 || code == 127)) && same "$run" || bad=$((bad + 1)) # 127: the program could not be loaded
  compgen -G "$run/checkpoints/*.damaged" > /dev/null && bad=$((bad + 1))
done
check "few descriptors cost nothing" test $bad = 0
if ((EUID)); then
  copy
  chmod 0 "$run"/checkpoints/*
  refused 74 "checkpoints without permission" "$run" --resume
  copy
  chmod 0 "$run/checkpoints"
  refused 74 "a folder of checkpoints without permission" "$run" --resume
  chmod 755 "$run/checkpoints"
fi

copy
file=$(ls "$run"/checkpoints/* | tail -n 1)
flip
touch "$run/checkpoints/step-7.safetensors" "$run/checkpoints/step-99999999999999999999.safetensors"
exits 0 "the sound one before a damaged one" train "$run" --resume
says "a word about it" "skipped a checkpoint"
check "the damaged one is set aside" test -e "$file.damaged"
check "the same end" same "$run"

# --- a directory of the user -------------------------------------------------------------------------------------
project=$TEST_TMP/project
mkdir -p "$project/checkpoints"
printf 'seed: 3\ndata:\n  train: mine.csv\n' > "$project/config.yaml"
echo '{"loss": 1}' | tee "$project/metrics.jsonl" > "$project/timing.jsonl"
touch "$project/notes.tmp-1" "$project/checkpoints/last.tmp-2" "$project/.lock"
refused 73 "--resume in a directory that is not a run" "$project" --resume
says "why" "is not a run directory"
refused 73 "a new run in it" "$project"
check "its lock is not ours" test ! -s "$project/.lock"
rm "$project/config.yaml"
refused 73 "one without a config" "$project" --resume
rm "$project/.lock"
refused 73 "one without a lock" "$project" --resume
refused 73 "a new run in one without a lock" "$project"
check "it runs where it is asked to" test ! -e "$project/.lock"

copy
rm "$run/.lock" "$run/metrics.jsonl"
refused 73 "a config and checkpoints alone are no run" "$run" --resume
copy
rm "$run/.lock"
exits 0 "a copy that lost its lock" train "$run" --resume
check "ends the same" same "$run"
copy
sed -i 's/^seed.*/seed: 3/; s/eps: .*/eps: 1e-8/; /^schedule/,$d' "$run/config.yaml"
exits 0 "a config that another version wrote" train "$run" --resume
check "ends the same, too" same "$run"

# --- other errors that leave the run unchanged -------------------------------------------------------------------
copy
refused 78 "a config that is wrong" "$run" --resume --set train.steps=no
refused 65 "a model of another shape" "$run" --resume --set 'model=[{linear: 1}]'
refused 65 "another optimizer" "$run" --resume --set 'optimizer={type: sgd, momentum: 0.9}'
exits 0 "more steps are none of these" train "$run" --resume --set train.steps=400
check "and its config says so" grep -q "steps: 400" "$run/config.yaml"

# --- links -------------------------------------------------------------------------------------------------------
all_of() { find "$1" -type f -exec cksum {} + | sort -k 3; }
for name in .lock metrics.jsonl timing.jsonl config.yaml checkpoints; do
  copy
  mv "$run/$name" "$TEST_TMP/elsewhere"
  ln -s "$TEST_TMP/elsewhere" "$run/$name"
  before=$(all_of "$TEST_TMP/elsewhere")
  refused 74 "a link in place of $name" "$run" --resume
  check "$name: what it leads to is left alone" \
    test "$before" = "$(all_of "$TEST_TMP/elsewhere")"
  rm -rf "$TEST_TMP/elsewhere"
done
mkdir "$TEST_TMP/fresh"
echo precious > "$TEST_TMP/elsewhere"
ln -s ../elsewhere "$TEST_TMP/fresh/.lock"
refused 74 "a link in place of a new run's lock" "$TEST_TMP/fresh"
check "it is not followed" grep -q precious "$TEST_TMP/elsewhere"
for name in .lock metrics.jsonl; do
  copy
  rm "$run/$name"
  mkfifo "$run/$name"
  refused 74 "a pipe in place of $name" "$run" --resume
done
copy
ln -s run "$TEST_TMP/linked"
exits 0 "the directory itself may be a link" train "$TEST_TMP/linked" --resume

# --- a run that was killed early ---------------------------------------------------------------------------------
for left in "" .lock ".lock checkpoints/" ".lock checkpoints/ config.yaml.tmp-12"; do
  rm -rf "$TEST_TMP/early"
  mkdir "$TEST_TMP/early"
  for name in $left; do
    if [[ $name == */ ]]; then mkdir "$TEST_TMP/early/$name"; else touch "$TEST_TMP/early/$name"; fi
  done
  exits 0 "killed when there was only '$left'" train "$TEST_TMP/early" --resume
  check "the same end again" same "$TEST_TMP/early"
done

# --- temporary files ---------------------------------------------------------------------------------------------
copy
ours=(config.yaml.tmp-1 model.bin.tmp-23 best.bin.tmp-4 unpruned.bin.tmp-6 unsnapped.bin.tmp-7 tuned.json.tmp-8 checkpoints/step-000000300.safetensors.tmp-5)
others=(config.yaml.tmp-old notes.tmp-1 model.bin.tmp- checkpoints/step-3.safetensors.tmp-5 my.config.yaml.tmp-6)
for name in "${ours[@]}" "${others[@]}"; do echo text > "$run/$name"; done
exits 0 "a run with temporary files" train "$run" --resume
for name in "${ours[@]}"; do check "$name is removed" test ! -e "$run/$name"; done
for name in "${others[@]}"; do check "$name is kept" test -e "$run/$name"; done
finish
