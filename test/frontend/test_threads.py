"""Threads compile beside each other, and all get the same."""

import threading

import test_control_flow as control
import test_operations as operations
import tilewright as tw

KERNELS = [
    (operations.shapes, {"out": "*i32"}), (operations.math, {"x": "*fp32", "out": "*fp32"}),
    (operations.reductions, {"x": "*fp32", "out": "*fp32"}), (operations.random, {"out": "*fp32", "seed": "i32"}),
    (control.nested_jumps, {"x": "*i32", "out": "*i32", "n": "i32", "m": "i32"}),
    (control.loop, {"x": "*fp32", "out": "*fp32", "n": "i32", "BLOCK": 32}),
]


def test_threads_compile_beside_each_other():
    results, errors = [], []

    def compile_all(first):
        try:
            order = KERNELS[first:] + KERNELS[:first]
            kernels = {kernel.__name__: tw.compile(kernel, signature, target="cpu") for kernel, signature in order}
            results.append({name: (kernel.asm["tile"], kernel.binary) for name, kernel in kernels.items()})
        except Exception as error:  # noqa: BLE001 - a thread's error would be lost
            errors.append(error)

    threads = [threading.Thread(target=compile_all, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
    assert len(results) == 4 and all(result == results[0] for result in results)
