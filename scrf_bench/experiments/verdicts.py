"""Every claim judged from the records of a results folder, running nothing, and the looks that this makes counted."""

from __future__ import annotations

import contextlib
import json
import shlex
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from scrf_bench.atomic import write_new
from scrf_bench.bench import Store
from scrf_bench.bench.canonical import short_hash
from scrf_bench.errors import ConfigError, ScrfBenchError, UnknownNameError, did_you_mean
from scrf_bench.experiments import experiment_by_name, experiment_names
from scrf_bench.experiments.base import Selection
from scrf_bench.experiments.campaign import chosen_records, complete, prepare, records_holding, usable_records
from scrf_bench.experiments.claims import Claim, ClaimSettings, Evidence, Source, same_ids
from scrf_bench.experiments.config import config_file, load_config
from scrf_bench.experiments.suite.foreign_claims import foreign_map_claims
from scrf_bench.experiments.tuning.own_choices import own_tuning_notes
from scrf_bench.stats import Verdict

REFERENCE = Path("results/reference")
"""Where committed records are, from a checkout's top folder."""


@dataclass(frozen=True)
class Judgement:
    """One claim as judged from one results folder and profile.

    Attributes
    ----------
    verdict : Verdict or None
        None where there are no records to judge from.
    looks : int
        How many different bodies of evidence (records and settings) this claim was judged from in this folder.
    complete : bool
        Whether every planned cell of its experiments is there and ``ok``, or stopped by a declared limit.
    stale : bool
        Whether there are records, but of an earlier version of an experiment, map, learner or dataset.
    command : str
        What would make the records.
    record_names : tuple of str
        What it was judged from.
    remarks : tuple of str
        What of these records is not the claim's setting: maps with gamma and C of their own.
    """

    claim: Claim
    profile: str
    verdict: Verdict | None
    settings: ClaimSettings
    looks: int = 0
    complete: bool = True
    stale: bool = False
    command: str = ""
    record_names: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()


def declared_claims(paper: str | None = None) -> list[Claim]:
    """Return the claims that all experiments declare, or those of one paper: by paper, in the experiments' order.

    Maps of plug-ins come last: what any such map is held to.

    Raises
    ------
    UnknownNameError
        For a paper of which no experiment declares a claim.
    ScrfBenchError
        If two claims have one id.
    """
    claims = [claim for name in experiment_names() for claim in experiment_by_name(name).claims]
    claims += foreign_map_claims()
    if twice := same_ids(claims):
        raise ScrfBenchError(f"Two claims are called {', '.join(twice)}; give each an id of its own.")
    papers = list(dict.fromkeys(claim.paper for claim in claims))
    if paper is not None and paper not in papers:
        hint = did_you_mean(paper, papers)
        raise UnknownNameError(f"No claims of a paper '{paper}' are declared.{hint} Known: {', '.join(papers)}.")
    wanted = [claim for claim in claims if paper is None or claim.paper == paper]
    return sorted(wanted, key=lambda claim: papers.index(claim.paper))


def load_settings(profile: str, configs: Path | None = None) -> ClaimSettings:
    """Load ``configs/claims.toml``; raise ConfigError with the key's path where it is wrong."""
    settings = load_config("claims", profile, ClaimSettings, configs)
    for name in settings.sample_sizes:
        if name not in experiment_names():
            where = f"{config_file('claims', configs)}: {profile}.sample_sizes.{name}"
            raise ConfigError(f"{where}: no experiment is called that; there are {', '.join(experiment_names())}.")
    return settings


