"""Dual descent on shards that pass through a GPU."""

from __future__ import annotations

from typing import Any

import cupy
import numpy as np

from thatch._kernels.gpu import uploaded
from thatch._kernels.gpu_dual import Choice, Steps
from thatch.arrays import Floats
from thatch.scale.running.gpu_shards import GpuShard, GpuShards
from thatch.scale.running.sharded_descent import CERTIFICATE, ShardedDescent
from thatch.scale.shards.array_files import write
from thatch.scale.shards.shard import exact_parts
from thatch.scale.shards.sharded_problem import ShardedProblem
from thatch.solvers.belief_propagation.loop import DescentState


class GpuShardedDescent(ShardedDescent):
    """Multipliers of shards on a GPU; what there is per item stays on the device.

    Multipliers are single or double; the bound is computed from them in doubles.
    """

    def __init__(
        self,
        problem: ShardedProblem,
        shards: GpuShards,
        *,
        state: DescentState,
        real: type = np.float32,
    ) -> None:
        """Start from the selection of the state, unless shards have multipliers."""
        super().__init__(problem, state)
        scales = self._scaled(uploaded(problem.costs), is_new=state.num_steps == 0)
        self._shards = shards
        self._real = real
        self._choice = Choice(
            uploaded(problem.item_degrees),
            scales.relative_costs,
            scales.relative_budget,
            state.price,
            scales.least_curvature,
            pace=state.pace,
            real=real,
        )
        sums = cupy.zeros(problem.num_items)
        for shard in shards:
            multipliers = shard.state("multipliers")
            if multipliers is None:
                multipliers = self._first_multipliers(shard, state.selection)
                shard.keep("multipliers", multipliers)
            sums[shard.items] += self._sums_of(shard, self._steps(shard, multipliers))
        self._choice.s = sums.astype(real)

    def update_state(self) -> None:
        """Copy the price and the pace from the device."""
        self._state.price, self._state.pace = self._choice.price_and_pace

    def _move(self, number: int, temperature: float) -> None:
        self._choice.begin_step()
        self._choice.choose(temperature)
        sums = cupy.zeros(self._problem.num_items)
        uphill = []
        for shard in self._shards:
            multipliers = shard.state("multipliers")
            steps = self._steps(shard, multipliers)
            local = cupy.ascontiguousarray(self._choice.choice[shard.items])
            steps.step(local, temperature, self._choice.state)
            uphill.append(steps.uphill.sum())
            sums[shard.items] += self._sums_of(shard, steps)
            shard.keep("multipliers", multipliers)
        self._choice.s = sums.astype(self._real)
        self._choice.end_step(cupy.stack(uphill) if uphill else cupy.zeros(1))
        # They are only queued; the caller checks the time next.
        cupy.cuda.get_current_stream().synchronize()

    def _sums_for_bound(self) -> tuple[Floats, list[list[float]]]:
        """As in `ShardedDescent`.

        The device adds multipliers per item, in doubles; the processor does the rest.
        """
        sums = cupy.zeros(self._problem.num_items)
        parts = []
        for number, shard in enumerate(self._shards):
            multipliers = shard.state("multipliers")[0].astype(np.float64)
            clipped = cupy.clip(multipliers * self._unit, 0.0, shard.weights)
            is_reachable = cupy.diff(shard.graph.element_start) > 0
            clipped *= is_reachable
            sums[shard.items] += shard.graph.sums_of_elements(clipped)
            left = (shard.weights - clipped) * is_reachable
            parts.append(exact_parts(left.get()))
            folder = self._problem.shard_folder(number)
            write(folder.child(CERTIFICATE), clipped.get())
        return sums.get(), parts

    def _first_multipliers(self, shard: GpuShard, chosen: Any) -> Any:
        """Those of a selection, twice: an element that it covers twice has 0."""
        counts = shard.graph.covered(chosen[shard.items], most=2)
        shares = cupy.asarray([1.0, 0.5, 0.0])[counts]
        first = (shares * (shard.weights / self._unit)).astype(self._real)
        return cupy.stack([first, first])

    def _steps(self, shard: GpuShard, multipliers: Any) -> Steps:
        weights = (shard.weights / self._unit).astype(self._real)
        return Steps(shard.graph, weights, *multipliers, real=self._real)

    def _sums_of(self, shard: GpuShard, steps: Steps) -> Any:
        sums = cupy.zeros(shard.items.size, dtype=self._real)
        steps.add(sums)
        return sums
