"""The strict LIBSVM reader: what it accepts, what it refuses in which words, agreement with another one."""

import io
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_svmlight_file

from scrf_bench.datasets import parse_libsvm
from scrf_bench.datasets import parser as parser_module
from scrf_bench.errors import ParseError


def dense(text, n_features=3):
    parsed = parse_libsvm(text, n_features=n_features)
    return parsed.X.toarray().tolist(), parsed.y.tolist()


@pytest.mark.parametrize(
    ("text", "rows", "labels"),
    [
        (b"1 1:2 3:4\n", [[2, 0, 4]], [1]),
        (b"+1 1:2 \n-1.0 2:3 \n", [[2, 0, 0], [0, 3, 0]], [1, -1]),
        (b"1 1:1.500000e+00 2:-2.5E-1 3:.5\n", [[1.5, -0.25, 0.5]], [1]),
        (b"1 1:0 2:0.0 3:7\n", [[0, 0, 7]], [1]),
        (b"1 1:2\r\n2 2:3\r\n", [[2, 0, 0], [0, 3, 0]], [1, 2]),
        (b"1 1:2\n2 2:3", [[2, 0, 0], [0, 3, 0]], [1, 2]),
        (b"1\n2\n", [[0, 0, 0], [0, 0, 0]], [1, 2]),
        (b"  1\t1:2\t\t2:3\t\n", [[2, 3, 0]], [1]),
        (b"3. 01:2\n", [[2, 0, 0]], [3]),
    ],
    ids=["plain", "signs", "exponents", "zeros", "crlf", "no-final-newline", "labels", "tabs", "odd-forms"],
)
def test_accepts_the_habits_of_real_files(text, rows, labels):
    assert dense(text) == (rows, labels)


@pytest.mark.parametrize(
    ("line", "token", "reason"),
    [
        (b"1 0:2", "0:2", "the index is below 1 (the format counts from 1)"),
        (b"1 -1:2", "-1:2", "the index is below 1"),
        (b"1 4:2", "4:2", "the index is beyond the data's width 3"),
        (b"1 99999999999999999999:2", "99999999999999999999:2", "the index is beyond the data's width 3"),
        (b"1 2:1 2:3", "2:3", "the index 2 is repeated"),
        (b"1 2:1 1:3", "1:3", "the index 1 stands after 2; indices must ascend"),
        (b"1 a:3", "a:3", "the index 'a' is not a whole number"),
        (b"1 1.0:3", "1.0:3", "the index '1.0' is not a whole number"),
        (b"1 1:nan", "1:nan", "the value is not finite"),
        (b"1 1:-Inf", "1:-Inf", "the value is not finite"),
        (b"1 1:1e999", "1:1e999", "the value is not finite"),
        (b"1 1:2x", "1:2x", "the value '2x' is not a number"),
        (b"1 1:", "1:", "the value is missing"),
        (b"1 1:2:3", "1:2:3", "the value '2:3' is not a number"),
        (b"1 1:1_0", "1:1_0", "the value '1_0' is not a number"),
        (b"1 1:0x10", "1:0x10", "the value '0x10' is not a number"),
        (b"1 5", "5", "not of the form index:value"),
        (b"1 1 :5", "1", "not of the form index:value"),
        (b"1 1:5 # a remark", "#", "comments are not part of the format"),
        (b"1 qid:3 1:5", "qid:3", "the index 'qid' is not a whole number"),
        (b"nan 1:5", "nan", "the label is not finite"),
        (b"1,2 1:5", "1,2", "the label '1,2' is not a number"),
        (b"one 1:5", "one", "the label 'one' is not a number"),
        (b"1:5 2:3", "1:5", "the label '1:5' is not a number"),
        (b"1 1:\xff\xfe", "1:\\xff\\xfe", "the value '\\xff\\xfe' is not a number"),
        (b"\x00\x01\x02", "\\x00\\x01\\x02", "the label '\\x00\\x01\\x02' is not a number"),
        ("1 1:5\u00a0".encode(), "1:5\\xc2\\xa0", "the value '5\\xc2\\xa0' is not a number"),
        (b"1 1:5\x0c2:3", "2:3", "control characters or a line end within the line"),
    ],
)
def test_refuses_and_names_file_line_token_reason_and_remedy(line, token, reason):
    with pytest.raises(ParseError) as caught:
        parse_libsvm(b"1 1:1\n2 2:2 \n" + line + b"\n1 1:1\n", n_features=3, name="some.t")
    remedy = "correct the file, or get it afresh."
    assert str(caught.value) == f"some.t:3: token '{token}': {reason}; {remedy}"


def test_an_empty_line_is_refused_with_its_number():
    with pytest.raises(ParseError, match=r"^f:2: the line is empty"):
        parse_libsvm(b"1 1:1\n\n1 1:1\n", n_features=3, name="f")


@pytest.mark.parametrize("text", [b"", b"\n", b" \r\n\t\n"])
def test_an_empty_file_is_refused(text):
    with pytest.raises(ParseError, match="f: the file holds no data"):
        parse_libsvm(text, n_features=3, name="f")


