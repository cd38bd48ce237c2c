"""The AMD side of the runtime."""
