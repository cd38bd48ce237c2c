//===- Roots.cpp - Roots ---------------------------------------------------===//
#include "compiler/transforms/ExpandMath/Expansions.h"

using namespace tile;

Lanes expand::rsqrt(Lanes x) { return Number(1.0) / sqrt(x); }
