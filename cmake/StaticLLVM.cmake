# Debian builds LLVM with LLVM_LINK_LLVM_DYLIB, so every static MLIR and lld archive that it exports
# names libLLVM.so. tile_use_static_llvm(<components>) rewrites the imported targets so that they
# need the static LLVM archives of the given components instead.

# Remove links that match `exclude` from an imported target and add those that follow. zstd is
# linked statically, so that no libzstd.so is needed at run time.
function(_tile_fix_links target exclude)
  get_target_property(links ${target} INTERFACE_LINK_LIBRARIES)
  if(NOT links)
    set(links)
  endif()
  list(FILTER links EXCLUDE REGEX "${exclude}")
  list(TRANSFORM links REPLACE "^zstd::libzstd_shared$" "zstd::libzstd_static")
  list(APPEND links ${ARGN})
  set_target_properties(${target} PROPERTIES INTERFACE_LINK_LIBRARIES "${links}")
endfunction()

function(tile_use_static_llvm)
  set(LLVM_LINK_LLVM_DYLIB OFF PARENT_SCOPE)
  set(MLIR_LINK_MLIR_DYLIB OFF PARENT_SCOPE)
  llvm_map_components_to_libnames(llvm_libraries ${ARGN})
  add_library(tile_llvm_static INTERFACE)
  target_link_libraries(tile_llvm_static INTERFACE ${llvm_libraries})
  # Z3Solver.cpp alone uses libz3, and nothing here references it.
  _tile_fix_links(LLVMSupport "libz3")
  # LLVMExtensions names Polly, whose archive is in no package that llvm-22-dev needs.
  _tile_fix_links(LLVMExtensions "Polly")
  foreach(target IN LISTS MLIR_EXPORTED_TARGETS LLD_EXPORTED_TARGETS)
    if(TARGET ${target})
      get_target_property(type ${target} TYPE)
      if(type STREQUAL STATIC_LIBRARY)
        _tile_fix_links(${target} "^(LLVM|MLIR)$" tile_llvm_static)
      endif()
    endif()
  endforeach()
endfunction()
