"""Instructions of the scalar unit."""
