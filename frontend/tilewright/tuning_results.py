"""Times that an autotuner measured, on disk: a file for each tuning key, with the times of each configuration,
so that a new configuration is measured alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from tilewright import cache, config

if TYPE_CHECKING:
    from tilewright.autotune import Autotuner, Config, Timing


class Results:
    """What was measured before for one tuning key."""

    def __init__(self, tuner: Autotuner, key: tuple, named: Mapping[str, Any]) -> None:
        self.times: dict[str, Timing] = {}
        wanted = tuner.cache_results or config.cache_autotuning()
        self.disk = cache.disk_cache() if wanted else None
        self.name = cache.make_key(kind="autotune", source=tuner.jit_function.cache_key, key=key,
                                   device=_describe_device(named)) if self.disk else None
        entry = self.disk.get(self.name) if self.disk and self.name else None
        if entry is not None:
            self.times = {text: list(times) for text, times in entry.metadata["times"]}

    def get(self, option: Config) -> Timing | None:
        # What a hook does is not known, so it is measured each time.
        return None if option.pre_hook is not None else self.times.get(str(option))

    def put(self, timings: Mapping[Config, Timing]) -> None:
        if self.disk is None or self.name is None:
            return
        self.times.update({str(option): times for option, times in timings.items() if option.pre_hook is None})
        self.disk.put(self.name, cache.Entry({"times": list(self.times.items())}, {}))


def is_on_gpu(named: Mapping[str, Any]) -> bool:
    from tilewright.runtime import gpu

    return gpu.are_used_by(named.values())


def _describe_device(named: Mapping[str, Any]) -> str:
    from tilewright.runtime import cpu, gpu

    return gpu.describe_device(named.values()) if is_on_gpu(named) else cpu.describe_host()
