"""The README's numbers are those of the committed records, and its plug-in works as printed."""

import re
from pathlib import Path

import numpy as np

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
