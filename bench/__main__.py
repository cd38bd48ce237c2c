"""Check results first, then time our kernels and the peers' in one run, and print ratios.

    python -m bench --device cpu                 numpy (and torch, where installed) as peers
    python -m bench --device cuda                torch and Triton as peers
    python -m bench --device cuda --only gemm    some workloads
    python -m bench --device cuda --dry          try them out without a GPU

Figures of a run are kept in bench/results/<device>-<date>.json.
"""

from __future__ import annotations

import argparse
import os
import sys


def restart_without_blas_settings() -> None:
    """numpy must choose its best kernels by itself; OpenBLAS reads these when it loads."""
    names = [name for name in ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE") if name in os.environ]
    if names:
        environment = {key: value for key, value in os.environ.items() if key not in names}
        os.execve(sys.executable, [sys.executable, "-m", "bench", *sys.argv[1:]], environment)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", choices=["cpu", "cuda"], default="cpu")
    parser.add_argument("--only", nargs="*", help="parts of workloads' names")
    parser.add_argument("--rounds", type=int, default=15, help="rounds of interleaved measurements")
    parser.add_argument("--burst", action="store_true", help="also the times of a few calls after a pause (GPU)")
    parser.add_argument("--arch", help="compile for an older architecture than the GPU's, such as sm_80")
    parser.add_argument("--workers", type=int, default=8, help="threads that compile configurations (GPU)")
    parser.add_argument("--dry", action="store_true",
                        help="with --device cuda: only check, on the CPU at tiny sizes, Triton interpreted")
    parser.add_argument("--output", help="file for the figures (default: bench/results/…)")
    arguments = parser.parse_args()
    restart_without_blas_settings()
    if arguments.arch:
        os.environ["TILEWRIGHT_ARCH"] = arguments.arch
        os.environ["TRITON_OVERRIDE_ARCH"] = arguments.arch.replace("_", "").rstrip("a")
    from bench.place import set_dry, set_gpu, set_workers

    set_workers(arguments.workers)
    if arguments.device == "cuda":
        set_gpu()
    if arguments.dry:
        os.environ["TRITON_INTERPRET"] = "1"  # Triton reads it when kernels are defined
        set_dry()
    from bench.run import run

    return run(arguments.device, arguments.only, arguments.rounds, arguments.output, arguments.burst)


if __name__ == "__main__":
    sys.exit(main())
