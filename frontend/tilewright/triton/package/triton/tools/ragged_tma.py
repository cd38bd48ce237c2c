"""One descriptor for the parts of an array that have different lengths."""

from tilewright.tools.ragged import (
    atomic_add_ragged,
    create_ragged_descriptor,
    load_ragged,
    store_ragged,
    to_ragged_indices,
)

__all__ = ["atomic_add_ragged", "create_ragged_descriptor", "load_ragged", "store_ragged", "to_ragged_indices"]
