"""Made-up files as users have them."""

import numpy as np
import pandas as pd

COLUMNS = ["a", "b", "colour", "y"]


def frame(n=200, seed=0):
    """Two numbers and a word; y is a smooth function of the numbers and the word, with some gaps among the columns."""
    rng = np.random.default_rng(seed)
    a, b = rng.normal(size=(2, n))
    colour = rng.choice(["red", "green", "blue"], n)
    y = np.where(np.sin(2 * a) + b * (colour == "red") > 0, "yes", "no")
    table = pd.DataFrame({"a": a.round(4), "b": b.round(4), "colour": colour, "y": y})
    table.loc[3:9, "b"] = np.nan
    table.loc[20:25, "colour"] = np.nan
    return table


def written(path, table=None, **options):
    """Write a table as CSV and return the path."""
    (frame() if table is None else table).to_csv(path, index=False, **options)
    return path
