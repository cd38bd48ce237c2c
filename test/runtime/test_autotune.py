"""Choosing configurations by time, pruning, hooks, results on disk; heuristics."""

from __future__ import annotations

import numpy as np
import pytest
import tilewright as tw
from tilewright import Config, autotune, heuristics, hooks
from tilewright.autotune import AutotunerError
from tilewright.jit import KernelInterface
from tilewright.runtime import gpu


class Fake:
    """Stands for a kernel: it records launches, and costs what its constant BLOCK says."""

    __name__ = "fake"
    arg_names = ["x", "y", "n", "BLOCK", "EVEN"]
    cache_key = "fake source"

    def __init__(self):
        self.launches = []
        self.fail = {}

    def run(self, *args, grid, warmup=False, **kwargs):
        named = {**dict(zip(self.arg_names, args, strict=False)), **kwargs}
        self.launches.append((grid, warmup, named))
        if named["BLOCK"] in self.fail:
            raise self.fail[named["BLOCK"]]
        if not warmup and isinstance(named.get("y"), np.ndarray):
            named["y"] += 1
        return "compiled"

    def __call__(self, *args):
        raise RuntimeError("launch it over a grid")


@pytest.fixture
def fake():
    return Fake()


@pytest.fixture
def bench(fake):
    """Times by the constant of the last launch: 64 is best."""
    calls = []

    def do_bench(fn, quantiles):
        assert quantiles == (0.5, 0.2, 0.8)
        fn()
        calls.append(fake.launches[-1][2]["BLOCK"])
        time = abs(calls[-1] - 64) + 1.0
        return [time, time, time]

    do_bench.calls = calls
    return do_bench


CONFIGS = [Config({"BLOCK": 32}), Config({"BLOCK": 64}, num_warps=8), Config({"BLOCK": 128}, num_stages=1)]


def test_the_fastest_configuration_is_chosen_once_a_key(fake, bench):
    tuned = autotune(CONFIGS, key=["n"], do_bench=bench)(fake)
    x = np.zeros(4, np.float32)
    assert tuned[(7,)](x, None, 100) == "compiled"
    assert bench.calls == [32, 64, 128]
    assert fake.launches[-1] == ((7,), False, {"x": x, "y": None, "n": 100, "BLOCK": 64, "num_warps": 8,
                                               "num_stages": 3, "num_ctas": 1})
    assert tuned.best_config is CONFIGS[1]
    tuned[(7,)](x, None, 100)
    assert len(bench.calls) == 3
    tuned[(7,)](x, None, 101)
    assert len(bench.calls) == 6
    tuned[(7,)](x.astype(np.float64), None, 100)
    assert len(bench.calls) == 9
    tuned[(7,)](x, None, n=100)
    assert len(bench.calls) == 9


def test_a_single_configuration_is_not_timed(fake, bench):
    tuned = autotune([Config({"BLOCK": 5})], key=[], do_bench=bench)(fake)
    tuned[(1,)](None, None, 1)
    assert bench.calls == [] and fake.launches[-1][2]["BLOCK"] == 5


def test_arrays_are_restored_and_zeroed(fake, bench):
    x, y = np.arange(4.0), np.arange(4.0)
    autotune(CONFIGS, key=[], restore_value=["y"], do_bench=bench)(fake)[1](x, y, 4)
    np.testing.assert_array_equal(y, np.arange(4.0) + 1)  # by the last launch alone
    y[:] = 9
    autotune(CONFIGS, key=[], reset_to_zero=["y"], do_bench=bench)(fake)[1](x, y, 4)
    np.testing.assert_array_equal(y, np.ones(4))


def test_hooks(fake, bench):
    seen = []
    option = Config({"BLOCK": 64}, pre_hook=lambda named: seen.append(("config", named["BLOCK"], named["n"])))
    tuned = autotune([CONFIGS[0], option], key=[], do_bench=bench,
                     pre_hook=lambda named, reset_only: seen.append(("pre", named["BLOCK"], reset_only)),
                     post_hook=lambda named, exception: seen.append(("post", named["BLOCK"], exception)))(fake)
    tuned[1](None, None, 3)
    assert seen == [("pre", 32, False), ("post", 32, None), ("config", 64, 3), ("pre", 64, False), ("post", 64, None),
                    ("pre", 64, True), ("config", 64, 3)]


def test_configurations_that_do_not_fit_are_left_out(fake, bench):
    fake.fail = {64: tw.OutOfResources(300_000, 200_000, "shared memory")}
    tuned = autotune(CONFIGS, key=[], do_bench=bench)(fake)
    tuned[1](None, None, 1)
    assert tuned.best_config is CONFIGS[0]
    fake.fail[32] = fake.fail[128] = fake.fail[64]
    with pytest.raises(AutotunerError, match="no configuration of 'fake' can run") as error:
        autotune(CONFIGS, key=[], do_bench=bench)(fake)[1](None, None, 1)
    assert isinstance(error.value.__cause__, tw.OutOfResources)


