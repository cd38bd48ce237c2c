// All ops of the `tile` dialect, by theme.
#ifndef TILE_OPS_TD
#define TILE_OPS_TD

include "TileMemoryOps.td"
include "TileAtomicOps.td"
include "TileDescriptorOps.td"
include "TileShapeOps.td"
include "TileComputeOps.td"
include "TileCollectiveOps.td"
include "TileElementOps.td"
include "TileControlOps.td"
include "TileRoleOps.td"
include "TileStageOps.td"

#endif // TILE_OPS_TD
