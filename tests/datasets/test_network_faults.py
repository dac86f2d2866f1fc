"""Whatever a server does, a fetch ends in a sound cached file, or in one clear message and none at all."""

import bz2
import hashlib
import logging
import os
import socket
import subprocess
import sys
import threading
import time
from multiprocessing import get_context

import pytest

from scrf_bench.datasets import DatasetUnavailableError, DataSources
from scrf_bench.datasets import download as download_module
from scrf_bench.datasets.acquire import acquire
from scrf_bench.datasets.inventory import local_status
from scrf_bench.errors import DataError

from .conftest import TEXT, give, toy_file, toy_spec

HTML = b"<!DOCTYPE html>\n<html><body>Please log in</body></html>\n"


def get(spec, sources):
    return acquire(spec, spec.files[0], sources)


def refusal(spec, sources):
    """Return the message of a fetch that must fail, having checked that the cache holds nothing of it."""
    with pytest.raises(DatasetUnavailableError) as caught:
        get(spec, sources)
    left = {p.name for p in sources.raw_folder.glob("*")} if sources.raw_folder.exists() else set()
    assert left <= {f"{spec.files[0].name}.lock"}, "a fault left something in the cache"
    assert caught.value.exit_code == 2
    message = str(caught.value)
    assert spec.files[0].name in message
    assert "To mend this, name a mirror that holds 'toy.bz2'" in message
    return message


def test_a_file_is_downloaded_verified_and_then_taken_from_the_cache(server, from_server, packed):
    server.answers["/toy.bz2"] = give(packed)
    first = get(toy_spec(), from_server)
    assert first.path == from_server.raw_folder / "toy.bz2"
    assert first.origin == f"mirror {server.url}/toy.bz2"
    assert first.path.read_bytes() == packed
    second = get(toy_spec(), from_server)
    assert second.origin == f"cache {first.path}"
    assert server.hits["/toy.bz2"] == 1
    assert not list(from_server.raw_folder.glob("*.part"))


def test_404(server, from_server):
    message = refusal(toy_spec(), from_server)
    assert f"mirror {server.url}/toy.bz2: HTTP 404 Not Found\n" in message
    assert server.hits["/toy.bz2"] == 1, "what is not there is not asked for again"


@pytest.mark.parametrize("body", [HTML, b"  \n<html>", b"\xef\xbb\xbf<?xml version='1.0'?><html/>"])
def test_an_html_page_in_place_of_data(server, from_server, body):
    server.answers["/toy.bz2"] = give(body, content_type="text/html")
    assert "toy.bz2: an HTML page in place of data (it starts with " in refusal(toy_spec(), from_server)


def test_a_server_that_stalls_in_the_middle(server, from_server, packed, monkeypatch):
    monkeypatch.setenv("SCRF_BENCH_NETWORK_TIMEOUT", "0.3")

    def stall(handler):
        give(packed[:50], claimed=len(packed))(handler)
        handler.wfile.flush()
        server.released.wait(60)

    server.answers["/toy.bz2"] = stall
    message = refusal(toy_spec(), from_server)
    assert "the server stalled: nothing came for 0.3 s (SCRF_BENCH_NETWORK_TIMEOUT sets this limit)" in message
    assert server.hits["/toy.bz2"] == 1, "a stalled server is not asked again: the time stays bounded"


def test_a_server_that_never_answers(server, from_server, monkeypatch):
    monkeypatch.setenv("SCRF_BENCH_NETWORK_TIMEOUT", "0.3")
    server.answers["/toy.bz2"] = lambda handler: server.released.wait(60)
    assert "the server stalled: nothing came for 0.3 s" in refusal(toy_spec(), from_server)


@pytest.mark.parametrize("text", ["soon", "0", "-1", "inf"])
def test_a_senseless_time_limit_is_refused(from_server, monkeypatch, text):
    monkeypatch.setenv("SCRF_BENCH_NETWORK_TIMEOUT", text)
    with pytest.raises(DataError, match=f"SCRF_BENCH_NETWORK_TIMEOUT is '{text}'; give it a positive number"):
        get(toy_spec(), from_server)


def test_a_transfer_shorter_than_announced_is_tried_three_times(server, from_server, packed):
    server.answers["/toy.bz2"] = give(packed[:-1], claimed=len(packed))
    message = refusal(toy_spec(), from_server)
    assert "the transfer broke off (" in message
    assert "(3 attempts)" in message
    assert server.hits["/toy.bz2"] == 3


