"""Descriptors of arrays as arguments of kernels."""

from tilewright.tools.tensor_descriptor import TensorDescriptor

__all__ = ["TensorDescriptor"]