def test_the_first_offence_of_the_text_is_named_whatever_its_kind():
    text = b"1 1:1\n1 2:1 1:1\n1 x\nnan\n"
    with pytest.raises(ParseError, match=r"f:3: token 'x'"):
        parse_libsvm(text, n_features=3, name="f")
    with pytest.raises(ParseError, match=r"f:2: token '1:1'"):
        parse_libsvm(text[:16], n_features=3, name="f")


def test_width_without_a_registry_is_the_largest_index():
    assert parse_libsvm(b"1 1:1\n1 7:0\n").X.shape == (2, 7)
    with pytest.raises(ParseError, match="no line holds a feature"):
        parse_libsvm(b"1\n2\n")
    with pytest.raises(ParseError, match="beyond the data's width 2,147,483,647"):
        parse_libsvm(b"1 100000000000:1\n")


def test_long_tokens_are_cut_in_the_message():
    with pytest.raises(ParseError) as caught:
        parse_libsvm(b"1 1:" + b"9" * 10_000 + b"x\n", n_features=3)
    assert len(str(caught.value)) < 250


def test_line_numbers_and_content_hold_across_blocks(monkeypatch):
    text = b"".join(b"%d 1:%d 3:%d\n" % (i % 5, i, i * i) for i in range(500))
    whole = parse_libsvm(text, n_features=3)
    monkeypatch.setattr(parser_module, "_BLOCK_BYTES", 37)
    pieces = parse_libsvm(text, n_features=3)
    assert np.array_equal(whole.X.toarray(), pieces.X.toarray())
    assert np.array_equal(whole.y, pieces.y)
    with pytest.raises(ParseError, match=r":501: token"):
        parse_libsvm(text + b"1 0:1\n", n_features=3)


numbers = st.floats(allow_nan=False, allow_infinity=False).map(lambda v: v if v != 0 else 0.0)
formats = st.sampled_from(["{!r}", "{:.17e}", "{:+.17g}"])


@st.composite
def files(draw, width=12):
    """Rows of (label, {index: value}) and a text that spells them in one of the ways real files do."""
    rows, lines = [], []
    for _ in range(draw(st.integers(1, 8))):
        label = draw(st.integers(-3, 20))
        features = draw(st.dictionaries(st.integers(1, width), numbers, max_size=width))
        rows.append((label, features))
        spelled = [f"{i}:{draw(formats).format(v)}" for i, v in sorted(features.items())]
        sign = "+" if label > 0 and draw(st.booleans()) else ""
        lines.append(" ".join([f"{sign}{label}", *spelled]) + draw(st.sampled_from(["", " "])))
    newline = draw(st.sampled_from(["\n", "\r\n"]))
    return rows, (newline.join(lines) + draw(st.sampled_from(["", newline]))).encode()


@given(files())
@settings(max_examples=200, deadline=None)
def test_a_round_trip_gives_every_value_back_to_the_bit(case):
    rows, text = case
    parsed = parse_libsvm(text, n_features=12)
    expected = np.zeros((len(rows), 12))
    for row, (_, features) in enumerate(rows):
        for index, value in features.items():
            expected[row, index - 1] = value
    assert np.array_equal(parsed.X.toarray(), expected)
    assert parsed.y.tolist() == [label for label, _ in rows]


@given(files())
@settings(max_examples=100, deadline=None)
def test_agrees_with_scikit_learns_reader(case):
    _, text = case
    parsed = parse_libsvm(text, n_features=12)
    X, y = load_svmlight_file(io.BytesIO(text), n_features=12, zero_based=False)
    assert np.array_equal(parsed.X.toarray(), X.toarray())
    assert np.array_equal(parsed.y, y)


@given(st.binary(max_size=60))
@settings(max_examples=300, deadline=None)
def test_arbitrary_bytes_parse_or_raise_a_parse_error(junk):
    try:
        parsed = parse_libsvm(b"1 1:1\n" + junk, n_features=5)
    except ParseError:
        return
    assert parsed.X.has_sorted_indices
    assert np.isfinite(parsed.X.data).all()
    assert np.isfinite(parsed.y).all()


@given(st.text(alphabet="0123456789:+-.eE \n", max_size=40))
@settings(max_examples=300, deadline=None)
def test_what_is_accepted_is_what_python_reads_in_it(text):
    try:
        parsed = parse_libsvm(text.encode(), n_features=9)
    except ParseError:
        return
    lines = text.split("\n")
    lines = lines[:-1] if not lines[-1] else lines
    assert parsed.X.shape[0] == len(lines)
    for row, line in enumerate(lines):
        label, *tokens = line.split()
        assert float(label) == parsed.y[row]
        pairs = [(int(i), float(v)) for i, v in (t.split(":") for t in tokens)]
        got = parsed.X[[row]]
        assert pairs == [(int(i) + 1, float(v)) for i, v in zip(got.indices, got.data, strict=True)]
        assert all(math.isfinite(v) for _, v in pairs)
