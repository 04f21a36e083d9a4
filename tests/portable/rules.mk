# Devices of other vendors: gtrain's kernels with AMD's compiler, on a second software driver, and within the smallest
# limits that Vulkan guarantees.
#
#   make check-amd [TABLE=1]     every kernel of every config, and every one for matrix units, through Mesa's AMD
#                                compiler; TABLE=1 prints a table of all of them
#   make check-limits            selftest and trainings on a device with the smallest limits
#   make check-swiftshader       the selftest on SwiftShader, which scripts/fetch-swiftshader.sh downloads
#
# `make check` runs a quick version of the first.

PORTABLE         := $(BUILD)/portable
PORTABLE_OBJECTS := $(patsubst %.c,$(BUILD)/obj/%.o,$(addprefix tests/portable/,compile.c units.c paper_device.c))
PORTABLE_SHARED  := $(PORTABLE)/small_device.so $(PORTABLE)/odd_driver.so

$(PORTABLE_OBJECTS): | $(GEN)/registry.done $(GEN)/shader_table.h
$(PORTABLE)/compile: $(PORTABLE_OBJECTS) $(LIBRARY) $(BUILD)/flags.stamp
	$(say) LINK $@
	@mkdir -p $(@D)
	$(Q)$(CC) $(LD_FLAGS) -Wl,--wrap=gt_vulkan_pipelines -o $@ $(PORTABLE_OBJECTS) $(LIBRARY) $(LD_LIBS)

# A library that the Vulkan loader opens: always built without sanitizers.
$(PORTABLE)/%.so: tests/portable/%.c $(BUILD)/flags.stamp
	$(say) CC $@
	@mkdir -p $(@D)
	$(Q)$(CC) -std=gnu11 -O2 -g $(WARNINGS) -fPIC -shared -o $@ $<

.PHONY: check-amd check-limits check-swiftshader
check-amd: $(BUILD)/gtrain $(PORTABLE)/compile
	@for part in amd amd_units; do \
	  BUILD=$(BUILD) TABLE=$(TABLE) AMD_ALL=1 tests/portable/$$part.sh || [ $$? = 77 ] || failed=1; \
	done; [ -z "$$failed" ]
check-limits: $(BUILD)/gtrain $(PORTABLE_SHARED)
	@BUILD=$(BUILD) LIMITS_ALL=1 tests/portable/limits.sh
check-swiftshader: $(BUILD)/gtrain
	@BUILD=$(BUILD) tests/portable/swiftshader.sh

CHECK_SCRIPTS += $(addprefix tests/portable/,amd.sh drivers.sh)
CHECK_NEEDS   += $(PORTABLE)/compile $(PORTABLE_SHARED)

-include $(PORTABLE_OBJECTS:.o=.d)
