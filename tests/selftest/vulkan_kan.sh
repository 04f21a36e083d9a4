#!/usr/bin/env bash
# What vulkan.sh leaves out.
# shellcheck source=tests/support/vulkan.sh
source "$(dirname "$0")/../support/vulkan.sh"
on_vulkan kan
finish
