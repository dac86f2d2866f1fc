"""Where the files that travel with the package lie: configs, embedded datasets, reported figures.

A wheel carries them under ``scrf_bench/_resources``; an editable install finds them at the project's top level.
"""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


def resource_path(relative: str) -> Path:
    """Return the path of a packaged file or folder, e.g. ``"configs"`` or ``"data/embedded"``.

    Raises
    ------
    FileNotFoundError
        If the installation lacks it, which means that the installation is broken.
    """
    for root in (_PACKAGE / "_resources", _PACKAGE.parent):
        path = root / relative
        if path.exists():
            return path
    msg = f"The packaged resource '{relative}' is missing from this installation of scrf-bench; reinstall it."
    raise FileNotFoundError(msg)
