"""Gluon, which is not offered."""

raise ImportError("triton.experimental.gluon is not offered by Tilewright, which runs this program in Triton's place: "
                  "Gluon's explicit layouts have no counterpart; write the kernel in triton.language")
