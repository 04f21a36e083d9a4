# Fault injection: every allocation and every file call of the commands in driver.c fails, one after another.
#
#   make faults     all of them, in parallel (minutes); `make check` runs a sample
#
# shim.c is preloaded into an ordinary gtrain, so this does not work with sanitizers.

FAULTS        := $(BUILD)/tests/faults
FAULTS_SHIM   := $(FAULTS)/shim.so
FAULTS_DRIVER := $(FAULTS)/driver
FAULTS_FLAGS  := -std=gnu11 -O2 -g $(WARNINGS)

.PHONY: faults faults-calls
faults: faults-calls
faults-calls: $(BUILD)/gtrain $(FAULTS_SHIM) $(FAULTS_DRIVER)
	@BUILD=$(BUILD) tests/faults/calls.sh

$(FAULTS_SHIM): tests/faults/shim.c tests/faults/page.h $(BUILD)/flags.stamp
	$(say) CC $@
	@mkdir -p $(@D)
	$(Q)$(CC) $(FAULTS_FLAGS) -fPIC -shared -o $@ $< -ldl

$(FAULTS_DRIVER): $(wildcard tests/faults/driver*.c) $(wildcard tests/faults/*.h) $(BUILD)/flags.stamp
	$(say) LINK $@
	@mkdir -p $(@D)
	$(Q)$(CC) $(FAULTS_FLAGS) -o $@ $(filter %.c,$^)


CHECK_SCRIPTS += $(if $(SANITIZE),,tests/faults/sample.sh tests/faults/limits.sh)
CHECK_NEEDS   += $(if $(SANITIZE),,$(FAULTS_SHIM) $(FAULTS_DRIVER))

# Faults of the device driver.
-include tests/faults/vulkan.mk
