"""Who does something, and what each of them knows to be done.

An agent is what acts in an order of its own: each warp; for each warp the stream of its asynchronous
copies, that of its products and that of its stores of blocks; each signal, for the copies that count on
it. What an agent does is numbered: its epochs. A warp's clock holds, for each agent, the last epoch
that is known to be done; waiting for something moves the clock, nothing else does.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

Array = Any
NEVER = np.iinfo(np.int32).max  # the epoch of what nobody has waited for yet


class Agents:
    """All agents of a program.

    Attributes:
        threads: For each agent, whether its accesses are those of threads; others go another way to memory.
    """

    def __init__(self, capacity: int) -> None:
        self.names = ["nobody"]
        self.threads = np.ones(capacity, bool)

    def add(self, name: str, threads: bool) -> int:
        """A new agent."""
        agent = len(self.names)
        self.names.append(name)
        self.threads[agent] = threads
        return agent

    def clock(self) -> Array:
        """A clock that knows of nothing."""
        return np.zeros(len(self.threads), np.int32)


class Warp:
    """The threads of a warp, what they know, and the streams of what they have started.

    Attributes:
        agent: The warp itself.
        copies: Its asynchronous copies; an epoch is a group.
        products: Its asynchronous products; an epoch is one of them.
        stores: The stores of blocks that it started, as they read on-chip memory; an epoch is one of them.
        writes: The same stores, as they write arrays.
        known: What is known to be done. Of the warp itself: what its lanes know of each other.
        published: What of that is also visible to units that read on-chip memory by themselves.
        awaited: The last group of its copies of which each lane knows that its own share is done.
        epoch: What the warp's accesses belong to, until it meets others.
        wrote: The epoch of its last write to an array.
    """

    def __init__(self, agents: Agents, number: int) -> None:
        self.agents = agents
        self.number = number
        self.agent = agents.add(f"warp {number}", True)
        self.copies = agents.add(f"copies of warp {number}", True)
        self.products = agents.add(f"products of warp {number}", False)
        self.stores = agents.add(f"stores of warp {number}", False)
        self.writes = agents.add(f"writes of stores of warp {number}", False)
        self.known = agents.clock()
        self.published = agents.clock()
        self.awaited = 0
        self.epoch = 1
        self.wrote = 0

    def visible_to_units(self) -> Array:
        """What is known to be done as units see it: accesses of threads only where they are published."""
        return np.where(self.agents.threads, self.published, self.known)

    def release(self) -> None:
        """What the warp did until now can be made known to others; its lanes meet."""
        self.known[self.agent] = self.epoch
        self.known[self.copies] = max(self.known[self.copies], self.awaited)
        self.epoch += 1

    def learn(self, known: Array, published: Array) -> None:
        """Know what somebody else made known."""
        np.maximum(self.known, known, out=self.known)
        np.maximum(self.published, published, out=self.published)

    def complete(self, agent: int, epoch: int) -> None:
        """Know that a stream of this warp's has come so far."""
        self.known[agent] = max(self.known[agent], epoch)


def meet(warps: Sequence[Warp], publish: bool = False) -> None:
    """A barrier: all know what each of them knew; with `publish`, all of that is published."""
    for warp in warps:
        warp.release()
    known = np.max([warp.known for warp in warps], axis=0)
    published = known if publish else np.max([warp.published for warp in warps], axis=0)
    for warp in warps:
        warp.learn(known, published)
