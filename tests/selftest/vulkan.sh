#!/usr/bin/env bash
# Every op on Vulkan against the CPU, under the validation layers, core and synchronization: not one message; some
# products again as the straight code that GPUs get. KANs are beside it, in vulkan_kan.sh: the half of what a software
# device compiles here.
# shellcheck source=tests/support/vulkan.sh
source "$(dirname "$0")/../support/vulkan.sh"
on_vulkan '!kan'
on_vulkan matmul_ straight
finish
