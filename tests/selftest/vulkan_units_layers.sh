#!/usr/bin/env bash
# Some convolutions and KAN layers on matrix units, which a software device emulates; compiling their kernels takes
# long.
# shellcheck source=tests/support/vulkan.sh
source "$(dirname "$0")/../support/vulkan.sh"
left_to_check_vulkan
on_units conv_on_units
on_units kan_on_units
finish
