#!/usr/bin/env bash
# Every op on Vulkan, compared with the CPU, with core and synchronization validation: no message is allowed. Some
# products run again with the unrolled code for GPUs. KAN ops are in vulkan_kan.sh, because compiling them takes half of
# the time on a software device.
# shellcheck source=tests/support/vulkan.sh
source "$(dirname "$0")/../support/vulkan.sh"
on_vulkan '!kan'
# GTRAIN_DEBUG=straight: the unrolled code for GPUs, not the loops made for software devices.
on_vulkan matmul_ straight
finish
