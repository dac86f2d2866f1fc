"""How far a simulated rate may stray from the rate it should have."""

from scipy import stats


def plausible(count, trials, rate, false_alarm=1e-6):
    """Return whether ``count`` of ``trials`` fits ``rate``: exact binomial tails of false_alarm / 2."""
    law = stats.binom(trials, rate)
    return law.ppf(false_alarm / 2) <= count <= law.isf(false_alarm / 2)


def at_most(count, trials, rate, false_alarm=1e-6):
    """Return whether ``count`` successes of ``trials`` fit a rate of at most ``rate``."""
    return count <= stats.binom(trials, rate).isf(false_alarm)


def at_least(count, trials, rate, false_alarm=1e-6):
    """Return whether ``count`` successes of ``trials`` fit a rate of at least ``rate``."""
    return count >= stats.binom(trials, rate).ppf(false_alarm)
