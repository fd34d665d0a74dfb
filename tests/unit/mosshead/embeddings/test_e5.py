"""The multilingual model: its file is unpacked correctly, and its texts are tokenized as by its own tokenizer."""

from pathlib import Path

import numpy as np
import pytest

from mosshead.embeddings import MultilingualE5
from mosshead.embeddings.local.bert import Array, Bert
from mosshead.embeddings.local.e5 import PLAIN_SENTENCES
from mosshead.embeddings.local.files import E5, has_model, installed_folder
from mosshead.errors import ConfigurationError
from tests.packed_model import HEADS, PIECES, POSITIONS, Tensors, write_packed_model

QUERY = ["<s>", "\u2581query", ":"]

GOLDEN = (-0.0617, -0.0151, 0.0061)
"""Values of the wheel's own engine, without the part common to all vectors; it computes in 8 bits."""


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> tuple[MultilingualE5, Tensors]:
    path = tmp_path_factory.mktemp("small") / "small.bin"
    files, tensors = write_packed_model(path)
    return MultilingualE5(path.parent, files=files), tensors


def expected(embedder: MultilingualE5, tensors: Tensors, texts: list[str]) -> Array:
    """Return the vectors computed from the tensors before packing."""
    model = embedder._loaded()
    bert = Bert.of(tensors, HEADS, POSITIONS)

    def unit(vectors: Array) -> Array:
        return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), dtype=np.float32)

    plain, own = (
        unit(np.concatenate([bert.encode([model.framed(one)]) for one in some])) for some in (PLAIN_SENTENCES, texts)
    )
    return unit(own - plain.mean(axis=0))


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("coffee", ["\u2581coffee"]),
        ("coffee tea", ["\u2581coffee", "\u2581tea"]),
        ("tea   tea", ["\u2581tea", "\u2581tea"]),
        ("tea\ttea", ["\u2581tea", "\u2581tea"]),
        ("coff\uff25e", ["\u2581coffee"]),
        ("cof\u200bfee", ["\u2581coffee"]),
        ("coffe", ["\u2581cof", "<unk>", "e"]),
        ("\u6771", ["\u2581", "\u6771"]),
    ],
)
def test_text_is_tokenized_into_its_pieces(small: tuple[MultilingualE5, Tensors], text: str, pieces: list[str]) -> None:
    embedder, _ = small
    model = embedder._loaded()

    assert [PIECES[number] for number in model.framed(text)] == [*QUERY, *pieces, "</s>"]
    assert embedder.count_tokens(text) == len(pieces)


def test_weights_are_unpacked_as_they_were_packed(small: tuple[MultilingualE5, Tensors]) -> None:
    embedder, tensors = small
    texts = ["coffee", "tea \u6771 tea", "", "coffee " * 400]

    assert np.abs(embedder.embed(texts) - expected(embedder, tensors, texts)).max() < 1e-4


def test_text_after_256_tokens_does_not_count(small: tuple[MultilingualE5, Tensors]) -> None:
    embedder, _ = small
    long, longer = embedder.embed(["tea " * 400, "tea " * 300 + "coffee"])

    assert np.array_equal(long, longer)


def test_other_file_is_refused_with_the_command_that_fixes_it(tmp_path: Path) -> None:
    (name,) = E5.sha256
    (tmp_path / name).write_bytes(b"E5S1 and no more")

    with pytest.raises(ConfigurationError, match=r"sha256.*run 'mosshead model install e5'"):
        MultilingualE5(tmp_path).embed(["coffee"])


@pytest.mark.skipif(not has_model(installed_folder(E5), E5), reason="mosshead model install e5 fetches it")
def test_real_model_finds_the_answer_to_a_question_in_another_language() -> None:
    said = [
        "Ich vertrage keine N\u00fcsse",
        "Mi hermana se llama Luc\u00eda",
        "\u0423\u0442\u0440\u043e\u043c \u044f \u043f\u044c\u044e \u0437\u0435\u043b\u0451\u043d\u044b\u0439 \u0447\u0430\u0439",
        "\u4e09\u6708\u304b\u3089\u798f\u5ca1\u306b\u4f4f\u3093\u3067\u3044\u307e\u3059",
    ]
    asked = ["What am I allergic to?", "What is my sister's name?", "What do I drink at breakfast?", "Where do I live?"]
    embedder = MultilingualE5()

    cosines = embedder.embed(asked) @ embedder.embed(said).T

    assert list(cosines.argmax(axis=1)) == [0, 1, 2, 3]
    assert np.abs(embedder.embed(["I like cats"])[0, :3] - GOLDEN).max() < 3e-3
