"""Launches on a real GPU: PTX written by hand, on torch's tensors."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from c_kernels import Kernel, Param, Source
from tilewright import OutOfResources
from tilewright.runtime import launch, nvidia
from tilewright.testing import do_bench

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.skipif(not Path("/dev/nvidiactl").exists() or not torch.cuda.is_available(), reason="no GPU")

#: z[i] = x[i] + y[i] for i < n, and z[n] = a scalar.
ADD = """
.version 7.0
.target sm_80
.address_size 64
.visible .entry add(.param .u64 px, .param .u64 py, .param .u64 pz, .param .u32 pn, .param .f32 ps)
.maxntid 1024
{
  .reg .pred %p; .reg .u32 %t, %b, %c, %i, %n; .reg .u64 %x, %y, %z, %o; .reg .f32 %u, %v, %s;
  ld.param.u64 %x, [px]; ld.param.u64 %y, [py]; ld.param.u64 %z, [pz];
  ld.param.u32 %n, [pn]; ld.param.f32 %s, [ps];
  mov.u32 %t, %tid.x; mov.u32 %b, %ctaid.x; mov.u32 %c, %ntid.x;
  mad.lo.u32 %i, %b, %c, %t;
  setp.gt.u32 %p, %i, %n;
  @%p ret;
  mul.wide.u32 %o, %i, 4;
  add.u64 %z, %z, %o;
  setp.eq.u32 %p, %i, %n;
  @%p bra last;
  add.u64 %x, %x, %o; add.u64 %y, %y, %o;
  ld.global.f32 %u, [%x]; ld.global.f32 %v, [%y];
  add.f32 %u, %u, %v;
  st.global.f32 [%z], %u;
  ret;
last:
  st.global.f32 [%z], %s;
  ret;
}
"""


class PtxSource(Source):
    def compile_for(self, specialization):
        self.requests.append(specialization)
        arch = specialization.target.partition(":")[2]
        asm = {"ptx": self.library}
        if nvidia.describe_assembler():
            asm["cubin"] = nvidia.assemble(self.library, arch).cubin
        return Kernel(self.name, specialization.target, asm,
                      {"num_warps": specialization.options.get("num_warps", 4), "num_ctas": 1,
                       "shared_bytes": self.scratch_bytes})


def make(ptx=ADD, shared_bytes=0):
    source = PtxSource("add", [Param("x"), Param("y"), Param("z"), Param("n", do_not_specialize=True), Param("s")], ptx,
                       shared_bytes)
    return launch.make_launcher(source), source


@pytest.fixture(params=["assembled", "compiled by the driver"])
def add(request, monkeypatch):
    if request.param != "assembled":
        for module in (nvidia, nvidia.loader):
            monkeypatch.setattr(module, "describe_assembler", lambda: None)
    elif nvidia.describe_assembler() is None:
        pytest.skip("no assembler")
    return make()[0]


def check(kernel, n, **options):
    x, y = torch.randn(2, n, device="cuda")
    z = torch.full((n + 1,), 7.0, device="cuda")
    threads = 32 * options.get("num_warps", 4)
    compiled = kernel[(n + threads) // threads,](x, y, z, n, 0.1, **options)
    np.testing.assert_array_equal(z[:n].cpu().numpy(), (x + y).cpu().numpy())
    assert z[n].item() == np.float32(0.1)
    return compiled


def test_values_and_resources(add):
    for n in (1, 127, 128, 129, 100_003):
        compiled = check(add, n)
    check(add, 5000, num_warps=8)
    assert compiled.n_regs > 0 and compiled.n_spills == 0 and compiled.n_max_threads >= 128


def test_a_stream_of_torch_is_used(add):
    stream = torch.cuda.Stream()
    x = torch.ones(1 << 20, device="cuda")
    torch.cuda.synchronize()
    with torch.cuda.stream(stream):
        for _ in range(50):  # in order only if both are on one stream
            add[(x.numel() + 128) // 128,](x, x, x, x.numel() - 1, 0.0)
            x.mul_(0.5)
    torch.cuda.synchronize()
    assert (x[:-1] == 1).all()


def test_views_and_mixed_devices(add):
    base = torch.zeros(64, device="cuda")
    add[1](torch.ones(8, device="cuda"), torch.ones(8, device="cuda"), base[5:], 8, 3.0)
    assert base[4:15].tolist() == [0, *[2] * 8, 3, 0]
    with pytest.raises(ValueError, match="argument 'y' is on the CPU, but argument 'x' is on GPU 0"):
        add[1](base, np.zeros(64, np.float32), base, 8, 3.0)


def test_what_the_gpu_lacks_is_named():
    x = torch.zeros(64, device="cuda")
    with pytest.raises(OutOfResources) as error:
        make(shared_bytes=300_000)[0][1](x, x, x, 4, 0.0)
    assert error.value.name == "shared memory" and error.value.required == 300_000
    with pytest.raises(OutOfResources):
        make()[0][1](x, x, x, 4, 0.0, num_warps=64)


def test_much_shared_memory(add):
    check(make(shared_bytes=90_000)[0], 1000)


def test_ptx_that_does_not_compile_is_quoted(monkeypatch):
    x = torch.zeros(64, device="cuda")
    monkeypatch.setattr(nvidia.loader, "describe_assembler", lambda: None)
    monkeypatch.setattr(nvidia, "describe_assembler", lambda: None)
    with pytest.raises(RuntimeError, match="(?s)kernel 'add': cuModuleLoadDataEx failed .*line"):
        make(ADD.replace("mul.wide", "mul.wider"))[0][1](x, x, x, 4, 0.0)


def test_timing():
    x = torch.ones(1 << 26, device="cuda")
    kernel = make()[0]
    ours = do_bench(lambda: kernel[(1 << 19,)](x, x, x, (1 << 26) - 1, 0.0), return_mode="median")
    theirs = do_bench(lambda: torch.add(x, x, out=x), return_mode="median")
    assert 0.2 < ours / theirs < 5
