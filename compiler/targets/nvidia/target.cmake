# The target's own small dialect: what its instructions are called at stage `gpu`.
tile_generate_dialect(compiler/targets/nvidia/IR Nvidia nvidia)
