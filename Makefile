# Newcomers need two targets: `make demo` and `make test`.

SWIFT  ?= swift
PREFIX ?= /usr/local
# The demo's folder, which `make clean` removes: beside it are stores that somebody wants to keep.
DATA   ?= .notilog/demo
PORT   ?= 8080
# Swift's libraries are linked in where the toolchain can: the command then runs on machines that have none. Their 36,000 names, which
# nobody loads from it, are left out: 5 MiB less in memory.
STATIC  = $(shell test -d "$$(dirname "$$(readlink -f "$$(command -v $(SWIFT))")")/../lib/swift_static" \
	&& echo --static-swift-stdlib -Xlinker --no-export-dynamic)
# The archive brings a library with it, beside the command.
RELEASE = $(SWIFT) build -c release $(STATIC) -Xlinker -rpath -Xlinker '$$ORIGIN/../lib/notilog'
# Packages and archives.
PACKAGES ?= .build/package
# Concurrent tests: with more, tests that measure time wait for a core.
TESTS_AT_ONCE ?= 4
# They take a quarter of an hour; on a slow machine an hour.
TESTS_MINUTES ?= 70

# The library of charts, from Debian's package libjs-chart.js.
CHARTS ?= /usr/share/javascript/chart.js/chart.min.js

.PHONY: help bench bench-compare bench-growth bench-micro breaks demo test torture lint format build release install deb archive package-check clean dependencies test-dependencies

help:
	@echo "make demo                  a month of simulated traffic through the HTTP API, then serve it"
	@echo "make test                  every test, against a PostgreSQL of its own"
	@echo "make torture               PostgreSQL and services killed, frozen, cut and filled up for 20 minutes under load"
	@echo "make breaks                each promise broken on purpose, to see its test fail"
	@echo "make bench                 against the limits of this machine and other stores, for an hour (needs wrk)"
	@echo "make bench-compare         the newest result of it against the one before"
	@echo "make bench-growth          rates, report times and disk as the log grows: docs/scale.md"
	@echo "make bench-micro           instructions of single steps against thresholds (needs valgrind)"
	@echo "make lint                  swift format, strict, and rules of the sources"
	@echo "make install PREFIX=DIR    the command with all that belongs to it (default $(PREFIX))"
	@echo "make deb                   a Debian package, in $(PACKAGES)"
	@echo "make archive               an archive for other distributions, in $(PACKAGES)"
	@echo "make package-check         the package in a fresh Debian: installed, upgraded, removed (as root)"
	@echo "make clean                 remove what was built and the demo's data ($(DATA))"

dependencies:
	@.ci/dependencies

test-dependencies:
	@.ci/dependencies tests

build: dependencies
	$(SWIFT) build

release: dependencies
	$(RELEASE) --product notilog

demo: release
	@"$$($(SWIFT) build -c release --show-bin-path)/notilog" dev --demo --data "$(DATA)" --port "$(PORT)"

# Failures, and tests that did not end, are repeated at the end of the output.
test: SHELL := bash -o pipefail
test: test-dependencies
	Tests/SampleApp/check
	$(SWIFT) build --build-tests
	Tests/in-memory timeout --kill-after=30s $(TESTS_MINUTES)m \
		$(SWIFT) test --skip-build --experimental-maximum-parallelization-width $(TESTS_AT_ONCE) 2>&1 \
		| tee .build/test.log \
		|| { Tests/failures .build/test.log; exit 1; }

# TORTURE_SECONDS is the duration, TORTURE_SEED repeats a schedule, TORTURE_AUTOVACUUM=off turns autovacuum off, TORTURE_CELLS=3 shares the
# devices among databases, TORTURE_LANES=4 has the two services share so many lanes from the start. TORTURE=CellMoveFaultTests moves cells
# from server to server meanwhile. Tests the release build.
TORTURE_SECONDS ?= 1200
TORTURE ?= FaultTests
torture: release
	$(SWIFT) build --build-tests
	TORTURE_SECONDS=$(TORTURE_SECONDS) TORTURE_SEED=$(TORTURE_SEED) \
	NOTILOG_COMMAND="$$($(SWIFT) build -c release --show-bin-path)/notilog" \
	$(SWIFT) test --skip-build --filter '\.$(TORTURE)/nothingIsLost'

# BREAKS for its options: BREAKS='--part 1/2' in one checkout, 2/2 in another.
breaks: test-dependencies
	.ci/breaks $(BREAKS)

# BENCH for its options: see Benchmarks/README.md.
bench: release
	$(RELEASE) --package-path Benchmarks
	python3 Benchmarks/run.py $(BENCH)

bench-compare:
	python3 Benchmarks/compare.py

bench-growth: release
	python3 Benchmarks/growth.py $(BENCH)

