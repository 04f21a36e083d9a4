# gtrain: one binary from src/ (C), shaders/ (GLSL) and tests/op/ (the op cases that `gtrain selftest` runs).
#
#   make            build/gtrain                    make lint      format, static checks, include rules
#   make check      every test, in parallel         make format    rewrite the sources in the house format
#   make check-vulkan   selftest on Vulkan          make bench     the benchmark table of this machine
#   make dist       tarballs that run elsewhere     make install   PREFIX=/usr/local, DESTDIR honoured
#   make docs       docs/config.md, docs/cli.md: generated, committed, compared by make check
#   make deb        Debian packages of the same     make compile_commands.json   build/compile_commands.json for clangd
#
# V=1 shows the commands; DEBUG=1 and SANITIZE=address,undefined build in folders of their own under build/;
# WERROR=1 makes warnings errors; `make check ROOM=graph` runs the tests of one room.
# Sources are found by wildcard and registries are generated: adding a file needs no edit here.

MAKEFLAGS += --no-builtin-rules
SHELL   := /bin/sh
VERSION := 0.1.0
PREFIX  ?= /usr/local
.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
.SUFFIXES:

empty :=
space := $(empty) $(empty)
comma := ,

# Variants never share objects, so that switching between them rebuilds nothing.
variant := $(if $(SANITIZE),sanitize-$(subst $(comma),-,$(SANITIZE)))$(if $(and $(SANITIZE),$(DEBUG)),-)$(if $(DEBUG),debug)
BUILD   ?= build$(if $(variant),/$(variant))
GEN     := $(BUILD)/gen

Q   := $(if $(V),,@)
say  = $(if $(V),@:,@printf '  %-5s %s\n')

# --- tools and flags -----------------------------------------------------------------------------------------

# The environment and the command line win over this; make's own default (cc) does not.
ifeq ($(origin CC),default)
  CC := gcc
endif
GLSLC      ?= glslc
SPIRV_OPT  ?= $(shell command -v spirv-opt 2>/dev/null)
SPIRV_OPT  := $(SPIRV_OPT)
PKG_CONFIG ?= pkg-config
PACKAGES   := yaml-0.1 zlib libzip libpng libjpeg jansson libutf8proc libxxhash openblas
NEEDED     := $(PACKAGES) $(if $(filter check check-quick%,$(MAKECMDGOALS)),cmocka)

# What these goals do needs no library, so a machine without them can still clean, format and lint.
light_goals := clean format lint
ifneq ($(filter-out $(light_goals),$(or $(MAKECMDGOALS),all)),)
  missing := $(strip $(foreach p,$(NEEDED),$(if $(shell $(PKG_CONFIG) --exists $(p) 2>/dev/null && echo y),,$(p))))
  ifneq ($(missing),)
    $(error Missing libraries: $(missing). Run ./scripts/install-deps.sh --tests)
  endif
endif

# No -ffast-math and no contraction: results must not depend on how the compiler fuses a line.
# -g1: functions and line numbers for backtraces and profiles. Full -g makes a build a sixth slower; DEBUG=1 has it.
CFLAGS   ?= $(if $(DEBUG),-Og -g,-O3 -g1)
# Code that runs once per run, not once per element, compiles a third faster with -O1. CFLAGS set by the user apply to all
# files.
LIGHT    := $(if $(filter file,$(origin CFLAGS)),$(if $(DEBUG),,-O1))
# A frame of 64 KiB is a quarter of the smallest stack that people set; sanitizers need more.
WARNINGS := -Wall -Wextra -Wno-missing-field-initializers -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla \
            $(if $(SANITIZE),,-Wframe-larger-than=65536) $(if $(WERROR),-Werror)
