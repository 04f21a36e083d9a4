#!/usr/bin/env bash
# Every op on the CPU, without the cases that add little to others.
exec "${GTRAIN:-build/gtrain}" selftest --device cpu --brief
