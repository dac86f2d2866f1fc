"""The maps' loops are compiled before the first cell, once, and the time it took is kept for `info`."""

import json

import pytest

from scrf_bench.experiments import compilation
from scrf_bench.experiments.compilation import compile_loops, last_compilation
from scrf_bench.maps.compiled import jit
from tests.experiments.tiny_study import run_cli


@pytest.fixture
def machine(monkeypatch, tmp_path):
    """A machine whose loops are as told, with a compiler that takes 12.5 seconds by its own account."""
    state = {"kernels": {"a.f": 0, "b.g": 2}, "folder": "/somewhere", "calls": 0, "stamp": "one"}

    def status():
        return jit.CompileStatus(state["folder"], dict(state["kernels"]), 1000, "0.68", "20", "znver4")

    def compile_all():
        state["calls"] += 1
        state["kernels"]["a.f"] = 2
        return 12.5

    monkeypatch.setattr(jit, "compile_status", status)
    monkeypatch.setattr(jit, "compile_all", compile_all)
    monkeypatch.setattr(jit, "source_stamp", lambda: state["stamp"])
    monkeypatch.setattr(compilation, "_path", lambda: tmp_path / "compiled.json")
    return state


def test_it_compiles_once_and_says_so(machine):
    said = []
    assert last_compilation() is None
    assert compile_loops(said.append) == 12.5
    assert len(said) == 1
    assert last_compilation() == 12.5
    assert compile_loops(said.append) is None
    assert (machine["calls"], len(said)) == (1, 1)


def test_new_sources_and_lost_files_are_compiled_again(machine):
    compile_loops()
    machine["stamp"] = "two"
    assert last_compilation() is None, "that was another version's time"
    compile_loops()
    machine["kernels"] = {"a.f": 0, "b.g": 0}
    compile_loops()
    assert machine["calls"] == 3


def test_loading_is_not_taken_for_compiling(machine):
    """Loops that another process compiled: nothing is known of how long that took."""
    machine["kernels"]["a.f"] = 2
    assert compile_loops() == 12.5
    assert last_compilation() is None


def test_where_nothing_can_be_kept_every_process_compiles_for_itself(machine):
    machine["folder"] = ""
    assert compile_loops() is None
    assert machine["calls"] == 0


@pytest.mark.parametrize("text", ["", "{", "[1]", '{"stamp": "one", "seconds": "long"}'])
def test_a_damaged_note_is_no_note(machine, tmp_path, text):
    (tmp_path / "compiled.json").write_text(text)
    assert last_compilation() is None
    compile_loops()
    assert last_compilation() == 12.5


def test_info_tells_what_is_compiled(machine):
    compile_loops()
    described = json.loads(run_cli("info", "--json").stdout)
    assert described["compiled_in"] == "/somewhere"
    assert described["compiled_kernels"] == {"a.f": 2, "b.g": 2}
    assert described["compile_seconds"] == 12.5
    assert described["not_compiled_yet"] == []
    machine["kernels"]["c.h"] = 0
    text = run_cli("info").stdout
    assert "2 of 3 kernels" in text
    assert "c.h" in text
