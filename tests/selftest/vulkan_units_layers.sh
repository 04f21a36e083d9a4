#!/usr/bin/env bash
# Some convolutions and KAN layers on matrix units, emulated here; a software device takes long to compile their kernels.
# shellcheck source=tests/support/vulkan.sh
source "$(dirname "$0")/../support/vulkan.sh"
left_to_check_vulkan
on_units conv_on_units
on_units kan_on_units
finish
