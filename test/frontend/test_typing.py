"""What editors know of values is what there is."""

import ast
import inspect
from pathlib import Path

import tilewright
import tilewright.language as tl
from tilewright.ast.values import tensor

PACKAGE = Path(tilewright.__file__).parent
STUB = ast.parse((PACKAGE / "language" / "methods.pyi").read_text()).body[-1]


def parameters(function):
    return [name for name in inspect.signature(function).parameters][1:]


def test_methods_of_values_have_their_parameters():
    for method in STUB.body:
        if not isinstance(method, ast.FunctionDef) or method.name.startswith("_") or method.name == "T":
            continue
        value = inspect.getattr_static(tensor, method.name)
        function = getattr(value, "function", value)
        stars = [method.args.vararg.arg] if method.args.vararg else []
        listed = [each.arg for each in method.args.args[1:]] + stars + [each.arg for each in method.args.kwonlyargs]
        assert listed == parameters(getattr(function, "fn", function)), f"{method.name}: run tools/make_stubs.py"


def test_operators_of_values_exist():
    # `@` has no operator, and `+x` is x: the frontend needs no function for it.
    names = {method.name for method in STUB.body if isinstance(method, ast.FunctionDef) and method.name[:2] == "__"}
    assert {name for name in names if not hasattr(tensor, name)} <= {"__pos__", "__getitem__", "__index__", "__iter__"}


def test_the_package_says_that_it_is_typed():
    assert (PACKAGE / "py.typed").exists()


def test_functions_of_the_language_have_annotations():
    for name in dir(tl):
        function = getattr(tl, name)
        if hasattr(function, "__tile_builtin__") and inspect.isfunction(function):
            missing = [each.name for each in inspect.signature(function).parameters.values()
                       if each.annotation is inspect.Parameter.empty]
            assert not missing, (name, missing)
