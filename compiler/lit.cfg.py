"""Tests inside compiler/ (each target's own) run with the configuration of test/."""

import os

lit_config.load_config(config, os.path.join(os.path.dirname(__file__), "..", "test", "lit.cfg.py"))
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.test_exec_root, "compiler")
