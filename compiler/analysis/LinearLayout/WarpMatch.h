//===- WarpMatch.h - Layouts whose warps hold the same elements --------------===//
#ifndef TILE_ANALYSIS_LINEARLAYOUT_WARPMATCH_H
#define TILE_ANALYSIS_LINEARLAYOUT_WARPMATCH_H

#include "compiler/analysis/LinearLayout/LinearLayout.h"

namespace tile {

/// `access` with each warp where `holder` has it, so that data moves between the two
/// within warps. The runs of elements that registers hold stay as they are; lanes go
/// on from there in the order of `access`, over runs of at least `run` elements, or as
/// long as those of `access`. Nothing where there is no such layout, or where either
/// has copies, repeats or swizzles.
std::optional<LinearLayout> withWarpsOf(const LinearLayout &access, const LinearLayout &holder,
                                        int64_t run);

} // namespace tile

#endif // TILE_ANALYSIS_LINEARLAYOUT_WARPMATCH_H
