//===- TileDialect.cpp - Python module of the dialect's types -------------===//
#include "compiler/bindings/c/Tilewright.h"

#include "mlir/Bindings/Python/Nanobind.h"
#include "mlir/Bindings/Python/NanobindAdaptors.h"

namespace nb = nanobind;
using namespace mlir::python::nanobind_adaptors;

NB_MODULE(_tileDialect, module) {
  auto pointer = mlir_type_subclass(module, "PtrType", tileTypeIsAPtr, tilePtrTypeGetTypeID);
  pointer.def_classmethod(
      "get",
      [](const nb::object &cls, MlirType pointee, MlirLocation location) {
        MlirType type = tilePtrTypeGet(location, pointee);
        if (mlirTypeIsNull(type))
          throw nb::value_error("invalid pointee");
        return cls(type);
      },
      nb::arg("cls"), nb::arg("pointee"), nb::arg("loc").none() = nb::none());
  pointer.def_property_readonly("pointee", [](MlirType type) { return tilePtrTypeGetPointee(type); });
}
