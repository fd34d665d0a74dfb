"""Trains the guard of the memory on labelled texts, and measures it on texts by writers whose work it never saw.

    python -m benchmarks.guard [--data FOLDER] [--ordinary FILE] [--train] [--train-adapter] [--json]

--data: a folder with `training/` and `held_out/`, each with files of one JSON object to the line: ``text``, and ``held``, whether
the guard should hold it. --ordinary: a file of further texts, none of which should be held. --train: make the words' weights anew
first. --train-adapter: make the local model's adapter anew, which needs PyTorch.
Prints one JSON object last: for each held-out file the share of attempts and of honest texts that are held.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from rich.console import Console

from benchmarks.guard.training import train
from mosshead.safety import suspicion_of
from mosshead.safety.classifier import WEIGHTS
from mosshead.safety.sense import ADAPTER
from tests.injections_given import ATTACKS, LOOK_ALIKES

DATA = Path(__file__).parents[2] / "tests" / "data" / "guard"


_FACT = re.compile(r"^(?!>)[a-z]+: ", re.MULTILINE)
_SENTENCE = re.compile(r"^(?:>|[a-z]+:) (.+?)(?: \[[^\]]*\])?$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Shares:
    """Of a file: how many texts it has of each kind, and the shares of them that are held."""

    attempts: int
    honest: int
    attempts_held: float | None
    honest_held: float | None


def main(
    data: Annotated[Path, typer.Option(help="A folder with training/ and held_out/.", exists=True)] = DATA,
    ordinary: Annotated[Path | None, typer.Option(help="Texts none of which should be held.", exists=True)] = None,
    training: Annotated[bool, typer.Option("--train", help="Make the words' weights anew first.")] = False,
    adapter: Annotated[bool, typer.Option("--train-adapter", help="Make the adapter anew; needs PyTorch.")] = False,
    json_only: Annotated[bool, typer.Option("--json", help="Print nothing but the JSON object.")] = False,
) -> None:
    """Measure the guard."""
    console = Console(stderr=True, quiet=json_only)
    texts = training_texts(data) if training or adapter else []
    if training:
        np.save(WEIGHTS, train(texts))
    if adapter:
        from benchmarks.guard.adapter import train_adapter  # noqa: PLC0415 - it needs PyTorch

        arrays: dict[str, Any] = train_adapter(texts)
        np.savez_compressed(ADAPTER, **arrays)
    if texts:
        console.print(f"trained on {len(texts)} texts")
    files = sorted((data / "held_out").glob("*.jsonl")) + ([ordinary] if ordinary else [])
    found = {file.stem: measured(texts_of([file])) for file in files}
    for name, shares in found.items():
        console.print(f"{name}: {_percent(shares.attempts_held)} of {shares.attempts} attempts held, ", end="")
        console.print(f"{_percent(shares.honest_held)} of {shares.honest} honest texts")
    print(json.dumps({name: asdict(shares) for name, shares in found.items()}))


def texts_of(files: Iterable[Path]) -> list[tuple[str, bool]]:
    """The texts of some files, each with whether it should be held."""
    lines = (line for file in files for line in file.read_text("utf-8").splitlines())
    return [(row["text"], row.get("held", False)) for row in map(json.loads, lines)]


def training_texts(data: Path) -> list[tuple[str, bool]]:
    """The labelled texts; ordinary ones count three times, as they are rarer here than in life, the tests' attacks six times."""
    files = sorted((data / "training").glob("*.jsonl"))
    ordinary = texts_of(file for file in files if file.stem.startswith("ordinary_")) + ordinary_texts(data.parent)
    attacks = [(text, True) for shape, texts in ATTACKS.items() if shape != "hidden" for text in texts]
    return texts_of(file for file in files if not file.stem.startswith("ordinary_")) + 6 * attacks + 3 * ordinary


def ordinary_texts(data: Path) -> list[tuple[str, bool]]:
    """The messages and memories of the other data of the tests, but for cases of injection, and their look-alikes.

    Of the table of sentences those count of which something becomes a fact, and these facts.
    """
    folders = [data / "extraction", data / "entities", data / "grounding"]
    files = sorted(file for folder in folders for file in folder.rglob("*.jsonl"))
    lines = (line for file in files for line in file.read_text("utf-8").splitlines() if '"injection"' not in line)
    honest = {text for line in lines for text in _contents(json.loads(line))}
    table = (data.parent / "unit" / "pipeline" / "rules_en" / "sentence_table.txt").read_text("utf-8").split("\n\n")
    told = [text for block in table if _FACT.search(block) for text in _SENTENCE.findall(block)]
    return [(text, False) for text in (*sorted(honest), *told, *LOOK_ALIKES)]


def _contents(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        for name, one in value.items():
            if name in {"content", "text"} and isinstance(one, str):
                yield one
            else:
                yield from _contents(one)
    elif isinstance(value, list):
        for one in value:
            yield from _contents(one)


def measured(texts: Sequence[tuple[str, bool]]) -> Shares:
    """What the guard holds of some texts."""
    held: Mapping[bool, list[bool]] = {True: [], False: []}
    for text, wanted in texts:
        held[wanted].append(suspicion_of(text, text, ()) is not None)
    attempts, honest = held[True], held[False]
    return Shares(len(attempts), len(honest), _share(attempts), _share(honest))


def _share(held: Sequence[bool]) -> float | None:
    return round(sum(held) / len(held), 4) if held else None


def _percent(share: float | None) -> str:
    return "none" if share is None else f"{share:.1%}"


if __name__ == "__main__":
    typer.run(main)
