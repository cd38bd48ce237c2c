"""Proton's names: sessions that record the time of launches and of scopes, by their names."""

from tilewright.triton.profiling import activate as activate
from tilewright.triton.profiling import cpu_timed_scope as cpu_timed_scope
from tilewright.triton.profiling import deactivate as deactivate
from tilewright.triton.profiling import enter_scope as enter_scope
from tilewright.triton.profiling import exit_scope as exit_scope
from tilewright.triton.profiling import finalize as finalize
from tilewright.triton.profiling import metadata_state as metadata_state
from tilewright.triton.profiling import profile as profile
from tilewright.triton.profiling import scope as scope
from tilewright.triton.profiling import start as start
from tilewright.triton.profiling import state as state

from . import language as language

enter_state, exit_state = enter_scope, exit_scope
