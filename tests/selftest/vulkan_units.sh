#!/usr/bin/env bash
# Products on matrix units, which a software device emulates: all kinds with staged operands, some with packed operands.
# shellcheck source=tests/support/vulkan.sh
source "$(dirname "$0")/../support/vulkan.sh"
left_to_check_vulkan
on_units 'matmul,!small'
on_units matmul_ packed
finish
