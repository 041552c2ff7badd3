# opgen: `make demo` and `make test` install what they need; `make help` lists the rest.
#
# One makefile, no recursion. Sources are found, not listed. Objects live in build/obj/<variant>/, one variant for each
# set of flags (release, asan, fuzz), so that switching between targets rebuilds nothing. Everything made is under build/.

.DELETE_ON_ERROR:
.SUFFIXES:
MAKEFLAGS += --no-builtin-rules
.DEFAULT_GOAL := all

# ---- what can be set -------------------------------------------------------------------------------------------------
BUILD ?= build
ifeq ($(origin CC),default)
CC := gcc
endif
CLANG ?= clang
CLANG_FORMAT ?= clang-format
PYTHON ?= /usr/bin/python3
PREFIX ?= /usr/local
DESTDIR ?=
CFLAGS ?= -O2 -g
WERROR ?=
FUZZ_SECONDS ?= 60
# Only the tests whose path has this text: make test TESTS=render
TESTS ?=

export CC

# ---- how many at once: all cores, unless -j or a make above this one says otherwise -----------------------------------
ifeq ($(MAKELEVEL),0)
MAKEFLAGS += -j$(shell nproc 2>/dev/null || echo 2)
endif

# ---- what the goals need from the system -------------------------------------------------------------------------------
# demo and the test goals install what is missing; the others only name it. When something was installed, the included
# file below was remade, so make starts over and everything that is asked from the compiler is asked again.
GOALS := $(or $(MAKECMDGOALS),all)
INSTALLING := $(filter demo test test-asan,$(GOALS))
TESTING := $(filter test test-asan fuzz bench format format-check,$(GOALS))
COMPILING := $(filter-out help clean uninstall deps-hip device-test device-bench,$(GOALS))
ifneq ($(INSTALLING)$(TESTING),)
NEEDS := $(if $(TESTING),test,build)
else ifneq ($(COMPILING),)
NEEDS := $(if $(wildcard $(BUILD)/opgen),,build)
endif
ifneq ($(NEEDS),)
MISSING := $(shell sh tests/deps.sh missing $(NEEDS))
ifneq ($(MISSING),)
ifeq ($(INSTALLING),)
$(error missing packages: $(MISSING); install them with: apt-get install --no-install-recommends $(MISSING))
endif
ifneq ($(MAKE_RESTARTS),)
$(error missing packages: $(MISSING))
endif
include $(BUILD)/installed.mk
$(BUILD)/installed.mk: force
	@sh tests/deps.sh install $(NEEDS)
	@mkdir -p $(@D) && echo '# made when packages were installed' > $@
endif
endif

# ---- sources -----------------------------------------------------------------------------------------------------------
SOURCES := $(sort $(wildcard gen/*.c gen/*/*.c gen/*/*/*.c))
RUNTIME_SOURCES := $(sort $(wildcard runtime/*.c))
# The tool reads weights and runs libraries with the runtime's own code.
PART_SOURCES := $(filter-out gen/main.c,$(SOURCES)) $(RUNTIME_SOURCES)
UNIT_TESTS := $(sort $(wildcard tests/test_*.c tests/*/test_*.c tests/*/*/test_*.c))
FUZZERS := $(sort $(wildcard tests/fuzz/fuzz_*.c))
REMEMBER_SOURCES := $(sort $(wildcard tests/remember/*.c))
FORMATTED := $(sort $(wildcard gen/*.[ch] gen/*/*.[ch] gen/*/*/*.[ch] tests/*.[ch] tests/*/*.[ch] tests/*/*/*.[ch] \
	runtime/*.[ch] examples/*/*.[ch]))

# ---- libraries ---------------------------------------------------------------------------------------------------------
# GMP and libunistring are linked statically where their archives are installed: two libraries fewer to load at each
# start. cJSON has no archive in Debian.
archive = $(filter /%,$(shell $(CC) -print-file-name=lib$(1).a 2>/dev/null))
CJSON_CFLAGS := $(shell pkg-config --cflags libcjson 2>/dev/null)
CJSON_LIBS := $(or $(shell pkg-config --libs libcjson 2>/dev/null),-lcjson)
UNISTRING_LIBS := $(or $(call archive,unistring),-lunistring)
GMP_LIBS := $(or $(call archive,gmp),-lgmp)
LIBS := $(UNISTRING_LIBS) $(GMP_LIBS) $(CJSON_LIBS) -lm

# ---- flags -------------------------------------------------------------------------------------------------------------
WARNINGS := -Wall -Wextra -Wconversion -Wshadow $(if $(WERROR),-Werror)
BASE_FLAGS := -std=c11 -D_GNU_SOURCE -Igen -Iruntime $(WARNINGS) $(CJSON_CFLAGS) $(CPPFLAGS)
SANITIZE := -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer

