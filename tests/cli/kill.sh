#!/usr/bin/env bash
# A run is killed by SIGKILL 20 times, at least half of them while it writes a checkpoint, and resumed each time. It
# ends with the same model and the same metrics as a run that was never killed.
# shellcheck source=tests/support/cli.sh
source "$(dirname "$0")/../support/cli.sh"
RANDOM=20240607
KILLS=${TEST_KILLS:-20}

cat > "$TEST_TMP/run.yaml" <<'YAML'
data: {train: datasets/digits/digits.csv, target: label, test_fraction: 0.2, normalize: {scale: 0.0625}}
model: [{linear: 400}, relu, {dropout: 0.1}, {linear: 300}, relu, {linear: 10}]
optimizer: {type: adam, lr: 1e-3}
train: {epochs: 16, batch_size: 64, log_every: 1, checkpoint: {every: 1}}
YAML
if [[ $DEVICE != cpu ]]; then sed -i 's/400/64/; s/300/32/; s/epochs: 16/epochs: 6/' "$TEST_TMP/run.yaml"; fi
train() { "$GTRAIN" train "$TEST_TMP/run.yaml" --device "$DEVICE" --quiet --run-dir "$@"; }
started=$EPOCHREALTIME
train "$TEST_TMP/whole" > /dev/null || { fail "the whole run"; finish; }
milliseconds=$(awk -v a="$started" -v b="$EPOCHREALTIME" 'BEGIN { print int(1000 * (b - a)) }')

run=$TEST_TMP/killed
saves=0 others=0 tries=0
while ((saves < KILLS / 2 || saves + others < KILLS)) && ((tries++ < 10 * KILLS)); do
  resume=()
  [[ -e $run ]] && resume=(--resume)
  # Does not call the function `train`: the signal would kill its shell instead of gtrain.
  "$GTRAIN" train "$TEST_TMP/run.yaml" --device "$DEVICE" --quiet --run-dir "$run" "${resume[@]}" \
    > /dev/null 2>> "$TEST_TMP/err" &
  pid=$!
  if ((saves < KILLS / 2)); then
    # After a few checkpoints of this process, waits for the next temporary file.
    for ((skip = RANDOM % 3; skip >= 0; skip--)); do
      while kill -0 $pid 2> /dev/null && ! compgen -G "$run/checkpoints/*.tmp-*" > /dev/null; do :; done
      ((skip > 0)) && while compgen -G "$run/checkpoints/*.tmp-*" > /dev/null; do :; done
    done
  else
    sleep "$(awk -v r=$RANDOM -v m="$milliseconds" 'BEGIN { printf "%.3f", r / 32768 * m / 1000 }')"
  fi
  kill -9 $pid 2> /dev/null
  wait $pid 2> /dev/null
  if [[ -e $run/model.bin ]]; then
    rm -rf "$run" # the run had finished: starts a new one
    continue
  fi
  if compgen -G "$run/checkpoints/*.tmp-*" > /dev/null; then
    saves=$((saves + 1))
  else
    others=$((others + 1))
  fi
done
check "$saves kills during a save, $others at other moments" \
  test $((saves + others)) -ge "$KILLS" -a "$saves" -ge $((KILLS / 2))
code=0 resume=()
[[ -e $run ]] && resume=(--resume) # there is no directory if the last kill came before it was made
train "$run" "${resume[@]}" > /dev/null 2>> "$TEST_TMP/err" || code=$?
check "the last life ends well" test "$code" = 0
check "the same model" cmp "$TEST_TMP/whole/model.bin" "$run/model.bin"
check "the same metrics" cmp "$TEST_TMP/whole/metrics.jsonl" "$run/metrics.jsonl"
check "nothing temporary is left" test -z "$(find "$run" -name '*.tmp-*')"
((failures)) && tail -n 20 "$TEST_TMP/err"
finish
