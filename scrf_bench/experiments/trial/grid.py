"""A grid of penalties and gammas whose edge is followed outwards where the best lies there."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import TypeAlias

Point: TypeAlias = tuple[float, float]
"""log2 of the penalty, log2 of gamma."""
Scores: TypeAlias = dict[Point, float]
"""The higher the better."""

_MOST_STEPS = 2


@dataclass(frozen=True)
class Best:
    """The best point of a search.

    Attributes
    ----------
    log2_penalty, log2_gamma : float
        Of equals the smaller penalty, then the smaller gamma.
    penalty_at_edge, gamma_at_edge : bool
        A better value may lie beyond; never so of a gamma that was not searched.
    """

    log2_penalty: float
    log2_gamma: float
    penalty_at_edge: bool
    gamma_at_edge: bool


def follow_edges(
    scores_of: Callable[[Collection[Point]], Scores],
    log2_penalty: Sequence[float],
    log2_gamma: Sequence[float],
    *,
    above: float = -math.inf,
) -> Best:
    """Search a grid, then while its best lies at an edge a row or column beyond, then half steps around the best.

    At most twice beyond, and twice by half steps. These are for a search in both directions only: an error is flat in
    the penalty alone.

    Parameters
    ----------
    scores_of : callable
        Scores points.
    log2_penalty, log2_gamma : sequences of float
        Ascending and evenly spaced. A single value is given, not searched.
    above : float
        Chance scores up to this. Where the best of the grid does, its place means nothing: it is not followed.
    """
    penalties, gammas = list(log2_penalty), list(log2_gamma)
    scores = scores_of(_grid(penalties, gammas))
    if scores[_best(scores)] <= above:
        return Best(*_best(scores), penalty_at_edge=False, gamma_at_edge=False)
    for _ in range(_MOST_STEPS):
        penalty, gamma = _best(scores)
        penalties, gammas = _beyond(penalties, penalty), _beyond(gammas, gamma)
        fresh = [point for point in _grid(penalties, gammas) if point not in scores]
        if not fresh:
            break
        scores |= scores_of(fresh)
    penalty, gamma = _best(scores)
    for _ in range(_MOST_STEPS if len(penalties) > 1 and len(gammas) > 1 else 0):
        around = _grid(*(_halfway(axis, value) for axis, value in ((penalties, penalty), (gammas, gamma))))
        fresh = [point for point in around if point not in scores]
        if not fresh:
            break
        scores |= scores_of(fresh)
        penalty, gamma = _best(scores)
    return Best(penalty, gamma, _at_edge(penalties, penalty), _at_edge(gammas, gamma))


def _grid(penalties: Sequence[float], gammas: Sequence[float]) -> list[Point]:
    return [(penalty, gamma) for penalty in penalties for gamma in gammas]


def _best(scores: Scores) -> Point:
    return min(scores, key=lambda point: (-scores[point], point))


def _at_edge(axis: Sequence[float], value: float) -> bool:
    return len(axis) > 1 and not axis[0] < value < axis[-1]


def _halfway(axis: Sequence[float], value: float) -> list[float]:
    half = (axis[1] - axis[0]) / 2
    return [value - half, value, value + half]


def _beyond(axis: list[float], best: float) -> list[float]:
    """Return an axis with one more value where the best is its first or last."""
    if not _at_edge(axis, best):
        return axis
    if best == axis[0]:
        return [2 * axis[0] - axis[1], *axis]
    return [*axis, 2 * axis[-1] - axis[-2]]
