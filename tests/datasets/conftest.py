"""A small dataset of the tests' own, a web server that misbehaves on demand, and a cache of their own."""

import bz2
import hashlib
import http.server
import threading
from collections import Counter

import pytest

from scrf_bench.datasets import DatasetSpec, DataSources, FileSpec
from scrf_bench.datasets import download as download_module

TEXT = b"".join(b"%+d 1:0.5 2:%d 4:-1.25 \n" % (1 if i % 3 else -1, i) for i in range(1, 91))


@pytest.fixture(autouse=True)
def _own_environment(tmp_path, monkeypatch):
    """Keep the user's cache and settings out, and the pauses between attempts short."""
    for name in ("SCRF_BENCH_MIRROR", "SCRF_BENCH_OFFLINE", "SCRF_BENCH_NETWORK_TIMEOUT"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("SCRF_BENCH_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(download_module, "FIRST_PAUSE_S", 0.01)


@pytest.fixture
def cache(tmp_path):
    return tmp_path / "cache"


def toy_file(raw=None, *, text=TEXT, name="toy.bz2", role="all", site_url=None, **changes):
    """Return the registry's entry of a file whose text is ``text``."""
    lines = text.splitlines()
    fields = {
        "rows": len(lines),
        "value_range": (-1.25, 90.0),
        "label_counts": {int(k): v for k, v in sorted(Counter(line.split()[0] for line in lines).items())},
        "text_sha256": hashlib.sha256(text).hexdigest(),
        "packed_sha256": frozenset([hashlib.sha256(raw).hexdigest()] if raw else []),
    }
    return FileSpec(role=role, name=name, site_url=site_url, **{**fields, **changes})


def toy_spec(*files, **changes):
    """Return a dataset of four features with the files given."""
    fields = {"name": "toy", "title": "A toy", "task": "binary", "n_features": 4, "licence": "none"}
    return DatasetSpec(files=tuple(files) or (toy_file(),), **{**fields, **changes})


@pytest.fixture
def packed():
    return bz2.compress(TEXT)


class Server:
    """A web server on this machine; ``answers[path]`` is a function that gets the request handler."""

    def __init__(self):
        self.answers = {}
        self.hits = Counter()
        self.released = threading.Event()
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                outer.hits[self.path] += 1
                answer = outer.answers.get(self.path)
                if answer is None:
                    self.send_error(404)
                else:
                    answer(self)

            def log_message(self, *args):
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def close(self):
        self.released.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


@pytest.fixture
def server():
    running = Server()
    yield running
    running.close()


def give(body, *, claimed=None, content_type="application/octet-stream"):
    """Answer with ``body``, claiming ``claimed`` bytes (the true number by default; -1 claims nothing)."""

    def answer(handler):
        handler.send_response(200)
        handler.send_header("Content-Type", content_type)
        size = len(body) if claimed is None else claimed
        if size >= 0:
            handler.send_header("Content-Length", str(size))
        handler.end_headers()
        handler.wfile.write(body)

    return answer


@pytest.fixture
def from_server(server, cache):
    """Sources whose only mirror is the server."""
    return DataSources(mirrors=(server.url,), cache=cache)
