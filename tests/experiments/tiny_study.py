"""Configs so small that all five experiments run in half a minute, and running commands in-process."""

import json
from pathlib import Path

from click.testing import CliRunner, Result

from scrf_bench.cli.main import cli

LEARNER = "{ liblinear_eps = 0.01, libsvm_eps = 0.001, bias = 1.0, control_max_iter = 300 }"

CONFIGS = {
    "fig1": """
        [quick]
        maps = ["rks", "scrf"]
        embedding = "phase"
        d = 16
        gamma = 0.25
        scatter_rows = 12
        scatter_components = 64
        curve_rows = 40
        curve_components = [16, 64]
        repetitions = 2
        repetitions_per_cell = 2
        seed = 2015
    """,
    "table1": """
        [quick]
        maps = ["rks", "scrf"]
        peers = ["sklearn"]
        rows = 50
        D = 64
        d = [16, 20]
        dtypes = ["float64"]
        samples = 3
        seed = 2015
    """,
    # RKS's matrix at d = 64 has 32,768 bytes, at d = 32 a quarter of that.
    "fig2": """
        [quick]
        maps = ["rks", "scrf"]
        rows = 20
        d = [16, 32, 64]
        dtypes = ["float64"]
        samples = 3
        matrix_limit_gb = 0.00001
        fit_from = 16
        seed = 2015
    """,
    # The dense matrix at D = 64 has 2,048 bytes.
    "fig-scale": """
        [quick]
        d = 8
        dtype = "float32"
        seed = 2015
        stream_maps = ["rks", "scrf"]
        stream_rows = [40, 100]
        stream_components = 16
        stream_chunk = 30
        stream_samples = 3
        maps = ["rks", "scrf"]
        rows = 8
        components = [16, 32, 64]
        samples = 3
        fit_from = 16
        matrix_limit_gb = 0.0000011
    """,
    "fig3": f"""
        [quick]
        datasets = ["ionosphere"]
        maps = ["rks", "scrf"]
        embedding = "phase"
        components = [16, 32]
        seeds = 1
        learner = {LEARNER}
    """,
    "table2": f"""
        [quick]
        maps = ["scrf"]
        embedding = "phase"
        seeds = 2
        exact_runs = 2
        learner = {LEARNER}
        datasets = [{{ name = "ionosphere", status = "ours", D = 32 }}]
    """,
    "fig3-maps": f"""
        [quick]
        datasets = ["ionosphere"]
        images = ["ionosphere"]
        maps = ["rks", "scrf"]
        embedding = "phase"
        components = [32, 16]
        low_components = [16]
        components_per_cell = 2
        seeds = 2
        seeds_per_cell = 1
        learner = {LEARNER}
        effort = {{ log2_C_steps = [-4.0, 0.0], log2_gamma_steps = [-2.0, 0.0], folds = 2, rows = 60, eps = 0.1 }}
    """,
    "tuning/ionosphere": """
        tried = [[3, -2, 0.94]]

        [chosen]
        dataset = "ionosphere"
        tuned_on = "ionosphere"
        scaling = "none"
        log2_C = 3.0
        log2_gamma = -2.0
        cv_accuracy = 0.94
        folds = 5
        rows = 351
        seed = 0
        grid = "one point, for tests"
        solver = "LIBSVM"
        date = "2026-11-30"
        package = "tests"
    """,
}


def write_configs(folder: Path, **changes: str) -> Path:
    """Write the tiny configs, some of them changed; ``/`` in a name is ``__`` in a keyword."""
    for name, text in {**CONFIGS, **{key.replace("__", "/"): text for key, text in changes.items()}}.items():
        path = folder / f"{name}.toml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def run_cli(*arguments: object) -> Result:
    """Run a command of the suite in this process."""
    return CliRunner().invoke(cli, [str(argument) for argument in arguments])


def record_files(folder: Path) -> list[dict]:
    """Read the records of an experiment's folder as plain JSON."""
    return [json.loads(path.read_text()) for path in sorted((folder / "records").glob("*.json"))]
