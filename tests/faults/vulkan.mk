# Device faults: every Vulkan entry point that gtrain calls fails, at each of its calls.
#
#   make faults-vulkan        all of them (an hour on two cores), and a sample with the validation layer;
#                             another sample is part of `make check`
#   make dist-faults-vulkan   a folder to copy to another machine: there, `JOBS=16 ./vulkan.sh --seconds 500` runs as
#                             many trials as fit into that time, evenly spread, 16 at a time; --from N continues at N
#
# gtrain-vulkan is an ordinary gtrain with vulkan.c between volk and the loader. VK_DRIVER_FILES= (empty) tests the
# machine's own driver.

FAULTS_VULKAN := $(FAULTS)/gtrain-vulkan $(FAULTS)/vulkan-driver
FAULTS_WRAP   := -Wl,--wrap=volkInitialize,--wrap=clock_gettime

.PHONY: faults-vulkan dist-faults-vulkan
faults: faults-vulkan
faults-vulkan: $(FAULTS_VULKAN)
	@. tests/env.sh && export FAULTS=$(FAULTS) && tests/faults/vulkan.sh && \
	  GTRAIN_DEBUG=validation tests/faults/vulkan.sh --quick

$(GEN)/vulkan_entries.inc: tests/faults/vulkan-entries.sh $(wildcard src/backend/vulkan/*.[ch])
	@mkdir -p $(@D)
	@echo '#include <volk.h>' | $(CC) $(CPP_FLAGS) -E -P - > $(GEN)/vulkan.headers
	@tests/faults/vulkan-entries.sh $@ $(GEN)/vulkan.headers $(filter src/%,$^)

$(BUILD)/obj/tests/faults/vulkan.o: $(GEN)/vulkan_entries.inc
$(FAULTS)/gtrain-vulkan: $(BUILD)/obj/src/main.o $(BUILD)/obj/tests/faults/vulkan.o $(LIBRARY) $(BUILD)/flags.stamp
	$(say) LINK $@
	@mkdir -p $(@D)
	$(Q)$(CC) $(LD_FLAGS) $(FAULTS_WRAP) -o $@ $(filter %.o %.a,$^) $(LD_LIBS)

$(FAULTS)/vulkan-driver: $(wildcard tests/faults/vulkan_*.c) tests/faults/driver_files.c $(wildcard tests/faults/*.h) \
                         $(GEN)/vulkan_entries.inc $(BUILD)/flags.stamp
	$(say) LINK $@
	@mkdir -p $(@D)
	$(Q)$(CC) $(FAULTS_FLAGS) -I$(GEN) -o $@ $(filter %.c,$^)

# As in `make dist`: OpenBLAS is linked in, the other libraries except glibc's are in lib/ next to the programs.
CARRIED := $(BUILD)/faults-vulkan
dist-faults-vulkan: $(FAULTS_VULKAN)
	@rm -rf $(CARRIED) && mkdir -p $(CARRIED)/lib
	$(Q)$(CC) $(LD_FLAGS) $(FAULTS_WRAP) -s -o $(CARRIED)/gtrain-vulkan $(BUILD)/obj/src/main.o \
	  $(BUILD)/obj/tests/faults/vulkan.o $(CARRIED_BLAS)
	@cp $(FAULTS)/vulkan-driver tests/faults/vulkan.sh $(CARRIED)/
	@ldd $(CARRIED)/gtrain-vulkan | awk '$$3 ~ /^\// && $$1 !~ /^lib(c|m|dl|pthread)\.so/ { print $$3 }' | \
	  xargs -I{} cp -L {} $(CARRIED)/lib/
	@du -sh $(CARRIED)

-include $(BUILD)/obj/tests/faults/vulkan.d
CHECK_SCRIPTS += tests/faults/sample-vulkan.sh
CHECK_NEEDS   += $(FAULTS_VULKAN)
