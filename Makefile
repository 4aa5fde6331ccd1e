# The front: everything is done by Meson; this only saves typing. "make check" on a fresh machine: use ./check.
BUILD ?= build

all: $(BUILD)/build.ninja
	ninja -C $(BUILD)

$(BUILD)/build.ninja:
	meson setup $(BUILD)

demo:
	./demo

check:
	./check

install: all
	meson install -C $(BUILD)

# Every figure with its goal, about four minutes: docs/BENCHMARKS.md
bench: all
	tests/bench/run-all $(BUILD)

# The long ones: thread sanitizer, valgrind, long fuzzing.
check-all:
	./check --all

clean:
	rm -rf $(BUILD) build-*

.PHONY: all demo check install bench check-all clean
