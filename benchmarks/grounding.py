"""Counts what becomes of proposed facts beside their messages: good ones should be solid, bad ones never.

    python -m benchmarks.grounding --data FILE [--faults FILE] [--json]

--data: JSON Lines, or a folder of such files; the format: tests/data/grounding/README.md. Each line is a batch of its own in
an empty namespace. Its fact is read, held against its messages and judged by the guard as in the service. --faults: a file for
each good fact that is not solid and each bad one that is. Prints one JSON object last: what became of the facts, and by why.
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any
from uuid import UUID

import typer

from mosshead.models.kinds import Granularity, Role
from pipeline.extraction.extract import Extraction, facts_of, guarded
from pipeline.extraction.prompt import ExtractionAnswer
from pipeline.models import Background, Message

_AT = "2026-03-04T09:00:00+00:00"
_ENDS = ("solid", "hypothesis", "refused", "quarantined")


def main(
    data: Annotated[Path, typer.Option(help="A file of pairs, or a folder of such files.", exists=True)],
    faults: Annotated[Path | None, typer.Option(help="Write each fact that went wrong to this file.")] = None,
    json_only: Annotated[bool, typer.Option("--json", help="Print nothing but the JSON object.")] = False,
) -> None:
    """Take each pair through answer reading, grounding and the guard."""
    ends = [(pair, *end_of(pair)) for pair in read_pairs(data)]
    wrong = [(pair, end, said) for pair, end, said in ends if (pair["verdict"] == "good") != (end == "solid")]
    if faults is not None:
        lines = (
            {"id": pair["id"], "why": pair["why"], "verdict": pair["verdict"], "end": end, "said": said}
            for pair, end, said in wrong
        )
        faults.write_text("".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in lines), encoding="utf-8")
    if not json_only:
        print(f"{len(ends)} facts, {len(wrong)} of them wrong")
    print(json.dumps(counted([(pair, end) for pair, end, _ in ends]), ensure_ascii=False))


def read_pairs(data: Path) -> Iterator[Mapping[str, Any]]:
    """Yield the pairs of a file, or of the files of a folder."""
    for file in sorted(data.glob("*.jsonl")) if data.is_dir() else [data]:
        yield from (json.loads(line) for line in file.read_text(encoding="utf-8").splitlines() if line.strip())


def end_of(pair: Mapping[str, Any]) -> tuple[str, list[str]]:
    """What becomes of a fact, and why it is not solid."""
    messages = [_message(number, given) for number, given in enumerate(pair["messages"], 1)]
    fact = {**pair["fact"], "granularity": pair["fact"]["granularity"] or Granularity.DAY}
    answer = ExtractionAnswer.model_validate_json(json.dumps({"facts": [fact]}))
    found: Extraction = facts_of(answer, messages, Background())
    if not found.facts:
        return "refused", [one for refused in found.turned_down for one in (str(refused.why), *refused.looked_for)]
    (kept,) = guarded(found.facts, messages)
    if kept.suspicion:
        return "quarantined", [kept.suspicion]
    return ("solid" if kept.stated else "hypothesis"), list(kept.doubts)


def counted(ends: list[tuple[Mapping[str, Any], str]]) -> dict[str, Any]:
    """Shares of the ends by verdict, and counts of them by verdict and why."""
    result: dict[str, Any] = {}
    for verdict in ("good", "bad"):
        of = Counter(end for pair, end in ends if pair["verdict"] == verdict)
        result[verdict] = {end: round(of[end] / max(of.total(), 1), 4) for end in _ENDS} | {"of": of.total()}
    by_why: dict[str, Counter[str]] = {}
    for pair, end in ends:
        by_why.setdefault(f"{pair['verdict']}: {pair['why']}", Counter())[end] += 1
    return result | {"by_why": {why: dict(of) for why, of in sorted(by_why.items())}}


def _message(number: int, given: Mapping[str, Any]) -> Message:
    at = datetime.fromisoformat(given.get("occurred_at") or _AT)
    return Message(number, UUID(int=number), "c1", Role(given["role"]), given.get("speaker"), given["content"], at)


if __name__ == "__main__":
    typer.run(main)