SANITIZER_FLAGS := $(if $(SANITIZE),-fsanitize=$(SANITIZE) -fno-sanitize-recover=all -fno-omit-frame-pointer)
C_FLAGS   = -std=gnu11 $(CFLAGS) $(WARNINGS) -fno-math-errno -ffp-contract=off $(SANITIZER_FLAGS)
# -I. is for "shaders/op/NAME.h": src/op/ may have a header of the same name, and "op/NAME.h" finds that one first.
CPP_FLAGS = -Isrc -Ishaders -I$(GEN) -I. -DGT_VERSION='"$(VERSION)"' $(CPPFLAGS) \
            $(shell $(PKG_CONFIG) --cflags $(PACKAGES) 2>/dev/null)
# RPATH rather than RUNPATH: it also holds for the libraries' own libraries (OpenBLAS needs libgfortran), which
# is what lets `make dist` put them next to the binary. The Vulkan loader is opened at run time, never linked.
LD_FLAGS  = $(SANITIZER_FLAGS) -Wl,--disable-new-dtags,-rpath,'$$ORIGIN/lib' $(LDFLAGS)
# OpenBLAS is opened when a product needs it (src/op/blas.h).
LD_LIBS   = $(shell $(PKG_CONFIG) --libs $(filter-out openblas libzip,$(PACKAGES)) 2>/dev/null) -ldl -lpthread -lm $(LDLIBS)
GLSL_FLAGS := --target-env=vulkan1.2 -O0 -Ishaders $(GLSLFLAGS)

C_FLAGS   := $(C_FLAGS)
CPP_FLAGS := $(CPP_FLAGS)
LD_FLAGS  := $(LD_FLAGS)
LD_LIBS   := $(LD_LIBS)

# --- sources -------------------------------------------------------------------------------------------------

# A family of ops or layers may have its own folder inside src/op or src/layer; its shaders and op cases are then in
# folders of the same name.
SOURCES := $(sort $(wildcard src/*.c src/*/*.c src/*/*/*.c tests/op/*.c tests/op/*/*.c))
SHADERS := $(sort $(wildcard shaders/op/*.comp shaders/op/*/*.comp))
SUPPORT := $(sort $(wildcard tests/support/*.c))
# A test folder that is built or run differently has a rules.mk (read below). Its files are not treated as cmocka programs
# or scripts of `make check`, except for those that rules.mk adds to CHECK_SCRIPTS; it adds what they need built to
# CHECK_NEEDS.
OWN_RULES := $(sort $(wildcard tests/*/rules.mk))
APART   := tests/op/% tests/support/% $(OWN_RULES:rules.mk=%)
ROOMS   := $(sort $(patsubst tests/%/,%,$(dir $(filter-out $(APART),$(wildcard tests/*/*.c tests/*/*.sh)))) \
             $(OWN_RULES:tests/%/rules.mk=%))
