#!/usr/bin/env bash
# A sample of `make faults`: a few failures of each kind of call in each command.
set -uo pipefail
if "$(dirname "$0")/calls.sh" --sample; then echo "ok calls that fail"; else echo "not ok calls that fail"; fi
