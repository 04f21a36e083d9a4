#!/usr/bin/env bash
# Products on matrix units, emulated here: of all kinds with factors that are staged, of some with factors that are packed.
# shellcheck source=tests/support/units.sh
source "$(dirname "$0")/../support/units.sh"
on_units matmul
on_units matmul_ packed
finish
