"""The place of Triton's native code."""
