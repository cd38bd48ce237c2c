// The program's place in the grid, and what it tells the outside.
#ifndef TILE_CONTROL_OPS_TD
#define TILE_CONTROL_OPS_TD

include "TileTypes.td"
include "TileAttributes.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Tile_GridOp<string mnemonic> : Tile_Op<mnemonic, [Pure]> {
  let arguments = (ins ConfinedAttr<I32Attr, [IntNonNegative, IntMaxValue<2>]>:$axis);
  let results = (outs I32:$result);
  let assemblyFormat = "$axis attr-dict `:` type($result)";
}

def Tile_ProgramIdOp : Tile_GridOp<"program_id"> {
  let summary = "Index of this program along an axis of the grid";
  let description = [{
    ```mlir
    %pid = tile.program_id 0 : i32
    ```
  }];
}

def Tile_NumProgramsOp : Tile_GridOp<"num_programs"> {
  let summary = "Number of programs along an axis of the grid";
  let description = [{
    ```mlir
    %n = tile.num_programs 0 : i32
    ```
  }];
}

def Tile_PartIdOp : Tile_Op<"part_id", [Pure]> {
  let summary = "Which of the thread blocks of its program this is";
  let description = [{
    From 0 to `tile.num_ctas` - 1. `tile-split-programs` makes it: a thread block
    computes that part of what its program splits.

    ```mlir
    %part = tile.part_id : i32
    ```
  }];
  let results = (outs I32:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def Tile_BarrierOp : Tile_Op<"barrier", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "All threads of the program meet, and see each other's writes";
  let description = [{
    With `publish`, what threads have written on chip is visible also to units
    that read it by themselves.

    ```mlir
    tile.barrier publish
    ```
  }];
  let arguments = (ins UnitAttr:$publish);
  let assemblyFormat = "(`publish` $publish^)? attr-dict";
}

def Tile_TimerOp : Tile_Op<"timer", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Nanoseconds on a clock that all programs read";
  let description = [{
    The clock does not run backwards; where it starts is unspecified.

    ```mlir
    %ns = tile.timer : i64
    ```
  }];
  let results = (outs I64:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def Tile_PrintOp : Tile_Op<"print", [MemoryEffects<[MemWrite]>]> {
  let summary = "Print values, each element once, with its indices";
  let description = [{
    `signedness` has one entry per value: whether an integer prints as signed.

    ```mlir
    tile.print "x: " %x signedness [true] : tensor<128xi32>
    ```

    - print.1: `signedness` has one entry per value.
  }];
  let arguments = (ins StrAttr:$prefix, Variadic<Tile_Value>:$values,
                       DenseBoolArrayAttr:$signedness, UnitAttr:$hex);
  let assemblyFormat = [{
    $prefix ($values^)? `signedness` $signedness (`hex` $hex^)? attr-dict (`:` type($values)^)?
  }];
  let hasVerifier = 1;
}

def Tile_AssertOp : Tile_Op<"assert", [MemoryEffects<[MemWrite]>]> {
  let summary = "Stop with a message where a condition does not hold";
  let description = [{
    ```mlir
    tile.assert %cond, "negative index" : tensor<128xi1>
    ```
  }];
  let arguments = (ins Tile_BoolLike:$condition, StrAttr:$message);
  let assemblyFormat = "$condition `,` $message attr-dict `:` type($condition)";
}

#endif // TILE_CONTROL_OPS_TD
