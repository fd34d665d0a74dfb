"""A small model in the file format of `mosshead.embeddings.local.e5`, with random weights."""

import struct
from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import numpy as np

from mosshead.embeddings.local.bert import Array
from mosshead.embeddings.local.files import E5, LocalModel

FEATURES, WIDE, HEADS, LAYERS, POSITIONS = 384, 96, 12, 2, 300
PIECES = (
    "<s>",
    "<pad>",
    "</s>",
    "<unk>",
    "\u2581",
    "\u2581query",
    ":",
    "\u2581cof",
    "fee",
    "\u2581coffee",
    "\u2581tea",
    "e",
    "\u6771",
)
SCORES = (0, 0, 0, 0, -3, -2, -2, -3, -3, -4, -2, -5, -6)
PLAINER = {ord("\uff25"): "e", ord("\t"): " ", 0x200B: ""}
_SHORT = {
    "attention.self.query": "q",
    "attention.self.key": "k",
    "attention.self.value": "v",
    "attention.output.dense": "ao",
    "attention.output.LayerNorm": "aln",
    "intermediate.dense": "fi",
    "output.dense": "fo",
    "output.LayerNorm": "oln",
}

Tensors = dict[str, Array]


def write_packed_model(path: Path) -> tuple[LocalModel, Tensors]:
    """Write the file; return what a folder with it must hold, and its tensors under the names of PyTorch's BertModel."""
    draw = np.random.default_rng(7)
    tensors: Tensors = {}
    stored: list[tuple[str, bytes]] = []

    def plain(short: str, name: str, *shape: int) -> None:
        tensors[name] = draw.standard_normal(shape, dtype=np.float32) * np.float32(0.3)
        stored.append((short, tensors[name].tobytes()))

    def packed(short: str, name: str, rows: int, columns: int) -> None:
        values = draw.integers(-8, 8, (rows, columns // 32, 32))
        scales = draw.uniform(0.005, 0.02, (rows, columns // 32)).astype(np.float16)
        tensors[name] = (values * scales[..., None].astype(np.float32)).reshape(rows, columns).astype(np.float32)
        stored.append(
            (
                short,
                b"".join(
                    _block(s, v) for one, of in zip(scales, values, strict=True) for s, v in zip(one, of, strict=True)
                ),
            )
        )

    packed("emb.word", "embeddings.word_embeddings.weight", len(PIECES), FEATURES)
    plain("emb.pos", "embeddings.position_embeddings.weight", POSITIONS, FEATURES)
    plain("emb.type", "embeddings.token_type_embeddings.weight", 2, FEATURES)
    plain("emb.ln.w", "embeddings.LayerNorm.weight", FEATURES)
    plain("emb.ln.b", "embeddings.LayerNorm.bias", FEATURES)
    for number in range(LAYERS):
        for long, short in _SHORT.items():
            name, of = f"encoder.layer.{number}.{long}", f"l{number}.{short}"
            out, into = {"fi": (WIDE, FEATURES), "fo": (FEATURES, WIDE)}.get(short, (FEATURES, FEATURES))
            if short.endswith("ln"):
                plain(f"{of}.w", f"{name}.weight", FEATURES)
            else:
                packed(f"{of}.w", f"{name}.weight", out, into)
            plain(f"{of}.b", f"{name}.bias", out)
    path.write_bytes(_file(stored))
    return replace(E5, sha256={path.name: sha256(path.read_bytes()).hexdigest()}), tensors


def _block(scale: np.float16, values: Sequence[int]) -> bytes:
    halves = [int(value) + 8 for value in values]
    return scale.tobytes() + bytes(low | high << 4 for low, high in zip(halves[:16], halves[16:], strict=True))


def _file(stored: Sequence[tuple[str, bytes]]) -> bytes:
    words = [piece.encode() for piece in PIECES]
    head = struct.pack("<4sI7ifi", b"E5S1", 1, FEATURES, LAYERS, HEADS, WIDE, len(PIECES), POSITIONS, 2, 1e-12, 32)
    head += struct.pack("<5iQ", len(PIECES), 0, 2, 1, 3, sum(map(len, words)))
    head += np.cumsum([0, *map(len, words)], dtype=np.uint32).tobytes()
    head += np.array(SCORES, dtype=np.float32).tobytes() + b"".join(words)
    plainer = b"".join(
        struct.pack(f"<IB{len(other)}I", one, len(other), *map(ord, other)) for one, other in sorted(PLAINER.items())
    )
    head += struct.pack("<iI", len(PLAINER), len(plainer)) + plainer + struct.pack("<i", len(stored))
    at = len(head) + sum(2 + len(name) + 21 for name, _ in stored)
    at += -at % 64
    start, directory = at, b""
    for name, content in stored:
        directory += struct.pack(f"<H{len(name)}sBIQQ", len(name), name.encode(), 0, len(content), at, len(content))
        at += len(content)
    return (head + directory).ljust(start, b"\0") + b"".join(content for _, content in stored)
