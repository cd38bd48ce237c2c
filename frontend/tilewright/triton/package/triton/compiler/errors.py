"""What goes wrong when kernels are compiled."""

from tilewright.errors import CompilationError as CompilationError
from tilewright.errors import CompileTimeAssertionFailure as CompileTimeAssertionFailure
from tilewright.errors import UnsupportedLanguageConstruct as UnsupportedLanguageConstruct
