# Guests: extensions of gtrain that need only one file, tested with files that are not part of gtrain.
#
# A file in this folder registers itself like those of src/. $(GUEST)/gtrain is the ordinary program with these files
# added: only the files of src/ that contain registries are compiled again, with the longer lists. The scripts in this
# folder call the program $GUEST.

GUEST          := $(BUILD)/guest
GUEST_SOURCES  := $(sort $(wildcard tests/guest/*.c))
GUEST_REGISTRY := $(GUEST)/gen/registry
GUEST_HOSTS    := $(shell grep -lsE '"(registry/|base/registered\.h)' src/*/*.c src/*/*/*.c)
GUEST_OBJECTS  := $(GUEST_SOURCES:%.c=$(BUILD)/obj/%.o) $(GUEST_HOSTS:%.c=$(GUEST)/obj/%.o)

$(BUILD)/guests.stamp: STAMP = $(GUEST_SOURCES)
$(GUEST)/gen/registry.done: $(GEN)/registry.done $(GUEST_SOURCES) $(BUILD)/guests.stamp
	@scripts/generate-registry.sh $(GUEST_REGISTRY) "$(KINDS)" $(SOURCES) $(GUEST_SOURCES)
	@touch $@
$(KINDS:%=$(GUEST_REGISTRY)/%.inc): $(GUEST)/gen/registry.done
	@test -f $@

$(GUEST_OBJECTS): | $(GUEST)/gen/registry.done $(GEN)/shader_table.h
$(GUEST)/obj/%.o: %.c $(BUILD)/flags.stamp
	$(say) CC "$< with guests"
	@mkdir -p $(@D)
	$(Q)$(CC) -I$(GUEST)/gen $(CPP_FLAGS) $(C_FLAGS) -MMD -MP -c -o $@ $<

# The objects precede the library, so that the linker does not use the library's files that define the same symbols.
$(GUEST)/gtrain: $(BUILD)/obj/src/main.o $(GUEST_OBJECTS) $(LIBRARY) $(BUILD)/flags.stamp
	$(say) LINK $@
	$(Q)$(CC) $(LD_FLAGS) -o $@ $(BUILD)/obj/src/main.o $(GUEST_OBJECTS) $(LIBRARY) $(LD_LIBS)

CHECK_SCRIPTS += $(sort $(wildcard tests/guest/*.sh))
CHECK_NEEDS   += $(GUEST)/gtrain

-include $(GUEST_OBJECTS:.o=.d)
