#!/usr/bin/env bash
# The KAN ops, which vulkan.sh omits.
# shellcheck source=tests/support/vulkan.sh
source "$(dirname "$0")/../support/vulkan.sh"
on_vulkan kan
finish
