"""Random signs, the cheapest of all draws: diagonals of Hadamard chains, inputs and rows of circulants."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt


def random_signs(rng: np.random.RandomState, shape: int | tuple[int, ...]) -> npt.NDArray[np.float64]:
    """Draw independent signs, float64 (``randint(0, 2, shape)``, 0 meaning -1).

    Examples
    --------
    >>> import numpy as np
    >>> random_signs(np.random.RandomState(0), 4)
    array([-1.,  1.,  1., -1.])
    """
    return np.asarray(rng.randint(0, 2, shape) * 2.0 - 1.0, dtype=np.float64)