class Court:
    """Judges claims from one results folder and profile, reading each experiment's records once."""

    def __init__(self, results: Path, profile: str, configs: Path | None = None) -> None:
        self.results = results
        self.profile = profile
        self.configs = configs
        self.settings = load_settings(profile, configs)
        self.damaged: dict[Path, str] = {}
        self._read: dict[tuple[str, tuple[str, ...] | None], tuple[Source, bool]] = {}

    @property
    def folder(self) -> Path:
        """Where this profile's verdicts and looks are."""
        return self.results / self.profile / "claims"

    def has_records(self, claim: Claim) -> bool:
        """Tell whether any of a claim's experiments has a record here, of whatever version."""
        return any(Store(self.results / self.profile / name).all() for name in claim.experiments)

    def judge(self, claim: Claim, *, look: bool = True) -> Judgement:
        """Judge one claim; with `look`, note that its evidence was looked at.

        Raises
        ------
        ScrfBenchError
            If its judge cannot cope with records that its experiment can lay out: a fault of the claim's code.
        """
        read = {name: self._source(name, claim.maps) for name in claim.experiments}
        sources = {name: source for name, (source, _) in read.items()}
        records = [record for source in sources.values() for record in source.records]
        names = tuple(record.name for record in records)
        verdict = None
        if all(source.records for source in sources.values()):
            try:
                verdict = claim.judge(Evidence(self.settings, sources))
            except (ArithmeticError, LookupError, TypeError, ValueError) as error:
                raise ScrfBenchError(f"The claim '{claim.id}' cannot be judged from its records: {error!r}.") from error
        if look and verdict is not None and claim.experiments:
            self._note(claim, names, verdict)
        return Judgement(
            claim=claim,
            profile=self.profile,
            verdict=verdict,
            settings=self.settings,
            looks=len(list((self.folder / "looks" / claim.id).glob("*.json"))),
            complete=all(whole for _, whole in read.values()),
            stale=any(source.stale and not source.records for source in sources.values()),
            command=f"scrf-bench run {' '.join(claim.experiments)} --profile {self.profile}"
            + (f" --maps {','.join(claim.maps)}" if claim.maps else "")
            + (f" --plugin {shlex.quote(claim.plugin)}" if claim.plugin else ""),
            record_names=names,
            remarks=tuple(own_tuning_notes(record.cell for record in records)),
        )

    def _source(self, name: str, maps: tuple[str, ...] | None) -> tuple[Source, bool]:
        if (name, maps) not in self._read:
            selection = Selection(maps=maps)
            prepared = prepare(name, selection, profile=self.profile, results=self.results, configs=self.configs)
            # Maps of a claim's own may have been run together with others, in cells that its plan knows nothing of.
            chosen = chosen_records(prepared) if maps is None else records_holding(prepared)
            usable, _ = usable_records(prepared, [record for record in chosen.records if record.ok])
            self.damaged |= prepared.store.damaged
            source = Source(
                name, prepared.config, prepared.cells, tuple(usable), len(chosen.missing), len(chosen.stale)
            )
            self._read[name, maps] = source, complete(chosen)
        return self._read[name, maps]

    def _note(self, claim: Claim, names: Sequence[str], verdict: Verdict) -> None:
        """Write down that this evidence was looked at; the same evidence under the same settings is one look.

        A file a look, written once, so that folders merge by copying like the records themselves.
        """
        evidence = {"claim": claim.id, "records": sorted(names), "settings": asdict(self.settings)}
        look: dict[str, Any] = {
            "kind_of_file": "look",
            "claim": claim.id,
            "records": len(names),
            "records_sha256": short_hash(sorted(names), 16),
            "settings": asdict(self.settings),
            "verdict": verdict.word,
            "looked": datetime.now(UTC).isoformat(timespec="seconds"),
        }
        path = self.folder / "looks" / claim.id / f"{short_hash(evidence, 12)}.json"
        if not path.exists():
            # Somebody else may look at the same thing at the same moment: one look.
            with contextlib.suppress(FileExistsError):
                write_new(path, json.dumps(look, indent=1) + "\n")


def reference_judgements(claims: Sequence[Claim], reference: Path) -> dict[str, Judgement]:
    """Judge claims from committed records: the paper profile's where there are any, else the quick profile's.

    The packaged configs apply, since those are what the records were made with; no look is noted.
    """
    courts = [Court(reference, profile) for profile in ("paper", "quick")]
    found: dict[str, Judgement] = {}
    for claim in claims:
        for court in courts:
            if claim.experiments and court.has_records(claim):
                found[claim.id] = court.judge(claim, look=False)
                break
    return found
