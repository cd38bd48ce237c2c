"""Marks inside kernels, which are not recorded."""

from tilewright.triton.refusal import Refusal

_ADVICE = "only whole launches are recorded: use proton.scope around them"
scope = Refusal("triton.profiler.language.scope", _ADVICE)
enter_scope = Refusal("triton.profiler.language.enter_scope", _ADVICE)
exit_scope = Refusal("triton.profiler.language.exit_scope", _ADVICE)
