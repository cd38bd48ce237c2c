// Ops of roles: groups of warps that run different parts of a program, and what they
// share. The compiler makes them while it schedules a kernel; no user writes them.
#ifndef TILE_ROLE_OPS_TD
#define TILE_ROLE_OPS_TD

include "TileTypes.td"
include "TileAttributes.td"
include "TileInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

//===----------------------------------------------------------------------===//
// Signals
//===----------------------------------------------------------------------===//

def Tile_SignalAllocOp : Tile_Op<"signal_alloc", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Signals for the rest of the program's life";
  let description = [{
    A phase takes `arrivals` arrivals. `offset` is their place in the program's
    on-chip memory in bytes, once it is planned.

    ```mlir
    %full = tile.signal_alloc arrivals 1 offset 0 : !tile.signals<3>
    ```

    - signal_alloc.1: a phase takes at least one arrival; `offset` is not negative.
  }];
  let arguments = (ins ConfinedAttr<I32Attr, [IntPositive]>:$arrivals,
                       OptionalAttr<ConfinedAttr<I32Attr, [IntNonNegative]>>:$offset);
  let results = (outs Tile_SignalsType:$signals);
  let assemblyFormat = [{
    `arrivals` $arrivals (`offset` $offset^)? attr-dict `:` qualified(type($signals))
  }];
}

def Tile_AcquireOp : Tile_Op<"acquire", [MemoryEffects<[MemRead, MemWrite]>,
    DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "Wait for a phase of a signal, and get what it guards";
  let description = [{
    Returns block `index` of each stack once the phase of parity `phase` of signal
    `index` is complete. What happened before its arrivals, and what the copies
    that it counts have written, is visible then; what threads have written, or
    copied, to units that read on-chip memory by themselves only if it says
    `publish`. With `alone` the role's first warp waits, for what it starts by
    itself; the others go on at once. A warp that has not waited for a phase must meet
    the first one before it waits for a later one, which it else takes for an earlier
    one of the same parity.

    ```mlir
    %a, %b = tile.acquire %full[%i] phase %p of (%as, %bs : !tile.buffer<3x128x64xf16, #a>,
                                                 !tile.buffer<3x64x256xf16, #b>) : !tile.signals<3>
    tile.acquire %empty[%i] phase %p alone : !tile.signals<3>
    ```

    - acquire.1: the stacks have as many blocks as there are signals.
  }];
  let arguments = (ins Tile_SignalsType:$signals, I32:$index, I32:$phase,
                       Variadic<Tile_BufferType>:$stacks, UnitAttr:$publish, UnitAttr:$alone);
  let results = (outs Variadic<Tile_BufferType>:$views);
  let assemblyFormat = [{
    $signals `[` $index `]` `phase` $phase (`publish` $publish^)? (`alone` $alone^)?
    (`of` `(` $stacks^ `:` qualified(type($stacks)) `)`)? attr-dict `:` qualified(type($signals))
  }];
  let hasVerifier = 1;
}

def Tile_ArriveOp : Tile_Op<"arrive", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "An arrival at a signal for each warp of the role";
  let description = [{
    What the warp has done before is visible to those who acquire the phase.
    `together`: its threads are done as one, because they have awaited products
    since; else they meet first. `publish`: what its threads have read is read, also as
    units see it, which may write there then. `everywhere`: the same signal of each
    thread block of the program counts it.

    ```mlir
    tile.arrive %empty[%i] together everywhere : !tile.signals<3>
    ```
  }];
  let arguments = (ins Tile_SignalsType:$signals, I32:$index, UnitAttr:$together,
                       UnitAttr:$publish, UnitAttr:$everywhere);
  let assemblyFormat = [{
    $signals `[` $index `]` (`together` $together^)? (`publish` $publish^)?
    (`everywhere` $everywhere^)? attr-dict `:` qualified(type($signals))
  }];
}