$(if $(ROOM),$(if $(filter $(ROOMS),$(ROOM)),,$(error no room '$(ROOM)' has tests; one of: $(ROOMS))))
TESTS   := $(sort $(filter-out $(APART),$(wildcard tests/$(or $(ROOM),*)/*.c)))
SCRIPTS := $(sort $(filter-out $(APART),$(wildcard tests/$(or $(ROOM),*)/*.sh)))

OBJECTS   := $(SOURCES:%.c=$(BUILD)/obj/%.o)
LIGHT_ROOMS   := cli export layer loss model optim spec
LIGHT_OBJECTS := $(filter $(LIGHT_ROOMS:%=$(BUILD)/obj/src/%/%),$(OBJECTS))
GENERATED := $(GEN)/shaders.c $(GEN)/volk.c
LIBRARY   := $(BUILD)/libgtrain.a
LIBRARY_OBJECTS := $(filter-out $(BUILD)/obj/src/main.o,$(OBJECTS)) $(GENERATED:$(GEN)/%.c=$(BUILD)/obj/gen/%.o)
SUPPORT_OBJECTS := $(SUPPORT:%.c=$(BUILD)/obj/%.o)
TEST_PROGRAM    := $(BUILD)/tests/all
TEST_LINKS      := $(TESTS:%.c=$(BUILD)/%)
SPV := $(SHADERS:shaders/op/%.comp=$(BUILD)/spv/%.spv)
# Shaders for matrix units declare it in a preprocessor line of their own (shaders/lib/matrix.glsl). The output of glslc
# is then rewritten by tools/matrix_khr, with --bfloat if the shader declares bfloat16 operands.
MATRIX_TOOL    := $(BUILD)/tools/matrix_khr
MATRIX_SHADERS := $(if $(SHADERS),$(shell grep -l '^\#define GT_MATRIX_UNITS$$' $(SHADERS)))
BFLOAT_SHADERS := $(if $(SHADERS),$(shell grep -l '^\#define GT_MATRIX_BFLOAT$$' $(SHADERS)))
MATRIX_SPV     := $(MATRIX_SHADERS:shaders/op/%.comp=$(BUILD)/spv/%.spv)

.PHONY: all check check-quick check-quick-programs check-vulkan check-candidates check-large
.PHONY: lint format bench clean docs install FORCE
all: $(BUILD)/gtrain

# --- stamps: files whose content is a command line or a list, rewritten only when it changes ---------------------

$(BUILD)/flags.stamp: STAMP = $(CC) $(C_FLAGS) $(CPP_FLAGS) | $(LIGHT) $(LIGHT_ROOMS) | $(LD_FLAGS) $(LD_LIBS)
$(BUILD)/glsl.stamp: STAMP = $(GLSLC) $(GLSL_FLAGS) | $(SPIRV_OPT)
$(BUILD)/sources.stamp: STAMP = $(SOURCES)
$(BUILD)/shaders.stamp: STAMP = $(SHADERS)
$(BUILD)/support.stamp: STAMP = $(SUPPORT)
$(BUILD)/%.stamp: FORCE
	@mkdir -p $(@D)
	@printf '%s\n' '$(subst ','\'',$(STAMP))' | cmp -s - $@ || printf '%s\n' '$(subst ','\'',$(STAMP))' > $@

# --- what a binary reports about its build (gtrain --version --json) -----------------------------------------------

# A tarball of the sources may be unpacked inside another repository: its commit is not ours.
commit  = $(if $(wildcard .git),$(shell GIT_OPTIONAL_LOCKS=0 git describe --always --dirty --exclude '*' --abbrev=12 2>/dev/null))
facts   = COMMIT '$(commit)' FLAGS '$(strip $(subst ",,$(subst ',,$(CFLAGS) $(SANITIZER_FLAGS))))' \
          GLSLC "$$($(GLSLC) --version 2>/dev/null | head -n 1)" \
          LIBRARIES '$(foreach p,$(PACKAGES),$p=$(shell $(PKG_CONFIG) --modversion $p 2>/dev/null))'
$(GEN)/build_facts.h: FORCE
	@mkdir -p $(@D)
	@printf '#define GT_BUILD_%s "%s"\n' $(facts) > $@.next
	@if cmp -s $@.next $@; then rm $@.next; else mv $@.next $@; fi
$(BUILD)/obj/src/cli/version.o: $(GEN)/build_facts.h

# --- registries: X(name) lines, one file per kind, from GT_REGISTER and GT_DEFINE(kind, name) of all sources -----

KINDS := op augment layer loss metric tokenizer data optim schedule command init sink change inspector exporter opcase
REGISTRY := $(KINDS:%=$(GEN)/registry/%.inc)

$(GEN)/registry.done: $(SOURCES) $(BUILD)/sources.stamp scripts/generate-registry.sh
	@scripts/generate-registry.sh $(GEN)/registry "$(KINDS)" $(SOURCES)
	@touch $@
# A list whose content is unchanged keeps its time, so the objects that include it are not rebuilt.
$(REGISTRY): $(GEN)/registry.done
	@test -f $@ || { rm -f $<; $(MAKE) --no-print-directory $<; }

# --- shaders ---------------------------------------------------------------------------------------------------

# glslc lists a shader's headers without making them targets; a header that was removed must not stop make. Variable names
# are stripped: they are a tenth of the embedded bytes. `make lint` validates the modules, which takes several times as
# long as compiling.
$(BUILD)/spv/%.spv: shaders/op/%.comp $(BUILD)/glsl.stamp
	$(say) GLSL $<
	@mkdir -p $(@D)
	$(Q)$(GLSLC) $(GLSL_FLAGS) -MD -MF $(@:.spv=.d) -MT $@ -o $@ $<
	@sed -n 's/^[^:]*://p' $(@:.spv=.d) | tr -s ' ' '\n' | sed -n 's/.$$/&:/p' >> $(@:.spv=.d)
	$(if $(SPIRV_OPT),$(Q)$(SPIRV_OPT) --skip-validation --strip-debug $@ -o $@)
	$(Q)rm -f $@.nv
	$(if $(filter $@,$(MATRIX_SPV)),$(Q)mv $@ $@.nv && \
	  $(MATRIX_TOOL) $(if $(filter $<,$(BFLOAT_SHADERS)),--bfloat) $@.nv $@)

$(MATRIX_SPV): $(MATRIX_TOOL)
# It runs on the machine that compiles, and needs only libc.
HOST_CC ?= $(CC)
$(MATRIX_TOOL): tools/matrix_khr.c $(BUILD)/flags.stamp
	$(say) CC $<
	@mkdir -p $(@D)
	$(Q)$(HOST_CC) $(C_FLAGS) -o $@ $<

$(GEN)/shaders.c: $(SPV) $(BUILD)/shaders.stamp scripts/generate-shaders.sh | $(GEN)/shader_table.h
	$(say) EMBED "$(words $(SPV)) shaders"
	@scripts/generate-shaders.sh table $@ $(SPV)
$(GEN)/shader_table.h: scripts/generate-shaders.sh
	@scripts/generate-shaders.sh header $@

# The volk package brings its source but, on Debian, no library: it is compiled here, once, without our warnings.
$(GEN)/volk.c:
	@mkdir -p $(@D)
	@printf '#define VOLK_IMPLEMENTATION\n#include <volk.h>\n' > $@

# --- objects, library, binary ------------------------------------------------------------------------------------

$(OBJECTS) $(SUPPORT_OBJECTS) $(TESTS:%.c=$(BUILD)/obj/%.o): | $(GEN)/registry.done $(GEN)/shader_table.h
$(LIGHT_OBJECTS): EXTRA := $(LIGHT)
$(TESTS:%.c=$(BUILD)/obj/%.o) $(SUPPORT_OBJECTS): EXTRA := -Itests $(LIGHT)

$(BUILD)/obj/%.o: %.c $(BUILD)/flags.stamp
	$(say) CC $<
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPP_FLAGS) $(C_FLAGS) $(EXTRA) -MMD -MP -c -o $@ $<
$(BUILD)/obj/gen/%.o: $(GEN)/%.c $(BUILD)/flags.stamp
	$(say) CC $<
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPP_FLAGS) $(C_FLAGS) -w -MMD -MP -c -o $@ $<

# Built from scratch each time: `ar r` would keep members whose sources were deleted.
$(LIBRARY): $(LIBRARY_OBJECTS) $(BUILD)/sources.stamp
	$(say) AR $@
	@rm -f $@
	$(Q)$(AR) rcs $@ $(LIBRARY_OBJECTS)

$(BUILD)/gtrain: $(BUILD)/obj/src/main.o $(LIBRARY) $(BUILD)/flags.stamp
	$(say) LINK $@
	$(Q)$(CC) $(LD_FLAGS) -o $@ $< $(LIBRARY) $(LD_LIBS)

# --- what is generated from the command table and the schema: docs/*.md, man page, completions --------------------

# A program of its own, because gtrain itself needs no Markdown.
DOCS_TOOL    := $(BUILD)/tools/docs
DOCS_SOURCES := $(sort $(wildcard tools/docs/*.c))
DOCS_OBJECTS := $(DOCS_SOURCES:%.c=$(BUILD)/obj/%.o)
SHARE        ?= $(BUILD)/share
SHARED       := man/man1/gtrain.1 bash-completion/completions/gtrain zsh/site-functions/_gtrain
SHARE_FILES  := $(SHARED:%=$(SHARE)/%)

$(DOCS_OBJECTS): EXTRA := $(LIGHT)
$(DOCS_OBJECTS): | $(GEN)/registry.done $(GEN)/shader_table.h
$(DOCS_TOOL): $(DOCS_OBJECTS) $(LIBRARY) $(BUILD)/flags.stamp
	$(say) LINK $@
	@mkdir -p $(@D)
	$(Q)$(CC) $(LD_FLAGS) -o $@ $(DOCS_OBJECTS) $(LIBRARY) $(LD_LIBS)

docs: $(DOCS_TOOL)
	@mkdir -p docs
	$(Q)for page in config cli; do $(DOCS_TOOL) $$page > docs/$$page.md || exit; done

$(BUILD)/share/man/man1/gtrain.1: PAGE := manual
$(BUILD)/share/bash-completion/completions/gtrain: PAGE := bash
$(BUILD)/share/zsh/site-functions/_gtrain: PAGE := zsh
$(SHARED:%=$(BUILD)/share/%): $(DOCS_TOOL)
	@mkdir -p $(@D)
	$(Q)$< $(PAGE) > $@

# --- tests -------------------------------------------------------------------------------------------------------

# All cmocka programs are linked into one binary, each with its main renamed. Each program is a link to it, and the name
# of the link (tests/plan/order) selects the main to run. Separate binaries took a hundred times 16 MB.
test_name = $(subst /,_,$(1:tests/%.c=%))
$(foreach t,$(TESTS),$(eval $(BUILD)/obj/$(t:.c=.o): EXTRA += -Dmain=test_$(call test_name,$(t)) -Wno-missing-prototypes))

$(BUILD)/tests.stamp: STAMP = $(TESTS)
$(GEN)/tests.inc: $(BUILD)/tests.stamp
	@printf '%s\n' $(foreach t,$(TESTS),'X($(t:tests/%.c=%), $(call test_name,$(t)))') > $@
$(BUILD)/obj/tests/all.o: $(GEN)/tests.inc
$(TEST_PROGRAM): $(BUILD)/obj/tests/all.o $(TESTS:%.c=$(BUILD)/obj/%.o) $(SUPPORT_OBJECTS) $(LIBRARY) $(BUILD)/support.stamp
	$(say) LINK $@
	@mkdir -p $(@D)
	$(Q)$(CC) $(LD_FLAGS) -o $@ $(filter %.o,$^) $(LIBRARY) -lcmocka -lzip $(LD_LIBS)
$(BUILD)/tests/limit: tests/limit.c $(BUILD)/flags.stamp
	$(say) CC $<
	@mkdir -p $(@D)
	$(Q)$(CC) -std=gnu11 -O1 -g1 $(WARNINGS) -o $@ $<
$(TEST_LINKS): $(TEST_PROGRAM)
	@mkdir -p $(@D) && ln -sf ../all $@

CHECK_SCRIPTS :=
CHECK_NEEDS   :=
include $(OWN_RULES)
checked := $(if $(ROOM),$(filter tests/$(ROOM)/%,$(CHECK_SCRIPTS)),$(CHECK_SCRIPTS))

# What these scripts compare holds on every CPU, so on x86-64 they also run as on others (settings of tests/run.sh).
on_every_cpu := $(filter tests/cli/documents.sh tests/golden/golden.sh tests/cli/examples.sh tests/cli/configs.sh \
                  tests/cli/networks.sh,$(SCRIPTS))
settings := $(if $(filter x86_64,$(shell uname -m)),$(if $(SANITIZE),,portable libm_sse2))
programs := $(TEST_LINKS) $(SCRIPTS) $(checked) $(foreach s,$(settings),$(on_every_cpu:%=%@$s))

check_environment := BUILD=$(BUILD) $(if $(SANITIZE),LIMIT_FACTOR=50)
check_needs := $(BUILD)/gtrain $(TEST_LINKS) $(BUILD)/tests/limit $(DOCS_TOOL) $(SHARE_FILES)
check: $(check_needs) $(if $(checked),$(CHECK_NEEDS))
	@$(check_environment) tests/run.sh $(programs)

# What ./scripts/test.sh runs: as many of these programs as six minutes allow.
check-quick-programs: $(check_needs)
check-quick: $(check_needs)
	@$(check_environment) tests/run.sh --quick $(programs)

# The selftest compares the Vulkan kernel of every op with the CPU under the validation layers. This target also runs the
# tests on emulated matrix units, which `make check` skips because a software device compiles their kernels for minutes.
check-vulkan: $(BUILD)/gtrain $(TEST_LINKS) $(BUILD)/tests/limit
	@. tests/env.sh && GTRAIN_DEVICE=vulkan GTRAIN_DEBUG=validation,matrix $(BUILD)/gtrain selftest --device vulkan
	@CHECK_ALL=1 $(check_environment) tests/run.sh $(filter $(BUILD)/tests/op_units/%,$(TEST_LINKS))
	$(if $(findstring vulkan,$(SCRIPTS)),@CHECK_ALL=1 $(check_environment) GTRAIN_DEVICE=vulkan GTRAIN_DEBUG=validation \
	  tests/run.sh $(foreach s,$(SCRIPTS),$(if $(findstring vulkan,$(notdir $(s))),$(s))))

# Compares every candidate kernel with the CPU: for a GPU, where it takes many minutes. TENTH=0 … 9 runs a tenth of them.
check-candidates: $(BUILD)/gtrain $(TEST_LINKS)
	@. tests/env.sh && CHECK_ALL=1 CHECK_TENTH="$(TENTH)" $(BUILD)/tests/op_units/candidates

# Values of more than 4 GiB, for a device with enough memory: MEMORY is the number of GiB that a test may use.
MEMORY ?= 70
check-large: $(TEST_LINKS)
	@. tests/env.sh && GTRAIN_DEVICE="$${GTRAIN_DEVICE:-vulkan}" CHECK_LARGE=$(MEMORY) $(BUILD)/tests/backend/large

# --- lint and format ---------------------------------------------------------------------------------------------

# Releases of clang-format disagree with each other; the sources follow release 14.
CLANG_FORMAT ?= $(or $(shell command -v clang-format-14 2>/dev/null),clang-format)
CPPCHECK     ?= cppcheck
C_FILES := $(sort $(wildcard tools/*.c tools/*/*.[ch] tests/*.c src/*.[ch] src/*/*.[ch] src/*/*/*.[ch] tests/*/*.[ch] tests/op/*/*.c \
                   shaders/*/*.h shaders/op/*/*.h))

# All checks run even if an earlier one fails, so that one run shows everything that needs fixing. Shaders are validated
# if they can be compiled.
lint: $(GEN)/registry.done $(GEN)/shader_table.h $(GEN)/build_facts.h $(if $(shell command -v $(GLSLC) 2>/dev/null),$(SPV))
	@CLANG_FORMAT="$(CLANG_FORMAT)" CPPCHECK="$(CPPCHECK)" BUILD="$(BUILD)" scripts/lint.sh $(C_FILES)

format:
	$(if $(C_FILES),$(Q)$(CLANG_FORMAT) -i $(C_FILES))

# --- the rest ----------------------------------------------------------------------------------------------------

bench: $(BUILD)/gtrain
	@$(BUILD)/gtrain bench

install: $(BUILD)/gtrain $(SHARE_FILES)
	@scripts/install.sh $(BUILD)/gtrain $(DESTDIR)$(PREFIX) $(SHARE)

clean:
	$(Q)rm -rf $(BUILD)

# clangd looks for it in build/ by itself. Flags are those of the pattern rule for objects.
compile_commands.json: $(GEN)/registry.done $(GEN)/shader_table.h
	@scripts/compile-commands.sh $(BUILD)/$@ '$(subst ','\'',$(CC) $(CPP_FLAGS) $(C_FLAGS))' \
	  $(sort $(wildcard src/*.c src/*/*.c src/*/*/*.c tests/*.c tests/*/*.c tests/*/*/*.c tools/*.c tools/*/*.c))