bench-micro: release
	NOTILOG_MICROBENCHMARKS=1 $(RELEASE) --product microbenchmarks
	python3 Benchmarks/micro.py $(BENCH)

lint:
	.ci/breaks --check
	.ci/rules
	$(SWIFT) format lint --strict -r Sources Tests Package.swift

format:
	$(SWIFT) format -i -r Sources Tests Package.swift

# COMMAND is the command that is installed; without it one is built.
ifndef COMMAND
install: release
install: COMMAND = $$($(SWIFT) build -c release --show-bin-path)/notilog
endif
install:
	install -d "$(DESTDIR)$(PREFIX)/bin" "$(DESTDIR)$(PREFIX)/share/notilog"
	install -m 755 "$(COMMAND)" "$(DESTDIR)$(PREFIX)/bin/notilog"
	rm -rf "$(DESTDIR)$(PREFIX)/share/notilog/sql"
	cp -R sql "$(DESTDIR)$(PREFIX)/share/notilog/sql"
	rm -rf "$(DESTDIR)$(PREFIX)/share/notilog/dashboards"
	cp -R dashboards "$(DESTDIR)$(PREFIX)/share/notilog/dashboards"
	install -D -m 644 "$(CHARTS)" "$(DESTDIR)$(PREFIX)/share/notilog/dashboards/web/lib/chart.min.js"
	install -D -m 644 Sources/NotilogWebClient/notilog.js "$(DESTDIR)$(PREFIX)/share/notilog/web-client/notilog.js"
	install -D -m 644 docs/openapi.yaml "$(DESTDIR)$(PREFIX)/share/notilog/docs/openapi.yaml"
	install -d "$(DESTDIR)$(PREFIX)/lib/systemd/system"
	for unit in docs/systemd/*; do \
		sed 's|@PREFIX@|$(PREFIX)|g' "$$unit" > "$(DESTDIR)$(PREFIX)/lib/systemd/system/$${unit##*/}" || exit 1; \
	done
	rm -rf .build/manual
	.packaging/manual "$(DESTDIR)$(PREFIX)/bin/notilog" .build/manual
	install -d $(addprefix "$(DESTDIR)$(PREFIX)/share"/,man/man1 man/man5 doc/notilog/examples zsh/site-functions)
	install -d $(addprefix "$(DESTDIR)$(PREFIX)/share"/,bash-completion/completions fish/vendor_completions.d)
	install -m 644 .build/manual/man/*.1 "$(DESTDIR)$(PREFIX)/share/man/man1"
	install -m 644 .build/manual/man/*.5 "$(DESTDIR)$(PREFIX)/share/man/man5"
	install -m 644 .build/manual/notilog.env "$(DESTDIR)$(PREFIX)/share/doc/notilog/examples"
	install -d "$(DESTDIR)$(PREFIX)/share/doc/notilog/docs"
	install -m 644 README.md "$(DESTDIR)$(PREFIX)/share/doc/notilog"
	install -m 644 docs/*.md docs/*.yaml docs/*.png docs/*.svg "$(DESTDIR)$(PREFIX)/share/doc/notilog/docs"
	install -m 644 .build/manual/completions/notilog "$(DESTDIR)$(PREFIX)/share/bash-completion/completions"
	install -m 644 .build/manual/completions/_notilog "$(DESTDIR)$(PREFIX)/share/zsh/site-functions"
	install -m 644 .build/manual/completions/notilog.fish "$(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d"

# VERSION is the package's; by default that of the command, and of the commit if it is not a release.
VERSION ?= $(shell .packaging/version)

deb archive: TREE := .build/package-tree
# With the same versions of the libraries, the same commit makes the same package.
deb: export SOURCE_DATE_EPOCH ?= $(shell git log -1 --format=%ct)

deb:
	rm -rf "$(TREE)"
	$(MAKE) install PREFIX=/usr DESTDIR="$(TREE)"
	@# The image copies the one that is there.
	rm -f "$(PACKAGES)"/notilog_*.deb
	.packaging/deb "$(TREE)" "$(VERSION)" "$(PACKAGES)"
	rm -rf "$(TREE)"

archive:
	rm -rf "$(TREE)"
	$(MAKE) install PREFIX=/usr/local DESTDIR="$(TREE)"
	.packaging/archive "$(TREE)" "$(VERSION)" "$(PACKAGES)"
	rm -rf "$(TREE)"

# BEFORE is the package of the release before, from which it is upgraded.
package-check: deb
	Tests/Package/check "$(PACKAGES)/notilog_$(VERSION)_$$(dpkg --print-architecture).deb" $(BEFORE)

clean:
	@# Under root's home the server's data is elsewhere, behind a link.
	if [ -L "$(DATA)/postgres" ]; then rm -rf "$$(readlink "$(DATA)/postgres")"; fi
	rm -rf .build "$(DATA)"
