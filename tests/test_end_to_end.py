"""The whole, from a shell: killed, interrupted, twice at once; nothing is lost, doubled, or measured differently."""

import json
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from contextlib import contextmanager

import pytest

from tests.experiments.tiny_study import CONFIGS, write_configs

PATIENCE_S = 240.0
CELLS = 5


@pytest.fixture(scope="module")
def configs(tmp_path_factory):
    """Table 2 on ionosphere at one seed: exact LIBSVM, the control, and three maps."""
    text = CONFIGS["table2"].replace('["scrf"]', '["rks", "fastfood", "scrf"]').replace("seeds = 2", "seeds = 1")
    return write_configs(tmp_path_factory.mktemp("configs"), table2=text)


@contextmanager
def started(configs, results):
    """A run as from a shell; killed if the test leaves it behind."""
    command = [sys.executable, "-m", "scrf_bench", "run", "table2", "--configs", configs, "--results", results]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


def run(configs, results):
    with started(configs, results) as process:
        output, words = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0, words
    return output, words


def records(results):
    return [json.loads(path.read_text()) for path in sorted((results / "quick" / "table2" / "records").glob("*.json"))]


def timeless(results):
    """Everything that was measured but times and memory, by cell; every cell must have exactly one record, ok."""
    found = records(results)
    assert {record["status"] for record in found} == {"ok"}
    assert Counter(Counter(record["cell"]["id"] for record in found).values()) == {1: CELLS}
    assert {record["attempt"] for record in found} == {1}
    return {
        record["cell"]["id"]: [
            (point["parameters"], {k: v for k, v in point["metrics"].items() if not k.endswith("_s")})
            for point in record["points"]
        ]
        for record in found
    }


def wait_until(condition, process):
    """Wait for something that must come about while the process runs; tell whether it did before the end."""
    deadline = time.monotonic() + PATIENCE_S
    while not condition():
        if process.poll() is not None:
            return False
        assert time.monotonic() < deadline, "it never came about"
        time.sleep(0.01)
    return True


@pytest.fixture(scope="module")
def undisturbed(configs, tmp_path_factory):
    results = tmp_path_factory.mktemp("undisturbed")
    output, _ = run(configs, results)
    assert "exact LIBSVM" in output
    return timeless(results)


def test_killed_three_times_and_restarted_it_gives_the_same(configs, undisturbed, tmp_path):
    """SIGKILL at three moments drawn with a fixed seed while a cell runs: the metrics are those of an undisturbed run.

    No finished cell runs again: each cell has one record at the end, and its first attempt, and a record that was
    there before a restart is the same file after it.
    """
    work, moments = tmp_path / "quick" / "table2" / ".work", random.Random(2015)
    kills, kept = 0, {}
    for _ in range(3):
        with started(configs, tmp_path) as process:
            before = len(records(tmp_path))
            wait_until(lambda: any(work.glob("*/cell.json")), process)
            # In turn in the first cell and in a later one, so that a restart finds something done.
            if kills:
                wait_until(lambda before=before: len(records(tmp_path)) > before, process)
            time.sleep(moments.uniform(0.0, 1.5))
            kills += process.poll() is None
            process.kill()
            process.wait()
        for path in (tmp_path / "quick" / "table2" / "records").glob("*.json"):
            content = path.read_bytes()
            assert kept.setdefault(path.name, content) == content
    assert kills >= 2, "it was over before it could be killed twice"
    assert 0 < len(kept) < CELLS or kills < 3
    _, words = run(configs, tmp_path)
    assert f"{CELLS} cells: {CELLS} ok ({len(kept)} done before)" in words
    assert timeless(tmp_path) == undisturbed
    for name, content in kept.items():
        assert (tmp_path / "quick" / "table2" / "records" / name).read_bytes() == content


def test_two_runs_at_once_share_the_work(configs, undisturbed, tmp_path):
    """Both end with 0 and the whole table; every cell was run by one of them."""
    with started(configs, tmp_path) as one, started(configs, tmp_path) as two:
        said = [process.communicate(timeout=PATIENCE_S) for process in (one, two)]
    assert (one.returncode, two.returncode) == (0, 0), said
    assert timeless(tmp_path) == undisturbed
    # The notes tell the day, so compare the part that both must have: the table itself.
    tables = [output.split("Accuracy:")[0] for output, _ in said]
    assert tables[0] == tables[1]


def test_ctrl_c_ends_with_130_and_says_how_to_go_on(configs, tmp_path):
    with started(configs, tmp_path) as process:
        assert wait_until(lambda: len(records(tmp_path)) >= 1, process)
        process.send_signal(signal.SIGINT)
        _, words = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 130
    done = records(tmp_path)
    assert 1 <= len(done) < CELLS
    assert {record["status"] for record in done} == {"ok"}
    assert f"Interrupted with {len(done)} of {CELLS} cells done, all of them stored" in words
    assert "run the same command again to go on" in words
    assert "Traceback" not in words
