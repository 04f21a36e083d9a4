#!/usr/bin/env bash
# Configs that mean harm: whatever stands in one, the answer is 78 with the place, and never a signal.
# shellcheck source=tests/support/cli.sh
source "$(dirname "$0")/../support/cli.sh"

# refused NAME PLACE ASSIGNMENT…: refused at that place of the last assignment.
refused() {
  local name=$1 place=$2 settings=()
  shift 2
  for assignment; do settings+=(--set "$assignment"); done
  exits 78 "$name" "$GTRAIN" check configs/xor.yaml "${settings[@]}"
  says "$name: where" "--set:1:$place: error: "
}

# A value that its schema row refuses is not used for what is built behind it.
refused "from: a list in a list" 35 'model=[{linear: {units: 1, from: [[a, b]]}}]'
refused "from: a map in a list" 35 'model=[{linear: {units: 1, from: [{}]}}]'
refused "from: nothing in a list" 35 'model=[{linear: {units: 1, from: [~]}}]'
refused "a batch out of range" 18 'data={inputs: [[0, 0, 0, 0]], targets: [[1]]}' 'model=[flatten, {logic: 4}]' \
  train.batch_size=4611686018427387904
refused "a batch below 1" 18 'model=[flatten, {linear: 1}]' train.batch_size=0

# Too many values: refused where they are asked for, before anything is counted in too few bits.
refused "10^12 parameters" 28 'model=[{linear: 1000000}, {linear: 1000000}, {linear: 1}]'
refused "margins of 2^24 on all sides" 31 'model=[{reshape: [1, 1, 2]}, {pad: [16777216, 16777216, 16777216]}, flatten, {linear: 1}]'
exits 0 "a batch of more samples than there are is all of them" "$GTRAIN" check configs/digits.yaml \
  --set train.batch_size=100000000
finish