# --- binaries for other machines: tarballs and Debian packages ---------------------------------------------------

# `make dist` and `make deb` build for this machine and, on x86-64 with scripts/install-deps.sh --cross, for aarch64,
# in a build folder of its own; dist-native, dist-aarch64 and so on make one of them.
DIST      ?= $(BUILD)/dist
NM        ?= nm
STRIP     ?= strip
CROSS     := aarch64-linux-gnu
CROSS_PKG := env PKG_CONFIG_LIBDIR=/usr/lib/$(CROSS)/pkgconfig:/usr/share/pkgconfig pkg-config
CROSS_SET  = BUILD=$(BUILD)/aarch64 DIST=$(DIST) HOST_CC='$(CC)' CC=$(CROSS)-gcc AR=$(CROSS)-ar NM=$(CROSS)-nm \
  STRIP=$(CROSS)-strip PKG_CONFIG='$(CROSS_PKG)' SHARE=$(SHARE)

.PHONY: compile_commands.json $(foreach g,dist deb,$g $g-native $g-aarch64)
dist deb: %: %-native
	@if [ "$$(uname -m)" != x86_64 ]; then :; \
	elif command -v $(CROSS)-gcc > /dev/null && $(CROSS_PKG) --exists $(PACKAGES); then \
	  $(MAKE) --no-print-directory $@-aarch64; \
	else echo "$@: skipped aarch64: its compiler or libraries are missing; run ./scripts/install-deps.sh --cross"; fi
