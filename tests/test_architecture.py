"""The house's own rules: imports run one way, library layers stay libraries, modules stay small and well named."""

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "scrf_bench"

# A layer may import those in its set; everything may import errors, resources and atomic.
ALLOWED = {
    "stats": set(),
    "maps": {"kernels", "stats"},
    "kernels": {"maps", "stats"},
    "learners": {"maps", "kernels", "stats"},
    "datasets": set(),
    "bench": {"stats"},
    "report": {"stats"},
    "experiments": {"report", "bench", "datasets", "learners", "maps", "kernels", "stats"},
    "cli": {"experiments", "report", "bench", "datasets", "learners", "maps", "kernels", "stats"},
}
MODULES = sorted(PACKAGE.rglob("*.py"))


def imported_layers(path: Path) -> set[str]:
    names = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            names.add(node.module or "")
    return {name.split(".")[1] for name in names if name.startswith("scrf_bench.")}


@pytest.mark.parametrize("layer", ALLOWED)
def test_imports_run_one_way(layer):
    for path in (PACKAGE / layer).rglob("*.py"):
        foreign = imported_layers(path) - ALLOWED[layer] - {layer, "errors", "resources", "atomic"}
        assert not foreign, f"{path.relative_to(PACKAGE)} imports {sorted(foreign)}"


def test_every_folder_is_a_known_layer():
    folders = {p.name for p in PACKAGE.iterdir() if p.is_dir() and p.name not in ("__pycache__", "_resources")}
    assert folders == set(ALLOWED)


@pytest.mark.parametrize("layer", ["maps", "kernels", "learners", "stats"])
def test_library_layers_neither_print_nor_open_files(layer):
    for path in (PACKAGE / layer).rglob("*.py"):
        calls = {
            node.func.id
            for node in ast.walk(ast.parse(path.read_text()))
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        }
        assert not calls & {"print", "open"}, f"{path.relative_to(PACKAGE)}"


def test_no_module_is_named_after_nothing_or_grows_without_end():
    for path in MODULES:
        assert path.stem not in {"utils", "util", "helpers", "helper", "misc", "common", "manager"}, path
        assert len(path.read_text().splitlines()) <= 400, f"{path} has grown: split it"
