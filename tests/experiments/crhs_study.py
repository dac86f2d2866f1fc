"""Tiny configs of the CRHS experiments, and points of known truth for their claims."""

import numpy as np

from scrf_bench.bench import Point
from scrf_bench.datasets import registry

SEARCH = "{ folds = 3, rows = 120, seed = 1, log2_values = [-7, -5, -3, -1, 1], stride = 2 }"

CONFIGS = {
    "crhs-table1": """
        [quick]
        maps = ["rks", "fastfood", "scrf"]
        embedding = "phase"
        dtype = "float64"
        d = [16, 32, 64]
        D = [64, 128, 256]
        l = [8, 16, 32]
        at_d = 16
        at_D = 64
        at_l = 8
        samples = 3
        processes = 1
        seed = 1
    """,
    "crhs-table2": """
        [quick]
        datasets = [
          { name = "ionosphere", status = "ours", scaling = "none" },
          { name = "abalone", status = "ours", scaling = "standard" },
        ]
    """,
    "crhs-fig1": f"""
        [quick]
        datasets = [{{ name = "ionosphere", status = "ours", scaling = "none" }}]
        maps = ["rks", "fastfood", "scrf"]
        embedding = "phase"
        components = [16, 32]
        low_components = 16
        repetitions = 2
        memory_gb = 1.0
        search = {SEARCH}
    """,
    # Exact kernel ridge takes 0.02 GB for abalone's 2,924 training rows alone.
    "crhs-table3": f"""
        [quick]
        maps = ["rks", "fastfood", "scrf"]
        exact = ["krr", "ksvm"]
        embedding = "phase"
        repetitions = 2
        repetitions_per_cell = 2
        exact_runs = 2
        memory_gb = 0.02
        search = {SEARCH}
        datasets = [
          {{ name = "ionosphere", status = "ours", scaling = "none", D = 32 }},
          {{ name = "abalone", status = "ours", scaling = "standard", D = 32 }},
        ]
    """,
}

# For made-up records: a set with an official split and d > 100, a narrow one without, a regression; enough repetitions.
JUDGED = {
    **CONFIGS,
    "crhs-table1": CONFIGS["crhs-table1"].replace("processes = 1", "processes = 2"),
    "crhs-fig1": CONFIGS["crhs-fig1"]
    .replace("ionosphere", "dna")
    .replace("[16, 32]", "[16, 32, 64]")
    .replace("repetitions = 2", "repetitions = 6"),
    "crhs-table3": CONFIGS["crhs-table3"]
    .replace(
        '{ name = "ionosphere"', '{ name = "dna", status = "named", scaling = "none", D = 32 },\n{ name = "ionosphere"'
    )
    .replace("repetitions = 2", "repetitions = 6")
    .replace("memory_gb = 0.02", "memory_gb = 1.0"),
}


def scores(accuracy, seconds=lambda method, dataset: 1.0, spread=0.0005):
    """Figure 1 and Tables 3 to 5: ``accuracy(method, D)`` on 10,000 test points; 1 - accuracy is a regression's MSE."""

    def points(cell, rng):
        p = cell.parameters
        task = registry()[cell.dataset].task
        for D in p.get("components", [None]):
            for repetition in p["repetitions"]:
                value = accuracy(p["method"], D) + rng.normal(0.0, spread)
                took = seconds(p["method"], cell.dataset) * np.exp(rng.normal(0.0, 0.01))
                common = {
                    "dataset": cell.dataset,
                    "task": task,
                    "method": p["method"],
                    "D": D,
                    "n_train": registry()[cell.dataset].n_train,
                    "n_test": 10_000,
                    "stage": "test",
                    "repetition": repetition,
                }
                score = {"mse": 1.0 - value, "r2": value} if task == "regression" else {"accuracy": value}
                yield Point(common, {**score, "train_cpu_s": took, "predict_cpu_s": took})

    return points


def complexities(exponents, per_D=None, noise=0.005):
    """Table 1: time ``d^a D^b l^c`` with the exponents of each map, and the numbers it keeps at (d, D)."""
    kept = per_D or {"rks": lambda d, D: D * d + D, "fastfood": lambda d, D: 5 * D, "scrf": lambda d, D: 3 * D}

    def points(cell, rng):
        p = cell.parameters
        at = {key: p[f"at_{key}"] for key in ("d", "D", "l")}
        for sweep in at:
            for value in p[sweep]:
                size = {**at, sweep: value}
                a, b, c = exponents(p["map"])
                took = 1e-6 * size["d"] ** a * size["D"] ** b * size["l"] ** c * np.exp(rng.normal(0.0, noise))
                yield Point(
                    {"map": p["map"], "sweep": sweep, **size, "process": p["process"]},
                    {
                        "map_cpu_s": took,
                        "parameters": kept[p["map"]](size["d"], size["D"]),
                        "held_bytes": 1,
                        "algorithm": "made up",
                    },
                )

    return points