release_CC := $(CC)
release_FLAGS := $(BASE_FLAGS) $(CFLAGS)
release_LINK := -Wl,-O1 -Wl,--as-needed $(LDFLAGS)
asan_CC := $(CC)
asan_FLAGS := $(BASE_FLAGS) -O1 -g $(SANITIZE)
asan_LINK := $(SANITIZE) $(LDFLAGS)
fuzz_CC := $(CLANG)
fuzz_FLAGS := $(BASE_FLAGS) -O1 -g $(SANITIZE) -fsanitize=fuzzer-no-link
fuzz_LINK := $(SANITIZE) -fsanitize=fuzzer $(LDFLAGS)

# ---- objects and archives, one set a variant -----------------------------------------------------------------------------
.PHONY: force
force:

# What is linked or archived gets its name when it is complete: whoever runs it meanwhile has the old one or the new.
# `flags` is a file that changes when the compiler or the flags do; objects depend on it.
define VARIANT
$(1)_OBJECTS := $$(PART_SOURCES:%.c=$(BUILD)/obj/$(1)/%.o)
$(BUILD)/obj/$(1)/flags: force
	@mkdir -p $$(@D)
	@echo '$$($(1)_CC) $$($(1)_FLAGS)' | cmp -s - $$@ || echo '$$($(1)_CC) $$($(1)_FLAGS)' > $$@
$(BUILD)/obj/$(1)/%.o: %.c $(BUILD)/obj/$(1)/flags
	@mkdir -p $$(@D)
	@echo '  CC    $$<$(if $(filter-out release,$(1)), ($(1)))'
	@$$($(1)_CC) $$($(1)_FLAGS) -MMD -MP -c -o $$@ $$<
$(BUILD)/obj/$(1)/libopgen.a: $$($(1)_OBJECTS)
	@rm -f $$@.new && ar rcs $$@.new $$($(1)_OBJECTS) && mv $$@.new $$@
-include $$(wildcard $(BUILD)/obj/$(1)/*/*.d $(BUILD)/obj/$(1)/*/*/*.d $(BUILD)/obj/$(1)/*/*/*/*.d \
	$(BUILD)/obj/$(1)/*/*/*/*/*.d)
endef
$(foreach variant,release asan fuzz,$(eval $(call VARIANT,$(variant))))

$(BUILD)/opgen: $(BUILD)/obj/release/gen/main.o $(BUILD)/obj/release/libopgen.a
	@echo '  LINK  $@'
	@$(CC) $(release_LINK) -o $@.new $^ $(LIBS) && mv $@.new $@

$(BUILD)/opgen-asan: $(BUILD)/obj/asan/gen/main.o $(BUILD)/obj/asan/libopgen.a
	@echo '  LINK  $@'
	@$(CC) $(asan_LINK) -o $@.new $^ $(LIBS) && mv $@.new $@

# ---- make, and what is made from the option table ------------------------------------------------------------------------
.PHONY: all
## all: build/opgen, its man page and completions, compile_commands.json (what `make` alone does)
all: $(BUILD)/opgen $(BUILD)/opgen.1 $(BUILD)/completion/opgen.bash compile_commands.json

$(BUILD)/opgen.1: $(BUILD)/opgen
	@$(BUILD)/opgen help --man > $@

$(BUILD)/completion/opgen.bash: $(BUILD)/opgen
	@mkdir -p $(@D)
	@$(BUILD)/opgen completion fish > $(@D)/opgen.fish
	@$(BUILD)/opgen completion zsh > $(@D)/_opgen
	@$(BUILD)/opgen completion bash > $@

