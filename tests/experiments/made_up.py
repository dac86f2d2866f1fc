"""Records with numbers made up to order: what a claim is judged from when the truth is known."""

import zlib

import numpy as np

from scrf_bench.bench import Point, Record
from scrf_bench.experiments.base import Selection
from scrf_bench.experiments.campaign import prepare
from tests.bench.fake_plan import ENVIRONMENT
from tests.experiments.tiny_study import LEARNER, write_configs

MAPS = '["rks", "fastfood", "scrf"]'
CONFIGS = {
    "fig1": f"""
        [quick]
        maps = {MAPS}
        embedding = "phase"
        d = 16
        gamma = 0.25
        scatter_rows = 12
        scatter_components = 64
        curve_rows = 40
        curve_components = [16, 64, 256]
        repetitions = 12
        repetitions_per_cell = 6
        seed = 2015
    """,
    "table1": f"""
        [quick]
        maps = {MAPS}
        rows = 50
        D = 64
        d = [16, 20, 32]
        dtypes = ["float64"]
        samples = 5
        seed = 2015
    """,
    "fig2": f"""
        [quick]
        maps = {MAPS}
        rows = 20
        d = [16, 32, 64, 128, 256]
        dtypes = ["float64"]
        samples = 5
        matrix_limit_gb = 1.0
        fit_from = 16
        seed = 2015
    """,
    "table2": f"""
        [quick]
        maps = {MAPS}
        embedding = "phase"
        seeds = 4
        exact_runs = 2
        learner = {LEARNER}
        datasets = [
          {{ name = "ionosphere", status = "ours", D = 32 }},
          {{ name = "dna", status = "named", D = 32 }},
        ]
    """,
    "fig3-maps": f"""
        [quick]
        datasets = ["ionosphere", "dna"]
        images = ["dna"]
        maps = ["rks", "fastfood", "scrf", "column_signed", "ocrf"]
        embedding = "phase"
        components = [16, 32, 64]
        low_components = [16, 32]
        components_per_cell = 2
        seeds = 4
        seeds_per_cell = 2
        learner = {LEARNER}
        effort = {{ log2_C_steps = [0.0], log2_gamma_steps = [0.0], folds = 2, rows = 60, eps = 0.1 }}
    """,
    "claims": """
        [quick]
        alpha = 0.05
        power = 0.8
        least_runs = 2
        process_sd = 0.01
        sample_sizes = { fig1 = 12, table1 = 5, fig2 = 5, table2 = 4, fig3-maps = 4 }

        [quick.margins]
        variance_ratio = 0.10
        error_ratio = 0.05
        accuracy_points = 0.5
        time_ratio = 0.10
        storage_ratio = 0.10
        error_exponent = 0.05
        time_exponent = 0.15
    """,
}


def made_up_configs(folder, **changes):
    """Write the configs of the experiments below and of the claims."""
    return write_configs(folder, **{**CONFIGS, **changes})


def made_up_records(name, results, configs, points, wanted=lambda _: True, profile="quick"):
    """Store an ``ok`` record of every wanted cell, with the points that `points` makes up for it."""
    prepared = prepare(name, Selection(), profile=profile, results=results, configs=configs)
    for cell in filter(wanted, prepared.cells):
        # Of what is measured, not of the cell's id: a new version of a map makes up no new numbers.
        rng = np.random.default_rng(zlib.crc32(f"{cell.dataset} {sorted(cell.parameters.items())}".encode()))
        prepared.store.add(
            Record(cell, ENVIRONMENT, 1, "ok", tuple(points(cell, rng)), started="2026-11-30T00:00:00.000+00:00")
        )


def errors(factors, exponent=-0.5, spread=0.02):
    """Figure 1: relative errors ``factor D^exponent`` with a relative spread, the same law at every repetition."""

    def points(cell, rng):
        p = cell.parameters
        for repetition in range(p["first_repetition"], p["first_repetition"] + p["repetitions"]):
            for D in p["components"]:
                value = factors.get(p["map"], 1.0) * D**exponent * np.exp(rng.normal(0.0, spread))
                yield Point(
                    {"panel": p["panel"], "map": p["map"], "D": D, "repetition": repetition},
                    {"relative_frobenius_error": value, "relative_spectral_error": value, "rms_error": 0.5 * value},
                    {"exact": [0.5], "estimate": [0.5]} if p["panel"] == "scatter" else {},
                )

    return points


def times(seconds, per_column=None, noise=0.01, estimates=lambda name: True):
    """Table 1 and Figure 2: ``seconds(map, d)`` with noise, counts of numbers kept per column, who fails the gate."""
    counts = per_column or {"rks": 17, "fastfood": 5, "scrf": 3}

    def points(cell, rng):
        p = cell.parameters
        for d, D in zip(p["d"], p["D"], strict=True):
            # As the experiments name them: the map's own times, and those of what is timed in turns with it.
            timed = {"map": p["map"]} | {f"{other}_map": other for other in p["beside"]}
            taken = {
                f"{task}_cpu_s": list(seconds(which, d) * np.exp(rng.normal(0.0, noise, 5)))
                for task, which in timed.items()
            }
            metrics = {key: float(np.median(values)) for key, values in taken.items()} | {
                "parameters": counts.get(p["map"], 1) * D,
                "held_bytes": 8 * counts.get(p["map"], 1) * D,
                "draw_cpu_s": 0.0,
                "algorithm": "made up",
                "kernel_rms_error": 0.1 if estimates(p["map"]) else 0.9,
                "kernel_rms_bound": 0.5,
            }
            yield Point({"map": p["map"], "d": d, "D": D, "rows": p["rows"]}, metrics, taken)

    return points


def accuracies(of, seconds=lambda method, dataset: 1.0, spread=0.0005):
    """Table 2 and fig3-maps: ``of(method, dataset)`` plus what seed and D add, on 10,000 test points; and seconds."""

    def points(cell, rng):
        p = cell.parameters
        stages = ("convert_cpu_s", "train_cpu_s", "predict_cpu_s", "map_cpu_s")[: 3 if p["method"] == "libsvm" else 4]
        for seed in p.get("seeds") or [p["seed"]]:
            for D in p.get("components") or [None]:
                value = of(p["method"], cell.dataset) + (rng.normal(0.0, spread) if p["method"] != "libsvm" else 0.0)
                took = seconds(p["method"], cell.dataset) * np.exp(rng.normal(0.0, 0.01))
                yield Point(
                    {
                        "dataset": cell.dataset,
                        "method": p["method"],
                        "seed": seed,
                        "D": D,
                        "n_train": {"ionosphere": 200}.get(cell.dataset, 2000),
                        "n_test": 10_000,
                        "d": 10,
                        "log2_C": 0.0,
                        "log2_gamma": 0.0,
                    },
                    {"accuracy": value, "converged": True, "model_bytes": 1, **dict.fromkeys(stages, took)},
                )

    return points