def Tile_ArriveCopiesOp : Tile_Op<"arrive_copies", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "An arrival at a signal for each thread of the role, once its copies are complete";
  let description = [{
    Nobody waits: a thread's arrival counts when all copies that it has started are
    complete. The operands are those that somebody awaits by the signal.

    ```mlir
    tile.arrive_copies(%p : !tile.pending<!b>) at %full[%i] : !tile.signals<3>
    ```
  }];
  let arguments = (ins Variadic<Tile_PendingType>:$pending, Tile_SignalsType:$signals, I32:$index);
  let assemblyFormat = [{
    `(` $pending `:` qualified(type($pending)) `)` `at` $signals `[` $index `]` attr-dict `:`
    qualified(type($signals))
  }];
}

def Tile_ExpectOp : Tile_Op<"expect", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Arrivals at a signal, and bytes that copies will bring";
  let description = [{
    One thread arrives: once, or so many times, for others that have nothing to copy.

    ```mlir
    tile.expect %full[%i] bytes 49152 : !tile.signals<3>
    tile.expect %full[%i] bytes 49152 arrivals 129 : !tile.signals<3>
    ```

    - expect.1: the bytes are not negative, and the arrivals positive.
  }];
  let arguments = (ins Tile_SignalsType:$signals, I32:$index,
                       ConfinedAttr<I32Attr, [IntNonNegative]>:$bytes,
                       DefaultValuedAttr<ConfinedAttr<I32Attr, [IntPositive]>, "1">:$arrivals);
  let assemblyFormat = [{
    $signals `[` $index `]` `bytes` $bytes (`arrivals` $arrivals^)? attr-dict `:`
    qualified(type($signals))
  }];
}

//===----------------------------------------------------------------------===//
// Copies of blocks by descriptors
//===----------------------------------------------------------------------===//

def Tile_BlockCopyOp : Tile_Op<"block_copy", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Start copying a block of an array to on-chip memory";
  let description = [{
    One thread starts it. The copy fills the whole buffer, outside of the array
    with the descriptor's padding, and counts its bytes at the signal.

    `everywhere`: all thread blocks of the program start it for the same block. Each
    copies its share, to the buffers of all, and counts it at the signals of all.

    ```mlir
    tile.block_copy %d[%i, %j], %v signal %full[%s]
        : !tile.desc<128x64xf16>, !tile.buffer<128x64xf16, #memory>, !tile.signals<3>
    ```

    - block_copy.1: one index for each dimension of the descriptor.
    - block_copy.2: the buffer has the shape and the element type of the descriptor's blocks.
    - block_copy.3: the machine's copies write the buffer's layout.
    - block_copy.4: `everywhere`: the block divides into equal shares.
  }];
  let arguments = (ins Tile_DescType:$desc, Variadic<I32>:$indices, Tile_BufferType:$buffer,
                       Tile_SignalsType:$signals, I32:$signal, UnitAttr:$everywhere);
  let assemblyFormat = [{
    $desc `[` $indices `]` `,` $buffer `signal` $signals `[` $signal `]` (`everywhere` $everywhere^)?
    attr-dict `:` qualified(type($desc)) `,` qualified(type($buffer)) `,` qualified(type($signals))
  }];
  let hasVerifier = 1;
}

