# Compiler and linker options of the project.

function(tile_find_fast_linker)
  find_program(TILE_LLD ld.lld PATHS /usr/lib/llvm-22/bin NO_DEFAULT_PATH)
  if(TILE_LLD)
    add_link_options(-fuse-ld=lld -B/usr/lib/llvm-22/bin -Wl,--icf=all)
  endif()
endfunction()

macro(tile_set_compile_options)
  find_program(TILE_CCACHE ccache)
  if(TILE_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    # With these it also serves files that use precompiled headers.
    set(sloppiness pch_defines,time_macros,include_file_mtime,include_file_ctime)
    set(launcher ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=${sloppiness} ${TILE_CCACHE})
    set(CMAKE_C_COMPILER_LAUNCHER ${launcher})
    set(CMAKE_CXX_COMPILER_LAUNCHER ${launcher})
  endif()
  if(TILE_ASSERTS)
    # Debian's LLVM has NDEBUG; our own code may still check itself against it.
    string(REPLACE "-DNDEBUG" "" CMAKE_CXX_FLAGS_RELEASE "${CMAKE_CXX_FLAGS_RELEASE}")
  endif()
  # -O2: the compiler's own speed is in LLVM's archives; -O3 only costs build time.
  string(REPLACE "-O3" "-O2" CMAKE_CXX_FLAGS_RELEASE "${CMAKE_CXX_FLAGS_RELEASE}")
  separate_arguments(llvm_definitions NATIVE_COMMAND ${LLVM_DEFINITIONS})
  add_definitions(${llvm_definitions})
  include_directories(SYSTEM ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
  include_directories(${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR}/include)
  add_compile_options(-ffunction-sections -fdata-sections -fvisibility-inlines-hidden
                      -Wno-comment)
  tile_find_fast_linker()
  add_link_options(-Wl,--gc-sections -Wl,--as-needed)
endmacro()
