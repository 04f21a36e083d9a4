#!/usr/bin/env bash
# A sample of the faults of vulkan.sh: every entry point that can fail fails once with each error.
FAULTS=${GTRAIN%/gtrain}/tests/faults exec tests/faults/vulkan.sh --quick
