"""Fills the tables: vectors by COPY into a table of the benchmark's own, and all else from that by SQL, with triggers off."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice
from typing import Final, LiteralString

import numpy as np
import psycopg
from numpy.typing import NDArray

from benchmarks.reading.layout import Layout, in_turns
from benchmarks.reading.statements import FILL, MAKE, SPACE, TIDY, VOCABULARY, WHOLE
from benchmarks.sentences import sentences
from mosshead.embeddings import Embedder

SENTENCES: Final = 1_000
_DIMENSIONS: Final = 384
_AT_ONCE: Final = 40_000
_SCATTER: Final = 0.05
"""How far each number of a vector is moved from that of its sentence: the two are some 0.7 alike then, as close memories are."""

_ROW: Final = np.dtype(
    [
        *(("fields", ">i2"), ("number_bytes", ">i4"), ("number", ">i4"), ("place_bytes", ">i4"), ("place", ">i4")),
        *(("sentence_bytes", ">i4"), ("sentence", ">i4"), ("memory_bytes", ">i4"), ("memory", "V16")),
        *(("vector_bytes", ">i4"), ("dimensions", ">i2"), ("unused", ">i2"), ("vector", ">f2", _DIMENSIONS)),
    ]
)
"""A row of the table ``bench.loaded`` in COPY's binary format."""


@dataclass(frozen=True, slots=True)
class Known:
    """What a namespace that is read holds. vectors: as they are stored; ids: of their memories, in the same order."""

    ids: Sequence[bytes]
    vectors: NDArray[np.float32]


def load(url: str, of: Layout, embedder: Embedder, *, seed: int = 1) -> dict[int, Known]:
    """Fill all tables of the service, as the superuser of ``url``; returns, by number, what the measured namespaces hold."""
    texts = list(islice(sentences(f"reading/{seed}"), SENTENCES))
    around = embedder.embed(texts)
    with psycopg.connect(url, autocommit=True) as connection:
        for statement in MAKE:
            connection.execute(statement)
        with connection.cursor() as cursor:
            cursor.executemany("insert into bench.sentences values (%s, %s, %s)", _named(texts))
            cursor.executemany(
                SPACE,
                [
                    (one.number, one.path.tenant_id, one.path.namespace_id, [*one.path.parts], one.memories, one.whole)
                    for one in of.spaces
                ],
            )
        known = _copy(connection, of, around, np.random.default_rng(seed))
        connection.execute("analyze bench.loaded")
        for statement in FILL:
            _in_halves(url, statement, embedder.name)
        connection.execute("analyze mosshead.memories")
        for statement in WHOLE:
            _run(url, statement, {"model": embedder.name})
        for statement in VOCABULARY:
            _run(url, statement, {})
        for statement in TIDY:
            connection.execute(statement)
    return known


def _named(texts: Sequence[str]) -> list[tuple[int, str, str | None]]:
    """Each sentence with the name in it: the capital word that is not its first."""
    words = [[word.strip(".") for word in text.split()[1:]] for text in texts]
    return [
        (number, text, next((word for word in words[number] if word.istitle()), None))
        for number, text in enumerate(texts)
    ]


def _copy(
    connection: psycopg.Connection, of: Layout, around: NDArray[np.float32], chance: np.random.Generator
) -> dict[int, Known]:
    measured = {space.number for space in of.measured.values()}
    kept: dict[int, list[NDArray[np.void]]] = {number: [] for number in measured}
    with connection.cursor() as cursor, cursor.copy("copy bench.loaded from stdin (format binary)") as copy:
        copy.write(b"PGCOPY\n\xff\r\n\0" + bytes(8))
        for number, place in in_turns(of, chance, _AT_ONCE):
            rows = _rows(number, place, around, chance)
            copy.write(rows.tobytes())
            for one in measured:
                kept[one].append(rows[number == one][["memory", "vector"]])
        copy.write(b"\xff\xff")
    joined = {number: np.concatenate(parts) for number, parts in kept.items()}
    return {
        number: Known([bytes(one) for one in rows["memory"]], rows["vector"].astype(np.float32))
        for number, rows in joined.items()
    }


def _rows(
    number: NDArray[np.int32], place: NDArray[np.int32], around: NDArray[np.float32], chance: np.random.Generator
) -> NDArray[np.void]:
    rows = np.zeros(len(number), _ROW)
    rows["fields"] = 5
    for name in ("number", "place", "sentence"):
        rows[f"{name}_bytes"] = 4
    rows["memory_bytes"], rows["vector_bytes"], rows["dimensions"] = 16, 4 + 2 * _DIMENSIONS, _DIMENSIONS
    rows["number"], rows["place"] = number, place
    rows["sentence"] = chance.integers(len(around), size=len(number))
    rows["memory"] = np.frombuffer(chance.bytes(16 * len(number)), "V16")
    vectors = around[rows["sentence"]] + _SCATTER * chance.standard_normal((len(number), _DIMENSIONS), np.float32)
    rows["vector"] = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return rows


def _in_halves(url: str, statement: LiteralString, model: str) -> None:
    """One statement on two connections, each for every other memory."""
    with ThreadPoolExecutor(2) as pool:
        halves = [pool.submit(_run, url, statement, {"model": model, "half": half}) for half in range(2)]
        for one in halves:
            one.result()


def _run(url: str, statement: LiteralString, parameters: dict[str, object]) -> None:
    with psycopg.connect(url) as connection:
        connection.execute("set session_replication_role = replica")  # no triggers, and no checks of foreign keys
        connection.execute("set synchronous_commit = off")
        connection.execute("set work_mem = '256MB'")
        connection.execute(statement, parameters)
