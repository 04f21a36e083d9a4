#!/usr/bin/env bash
# Rare classes: a balanced sampler draws each class equally often, with the same bits after a resume, through windows and
# in accumulated steps.
# shellcheck source=tests/support/cli.sh
source "$(dirname "$0")/../support/cli.sh"
cd "$TEST_TMP" || exit 1

# 1000 rows, one in 25 of the rare class, whose x is larger by 1.5 on average.
awk 'BEGIN { print "x,y,w,rare"
  for (i = 0; i < 1000; i++) { u = (i * 7919 % 1009) / 1009; v = (i * 104729 % 997) / 997; r = i % 25 == 7
    printf "%.4f,%.4f,%d,%s\n", 2 * u - 1 + 1.5 * r * v, v, 1 + r, r ? "yes" : "no" } }' > rare.csv
cat > rare.yaml << 'YAML'
data: {train: rare.csv, ignore: [w], validation: 0.25, split: stratified}
model: [{linear: 8}, relu, {linear: 2}]
train: {epochs: 4, batch_size: 50, sampler: balanced, log_every: 7, checkpoint: {every: 1, keep_last: 9}}
YAML
train() { "$GTRAIN" train rare.yaml --device "$DEVICE" --quiet --run-dir "$@"; }
same() { cmp "$1/model.bin" "$2/model.bin" && cmp "$1/metrics.jsonl" "$2/metrics.jsonl"; }

# A model that cannot learn always answers the first class, so its training accuracy is that class's share of the draws:
# 0.5 with a deviation of 0.004 for 15000 draws.
exits 0 "a balanced sampler" train share --set optimizer=sgd --set optimizer.lr=1e-30 --set train.epochs=20 \
  --set train.log_every=0 --set train.eval_every=20 --set 'model=[{linear: {units: 2, init: zeros}}]'
check "… draws both classes equally often" \
  awk '/"split":"train"/ { sub(/.*"accuracy":/, ""); ok = $0 + 0 > 0.48 && $0 + 0 < 0.52 } END { exit !ok }' share/metrics.jsonl
check "… and is in the run's config" grep -q "sampler: balanced" share/config.yaml

exits 0 "a run with it" train whole
cp -r whole again
rm again/model.bin again/checkpoints/step-*{30,45,60}.safetensors
exits 0 "… resumed after the first epoch" train again --resume
check "… ends with the same bytes" same whole again
exits 0 "… streamed" "$GTRAIN" train rare.yaml --device "$DEVICE" --run-dir window --memory-limit 72K
says "… in part" "streams through"
check "… ends with the same bytes" same whole window
exits 0 "… in steps of two batches" train parts --set train.batch_size=25 --set train.accumulate=2
loss() { sed -n 's/.*"split":"train","loss":\([0-9.]\{5\}\).*/\1/p' "$1/metrics.jsonl" | tail -1; }
check "… is the same training" test "$(loss whole)" = "$(loss parts)"
exits 0 "… of one output" train one --set loss=bce --set model.2.linear.units=1

exits 78 "a balanced sampler beside weights of classes" train no --set loss.class_weights=balanced
says "… with both places" "rare.yaml:3:45: error: a balanced sampler beside class_weights (--set:1:20) would correct"
exits 78 "a balanced sampler beside weights of samples" train no --set 'data.ignore=[]' --set data.weight=w
says "… with the reason" "cannot be combined with weights of samples (data.weight)"
exits 78 "a balanced sampler of numbers" train no --set data.target=y --set 'data.ignore=[rare]' --set data.split=random --set model.2.linear.units=1
says "… with the reason" "needs targets that are one class per sample; these are numbers"
exits 78 "a balanced sampler for L-BFGS" train no --set optimizer=lbfgs
says "… with the reason" "optimizer 'lbfgs' reads all samples in each step"
finish
