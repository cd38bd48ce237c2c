// Attributes of the `nvidia` dialect.
#ifndef NVIDIA_ATTRIBUTES_TD
#define NVIDIA_ATTRIBUTES_TD

include "NvidiaDialect.td"
include "mlir/IR/AttrTypeBase.td"

#endif // NVIDIA_ATTRIBUTES_TD
