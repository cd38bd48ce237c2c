"""`python -m triton.tools.compile`: a kernel as C source with the binary inside, and its header."""

import sys

from tilewright.triton.ahead import compile_main as main

if __name__ == "__main__":
    sys.exit(main())
