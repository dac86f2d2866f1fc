"""What travels: the wheel without the source tree, the README's commands, and the Makefile's two targets."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from scrf_bench.experiments import experiment_names
from scrf_bench.maps import MAPS
from tests.experiments.tiny_study import run_cli

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text()
MAKEFILE = (ROOT / "Makefile").read_text()
PYTHON_BLOCKS = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
TARGETS = re.findall(r"^([a-z][a-z-]*):.*##", MAKEFILE, re.MULTILINE)


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """The wheel, built without the network from a copy of the sources, unpacked in a folder of its own."""
    folder = tmp_path_factory.mktemp("wheel")
    source, target = folder / "source", folder / "target"
    # Not from the tree itself: an editable install must not help, and other files must not travel by accident.
    for name in ("scrf_bench", "configs", "data"):
        shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source / name)
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--no-input", "--quiet"]
    offline = ["--no-deps", "--no-index"]
    subprocess.run([*pip, "wheel", *offline, "--no-build-isolation", "-w", folder, source], check=True, cwd=folder)
    (wheel,) = folder.glob("scrf_bench-*.whl")
    assert wheel.stat().st_size < 4e6, "the embedded sets take under 2 MB, and nothing else is large"
    subprocess.run([*pip, "install", *offline, "--target", target, wheel], check=True, cwd=folder)
    return target


def from_wheel(installed, folder, *command):
    """Run Python with the unpacked wheel first on its path and the source tree nowhere near."""
    environ = {**os.environ, "PYTHONPATH": str(installed), "PYTHONSAFEPATH": "1", "SCRF_BENCH_OFFLINE": "1"}
    return subprocess.run(
        [sys.executable, *command], cwd=folder, env=environ, capture_output=True, text=True, check=True
    ).stdout


def test_the_wheel_carries_configs_data_and_reported_figures(installed, tmp_path):
    code = (
        "import scrf_bench\n"
        "from scrf_bench.resources import resource_path\n"
        "from scrf_bench.datasets import load, registry\n"
        "from scrf_bench.experiments.tuning import Tuning\n"
        "from scrf_bench.report import reported_figures\n"
        "print(scrf_bench.__file__)\n"
        "print(*(resource_path(name) for name in ('configs', 'data/embedded', 'data/reported.csv')))\n"
        "data = load('dna')\n"
        "print(data.X_train.shape, data.X_test.shape, Tuning()['dna'].folds, len(reported_figures()) > 100)\n"
        "print(*(load(s.name).name for s in registry().values() if s.embedded and s.task == 'binary'))\n"
    )
    where, resources, shapes, loaded = from_wheel(installed, tmp_path, "-c", code).splitlines()
    assert Path(where).is_relative_to(installed)
    for path in resources.split():
        assert Path(path).is_relative_to(installed / "scrf_bench" / "_resources")
    assert shapes == "(2000, 180) (1186, 180) 5 True"
    assert "splice" in loaded.split()


def test_the_wheels_command_lists_and_plans(installed, tmp_path):
    names = from_wheel(installed, tmp_path, "-m", "scrf_bench", "list")
    assert [line.split()[0] for line in names.splitlines()][:5] == ["fig1", "table1", "fig2", "fig3", "table2"]
    plan = from_wheel(installed, tmp_path, "-m", "scrf_bench", "run", "table2", "--dry-run")
    assert "dna exact LIBSVM" in plan
    assert sorted(path.name for path in (installed / "bin").iterdir()) == ["scrf-bench"]


def test_the_wheel_has_nothing_that_belongs_to_the_project_only(installed):
    top = {path.name for path in installed.iterdir()} - {"bin"}
    assert {name for name in top if not name.endswith(".dist-info")} == {"scrf_bench"}
    assert (installed / "scrf_bench" / "py.typed").exists()
    configs = installed / "scrf_bench" / "_resources" / "configs"
    assert {p.relative_to(configs) for p in configs.rglob("*.toml")} == {
        p.relative_to(ROOT / "configs") for p in (ROOT / "configs").rglob("*.toml")
    }


def readme_commands():
    """Return the README's scrf-bench commands, comments and line continuations taken off."""
    blocks = re.findall(r"```sh\n(.*?)```", README, re.DOTALL)
    lines = "\n".join(blocks).replace("\\\n", " ").splitlines()
    return [shlex.split(line, comments=True)[1:] for line in lines if line.strip().startswith(".venv/bin/scrf-bench")]


