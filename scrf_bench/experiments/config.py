"""Configs: one TOML file an experiment, both profiles inside, validated with the key's path in the message."""

from __future__ import annotations

import dataclasses
import math
import tomllib
import types
from pathlib import Path
from typing import Any, Literal, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from scrf_bench.errors import ConfigError, did_you_mean
from scrf_bench.resources import resource_path

T = TypeVar("T")


def config_file(name: str, configs: Path | None = None) -> Path:
    """Return the file of a config: the user's under `configs` when it is there, the packaged one otherwise."""
    if configs is not None:
        if not configs.is_dir():
            msg = f"--configs {configs}: there is no such folder; create it or leave the option out."
            raise ConfigError(msg)
        own = configs / f"{name}.toml"
        if own.exists():
            return own
    return resource_path("configs") / f"{name}.toml"


def read_toml(path: Path) -> dict[str, Any]:
    """Read a TOML file; a syntax error names the file and the place in it."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        msg = f"There is no config file {path}."
        raise ConfigError(msg) from error
    except OSError as error:
        msg = f"Cannot read the config file {path}: {error.strerror or error}."
        raise ConfigError(msg) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        msg = f"{path}: not valid TOML: {error}."
        raise ConfigError(msg) from error


def load_config(name: str, profile: str, config_type: type[T], configs: Path | None = None) -> T:
    """Load one profile of an experiment's config as the frozen dataclass that the experiment declares.

    Raises
    ------
    ConfigError
        With the file and the key's path, for a missing profile, an unknown or missing key, or a wrong type.
    """
    path = config_file(name, configs)
    content = read_toml(path)
    if profile not in content:
        msg = f"{path}: there is no profile [{profile}]; it has {', '.join(sorted(content)) or 'none'}."
        raise ConfigError(msg)
    return _build(config_type, content[profile], f"{path}: {profile}")


def _build(kind: type[T], table: object, where: str) -> T:
    if not isinstance(table, dict):
        msg = f"{where}: expected a table, got {table!r}."
        raise ConfigError(msg)
    hints = get_type_hints(kind)
    fields = {f.name: f for f in dataclasses.fields(cast("Any", kind))}
    for key in table:
        if key not in fields:
            hint = did_you_mean(key, fields) or f" Known keys: {', '.join(fields)}."
            msg = f"{where}.{key}: unknown key.{hint}"
            raise ConfigError(msg)
    values = {}
    for key, declared in fields.items():
        if key in table:
            values[key] = _convert(hints[key], table[key], f"{where}.{key}")
        elif declared.default is dataclasses.MISSING and declared.default_factory is dataclasses.MISSING:
            msg = f"{where}.{key}: the key is missing."
            raise ConfigError(msg)
    try:
        return kind(**values)
    except ValueError as error:
        msg = f"{where}: {error}"
        raise ConfigError(msg) from error


def _convert(kind: Any, value: object, where: str) -> Any:
    origin = get_origin(kind)
    if origin is Literal:
        if value not in get_args(kind):
            msg = f"{where}: {value!r} is not one of {', '.join(get_args(kind))}."
            raise ConfigError(msg)
        return value
    if origin in (Union, types.UnionType):
        return _convert(next(a for a in get_args(kind) if a is not type(None)), value, where)
    if origin in (tuple, dict):
        return _collection(kind, value, where)
    if dataclasses.is_dataclass(kind):
        return _build(cast("type[Any]", kind), value, where)
    if kind is float and isinstance(value, (int, float)) and not isinstance(value, bool):
        return _checked_float(float(value), where)
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        msg = f"{where}: expected {kind.__name__}, got {value!r}."
        raise ConfigError(msg)
    if kind is int:
        return _checked_int(cast("int", value), where)
    return value


def _collection(kind: Any, value: object, where: str) -> Any:
    if get_origin(kind) is dict:
        if not isinstance(value, dict):
            msg = f"{where}: expected a table, got {value!r}."
            raise ConfigError(msg)
        return {key: _convert(get_args(kind)[1], item, f"{where}.{key}") for key, item in value.items()}
    if not isinstance(value, list):
        msg = f"{where}: expected a list, got {value!r}."
        raise ConfigError(msg)
    if not value:
        msg = f"{where}: the list is empty; give at least one value."
        raise ConfigError(msg)
    return tuple(_convert(get_args(kind)[0], item, f"{where}[{i}]") for i, item in enumerate(value))


def _checked_int(value: int, where: str) -> int:
    # Every count, size and limit of a config is at least 1; only a seed may be 0. Seeds of repetitions are built on
    # the config's, and all of them must fit the 32 bits that NumPy's RandomState takes.
    least = 0 if where.endswith(".seed") else 1
    if not least <= value < 2**31:
        msg = f"{where}: {value} is out of range; it must be at least {least} and below 2^31."
        raise ConfigError(msg)
    return value


def _checked_float(value: float, where: str) -> float:
    key = where.rpartition(".")[2]
    signed = key == "bias" or key.startswith("log2_")
    if not math.isfinite(value) or (value <= 0 and not signed):
        msg = f"{where}: {value} is out of range; give a finite number{'' if signed else ' above 0'}."
        raise ConfigError(msg)
    return value
