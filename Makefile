# Settle's development commands. Each installs what it needs first, after saying so.
.POSIX:
SWIFT = $$(Scripts/setup)

help:
	@echo "make test          build everything and run all tests"
	@echo "make format        format all sources in place"
	@echo "make format-check  fail when a source is not formatted"
	@echo "make api-check     fail when the public API differs from Documentation/api"
	@echo "make api-update    record the public API in Documentation/api"
	@echo "make docs          build the documentation into .docs"
	@echo "make selftest      prove failures and cancels on this machine's disk"
	@echo "make bench         run the benchmarks"
	@echo "make tsan          run the core and the engines under the thread sanitizer"
	@echo "make apple-check   type-check the Apple branches against stand-in modules"
	@echo "make launcher-test test ./settle without touching the system"
	@echo "make ci            everything CI runs"

# Suites that run real processes, and those that explore for long, hold Swift's few task threads of
# a small machine, so they get a run of their own; waits get ten times their limit all the same:
# they still end, naming who waits where. One build, then three runs, of which any fails the whole.
BLOCKING = 'CommandTests|CrashTests|ExampleTests|GraphExploration|PowerLoss|FaultSweep|Selftest'
test:
	@swift=$(SWIFT) && set -x && export SETTLE_WAIT_SCALE=10 && \
	  "$$swift" build --build-tests && \
	  "$$swift" test --skip-build --disable-swift-testing && \
	  "$$swift" test --skip-build --disable-xctest --filter $(BLOCKING) && \
	  "$$swift" test --skip-build --disable-xctest --skip $(BLOCKING)

format:
	@swift=$(SWIFT) && "$$swift" format --in-place --recursive Sources Tests Examples Stubs Package.swift

format-check:
	@swift=$(SWIFT) && \
	  "$$swift" format lint --strict --recursive Sources Tests Examples Stubs Package.swift

api-check:
	@Scripts/api check

api-update:
	@Scripts/api update

docs:
	@Scripts/docs

selftest:
	@./settle selftest

bench:
	@swift=$(SWIFT) && "$$swift" build -c release --product settle-bench && \
	  .build/release/settle-bench

tsan:
	@swift=$(SWIFT) && set -x && \
	  TSAN_OPTIONS="halt_on_error=1 suppressions=$$PWD/Scripts/tsan.suppressions" "$$swift" test --disable-xctest --sanitize=thread \
	  --scratch-path .build-tsan --filter "SettleCoreTests|ImportTests|ContentClaims|CancelTests"

apple-check:
	@Scripts/apple-check

launcher-test:
	@Scripts/test-launcher

ci:
	@.ci/run

.PHONY: help test selftest format format-check api-check api-update docs bench tsan apple-check \
  launcher-test ci
