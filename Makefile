# What to type. Everything works on a fresh Debian 12 as root; see README.md.
PYTHON ?= python3
BUILD  ?= build
VENV   := .venv
RUN    := $(VENV)/bin/python

.PHONY: help demo test test-all build setup wheel clean
help:            ## Show this list
	@grep -E '^[a-z-]+: .*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

demo: build      ## Compile and run real kernels on the CPU, show what they became
	$(RUN) examples/demo.py

test: build      ## Run the everyday tests
	tools/dev test

test-all: build  ## Run the everyday tests and the slow ones
	tools/dev test --all

build: setup     ## Build the compiler and the Python package
	tools/dev build

setup:           ## Install Debian packages and the virtual environment, where missing
	PYTHON=$(PYTHON) tools/setup

wheel: setup     ## Build a self-contained wheel into dist/
	$(VENV)/bin/pip wheel --no-deps -w dist .

clean:           ## Remove what was built
	rm -rf $(BUILD) dist