# Man page and completions come from this machine's build: they are the same for all, and the tool that writes them runs
# here.
dist-aarch64 deb-aarch64: %-aarch64: $(SHARE_FILES)
	@$(MAKE) --no-print-directory $*-native $(CROSS_SET)
dist-native: $(BUILD)/obj/gtrain-dist $(SHARE_FILES)
	@CC='$(CC)' STRIP='$(STRIP)' SHARE='$(SHARE)' scripts/dist.sh $< $(DIST) $(VERSION)
deb-native: dist-native
	@scripts/deb.sh $(DIST)/gtrain-$(VERSION)-linux-$(firstword $(subst -, ,$(shell $(CC) -dumpmachine))) $(VERSION)

# OpenBLAS is linked in: the shared library with its Fortran is 39 MB. Its tables of kernels, one for each processor,
# name every kernel of every type; those for double and complex numbers become one function that is never called,
# which leaves 5 MB of 23.
BLAS_FLAGS = $(shell $(PKG_CONFIG) --libs-only-L openblas)
CARRIED_BLAS = -Wl,--gc-sections -u cblas_sgemm -u blas_memory_alloc -u openblas_get_config $(LIBRARY) $(LD_LIBS) \
  $(BLAS_FLAGS) -l:libopenblas.a -lpthread -lm
$(GEN)/blas_unused.c: scripts/generate-blas-unused.sh $(BUILD)/flags.stamp
	@mkdir -p $(@D)
	@NM='$(NM)' scripts/generate-blas-unused.sh "$$($(CC) $(BLAS_FLAGS) -print-file-name=libopenblas.a)" $@
$(BUILD)/obj/gtrain-dist: $(BUILD)/obj/src/main.o $(BUILD)/obj/gen/blas_unused.o $(LIBRARY) $(BUILD)/flags.stamp
	$(say) LINK $@
	$(Q)$(CC) $(LD_FLAGS) -o $@ $(BUILD)/obj/src/main.o $(BUILD)/obj/gen/blas_unused.o $(CARRIED_BLAS)

-include $(OBJECTS:.o=.d) $(SUPPORT_OBJECTS:.o=.d) $(TESTS:%.c=$(BUILD)/obj/%.d) $(BUILD)/obj/tests/all.d $(SPV:.spv=.d) $(DOCS_OBJECTS:.o=.d)
-include $(GENERATED:$(GEN)/%.c=$(BUILD)/obj/gen/%.d)
