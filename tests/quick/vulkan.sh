#!/usr/bin/env bash
# One case of every op on Vulkan, compared with the CPU.
code=0
"${GTRAIN:-build/gtrain}" selftest --device vulkan --one-each || code=$?
exit $((code == 69 ? 77 : code))
