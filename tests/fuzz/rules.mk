# Fuzz targets, tests/fuzz/NAME.c, and a campaign of random commands.
#
#   make fuzz [SECONDS=600] [TARGETS="config csv"] [JOBS=2]   searches for inputs that crash; needs clang
#   make campaign [COMMANDS=50000] [SEED=1] [JOBS=2]   random configs and command lines; ONLY=N runs one case
#
# Without clang, the targets are programs that replay inputs: `make check` runs them on the seeds that seeds.sh makes
# from the repository's files, and on tests/fuzz/corpus/NAME: inputs that a search once found, and some written by hand.

FUZZ          := $(BUILD)/fuzz
FUZZ_NOT      := fuzz replay repair campaign%
FUZZ_TARGETS  := $(filter-out $(FUZZ_NOT),$(notdir $(basename $(wildcard tests/fuzz/*.c))))
FUZZ_PROGRAMS := $(FUZZ_TARGETS:%=$(FUZZ)/bin/%)
FUZZ_SHARED   := $(BUILD)/obj/tests/fuzz/fuzz.o $(BUILD)/obj/tests/fuzz/repair.o
# With clang, -fsanitize=fuzzer provides `main`; otherwise replay.c does.
FUZZ_ENGINE   ?=
FUZZ_MAIN     := $(if $(FUZZ_ENGINE),,$(BUILD)/obj/tests/fuzz/replay.o)
FUZZ_OBJECTS  := $(patsubst %.c,$(BUILD)/obj/%.o,$(wildcard tests/fuzz/*.c))

$(FUZZ_OBJECTS): EXTRA := -Itests $(LIGHT)
$(FUZZ_OBJECTS): | $(GEN)/registry.done $(GEN)/shader_table.h
$(FUZZ_PROGRAMS): $(FUZZ)/bin/%: $(BUILD)/obj/tests/fuzz/%.o $(FUZZ_SHARED) $(FUZZ_MAIN) $(LIBRARY) $(BUILD)/flags.stamp
	$(say) LINK $@
	@mkdir -p $(@D)
	$(Q)$(CC) $(LD_FLAGS) $(FUZZ_ENGINE) -Wl,--wrap=gt_try_alloc,--wrap=gt_alloc -o $@ $< $(FUZZ_SHARED) $(FUZZ_MAIN) \
	  $(LIBRARY) $(LD_LIBS)

$(FUZZ)/words: tests/fuzz/seeds.sh $(wildcard tests/fuzz/*.c configs/*.yaml) $(BUILD)/gtrain
	$(say) SEEDS $(FUZZ)
	@tests/fuzz/seeds.sh $(BUILD)/gtrain $(FUZZ)

# --- searching: all of gtrain compiled again by clang, with coverage -----------------------------------------------

FUZZ_CC   ?= $(or $(shell command -v clang-14 2>/dev/null),clang)
FUZZ_BUILD = $(MAKE) --no-print-directory BUILD=$(BUILD)/clang CC="$(FUZZ_CC)" SANITIZE=address,undefined WERROR= \
  CFLAGS="-O1 -g -w -fsanitize=fuzzer-no-link,float-cast-overflow" FUZZ_ENGINE=-fsanitize=fuzzer
SECONDS ?= 60
TARGETS ?= $(FUZZ_TARGETS)

.PHONY: fuzz fuzz-programs
fuzz-programs: $(TARGETS:%=$(FUZZ)/bin/%)
fuzz: $(FUZZ)/words
	@command -v $(lastword $(FUZZ_CC)) > /dev/null || \
	  { echo "fuzz: needs clang with its libraries (Debian: clang-14 libclang-rt-14-dev)" >&2; exit 1; }
	@$(FUZZ_BUILD) TARGETS="$(TARGETS)" fuzz-programs
	@JOBS="$(JOBS)" tests/fuzz/search.sh $(BUILD)/clang/fuzz/bin $(FUZZ) $(SECONDS) $(TARGETS)

# --- random commands -----------------------------------------------------------------------------------------------

$(FUZZ)/campaign: $(patsubst %.c,$(BUILD)/obj/%.o,$(wildcard tests/fuzz/campaign*.c)) $(BUILD)/flags.stamp
	$(say) LINK $@
	@mkdir -p $(@D)
	$(Q)$(CC) $(LD_FLAGS) -o $@ $(filter %.o,$^) $(LD_LIBS)

COMMANDS ?= 50000
SEED     ?= 1
.PHONY: campaign
campaign: $(BUILD)/gtrain $(FUZZ)/words $(FUZZ)/campaign
	@BUILD=$(BUILD) GTRAIN=$(abspath $(BUILD)/gtrain) COMMANDS=$(COMMANDS) SEED=$(SEED) JOBS=$(JOBS) ONLY=$(ONLY) tests/fuzz/campaign.sh

# --- in `make check` -----------------------------------------------------------------------------------------------

CHECK_SCRIPTS += tests/fuzz/replay.sh tests/fuzz/campaign.sh
CHECK_NEEDS   += $(FUZZ_PROGRAMS) $(FUZZ)/words $(FUZZ)/campaign

-include $(FUZZ_OBJECTS:.o=.d)
