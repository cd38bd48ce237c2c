"""What the tests of the drop-in package share: `triton` is Tilewright's in this process and its children."""

from __future__ import annotations

import tilewright.triton

tilewright.triton.install()
