"""Which method to take, for what it is worth on new rows, and in plain words."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from scrf_bench.errors import UserError
from scrf_bench.experiments.trial.methods import BLIND, EXACT, LINEAR, Outcome
from scrf_bench.experiments.trial.target import Kind
from scrf_bench.report.values import format_value

MARGIN_POINTS = 0.5
"""Percentage points of accuracy that do not matter."""
MARGIN_RATIO = 0.02
"""Share of the mean squared error that does not matter: 1 % of its root."""
_Z = 1.959964  # of a two-sided interval of 95 %
_VARIANCE_SEEDS = 2
_SAME_COST = 1.25  # times are no closer than this from one run to the next
_NO_TIME = 0.02  # seconds that nobody waits for
_RESAMPLES = 500
_PLAIN_FROM, _PLAIN_TO = 1e3, 1e9
_RARE = 0.1  # share of all classes but the commonest
_LEARNER_BYTES = 24  # a feature of a row in training: float64, and a node of LIBLINEAR's


@dataclass(frozen=True)
class Estimate:
    """A mean loss with an interval of 95 %, over test rows and draws of the map."""

    mean: float
    low: float
    high: float


def expected_loss(losses: Sequence[np.ndarray], kind: Kind) -> Estimate:
    """Estimate the mean loss on new rows of a map drawn anew.

    Rows and draws are crossed: the error's square is the variance over rows of the mean over draws, over the number of
    rows, plus the variance over draws of the mean over rows, over the number of draws. (That counts part of the rows'
    share twice: it errs on the wide side.) For classes this turns into a number of independent rows, at most the true
    one, for Wilson's interval (1927). Squared errors, a few of which may be most of the mean, have the studentised
    bootstrap's interval of the logarithm (Efron and Tibshirani, 1993, ch. 12), over rows.

    Parameters
    ----------
    losses : sequence of (n,) ndarray
        One array a draw.
    kind : str
    """
    table = np.array(losses)
    draws, n = table.shape
    mean = float(table.mean())
    square = float(table.mean(axis=0).var(ddof=1)) / n if n > 1 else 0.0
    if draws >= _VARIANCE_SEEDS:
        square += float(table.mean(axis=1).var(ddof=1)) / draws
    if kind == "classification":
        independent = min(float(n), mean * (1 - mean) / square) if square > 0 else float(n)
        return Estimate(mean, *_wilson(mean, max(independent, 1.0)))
    if mean <= 0 or square <= 0:
        return Estimate(mean, mean, mean)
    below, above = _studentised(table.mean(axis=0))
    error = math.sqrt(square) / mean
    return Estimate(mean, mean * math.exp(-above * error), mean * math.exp(-below * error))


def _studentised(losses: np.ndarray) -> tuple[float, float]:
    """Return the 2.5 % and 97.5 % points of (log of a mean - log of the true one) over its error, by resampling."""
    rng = np.random.default_rng(0)
    n, mean = len(losses), float(losses.mean())
    found = []
    for _ in range(_RESAMPLES):
        some = losses[rng.integers(n, size=n)]
        own = float(some.mean())
        error = float(some.std(ddof=1)) / math.sqrt(n)
        if own > 0 and error > 0:
            found.append(math.log(own / mean) * own / error)
    below, above = np.quantile(found, [0.025, 0.975]) if found else (-_Z, _Z)
    # Between one and two times the normal points: where a single row is most of the mean, no resample tells more.
    return max(min(float(below), -_Z), -2 * _Z), min(max(float(above), _Z), 2 * _Z)


def _wilson(share: float, n: float) -> tuple[float, float]:
    centre = share + _Z**2 / (2 * n)
    reach = _Z * math.sqrt(share * (1 - share) / n + (_Z / (2 * n)) ** 2)
    return max(0.0, (centre - reach) / (1 + _Z**2 / n)), min(1.0, (centre + reach) / (1 + _Z**2 / n))


@dataclass(frozen=True)
class Advice:
    """What to take.

    Attributes
    ----------
    chosen, best : Outcome
        The recommendation, and the one with the smallest loss on the validation rows.
    lines : tuple of str
        The recommendation in words.
    """

    chosen: Outcome
    best: Outcome
    lines: tuple[str, ...]


def advise(outcomes: Sequence[Outcome], kind: Kind, variance: float, *, fitted: int, all_rows: int) -> Advice:
    """Recommend the cheapest method whose validation loss is as good as the best's, and say what it will do.

    As good: not worse by more than the margin, or than one standard error of the difference row by row. The choice is
    made on validation rows, so that the test rows give an honest figure of what was chosen. Costs are those of
    learning from all rows, extrapolated where fewer were fitted.

    Parameters
    ----------
    outcomes : sequence of Outcome
    kind : str
    variance : float
        Of the test rows' targets, for R^2.
    fitted, all_rows : int
        Rows that were fitted, and all that can be learned from.

    Raises
    ------
    UserError
        If every method failed.
    """
    able = [outcome for outcome in outcomes if not outcome.failure]
    candidates = [outcome for outcome in able if outcome.method.name != BLIND]
    if not candidates:
        reasons = "; ".join(f"{o.method.words}: {o.failure}" for o in outcomes if o.failure)
        raise UserError(f"No method could be run on this file: {reasons}.")
    best = min(candidates, key=_validation_loss)
    growth = max(1.0, all_rows / fitted) if all_rows > 2 * fitted else 1.0
    good = [outcome for outcome in candidates if _as_good(outcome, best, kind)]
    chosen = _cheapest(good, growth)
    blind = _of(able, BLIND)
    learned = blind is None or _beats(chosen, blind)
    lines = [f"Recommendation: {chosen.method.words}."]
    if blind is not None and not learned:
        doubt = f"As far as {len(chosen.test[0]):,} test rows can tell, no method is better than {blind.method.label}"
        why = "these columns say little about the target"
        if not chosen.method.choice.searched:
            why += ", or the kernel's gamma, which was not searched, is wrong for it (--tune searches it)"
        if kind == "classification" and expected_loss(blind.test, kind).mean < _RARE:
            why = "with classes so unequal, accuracy and so few rows cannot show what these columns say"
        lines = [f"Recommendation: none. {doubt}: {why}. The least bad: {chosen.method.words}."]
    lines += _what_it_does(chosen, kind, variance, fitted)
    if growth > 1:
        lines.append(_on_all_rows(chosen, growth, fitted, all_rows, learned=learned))
    lines.append(_beside(able, chosen, kind, variance))
    if learned:
        lines += _reasons(able, chosen, best, kind, variance)
    return Advice(chosen, best, tuple(line for line in lines if line))


def _on_all_rows(chosen: Outcome, growth: float, fitted: int, all_rows: int, *, learned: bool) -> str:
    """Say what more rows cost and may bring; better is promised only where something was learned from few."""
    held = _training_memory(chosen, all_rows)
    # In proportion to the rows is the least: LIBLINEAR takes more passes over more rows, which leave the caches.
    bound = "about" if chosen.method.name == EXACT else "at least"
    cost = f"{bound} {_seconds(chosen.cost_s(growth))}{f' and {held}' if held else ''} (extrapolated)"
    if learned:
        return f"Learning from all {all_rows:,} rows instead of {fitted:,} should take {cost}, and be more accurate."
    return (
        f"Only {fitted:,} of {all_rows:,} rows to learn from were fitted on; more may show what these do not (--rows). "
        f"All should take {cost}."
    )


def _cheapest(good: Sequence[Outcome], growth: float) -> Outcome:
    """Return the method of the least cost; of several to within the noise of times the simplest, then the better."""
    enough = _SAME_COST * max(_NO_TIME, min(outcome.cost_s(growth) for outcome in good))
    simple = (LINEAR, EXACT)

    def order(outcome: Outcome) -> tuple[int, int, float]:
        name = outcome.method.name
        rank = simple.index(name) if name in simple else len(simple)
        return rank, outcome.method.D or 0, _validation_loss(outcome)

    return min((outcome for outcome in good if outcome.cost_s(growth) <= enough), key=order)


def _beats(one: Outcome, other: Outcome) -> bool:
    """Tell whether a method is better than another on the test rows, beyond chance."""
    difference = np.mean(other.test, axis=0) - np.mean(one.test, axis=0)
    error = float(difference.std(ddof=1)) / math.sqrt(len(difference)) if len(difference) > 1 else 0.0
    return float(difference.mean()) > _Z * error


def _validation_loss(outcome: Outcome) -> float:
    return float(np.mean(outcome.validation))


def _as_good(outcome: Outcome, best: Outcome, kind: Kind) -> bool:
    own, other = np.mean(outcome.validation, axis=0), np.mean(best.validation, axis=0)
    difference = own - other
    margin = MARGIN_POINTS / 100 if kind == "classification" else MARGIN_RATIO * float(other.mean())
    error = float(difference.std(ddof=1)) / math.sqrt(len(difference)) if len(difference) > 1 else 0.0
    return float(difference.mean()) <= max(margin, error)


def score_text(loss: Estimate, kind: Kind, variance: float) -> str:
    """Return ``95.3 % [93.9, 96.4]``, or the root mean squared error and R^2."""
    if kind == "classification":
        return f"{100 * (1 - loss.mean):.1f} % [{100 * (1 - loss.high):.1f}, {100 * (1 - loss.low):.1f}]"
    low, mean, high = (math.sqrt(value) for value in (loss.low, loss.mean, loss.high))
    spec = rmse_spec(mean)
    r2 = f", R² {1 - loss.mean / variance:.3f}" if variance > 0 else ""
    return f"{mean:{spec}} [{low:{spec}}, {high:{spec}}]{r2}"


def rmse_spec(mean: float) -> str:
    """Return how to write errors of a size: three significant digits, but prices without a power of ten."""
    return ",.0f" if _PLAIN_FROM <= mean < _PLAIN_TO else ".3g"


def _what_it_does(chosen: Outcome, kind: Kind, variance: float, fitted: int) -> list[str]:
    what = "accuracy" if kind == "classification" else "root mean squared error"
    over = "test rows and draws of the map" if len(chosen.test) > 1 else "test rows"
    n = len(chosen.test[0])
    score = score_text(expected_loss(chosen.test, kind), kind, variance)
    trained, predicted = _seconds(np.mean(chosen.fit_s)), _seconds(1000 * np.mean(chosen.predict_s) / n)
    memory = format_value(chosen.model_bytes, "bytes")
    rows = round(fitted * chosen.share)
    if held := _training_memory(chosen, rows):
        memory += f"; in training on {rows:,} rows {held}"
    return [
        f"Expected {what} on new rows: {score} (95 % interval over {over}).",
        f"CPU time here: {trained} to train, {predicted} to predict 1,000 rows. Memory of the model: {memory}.",
    ]


def _training_memory(chosen: Outcome, rows: int) -> str:
    """Return what training holds at once beside the data, in words; "" where that is next to nothing."""
    method = chosen.method
    classes = method.kind == "classification"
    if method.D:
        nodes = classes and method.choice.alpha is None
        return f"{format_value((_LEARNER_BYTES if nodes else 8) * rows * method.D, 'bytes')} of features"
    if method.name == EXACT and not classes:
        return f"{format_value(8 * rows**2, 'bytes')} of kernel values"
    return ""


def _beside(able: Sequence[Outcome], chosen: Outcome, kind: Kind, variance: float) -> str:
    parts = [
        f"{o.method.label} {score_text(expected_loss(o.test, kind), kind, variance)} in {_seconds(o.cost_s())}"
        for name in (EXACT, LINEAR, BLIND)
        if (o := _of(able, name)) is not None and o is not chosen
    ]
    return f"Beside it: {'; '.join(parts)}." if parts else ""


def _reasons(able: Sequence[Outcome], chosen: Outcome, best: Outcome, kind: Kind, variance: float) -> list[str]:
    rows = len(chosen.validation[0])
    margin = f"{MARGIN_POINTS:g} points" if kind == "classification" else f"{MARGIN_RATIO:.0%} of the squared error"
    lines = []
    if chosen is best:
        lines.append(f"It is the best on the {rows:,} validation rows, and none that is as good is clearly faster.")
    else:
        lines.append(
            f"On the {rows:,} validation rows it is as good as the best ({best.method.words}) to within {margin} or "
            "one standard error, and none of those that are is clearly faster."
        )
    if chosen is not best and _beats(best, chosen):
        score = score_text(expected_loss(best.test, kind), kind, variance)
        lines.append(
            f"But on the test rows {best.method.words} is better beyond chance ({score}): take it if you can wait."
        )
    elif chosen.method.name == LINEAR:
        guessed = "" if chosen.method.choice.searched else " with this gamma (--tune searches it)"
        lines.append(f"No map is needed: a kernel adds nothing here that shows{guessed}.")
    elif chosen.method.name == EXACT:
        lines.append("No map is needed: on so few rows the exact kernel is fast enough. Maps pay off on more rows.")
    elif max(o.method.D or 0 for o in able) == chosen.method.D and best.method.name == EXACT:
        lines.append("Its D is the largest tried: more columns may help (--components).")
    return lines


def _of(outcomes: Sequence[Outcome], name: str) -> Outcome | None:
    return next((outcome for outcome in outcomes if outcome.method.name == name), None)


def _seconds(value: float | np.floating) -> str:
    return f"{format_value(float(value), 'seconds')} s"