# In build/, where clangd looks as well; written only when it would change.
.PHONY: compile_commands.json
## compile_commands.json: build/compile_commands.json, for editors
compile_commands.json: $(BUILD)/compile_commands.json
COMPILED := $(SOURCES) $(UNIT_TESTS) $(FUZZERS) $(REMEMBER_SOURCES)
json_quote = $(subst ",\",$(subst \,\\,$(1)))
$(BUILD)/compile_commands.json: force
	@mkdir -p $(@D)
	@{ echo '['; for source in $(COMPILED); do \
		printf '{"directory": "%s", "file": "%s", "command": "%s -c %s"}\n' '$(call json_quote,$(CURDIR))' "$$source" \
			'$(call json_quote,$(release_CC) $(release_FLAGS))' "$$source"; \
	done | sed '$$!s/$$/,/'; echo ']'; } > $@.new
	@if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi

# ---- demo ----------------------------------------------------------------------------------------------------------------
.PHONY: demo
## demo: install what is missing, build, and turn a model into a library and run it
demo: $(BUILD)/opgen
	@OPGEN=$(BUILD)/opgen sh examples/mlp/demo.sh

# ---- tests ---------------------------------------------------------------------------------------------------------------
# tests/**/test_*.c are linked with the sanitized objects; .sh and .py are run as they are, with OPGEN in the environment.
UNIT_BINARIES := $(UNIT_TESTS:%.c=$(BUILD)/%)
$(UNIT_BINARIES): $(BUILD)/%: $(BUILD)/obj/asan/%.o $(BUILD)/obj/asan/libopgen.a
	@mkdir -p $(@D)
	@$(CC) $(asan_LINK) -o $@.new $(filter-out %.a,$^) $(filter %.a,$^) -lcmocka $(LIBS) && mv $@.new $@
.SECONDARY: $(UNIT_TESTS:%.c=$(BUILD)/obj/asan/%.o)
$(filter $(BUILD)/tests/runtime/%,$(UNIT_BINARIES)): $(RUNTIME_SOURCES:%.c=$(BUILD)/obj/asan/%.o)

# The compilers of the tests: they remember what they made (tests/remember).
REMEMBER := $(BUILD)/test-bin/remember
$(REMEMBER): $(REMEMBER_SOURCES:%.c=$(BUILD)/obj/release/%.o) $(BUILD)/obj/release/libopgen.a
	@mkdir -p $(@D)
	@$(CC) $(release_LINK) -o $@.new $^ && mv $@.new $@

# hipcc: the tests can do without it where it cannot be had, so that it is asked for once.
HIP_TRIED := $(BUILD)/hip-tried
$(HIP_TRIED):
	@mkdir -p $(@D)
	@sh tests/deps.sh try hip
	@touch $@

RUN_TESTS = OPGEN_ASAN=$(BUILD)/opgen-asan CC='$(CC)' $(PYTHON) tests/run --build $(BUILD) $(if $(TESTS),--only '$(TESTS)')

.PHONY: test
## test: install what is missing, build, and run every test (TESTS=text: only those whose path has it)
test: $(BUILD)/opgen $(BUILD)/opgen-asan $(BUILD)/opgen.1 $(BUILD)/completion/opgen.bash $(UNIT_BINARIES) $(REMEMBER) $(HIP_TRIED)
	@OPGEN=$(BUILD)/opgen $(RUN_TESTS)

.PHONY: test-asan
## test-asan: as test, with the sanitized opgen in the tests that run the command
test-asan: $(BUILD)/opgen-asan $(BUILD)/opgen $(BUILD)/opgen.1 $(BUILD)/completion/opgen.bash $(UNIT_BINARIES) $(REMEMBER) $(HIP_TRIED)
	@OPGEN=$(BUILD)/opgen-asan $(RUN_TESTS)

# ---- fuzzing: a target is tests/fuzz/fuzz_NAME.c, its seeds are in tests/fuzz/corpus/NAME/ ---------------------------------
FUZZ_NAMES := $(FUZZERS:tests/fuzz/fuzz_%.c=%)
FUZZ_BINARIES := $(FUZZ_NAMES:%=$(BUILD)/fuzz/%)
$(FUZZ_BINARIES): $(BUILD)/fuzz/%: $(BUILD)/obj/fuzz/tests/fuzz/fuzz_%.o $(BUILD)/obj/fuzz/libopgen.a
	@mkdir -p $(@D)
	@$(CLANG) $(fuzz_LINK) -o $@.new $(filter-out %.a,$^) $(filter %.a,$^) $(LIBS) && mv $@.new $@
.SECONDARY: $(FUZZERS:%.c=$(BUILD)/obj/fuzz/%.o)
$(filter %/safetensors %/npy,$(FUZZ_BINARIES)): $(RUNTIME_SOURCES:%.c=$(BUILD)/obj/fuzz/%.o)

.PHONY: fuzz $(FUZZ_NAMES:%=fuzz-%)
## fuzz: run each fuzzer for FUZZ_SECONDS (60); what they find is kept in build/fuzz/
fuzz: $(FUZZ_NAMES:%=fuzz-%)
$(FUZZ_NAMES:%=fuzz-%): fuzz-%: $(BUILD)/fuzz/%
	@mkdir -p $(BUILD)/fuzz/corpus/$* $(BUILD)/fuzz/found
	@$(PYTHON) tests/fuzz/seeds.py $(BUILD)/fuzz/corpus
	@echo '  FUZZ  $* for $(FUZZ_SECONDS) s'
	@$< -max_total_time=$(FUZZ_SECONDS) -timeout=10 -rss_limit_mb=2048 -max_len=65536 -verbosity=0 -print_final_stats=1 \
		-artifact_prefix=$(BUILD)/fuzz/found/$*- $(BUILD)/fuzz/corpus/$* $(wildcard tests/fuzz/corpus/$*) \
		> $(BUILD)/fuzz/$*.log 2>&1 || { cat $(BUILD)/fuzz/$*.log; echo "fuzz $*: FAILED"; exit 1; }
	@echo "  fuzz $*: ok, $$(sed -n 's/^stat::number_of_executed_units: *//p' $(BUILD)/fuzz/$*.log) runs"

# ---- bench ---------------------------------------------------------------------------------------------------------------
.PHONY: bench
## bench: measure against the peers and the goals (tests/bench): rendering, generating, matrix products, other kernels
BENCHES := bench-render bench-generate bench-gemm bench-kernels bench-overhead bench-models
.PHONY: $(BENCHES)
# One after the other, and all of them where one misses its goals.
bench: $(BUILD)/opgen
	@missed=; for part in $(BENCHES); do $(MAKE) --no-print-directory $$part || missed="$$missed $$part"; done; \
		[ -z "$$missed" ] || { echo "bench: missed or broken:$$missed"; exit 1; }
bench-render: $(BUILD)/opgen
	@OPGEN=$(BUILD)/opgen BUILD=$(BUILD) sh tests/bench/run.sh
bench-generate: $(BUILD)/opgen
	@$(PYTHON) tests/bench/generate_bench.py --opgen $(BUILD)/opgen
bench-gemm: $(BUILD)/opgen
	@OPGEN=$(BUILD)/opgen BUILD=$(BUILD) sh tests/bench/gemm_bench.sh
bench-kernels: $(BUILD)/opgen
	@BUILD=$(BUILD) $(PYTHON) tests/bench/kernel_bench.py --opgen $(BUILD)/opgen --cc $(CC)
bench-overhead: $(BUILD)/opgen
	@$(PYTHON) tests/bench/overhead_bench.py --opgen $(BUILD)/opgen --cc $(CC)
# Beside PyTorch and ONNX Runtime, of PyPI: some gigabytes, put into a virtual environment once. PEERS is a Python that has them already.
PEERS ?= $(BUILD)/bench/peers/bin/python
PEER_PACKAGES := torch torchvision transformers safetensors onnx onnxruntime
bench-models: $(BUILD)/opgen
	@[ -x '$(PEERS)' ] || { echo '  installing $(PEER_PACKAGES) into $(BUILD)/bench/peers'; \
		{ $(PYTHON) -m venv $(BUILD)/bench/peers || python3 -m venv $(BUILD)/bench/peers; } && $(PEERS) -m pip install -q $(PEER_PACKAGES); }
	@$(PEERS) tests/bench/models_bench.py --opgen $(BUILD)/opgen --work $(BUILD)/bench/models

# ---- devices -------------------------------------------------------------------------------------------------------------
# On a machine with a GPU, nvcc and python3 with NumPy: opgen itself is what `make bundle` made elsewhere.
DEVICE_BACKEND ?= cuda
DEVICE_OPGEN ?= $(BUILD)/bundle/bin/opgen
.PHONY: deps-hip device-test device-bench device-compile
## deps-hip: install hipcc, with which the tests compile sources for AMD; `make test` tries that once
deps-hip:
	@sh tests/deps.sh install hip

## device-test: on a machine with a GPU: every operator test and example there, with what `make bundle` made
device-test:
	@OPGEN='$(abspath $(DEVICE_OPGEN))' PYTHON='$(if $(filter file,$(origin PYTHON)),python3,$(PYTHON))' tests/device/device_test.sh $(DEVICE_BACKEND)

## device-bench: the same machine: speed beside PyTorch's, where it is there
device-bench:
	@OPGEN='$(abspath $(DEVICE_OPGEN))' $(if $(filter file,$(origin PYTHON)),python3,$(PYTHON)) tests/device/bench.py $(DEVICE_BACKEND) --peers
	@OPGEN='$(abspath $(DEVICE_OPGEN))' $(if $(filter file,$(origin PYTHON)),python3,$(PYTHON)) tests/device/bench.py $(DEVICE_BACKEND) --peers --small

## device-compile: no GPU needed: optimised machine code of all functions of the operator tests, by nvcc for sm_80 and sm_90a, by hipcc for gfx90a; some twenty minutes on two cores
COMPILE_OPS = OPGEN='$(abspath $<)' $(PYTHON) tests/device/compile_ops.py
device-compile: $(BUILD)/opgen
	@$(COMPILE_OPS) hip --arch gfx90a --pass all 100 "-Qunused-arguments -c" --out $(BUILD)/device/gfx90a
	@$(COMPILE_OPS) cuda --arch sm_80,sm_90a --pass all 50 -c --out $(BUILD)/device/sm
	@$(COMPILE_OPS) musa --through cuda --arch sm_80 --pass dims,large,thin 50 "-c -Xptxas=-O1" --out $(BUILD)/device/musa

# ---- install, bundle -----------------------------------------------------------------------------------------------------
# The folders of data that opgen reads at run time, where they hold files yet.
DATA := $(foreach dir,opdefs templates runtime,$(if $(shell find $(dir) -type f 2>/dev/null | head -n 1),$(dir)))
BIN := $(DESTDIR)$(PREFIX)/bin
SHARE := $(DESTDIR)$(PREFIX)/share

.PHONY: install uninstall
## install: into PREFIX (/usr/local), below DESTDIR if it is set
install: $(BUILD)/opgen $(BUILD)/opgen.1 $(BUILD)/completion/opgen.bash
	install -d '$(BIN)' '$(SHARE)/man/man1' '$(SHARE)/bash-completion/completions' '$(SHARE)/zsh/site-functions' \
		'$(SHARE)/fish/vendor_completions.d'
	install -m 755 $(BUILD)/opgen '$(BIN)/opgen'
	install -m 644 $(BUILD)/opgen.1 '$(SHARE)/man/man1/opgen.1'
	install -m 644 $(BUILD)/completion/opgen.bash '$(SHARE)/bash-completion/completions/opgen'
	install -m 644 $(BUILD)/completion/_opgen '$(SHARE)/zsh/site-functions/_opgen'
	install -m 644 $(BUILD)/completion/opgen.fish '$(SHARE)/fish/vendor_completions.d/opgen.fish'
ifneq ($(DATA),)
	rm -rf '$(SHARE)/opgen'
	install -d '$(SHARE)/opgen'
	cp -R $(DATA) '$(SHARE)/opgen/'
endif

## uninstall: remove what install put there
uninstall:
	rm -f '$(BIN)/opgen' '$(SHARE)/man/man1/opgen.1' '$(SHARE)/bash-completion/completions/opgen' \
		'$(SHARE)/zsh/site-functions/_opgen' '$(SHARE)/fish/vendor_completions.d/opgen.fish'
	rm -rf '$(SHARE)/opgen'

# The C library and the loader are the system's; every other shared library goes along and is found beside the tool.
.PHONY: bundle
## bundle: build/bundle, one folder that runs wherever it is copied
bundle: $(BUILD)/obj/release/gen/main.o $(BUILD)/obj/release/libopgen.a
	@rm -rf $(BUILD)/bundle
	@mkdir -p $(BUILD)/bundle/bin $(BUILD)/bundle/lib
	@$(CC) $(release_LINK) -Wl,-rpath,'$$ORIGIN/../lib' -o $(BUILD)/bundle/bin/opgen $^ $(LIBS)
	@ldd $(BUILD)/bundle/bin/opgen | awk '$$2 == "=>" && $$1 !~ /^(libc|libm|libdl|libpthread|librt)\.so/ { print $$3 }' | \
		while read -r library; do cp -L "$$library" $(BUILD)/bundle/lib/; done
	@for dir in $(DATA); do cp -R $$dir $(BUILD)/bundle/; done
	@echo '  $(BUILD)/bundle:'; cd $(BUILD)/bundle && find . -type f | sed 's,^\./,    ,' | sort

# ---- housekeeping --------------------------------------------------------------------------------------------------------
.PHONY: format format-check clean help
## format: clang-format over every C file
format:
	@$(CLANG_FORMAT) -i $(FORMATTED)

## format-check: fails when format would change something, and shows what
format-check:
	@$(CLANG_FORMAT) --dry-run --Werror $(FORMATTED)

## clean: remove build/
clean:
	rm -rf $(BUILD)

## help: this list
help:
	@sed -n 's/^## \([^:]*\): \(.*\)/\1\t\2/p' Makefile | while IFS="$$(printf '\t')" read -r name text; do \
		printf '  %-22s %s\n' "$$name" "$$text"; done
	@echo
	@echo 'Variables: CC, CFLAGS, CPPFLAGS, LDFLAGS, WERROR=1, BUILD, PREFIX, DESTDIR, TESTS, FUZZ_SECONDS'