@pytest.mark.parametrize("known", [True, False], ids=["hash-known", "hash-unknown"])
@pytest.mark.parametrize("suffix", ["bz2", "xz"])
def test_a_file_one_byte_short(server, from_server, known, suffix):
    import lzma

    raw = (bz2 if suffix == "bz2" else lzma).compress(TEXT)
    server.answers["/toy.bz2"] = give(raw[:-1])
    spec = toy_spec(toy_file(raw) if known else toy_file(text_sha256=None))
    assert f"toy.bz2: does not unpack after {len(raw) - 1:,} bytes" in refusal(spec, from_server)


def test_plain_text_one_byte_short(server, from_server):
    server.answers["/toy.bz2"] = give(TEXT[:-9])
    message = refusal(toy_spec(toy_file(name="toy.bz2")), from_server)
    assert "its name says bz2, but its first bytes are b'+1 1:0'" in message


def test_a_flipped_byte_at_any_place(server, from_server, packed):
    for position in range(0, len(packed), 29):
        broken = bytearray(packed)
        broken[position] ^= 0x10
        server.answers["/toy.bz2"] = give(bytes(broken))
        refusal(toy_spec(toy_file(packed)), from_server)


def test_another_version_of_the_data_states_both_hashes(server, from_server):
    other = TEXT.replace(b"0.5", b"0.6")
    server.answers["/toy.bz2"] = give(bz2.compress(other))
    message = refusal(toy_spec(), from_server)
    seen, expected = (hashlib.sha256(t).hexdigest() for t in (other, TEXT))
    assert f"toy.bz2: its text has sha256 {seen}, expected {expected}" in message


def test_a_senseless_content_length(server, from_server, packed):
    def answer(handler):
        handler.send_response(200)
        handler.send_header("Content-Length", "many")
        handler.end_headers()
        handler.wfile.write(packed)

    server.answers["/toy.bz2"] = answer
    assert "the server's answer makes no sense (" in refusal(toy_spec(), from_server)


def test_an_empty_file(server, from_server):
    server.answers["/toy.bz2"] = give(b"")
    assert "toy.bz2: the file is empty (0 bytes)" in refusal(toy_spec(), from_server)


