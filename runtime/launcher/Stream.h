//===- Stream.h - The stream a launch goes to --------------------*- C++ -*-===//
#ifndef TILE_RUNTIME_LAUNCHER_STREAM_H
#define TILE_RUNTIME_LAUNCHER_STREAM_H

#include "runtime/launcher/Arguments.h"

namespace tile::runtime {

/// torch's current stream where a tensor of torch is among the arguments, else the
/// one an array names, else the default stream. False with a Python error.
bool findStream(const ArgumentReader &reader, uint64_t &stream);

} // namespace tile::runtime

#endif // TILE_RUNTIME_LAUNCHER_STREAM_H
