"""Kernels at stage `scheduled`, run on numpy's arrays to find what they do wrong: see README.md."""

from .launch import Checked
from .report import Finding, Report
from .run import run_scheduled

__all__ = ["Checked", "Finding", "Report", "run_scheduled"]
