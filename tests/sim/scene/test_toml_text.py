"""TOML text: values and paths of overrides, and writing."""

import math
import tomllib

import numpy as np
import pytest

from sim.scene.toml_text import dump_toml, parse_value, split_path


def test_written_toml_reads_back_equal(rng):
    data = {
        "name": 'quote " back \\ tab \t line \n del \x7f nul \x00 日本 \U0001f600',
        "odd key.with dot": 1,
        "list": [1, 2.5, -1e-300, 1e300, math.inf, -math.inf, True, "x", [], {}, {"a b": [0.1]}],
        "workpiece": {"outline": {"vertices": rng.normal(size=(5, 2)).tolist(), "deep": {"n": -0.0}}, "empty": {}},
        "obstacle": [{"name": "a", "load": [{"force": [1, 2]}, {"torque": 3}]}, {"name": "b"}],
        "none": [],
    }
    text = dump_toml(data, "# comment\n")
    assert text.startswith("# comment\n") and tomllib.loads(text) == data
    assert math.isnan(tomllib.loads(dump_toml({"x": math.nan}))["x"])


def test_values_and_paths_of_overrides():
    assert parse_value("0.2") == 0.2 and parse_value("3") == 3 and parse_value("[1, 2]") == [1, 2]
    assert parse_value("stick") == "stick" and parse_value("'stick'") == "stick" and parse_value("20 deg") == "20 deg"
    assert parse_value(0.5) == 0.5 and parse_value("true") is True and parse_value("1\nx = 2") == "1\nx = 2"
    assert split_path('obstacle."a.b".mu') == ["obstacle", "a.b", "mu"]


@pytest.mark.parametrize("value, plain", [
    (np.float64(0.1), 0.1), (np.int64(2), 2), (np.float32(0.5), 0.5), (np.array([1.0, 2.0]), [1.0, 2.0]), (3, 3),
])
def test_numbers_of_numpy_become_plain(value, plain):
    read = parse_value(value)
    assert read == plain and type(read) is type(plain)
    assert tomllib.loads(dump_toml({"a": read}))["a"] == plain


def test_a_float_of_numpy_is_written_as_a_number():
    assert dump_toml({"a": np.float64(0.1)}) == "a = 0.1\n"