@pytest.mark.parametrize("words", readme_commands(), ids=" ".join)
def test_a_command_of_the_readme_parses(words, tmp_path, monkeypatch):
    """Runs plan only; of the others the command and its options must be known."""
    if words[0] == "run":
        if "--plugin" in words:
            monkeypatch.chdir(tmp_path)
            monkeypatch.setattr("scrf_bench.maps.registry.MAPS", dict(MAPS))
            (plugin,) = [block for block in PYTHON_BLOCKS if "@register_map" in block]
            (tmp_path / words[words.index("--plugin") + 1]).write_text(plugin)
        result = run_cli(*words, "--dry-run", "--results", tmp_path)
        assert result.exit_code == 0, result.output
        assert result.stdout
        return
    command = words[:2] if words[0] == "data" else words[:1]
    text = run_cli(*command, "--help")
    assert text.exit_code == 0, text.output
    for option in [word for word in words if word.startswith("--")]:
        assert option.partition("=")[0] in text.stdout
    # --help after the words: click still refuses an option that is not there, or a value that cannot be.
    assert run_cli(*words, "--help").exit_code == 0


def test_the_readme_names_both_targets():
    assert readme_commands(), "the README shows no command"
    assert "make reproduce" in README
    assert "make test" in README


def make(*arguments, **environ):
    # The tests may run under `make test` themselves: nothing of that call is for these.
    outer = {"MAKEFLAGS", "MAKEOVERRIDES", "MFLAGS", "MAKELEVEL", "PYTHON", "VENV", "JOBS", "PROFILE", "EXPERIMENTS"}
    kept = {name: value for name, value in os.environ.items() if name not in outer}
    return subprocess.run(
        [shutil.which("make"), "--no-print-directory", *map(str, arguments)],
        cwd=ROOT,
        env={**kept, **environ},
        capture_output=True,
        text=True,
        check=False,
    )


needs_make = pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")


@needs_make
@pytest.mark.parametrize("arguments", [(), ("help",)])
def test_make_without_a_target_lists_them_all(arguments):
    done = make(*arguments)
    assert done.returncode == 0
    assert [line.split()[0] for line in done.stdout.splitlines()] == TARGETS
    assert {"help", "setup", "reproduce", "reproduce-all", "test", "lint", "clean"} <= set(TARGETS)


@needs_make
@pytest.mark.parametrize("target", TARGETS)
def test_every_target_is_phony_and_can_be_planned(target, tmp_path):
    assert re.search(rf"^\.PHONY:.*\b{target}\b", MAKEFILE, re.MULTILINE)
    assert make("--dry-run", target, f"VENV={tmp_path}/venv").returncode == 0


@needs_make
def test_reproduce_all_is_reproduce_with_every_experiment(tmp_path):
    some, every = (make("--dry-run", name, f"VENV={tmp_path}/venv").stdout for name in ("reproduce", "reproduce-all"))
    named = re.search(r"scrf-bench run (.*?) --profile quick", some).group(1)
    assert set(named.split()) < set(experiment_names())
    assert every == some.replace(named, "--all")
    assert "scrf-bench run --all --profile quick" in every


@pytest.fixture
def tools(tmp_path):
    """A folder of links to what a bare system has, without any C++ compiler."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in ("bash", "sh", "env", "uname", "touch", "rm", "grep", "sed", "expand"):
        if path := shutil.which(name):
            (folder / name).symlink_to(path)
    # A wrapper, not a link: a virtual environment's interpreter finds its home by its own path.
    (folder / "python3").write_text(f'#!{shutil.which("sh")}\nexec "{sys.executable}" "$@"\n')
    (folder / "python3").chmod(0o755)
    return folder


@needs_make
@pytest.mark.parametrize("target", ["setup", "reproduce", "reproduce-all", "test", "check", "lint"])
def test_without_a_compiler_every_target_says_what_to_install(target, tools, tmp_path):
    done = make(target, f"VENV={tmp_path}/venv", f"SHELL={tools}/bash", PATH=str(tools))
    assert done.returncode == 2
    assert "There is no C++ compiler" in done.stderr
    assert "apt-get install g++" in done.stderr
    assert not (tmp_path / "venv").exists()
    assert "Traceback" not in done.stderr


@needs_make
def test_an_old_or_missing_python_is_named(tools, tmp_path):
    (tools / "old").write_text(
        f'#!{tools}/sh\nif [ "$1" = -V ]; then echo "Python 3.9.2"; else exit 1; fi\n'
    )  # fmt: skip
    (tools / "old").chmod(0o755)
    old = make("setup", f"VENV={tmp_path}/venv", f"SHELL={tools}/bash", "PYTHON=old", PATH=str(tools))
    assert old.returncode == 2
    assert "old is Python 3.9.2, but Python 3.11 or newer is needed" in old.stderr
    missing = make("setup", f"VENV={tmp_path}/venv", f"SHELL={tools}/bash", "PYTHON=nopython", PATH=str(tools))
    assert missing.returncode == 2
    assert "There is no 'nopython'" in missing.stderr
