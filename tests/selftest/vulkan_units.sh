#!/usr/bin/env bash
# Products on matrix units, emulated here: of all kinds with factors that are staged, of some with factors that are packed.
# shellcheck source=tests/support/vulkan.sh
source "$(dirname "$0")/../support/vulkan.sh"
left_to_check_vulkan
on_units 'matmul,!small'
on_units matmul_ packed
finish
