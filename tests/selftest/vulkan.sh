#!/usr/bin/env bash
# Every op on Vulkan against the CPU, under the validation layers, core and synchronization: no message is allowed; some
# products again with the unrolled code for GPUs. KANs are in vulkan_kan.sh: they are half of what a software device
# compiles here.
# shellcheck source=tests/support/vulkan.sh
source "$(dirname "$0")/../support/vulkan.sh"
on_vulkan '!kan'
# GTRAIN_DEBUG=straight: the unrolled code for GPUs, not the loops made for software devices.
on_vulkan matmul_ straight
finish
