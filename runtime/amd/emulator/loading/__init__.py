"""Reads code objects and lays out the arguments of a launch."""
