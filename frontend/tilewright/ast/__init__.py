"""From the source of a ``@jit`` function to the ``tile`` stage."""
