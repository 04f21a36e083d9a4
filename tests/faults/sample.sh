#!/usr/bin/env bash
# A sample of `make faults`: a few failures of every kind of call in every command.
set -uo pipefail
if "$(dirname "$0")/calls.sh" --sample; then echo "ok calls that fail"; else echo "not ok calls that fail"; fi
