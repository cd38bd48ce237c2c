"""`python -m triton.tools.link`: headers of variants of kernels become one dispatching header and source."""

import sys

from tilewright.triton.ahead import link_main as main

if __name__ == "__main__":
    sys.exit(main())