def test_other_errors_pass_through(fake, bench):
    fake.fail = {64: RuntimeError("broken")}
    with pytest.raises(RuntimeError, match="broken"):
        autotune(CONFIGS, key=[], do_bench=bench)(fake)[1](None, None, 1)


def test_pruning(fake, bench):
    def early(configs, named, **kwargs):
        return [option for option in configs if option.kwargs["BLOCK"] <= named["n"]]

    prune = {"early_config_prune": early,
             "perf_model": lambda BLOCK, n, num_warps, **_: -BLOCK, "top_k": 1}
    autotune(CONFIGS, key=["n"], prune_configs_by=prune, do_bench=bench)(fake)[1](None, None, 64)
    assert bench.calls == [64]
    prune["top_k"] = 0.67  # of three
    autotune(CONFIGS, key=["n"], prune_configs_by=prune, do_bench=bench)(fake)[1](None, None, 500)
    assert bench.calls == [64, 128, 64]
    with pytest.raises(AutotunerError, match="early_config_prune of 'fake' leaves no configuration"):
        autotune(CONFIGS, key=["n"], prune_configs_by=prune, do_bench=bench)(fake)[1](None, None, 1)


def test_unknown_names_are_refused(fake):
    for arguments, what in [({"key": ["m"]}, r"autotune\(key=\)"),
                            ({"key": [], "reset_to_zero": ["z"]}, "reset_to_zero"),
                            ({"key": [], "restore_value": ["z"]}, "restore_value")]:
        with pytest.raises(ValueError, match=f"{what}.* names '[mz]', which is no parameter"):
            autotune(CONFIGS, **arguments)(fake)
    with pytest.raises(ValueError, match="names 'BLOK', which is no parameter"):
        autotune([Config({"BLOK": 1})], key=[])(fake)
    with pytest.raises(ValueError, match="unknown entry 'topk'"):
        autotune(CONFIGS, key=[], prune_configs_by={"topk": 1})(fake)
    with pytest.raises(ValueError, match="names 'Z', which is no parameter"):
        heuristics({"Z": lambda args: 1})(fake)
    with pytest.raises(TypeError, match="top_k must be a number"):
        autotune(CONFIGS, key=[], prune_configs_by={"top_k": "all"})(fake)


def test_what_is_tuned_cannot_be_given_as_well(fake, bench):
    tuned = autotune(CONFIGS, key=[], do_bench=bench)(fake)
    with pytest.raises(ValueError, match="Conflicting meta-parameters of 'fake': BLOCK"):
        tuned[(1,)](None, None, 4, BLOCK=16)


def test_options_among_the_constants_of_a_configuration(fake, bench):
    configs = [Config({"BLOCK": 64, "waves_per_eu": 2, "num_warps": 2}), Config({"BLOCK": 32})]
    tuned = autotune(configs, key="n", do_bench=bench)(fake)
    tuned[(1,)](None, None, 4)
    launched = fake.launches[-1][2]
    assert launched["waves_per_eu"] == 2 and launched["num_warps"] == 4  # the configuration's own field


def test_what_a_configuration_is_called():
    option = Config({"BLOCK": 64}, num_warps=8, maxnreg=32)
    assert option.all_kwargs() == {"BLOCK": 64, "num_warps": 8, "num_ctas": 1, "num_stages": 3, "maxnreg": 32}
    assert str(option) == "BLOCK: 64, num_warps: 8, num_ctas: 1, num_stages: 3, maxnreg: 32"
    assert option == Config({"BLOCK": 64}, num_warps=8, maxnreg=32)
    assert hash(option) == hash(Config({"BLOCK": 64}, num_warps=8, maxnreg=32))


def test_what_programs_read_of_a_tuner(fake, bench):
    found = []
    hooks.autotuning_listeners.append(lambda **facts: found.append(facts))
    try:
        tuned = autotune(CONFIGS, ["n"], restore_value=["x"], use_cuda_graph=False, do_bench=bench)(fake)
        tuned[(1,)](np.zeros(4), None, 100)
    finally:
        hooks.autotuning_listeners.clear()
    assert isinstance(tuned, KernelInterface)
    assert tuned.keys == ["n"] and tuned.nargs["n"] == 100 and tuned.bench_time > 0
    assert tuned.fn is fake and tuned.configs == CONFIGS and len(tuned.cache) == 1
    assert tuned.prune_configs({"EVEN": 1}) == CONFIGS
    assert found[0]["fn"] is fake and found[0]["best_config"] is CONFIGS[1] and not found[0]["cache_hit"]
    assert set(found[0]["configs_timings"]) == set(CONFIGS)


def test_a_graph_of_launches_is_measured_as_usual(fake):
    autotune(CONFIGS, key=[], use_cuda_graph=True, warmup=1, rep=1)(fake)[(1,)](None, None, 4)
    assert fake.launches[-1][2]["BLOCK"] in (32, 64, 128)


