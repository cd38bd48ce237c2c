"""Instructions of the vector unit, one step for all lanes of a wave."""
