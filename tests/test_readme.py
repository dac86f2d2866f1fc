"""The README's numbers are those of the committed records, and its plug-in works as printed."""

import csv
import re
from pathlib import Path

import numpy as np

from scrf_bench.experiments import experiment_names
from scrf_bench.experiments.verdicts import declared_claims

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text()


def test_embedded_tables_are_the_committed_ones():
    blocks = re.findall(r"<!-- begin: (\S+) -->\n(.*?)<!-- end -->", README, flags=re.DOTALL)
    assert blocks
    for name, text in blocks:
        assert text.strip() == (ROOT / name).read_text().strip(), f"README.md differs from {name}: paste it anew"


def test_differences_in_the_text_are_those_of_the_committed_table():
    text = re.sub(r"<!-- begin: .*?<!-- end -->", "", README, flags=re.DOTALL)
    differences = re.findall(r"[+-]\d\.\d\d \[[+-]\d\.\d\d, [+-]\d\.\d\d\]", text)
    table = (ROOT / "results/reference/paper/fig3-maps/table.md").read_text()
    assert differences
    for difference in differences:
        assert difference in table, f"README.md says {difference}, which fig3-maps does not: write it anew"


def test_what_we_claim_of_our_maps_stands_where_the_claims_say():
    """Every claim of our own has its place in a section of README, whose table names the experiments that judge it."""
    ours = declared_claims("suite")
    assert {claim.place for claim in ours} == {"README, Two repairs"}
    section = README.partition("### Two repairs\n")[2].partition("\n### ")[0]
    named = set(re.findall(r"\| `([\w-]+)` \|$", section, flags=re.MULTILINE))
    assert named == {name for claim in ours for name in claim.experiments}


def test_every_experiment_is_in_the_table_of_what_there_is():
    table = README.partition("## Using it\n")[2].partition("```")[0]
    named = re.findall(r"^\| `([\w-]+)` \|", table, flags=re.MULTILINE)
    assert sorted(named) == sorted(experiment_names())


def test_what_half_a_block_gains_is_in_the_committed_table():
    table = (ROOT / "results/reference/paper/variance/table-pair.csv").read_text().splitlines()
    shown = {row["place"]: float(row["random"]) for row in csv.DictReader(table) if row["map"] == "OCRF"}
    found = re.search(r"squared error is (\S+) of RKS's .*? with eight times as many it is (\S+)\s", README, re.DOTALL)
    assert found is not None
    assert found.groups() == (f"{shown['d = 64, 1 block']:.2f}", f"{shown['d = 64, 8 blocks']:.2f}")


def test_pictures_and_links_lead_somewhere():
    for target in re.findall(r"\]\(([^)#]+)\)", README):
        assert (ROOT / target).exists(), f"README.md links to {target}, which is not there"


def test_the_printed_plug_in_is_a_map(monkeypatch):
    from scrf_bench.maps import MAPS, registry

    code = next(
        block for block in re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL) if "register_map" in block
    )
    known = [name for name in dir(registry) if isinstance(getattr(registry, name), dict)]
    for name in known:
        monkeypatch.setattr(registry, name, dict(getattr(registry, name)))
    namespace = {"__name__": "readme_plugin"}
    exec(compile(code, "README.md", "exec"), namespace)
    X = np.random.default_rng(0).standard_normal((40, 7))
    feature_map = namespace["Orthogonal"](n_components=20_000, gamma=0.05, embedding="pair", random_state=0)
    Phi = feature_map.fit_transform(X)
    exact = np.exp(-0.05 * ((X[:, None] - X[None]) ** 2).sum(-1))
    # Every entry averages 10,000 cosines of variance below 1/2, RKS's own: six standard deviations are 0.0425.
    assert np.abs(Phi @ Phi.T - exact).max() < 6 * np.sqrt(0.5 / 10_000)
    assert "orthogonal" not in MAPS
