"""One small run that the commands which read records share."""

import pytest

from tests.experiments.tiny_study import run_cli, write_configs


@pytest.fixture(scope="module")
def configs(tmp_path_factory):
    return write_configs(tmp_path_factory.mktemp("configs"))


@pytest.fixture(scope="module")
def ran(tmp_path_factory, configs):
    """The results folder after ``run fig1 --maps rks``: two cells, both ok."""
    results = tmp_path_factory.mktemp("results")
    result = run_cli("run", "fig1", "--maps", "rks", "--configs", configs, "--results", results)
    assert result.exit_code == 0, result.output
    return results
