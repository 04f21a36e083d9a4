# Guests: extensions of gtrain by one file, tested with a layer that is not shipped.
#
# A file in this folder registers itself like those of src/. $(GUEST)/gtrain is the ordinary program with these files
# added: of src/ only the files that contain registries are compiled again, with the longer lists. The scripts here run it
# as $GUEST.

GUEST          := $(BUILD)/guest
GUEST_SOURCES  := $(sort $(wildcard tests/guest/*.c))
GUEST_REGISTRY := $(GUEST)/gen/registry
GUEST_HOSTS    := $(shell grep -lsE '"(registry/|base/registered\.h)' src/*/*.c)
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

# Objects come before the library, which then adds nothing for the symbols that they define.
$(GUEST)/gtrain: $(BUILD)/obj/src/main.o $(GUEST_OBJECTS) $(LIBRARY) $(BUILD)/flags.stamp
	$(say) LINK $@
	$(Q)$(CC) $(LD_FLAGS) -o $@ $(BUILD)/obj/src/main.o $(GUEST_OBJECTS) $(LIBRARY) $(LD_LIBS)

CHECK_SCRIPTS += $(sort $(wildcard tests/guest/*.sh))
CHECK_NEEDS   += $(GUEST)/gtrain

-include $(GUEST_OBJECTS:.o=.d)
