// The `nvidia` dialect has no types of its own.
#ifndef NVIDIA_TYPES_TD
#define NVIDIA_TYPES_TD

include "NvidiaDialect.td"

#endif // NVIDIA_TYPES_TD
