"""Arithmetic of the hardware on numpy arrays."""
