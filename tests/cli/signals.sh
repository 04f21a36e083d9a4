#!/usr/bin/env bash
# Signals to a run: SIGINT and SIGTERM save and stop it, SIGUSR1 saves a checkpoint, signals that were ignored at the
# start stay ignored, and a closed output pipe does not stop it. Every run ends with the same bytes as a run without
# signals.
# shellcheck source=tests/support/cli.sh
source "$(dirname "$0")/../support/cli.sh"
tmp=$TEST_TMP

cat > "$tmp/run.yaml" <<'YAML'
data:
  train: datasets/digits/digits.csv
  target: label
  test_fraction: 0.2
  validation: 0.1
  normalize: {scale: 0.0625}
model: [{linear: 256}, relu, {dropout: 0.2}, {linear: 128}, relu, {linear: 10}]
optimizer: {type: adam, lr: 1e-3, ema: 0.99}
schedule: {type: plateau, warmup: 10}
train:
  epochs: 15
  batch_size: 64
  log_every: 3
  checkpoint: {every: 0}
YAML
sed -i "s/epochs: .*/epochs: ${TEST_EPOCHS:-15}/" "$tmp/run.yaml"
command=("$GTRAIN" train "$tmp/run.yaml" --device "$DEVICE" --run-dir)
same() { cmp "$tmp/whole/model.bin" "$1/model.bin" && cmp "$tmp/whole/metrics.jsonl" "$1/metrics.jsonl"; }
rows() { wc -l 2> /dev/null < "$1/metrics.jsonl" || echo 0; }
wait_for_rows() { # RUN COUNT PID
  while kill -0 "$3" 2> /dev/null && (($(rows "$1") < $2)); do sleep 0.01; done
}
saved() { compgen -G "$1/checkpoints/step-*.safetensors" > /dev/null; }
# start NAME [COMMAND…]: starts the run in the background, by COMMAND if there is one; $pid is its process, $run its
# folder. `&` makes processes ignore SIGINT, so the default is restored.
start() {
  run=$tmp/$1
  shift
  (
    trap - INT
    exec "$@" "${command[@]}" "$run"
  ) > "$tmp/out" 2> "$tmp/err" &
  pid=$!
}
ends() { # CODE NAME: the exit code of the started run
  local code=0
  wait "$pid" || code=$?
  check "$2: $1" test "$code" = "$1"
}

exits 0 "the whole run" "${command[@]}" "$tmp/whole"
check "it saved nothing in between" test "$(find "$tmp/whole/checkpoints" -type f | wc -l)" -le 1

# --- stopping ----------------------------------------------------------------------------------------------------
# interrupt CODE NAME SIGNALS: sends the signals to a new run, which must end with CODE. Repeated if the run ends before
# they arrive.
interrupt() {
  local code tries=0 signal
  while ((tries++ < 10)); do
    rm -rf "${tmp:?}/$2"
    start "$2"
    wait_for_rows "$run" 10 "$pid"
    for signal in $3; do kill -"$signal" "$pid" 2> /dev/null; done
    code=0
    wait "$pid" || code=$?
    [[ -e $run/model.bin ]] || break
  done
  check "$3: $1" test "$code" = "$1"
}
for signals in HUP TERM INT "HUP HUP" "TERM TERM" "INT HUP" "TERM HUP CONT" "STOP TERM CONT"; do
  interrupt 75 "stop-${signals// /-}" "$signals"
  check "$signals: a checkpoint" saved "$run"
  exits 0 "$signals: resumed" "${command[@]}" "$run" --resume
  check "$signals: the same" same "$run"
done
run=$tmp/timeout
exits 75 "timeout, which signals twice" timeout --preserve-status 3 "${command[@]}" "$run" --set train.epochs=100000

# --- saving ------------------------------------------------------------------------------------------------------
start save
catches_usr1() { (($(sed -n 's/^SigCgt:/0x/p' "/proc/$pid/status" 2> /dev/null | tr -d "[:space:]") & 0x200)); }
while kill -0 "$pid" 2> /dev/null && ! catches_usr1; do :; done # sends SIGUSR1 before there is anything to save
count=0
while kill -USR1 "$pid" 2> /dev/null; do
  count=$((count + 1))
  sleep 0.03
done
ends 0 "$count times SIGUSR1"
check "the same as without" same "$run"
check "it saved" saved "$run"
check "and said so" grep -q "saved at step" "$tmp/err"
for _ in 1 2 3 4 5 6 7 8; do
  rm -rf "$tmp/save-and-die"
  start save-and-die
  wait_for_rows "$run" 10 "$pid"
  kill -USR1 "$pid" 2> /dev/null
  while kill -0 "$pid" 2> /dev/null && ! saved "$run"; do sleep 0.01; done
  kill -KILL "$pid" 2> /dev/null
  wait "$pid" 2> /dev/null
  [[ -e $run/model.bin ]] || break
done
check "killed after a save" test ! -e "$run/model.bin"
exits 0 "it goes on" "${command[@]}" "$run" --resume
says "from there" "resuming"
check "to the same end" same "$run"

# --- ignored -----------------------------------------------------------------------------------------------------
for signal in INT HUP TERM USR1; do
  run=$tmp/ignore-$signal
  (
    trap '' $signal
    exec "${command[@]}" "$run"
  ) > /dev/null 2> "$tmp/err" &
  pid=$!
  wait_for_rows "$run" 10 "$pid"
  kill -$signal "$pid" 2> /dev/null
  ends 0 "SIG$signal, ignored"
  check "SIG$signal, ignored: the same" same "$run"
done
start nohup nohup
wait_for_rows "$run" 10 "$pid"
kill -HUP "$pid" 2> /dev/null
ends 0 "nohup"

# --- stopped, resized --------------------------------------------------------------------------------------------
start others
wait_for_rows "$run" 10 "$pid"
for signal in TSTP CONT WINCH CHLD URG; do kill -$signal "$pid" 2> /dev/null && sleep 0.02; done
ends 0 "signals that mean nothing to it"
check "the same again" same "$run"

# --- closed pipes ------------------------------------------------------------------------------------------------
run=$tmp/head
code=$("${command[@]}" "$run" 2> >(head -n 1 > "$tmp/first") > "$tmp/out" && echo 0 || echo $?)
check "a reader of messages who goes away" test "$code" = 0
check "the run does not care" same "$run"
check "its results come" grep -q "model.bin" "$tmp/out"
run=$tmp/both
"${command[@]}" "$run" 2>&1 | head -n 1 > "$tmp/first"
code=${PIPESTATUS[0]}
check "a reader of all who goes away: 74" test "$code" = 74
check "the run is whole" same "$run"
finish