def test_warmup_compiles_every_configuration(fake, bench):
    tuned = autotune(CONFIGS, key=[], do_bench=bench)(fake)
    assert tuned.warmup(None, None, 4, grid=(1,)) == ["compiled"] * 3
    assert [named["BLOCK"] for _, warmup, named in fake.launches if warmup] == [32, 64, 128]


def test_all_configurations_are_compiled_before_the_first_is_timed(fake, bench):
    autotune(CONFIGS, key=[], do_bench=bench)(fake)[1](None, None, 4)
    assert [warmup for _, warmup, _ in fake.launches] == [True] * 3 + [False] * 4
    assert sorted(named["BLOCK"] for _, _, named in fake.launches[:3]) == [32, 64, 128]


def test_results_on_disk_and_one_more_configuration(fake, bench, monkeypatch, tmp_path):
    monkeypatch.setenv("TILEWRIGHT_CACHE_DIR", str(tmp_path))
    x = np.zeros(4)
    autotune(CONFIGS, key=["n"], do_bench=bench, cache_results=True)(fake)[1](x, None, 1)
    assert bench.calls == [32, 64, 128]
    again = autotune(CONFIGS, key=["n"], do_bench=bench, cache_results=True)(fake)
    again[1](x, None, 1)
    assert bench.calls == [32, 64, 128] and again.best_config.kwargs == {"BLOCK": 64}
    more = autotune([*CONFIGS, Config({"BLOCK": 63})], key=["n"], do_bench=bench, cache_results=True)(fake)
    more[1](x, None, 1)
    assert bench.calls == [32, 64, 128, 63] and more.best_config.kwargs == {"BLOCK": 64}
    more[1](x, None, 2)
    assert len(bench.calls) == 8
    autotune(CONFIGS, key=["n"], do_bench=bench)(fake)[1](x, None, 1)
    assert len(bench.calls) == 11
    monkeypatch.setenv("TILEWRIGHT_CACHE_AUTOTUNING", "1")
    autotune(CONFIGS, key=["n"], do_bench=bench)(fake)[1](x, None, 1)
    assert len(bench.calls) == 11


def test_the_choice_is_printed_on_request(fake, bench, monkeypatch, capsys):
    monkeypatch.setenv("TILEWRIGHT_PRINT_AUTOTUNING", "1")
    autotune(CONFIGS, key=["n"], do_bench=bench)(fake)[1](None, None, 77)
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "autotuning fake for (77,):"
    assert lines[1].split() == "1.0000 ms BLOCK: 64, num_warps: 8, num_ctas: 1, num_stages: 3 <- chosen".split()
    assert len(lines) == 4


def test_heuristics_compute_constants_from_the_arguments(fake):
    computed = heuristics({"BLOCK": lambda args: args["n"] * 2, "EVEN": lambda args: args["BLOCK"] % 2 == 0})(fake)
    computed[(3,)](None, None, 21)
    assert fake.launches[-1] == ((3,), False, {"x": None, "y": None, "n": 21, "BLOCK": 42, "EVEN": True})
    with pytest.raises(RuntimeError, match="over a grid"):
        computed(1)


def test_heuristics_under_autotune(fake, bench):
    tuned = autotune(CONFIGS, key=["n"], do_bench=bench)(heuristics({"EVEN": lambda args: args["BLOCK"] > 40})(fake))
    assert tuned.base_fn is fake
    tuned[1](None, None, 5)
    assert fake.launches[-1][2]["EVEN"] is True
    assert [named["EVEN"] for _, warmup, named in fake.launches if not warmup] == [False, True, True, True]


def test_configurations_that_are_one_kernel_on_the_cpu_are_measured_once(fake):
    configs = [Config({"BLOCK": block}, num_warps=warps, num_stages=stages) for block in (32, 64)
               for warps in (2, 4) for stages in (1, 3)]
    tuned = autotune(configs, key=[])(fake)
    tuned[(1,)](np.zeros(4), None, 4)
    assert len(tuned.configs_timings) == 8
    compiled = [named for _, warmup, named in fake.launches if warmup]
    assert [named["BLOCK"] for named in compiled] == [32, 64] and tuned.best_config in configs
    by_block = {block: {tuple(times) for option, times in tuned.configs_timings.items()
                        if option.kwargs["BLOCK"] == block} for block in (32, 64)}
    assert all(len(times) == 1 for times in by_block.values())


def test_arrays_on_a_gpu_are_found_wherever_they_are():
    class Array:
        device = "cuda:1"

    class Descriptor:
        base, block_shape = Array(), [1]

    for argument in (Array(), (1, Array()), Descriptor(), (None, (Descriptor(),))):
        assert gpu.are_used_by([3, argument])
    assert not gpu.are_used_by([3, None, np.zeros(3), (1, np.zeros(2))])