def test_a_slow_server_is_waited_for(server, from_server, packed, monkeypatch):
    """Each pause is shorter than the limit, the whole is longer."""
    monkeypatch.setenv("SCRF_BENCH_NETWORK_TIMEOUT", "0.5")

    def slow(handler):
        give(b"", claimed=len(packed))(handler)
        for start in range(0, len(packed), len(packed) // 7):
            handler.wfile.write(packed[start : start + len(packed) // 7])
            handler.wfile.flush()
            time.sleep(0.1)

    server.answers["/toy.bz2"] = slow
    assert get(toy_spec(), from_server).path.read_bytes() == packed


@pytest.mark.parametrize("status", [503, 429, 500])
def test_a_passing_refusal_is_tried_again(server, from_server, packed, status):
    def moody(handler):
        if server.hits["/toy.bz2"] < 3:
            handler.send_error(status)
        else:
            give(packed)(handler)

    server.answers["/toy.bz2"] = moody
    assert get(toy_spec(), from_server).path.read_bytes() == packed


def test_pauses_between_attempts_grow(server, from_server, monkeypatch):
    pauses = []
    monkeypatch.setattr(download_module.time, "sleep", pauses.append)
    server.answers["/toy.bz2"] = lambda handler: handler.send_error(503)
    assert "HTTP 503 Service Unavailable (3 attempts)" in refusal(toy_spec(), from_server)
    assert pauses == [0.01, 0.02]


def test_nobody_listens(cache):
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        sources = DataSources(mirrors=(f"http://127.0.0.1:{held.getsockname()[1]}",), cache=cache)
        message = refusal(toy_spec(), sources)
    assert "no connection (" in message
    assert "refused" in message.lower()


def test_a_full_disk(from_server, server, packed):
    """/dev/full answers every write with ENOSPC, as a full disk does."""
    server.answers["/toy.bz2"] = give(packed)
    from_server.raw_folder.mkdir(parents=True)
    (from_server.raw_folder / "toy.bz2.part").symlink_to("/dev/full")
    message = refusal(toy_spec(), from_server)
    assert f"cannot write into the cache folder {from_server.raw_folder} (No space left on device)" in message
    assert "free space there, or set SCRF_BENCH_CACHE elsewhere" in message
    assert get(toy_spec(), from_server).path.read_bytes() == packed, "with space again, it works"


def test_a_disk_that_fills_up_for_real(tmp_path, server):
    """A file system of 64 kB, with a file of 200 kB to come."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = (
        os.geteuid() == 0
        and not subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(disk)], capture_output=True, check=False
        ).returncode
    )
    if not mounted:
        pytest.skip("mounting a small file system needs root and the right to mount")
    try:
        server.answers["/toy.txt"] = give(b"1 1:1\n" * 34_000)
        spec = toy_spec(toy_file(name="toy.txt"))
        sources = DataSources(mirrors=(server.url,), cache=disk)
        with pytest.raises(DatasetUnavailableError, match="No space left on device"):
            get(spec, sources)
        assert {p.name for p in sources.raw_folder.glob("*")} <= {"toy.txt.lock"}
    finally:
        subprocess.run(["umount", str(disk)], check=True)


def test_a_cache_that_cannot_be_made(tmp_path, server, packed):
    server.answers["/toy.bz2"] = give(packed)
    (tmp_path / "file").write_text("in the way")
    sources = DataSources(mirrors=(server.url,), cache=tmp_path / "file")
    with pytest.raises(DatasetUnavailableError, match=r"cannot write into the cache folder .* make it a folder"):
        get(toy_spec(), sources)


def test_the_next_source_is_tried_and_each_is_quoted_if_all_fail(server, cache, packed, tmp_path):
    server.answers["/a/toy.bz2"] = give(HTML)
    server.answers["/c/toy.bz2"] = give(packed)
    (tmp_path / "folder").mkdir()
    mirrors = (f"{server.url}/a", f"{server.url}/b/", str(tmp_path / "folder"), f"{server.url}/c")
    with pytest.raises(DatasetUnavailableError) as caught:
        get(toy_spec(), DataSources(mirrors=mirrors[:3], cache=cache))
    places = [line.strip().split(": ")[0] for line in str(caught.value).splitlines()[1:-1]]
    assert places == [
        f"cache {cache}/raw/toy.bz2",
        f"mirror {server.url}/a/toy.bz2",
        f"mirror {server.url}/b/toy.bz2",
        f"mirror {tmp_path}/folder/toy.bz2",
    ]
    found = get(toy_spec(), DataSources(mirrors=mirrors, cache=cache))
    assert found.origin == f"mirror {server.url}/c/toy.bz2"


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("nope", "there is no such folder"),
        ("file", "this is a file, not a folder"),
        ("n" * 300, r"the folder cannot be read \(File name too long\)"),
    ],
)
def test_a_mirror_folder_that_is_none_is_said_to_be(tmp_path, cache, name, reason):
    """In what a fetch says and in what a look around says, once, although a file may have two names."""
    (tmp_path / "file").write_text("")
    mirror = tmp_path / name
    sources = DataSources(mirrors=(str(mirror),), cache=cache)
    spec = toy_spec(toy_file(site_url=None))
    with pytest.raises(DatasetUnavailableError, match=f"mirror {mirror}: {reason}\n") as caught:
        get(spec, sources)
    assert str(caught.value).count(f"mirror {mirror}") == 1
    status = local_status(spec, spec.files[0], sources, deep=True)
    assert status.state == "missing"
    assert status.reason.startswith(f"not on this machine; mirror {mirror}: ")


def test_a_mirror_named_after_nobodys_home_is_only_not_there(cache):
    assert "mirror ~nobody-of-this-name: there is no such folder" in refusal(
        toy_spec(), DataSources(mirrors=("~nobody-of-this-name",), cache=cache)
    )


def test_junk_from_a_server_is_not_echoed_raw(cache):
    """A server that speaks no HTTP, but escape sequences and a lot of them, must not reach the terminal."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()

        def answer():
            for _ in range(3):
                connection, _ = listener.accept()
                with connection:
                    connection.recv(4096)
                    connection.sendall(b"\x1b[2J\x00\xff\x9b" * 500 + b"\r\n\r\n")

        thread = threading.Thread(target=answer, daemon=True)
        thread.start()
        message = refusal(
            toy_spec(), DataSources(mirrors=(f"http://127.0.0.1:{listener.getsockname()[1]}",), cache=cache)
        )
        thread.join()
    line = message.splitlines()[2]
    assert "\\x1b" in line
    assert line.isascii()
    assert line.isprintable()
    assert len(line) < 250


def test_a_reason_phrase_is_not_echoed_raw(server, from_server):
    server.answers["/toy.bz2"] = lambda handler: handler.wfile.write(b"HTTP/1.0 403 \x1b[31mNo\x07\r\n\r\n")
    assert r"HTTP 403 \x1b[31mNo\x07" in refusal(toy_spec(), from_server)


def test_a_first_fetch_does_not_read_like_a_failure(server, from_server, packed, caplog, tmp_path):
    """That cache and earlier mirrors do not have the file yet is not told; that one is broken is."""
    server.answers["/toy.bz2"] = give(packed)
    with caplog.at_level(logging.INFO):
        get(toy_spec(), DataSources(mirrors=(f"{server.url}/none", server.url), cache=tmp_path / "one"))
    assert caplog.messages[-1] == f"toy.bz2: taken from mirror {server.url}/toy.bz2"
    server.answers["/html/toy.bz2"] = give(HTML)
    mirrors = (str(tmp_path / "nope"), f"{server.url}/html", server.url)
    with caplog.at_level(logging.INFO):
        get(toy_spec(), DataSources(mirrors=mirrors, cache=tmp_path / "two"))
    start = f"toy.bz2: taken from mirror {server.url}/toy.bz2, after: mirror {tmp_path}/nope: there is no such folder; "
    assert caplog.messages[-1].startswith(f"{start}mirror {server.url}/html/toy.bz2: an HTML page")
    assert "not there" not in caplog.messages[-1]


def test_the_site_may_serve_plain_text_under_its_own_name(server, cache):
    """The mirror's toy.bz2 is the site's toy: the text is what counts."""
    server.answers["/libsvmtools/toy"] = give(TEXT.replace(b"\n", b"\r\n"))
    spec = toy_spec(toy_file(site_url=f"{server.url}/libsvmtools/toy"))
    found = get(spec, DataSources(cache=cache))
    assert found.path == cache / "raw" / "toy"
    assert found.origin == f"LIBSVM site {server.url}/libsvmtools/toy"
    assert get(spec, DataSources(cache=cache, offline=True)).path == found.path


def test_offline_asks_nobody(server, cache, packed):
    server.answers["/toy.bz2"] = give(packed)
    spec = toy_spec(toy_file(site_url=f"{server.url}/libsvmtools/toy.bz2"))
    sources = DataSources(mirrors=(server.url,), cache=cache, offline=True)
    with pytest.raises(DatasetUnavailableError) as caught:
        get(spec, sources)
    assert not server.hits
    message = str(caught.value)
    assert f"mirror {server.url}/toy.bz2: not asked (offline)" in message
    assert f"LIBSVM site {server.url}/libsvmtools/toy.bz2: not asked (offline)" in message
    assert "To mend this, run without --offline or name a mirror" in message


def test_a_dataset_with_a_stand_in_says_so(cache):
    spec = toy_spec(alternative="toy_esl")
    with pytest.raises(DatasetUnavailableError, match="or use the dataset 'toy_esl' instead"):
        get(spec, DataSources(cache=cache, offline=True))


def fetch_in_a_process(arguments):
    spec, sources = arguments
    return get(spec, sources).origin


def test_two_processes_fetch_once(server, from_server, packed):
    """The second waits for the first and takes its file."""

    def slow(handler):
        time.sleep(1.0)
        give(packed)(handler)

    server.answers["/toy.bz2"] = slow
    with get_context("spawn").Pool(2) as pool:
        origins = pool.map(fetch_in_a_process, [(toy_spec(), from_server)] * 2, chunksize=1)
    assert server.hits["/toy.bz2"] == 1
    assert sorted(origin.split()[0] for origin in origins) == ["cache", "mirror"]


def test_a_terminal_gets_a_progress_bar_on_stderr_only(server, from_server, packed, monkeypatch, capsys):
    server.answers["/toy.bz2"] = give(packed)
    bars = []
    make = download_module._RichBar
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    monkeypatch.setattr(download_module, "_RichBar", lambda name: bars.append(make(name)) or bars[-1])
    get(toy_spec(), from_server)
    (bar,) = bars
    task = bar._progress.tasks[0]
    assert (task.completed, task.total) == (len(packed), len(packed))
    assert capsys.readouterr().out == ""