def Tile_BlockStoreOp : Tile_Op<"block_store", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Start writing a block from on-chip memory to an array";
  let description = [{
    One thread starts it. Elements outside of the array are not written. The
    buffer may be written again after `tile.await_block_stores`. With a kind, each
    element is combined with what the array holds, as by `tile.descriptor_reduce`.

    With a layout of registers, a thread of each warp starts the store of the part
    that the warp has in that layout: once the warp's threads have met, and have
    published what they wrote there. Warps then wait for no others.

    ```mlir
    tile.block_store %b, %d[%i, %j] : !tile.buffer<128x64xf16, #memory>, !tile.desc<128x64xf16>
    tile.block_store %b, %d[%i, %j] parts(#layout) : !tile.buffer<128x64xf16, #memory>, !tile.desc<128x64xf16>
    ```

    - block_store.1: one index for each dimension of the descriptor.
    - block_store.2: the buffer has the shape and the element type of the descriptor's blocks.
    - block_store.3: the machine's copies read the buffer's layout.
    - block_store.4: the kind is a sum or bitwise, and suits the element.
    - block_store.5: the parts of the warps are boxes that copies move.
  }];
  let arguments = (ins Tile_BufferType:$buffer, Tile_DescType:$desc, Variadic<I32>:$indices,
                       OptionalAttr<Tile_AtomicKindAttr>:$kind,
                       OptionalAttr<Tile_LayoutAttr>:$parts);
  let assemblyFormat = [{
    $buffer `,` $desc `[` $indices `]` (`kind` $kind^)? (`parts` `(` $parts^ `)`)? attr-dict `:`
    qualified(type($buffer)) `,` qualified(type($desc))
  }];
  let hasVerifier = 1;
}

def Tile_AwaitBlockStoresOp : Tile_Op<"await_block_stores", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Wait until the stores of blocks have read their buffers";
  let description = [{
    The thread that starts them waits until at most the `in_flight` latest ones
    still read; others know after a `tile.barrier`. Where warps store their parts,
    each waits for its own stores, and all of its threads know. With `written`, the
    wait is until they have written, too: stores that are started later come later.

    ```mlir
    tile.await_block_stores in_flight 0
    tile.await_block_stores in_flight 0 by_warps
    tile.await_block_stores in_flight 0 written
    ```
  }];
  let arguments = (ins ConfinedAttr<I32Attr, [IntNonNegative]>:$inFlight, UnitAttr:$byWarps,
                       UnitAttr:$written);
  let assemblyFormat = "`in_flight` $inFlight (`by_warps` $byWarps^)? (`written` $written^)? attr-dict";
}

//===----------------------------------------------------------------------===//
// Roles
//===----------------------------------------------------------------------===//

def Tile_RolesOp : Tile_Op<"roles", [NoRegionArguments, NoTerminator, RecursiveMemoryEffects]> {
  let summary = "Parts of the program that groups of warps run at the same time";
  let description = [{
    Each region is run by `warps` warps of its own, the first ones by the first
    region, of which `threads` threads take part, and with `registers` registers
    for a thread (0: as many as the program was started with). Regions may use
    what is defined before; they talk through signals and the buffers that these
    guard. Barriers are among the threads of a region. All warps begin together.
    `everywhere`: those of all thread blocks of the program do, and none ends before
    all have; needed where they write to each other's signals and buffers.

    ```mlir
    tile.roles warps [8, 4] registers [232, 40] threads [256, 1] {
      tile.acquire %full[%i] phase %p : !tile.signals<3>
    }, {
      tile.expect %full[%i] bytes 1024 : !tile.signals<3>
    }
    ```

    - roles.1: one number of warps, registers and threads for each region.
    - roles.2: the first region is run by the program's warps.
    - roles.3: all threads of a role's warps take part, or one; one holds no blocks.
    - roles.4: roles are not inside of roles, nor of other regions.
    - roles.5: those with operations `everywhere` are so too.
  }];
  let arguments = (ins DenseI32ArrayAttr:$warps, DenseI32ArrayAttr:$registers,
                       DenseI32ArrayAttr:$threads, UnitAttr:$everywhere);
  let regions = (region VariadicRegion<SizedRegion<1>>:$bodies);
  let assemblyFormat = [{
    `warps` $warps `registers` $registers `threads` $threads (`everywhere` $everywhere^)?
    attr-dict-with-keyword $bodies
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The number of the region that holds `op`.
    unsigned getRoleOf(::mlir::Operation *op);
    /// Warps of all roles together.
    int64_t getTotalWarps();
  }];
}

#endif // TILE_ROLE_OPS_TD
