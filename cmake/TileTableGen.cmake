# TableGen: the dialect's declarations, and one declaration file for each folder of passes.
#
# A folder F is found by its content, so that adding one needs no edit elsewhere:
#   compiler/{transforms,conversion,targets/*}/F/F.td   passes, declared in F.h
#   compiler/targets/T/Target.cpp                       a target, tile::T::createTarget()

set(TILE_TBLGEN /usr/lib/llvm-22/bin/mlir-tblgen CACHE FILEPATH "mlir-tblgen of LLVM 22")
set(TILE_GENERATED "" CACHE INTERNAL "")

# tile_tablegen(<td> <out> <option>...): run mlir-tblgen on a source file.
function(tile_tablegen td out)
  set(result ${CMAKE_BINARY_DIR}/include/${out})
  get_filename_component(folder ${result} DIRECTORY)
  get_filename_component(source_folder ${td} DIRECTORY)
  file(MAKE_DIRECTORY ${folder})
  add_custom_command(OUTPUT ${result}
    COMMAND ${TILE_TBLGEN} ${ARGN} -I ${CMAKE_SOURCE_DIR} -I ${CMAKE_SOURCE_DIR}/${source_folder}
            -I ${CMAKE_SOURCE_DIR}/dialects/tile/IR -I ${MLIR_INCLUDE_DIRS}
            ${CMAKE_SOURCE_DIR}/${td} -o ${result} --write-if-changed
            -d ${result}.d
    DEPFILE ${result}.d DEPENDS ${CMAKE_SOURCE_DIR}/${td} COMMENT "tablegen ${out}")
  set(TILE_GENERATED ${TILE_GENERATED} ${result} CACHE INTERNAL "")
endfunction()

# A dialect's folder holds <Name>Dialect.td, <Name>Types.td, <Name>Attributes.td, <Name>Ops.td and,
# where it defines interfaces of attributes, <Name>Interfaces.td.
function(tile_generate_dialect folder name dialect)
  if(EXISTS ${CMAKE_SOURCE_DIR}/${folder}/${name}Interfaces.td)
    tile_tablegen(${folder}/${name}Interfaces.td ${folder}/${name}AttrInterfaces.h.inc
                  -gen-attr-interface-decls)
    tile_tablegen(${folder}/${name}Interfaces.td ${folder}/${name}AttrInterfaces.cpp.inc
                  -gen-attr-interface-defs)
  endif()
  tile_tablegen(${folder}/${name}Dialect.td ${folder}/${name}Dialect.h.inc
                -gen-dialect-decls -dialect=${dialect})
  tile_tablegen(${folder}/${name}Dialect.td ${folder}/${name}Dialect.cpp.inc
                -gen-dialect-defs -dialect=${dialect})
  tile_tablegen(${folder}/${name}Types.td ${folder}/${name}Types.h.inc
                -gen-typedef-decls -typedefs-dialect=${dialect})
  tile_tablegen(${folder}/${name}Types.td ${folder}/${name}Types.cpp.inc
                -gen-typedef-defs -typedefs-dialect=${dialect})
  tile_tablegen(${folder}/${name}Attributes.td ${folder}/${name}Attributes.h.inc
                -gen-attrdef-decls -attrdefs-dialect=${dialect})
  tile_tablegen(${folder}/${name}Attributes.td ${folder}/${name}Attributes.cpp.inc
                -gen-attrdef-defs -attrdefs-dialect=${dialect})
  tile_tablegen(${folder}/${name}Attributes.td ${folder}/${name}Enums.h.inc -gen-enum-decls)
  tile_tablegen(${folder}/${name}Attributes.td ${folder}/${name}Enums.cpp.inc -gen-enum-defs)
  tile_tablegen(${folder}/${name}Ops.td ${folder}/${name}Ops.h.inc -gen-op-decls)
  tile_tablegen(${folder}/${name}Ops.td ${folder}/${name}Ops.cpp.inc -gen-op-defs)
endfunction()

# Write a file only where its content changes, so that nothing is rebuilt for nothing.
function(_tile_write_if_changed path content)
  if(EXISTS ${path})
    file(READ ${path} old)
    if("${old}" STREQUAL "${content}")
      return()
    endif()
  endif()
  file(WRITE ${path} "${content}")
endfunction()

# Declarations of all passes, and compiler/registry/Passes.inc, which registers them.
function(tile_collect_passes)
  file(GLOB files RELATIVE ${CMAKE_SOURCE_DIR} CONFIGURE_DEPENDS
       compiler/transforms/*/*.td compiler/conversion/*/*.td compiler/targets/*/*/*.td)
  set(headers "")
  set(calls "")
  foreach(td IN LISTS files)
    get_filename_component(folder ${td} DIRECTORY)
    get_filename_component(folder_name ${folder} NAME)
    get_filename_component(name ${td} NAME_WE)
    if(name STREQUAL folder_name)
      tile_tablegen(${td} ${folder}/${name}.h.inc -gen-pass-decls -name ${name})
      string(APPEND headers "#include \"${folder}/${name}.h\"\n")
      string(APPEND calls "TILE_PASSES(${name})\n")
    endif()
  endforeach()
  set(folder ${CMAKE_BINARY_DIR}/include/compiler/registry)
  file(MAKE_DIRECTORY ${folder})
  _tile_write_if_changed(${folder}/PassHeaders.inc "${headers}")
  _tile_write_if_changed(${folder}/Passes.def "${calls}")
endfunction()

# compiler/registry/Targets.def: one line a target folder. A target may have a dialect of its own.
function(tile_collect_targets)
  file(GLOB files RELATIVE ${CMAKE_SOURCE_DIR} CONFIGURE_DEPENDS compiler/targets/*/Target.cpp)
  set(lines "")
  foreach(file IN LISTS files)
    get_filename_component(folder ${file} DIRECTORY)
    get_filename_component(name ${folder} NAME)
    string(APPEND lines "TILE_TARGET(${name})\n")
    include(${folder}/target.cmake OPTIONAL)
  endforeach()
  _tile_write_if_changed(${CMAKE_BINARY_DIR}/include/compiler/registry/Targets.def "${lines}")
endfunction()
