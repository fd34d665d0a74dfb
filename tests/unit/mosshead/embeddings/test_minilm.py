"""The local model: known similarities, and results that do not depend on batching."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer

from mosshead.embeddings.local import minilm
from mosshead.embeddings.local.files import TOKENIZER, WEIGHTS, find_model
from mosshead.embeddings.local.minilm import MiniLM
from mosshead.errors import ConfigurationError
from mosshead.text import encodable

SENTENCES = (
    "User moved to Seattle",
    "",
    "Peter is a writer at Wolf of Blog Street, also known as WOBS.",
    "naïve café, 東京, привет 🙂",
    "   ",
    "coffee",
    "To check that content passes as human: run it through the detector, then rewrite what is flagged.",
    "User moved to Seattle",
)

FORK = """
import os, signal
from mosshead.embeddings.local.minilm import MiniLM
model = MiniLM()
model.embed(["before the fork"] * 40)
child = os.fork()
if child == 0:
    signal.alarm(30)
    try:
        os._exit(0 if (model.embed(["x"]) == MiniLM().embed(["x"])).all() else 1)
    finally:
        os._exit(2)
raise SystemExit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@pytest.fixture(scope="module")
def model() -> MiniLM:
    return MiniLM()


@pytest.mark.parametrize(
    ("one", "other", "cosine"),
    [
        ("Where does she live?", "User moved to Seattle", 0.2725),
        ("User is vegetarian", "User is not vegetarian", 0.9750),
        ("The meeting is on Monday", "The meeting is on Tuesday", 0.9440),
    ],
)
def test_similarities_are_those_of_the_original_model(model: MiniLM, one: str, other: str, cosine: float) -> None:
    vectors = model.embed([one, other])

    assert vectors[0] @ vectors[1] == pytest.approx(cosine, abs=2e-4)


@pytest.mark.parametrize("chunk_tokens", [1, 30, 2_048])
def test_batch_gives_the_vectors_of_single_texts_in_their_order(
    model: MiniLM, chunk_tokens: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    single = np.concatenate([model.embed([text]) for text in SENTENCES])
    monkeypatch.setattr(minilm, "_CHUNK_TOKENS", chunk_tokens)

    assert np.abs(model.embed(SENTENCES) - single).max() < 1e-5


def test_text_after_256_tokens_does_not_count(model: MiniLM) -> None:
    words = "one " * 254
    head, endless, changed = model.embed([words, words + "elephant " * 200_000, "one " * 253 + "elephant"])

    assert np.abs(head - endless).max() < 1e-5, "a row's last bits depend on its place in the product of matrices"
    assert np.abs(head - changed).max() > 0.001


def test_lone_surrogate_is_embedded_too(model: MiniLM) -> None:
    assert (model.embed(["half a smile \ud83d"]) == model.embed(["half a smile ?"])).all()


def test_tokens_are_counted_over_the_whole_text(model: MiniLM) -> None:
    assert model.count_tokens("") == 0
    assert model.count_tokens("Where does she live?") == 5
    assert model.count_tokens("coffee " * 3_000) == 3_000


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    found = Tokenizer.from_file(str(find_model() / TOKENIZER))
    found.no_padding()
    found.no_truncation()
    return found


_WORDS = "Coffee|unbelievably|zqjx|2025|it's|C:\\x|[SEP]|[|#tag|_|caf\u00e9|\u4e2d\u6587|\u0130".split("|")
_STRANGE = ["x" * 100, "x" * 101, "qwz" * 40, "\n", "\t", "\x1c", "\x00", "\u200b", "\ud800", "  "]
_PARTS = st.sampled_from([*_WORDS, *_STRANGE])


@given(st.lists(_PARTS | st.text(max_size=5), max_size=12), st.sampled_from(["", " "]))
def test_tokens_are_counted_as_the_models_own_tokenizer_counts_them(
    model: MiniLM, tokenizer: Tokenizer, parts: list[str], between: str
) -> None:
    text = encodable(between.join(parts))
    found = tokenizer.encode(text, add_special_tokens=False)
    each = zip(found.tokens, found.offsets, strict=True)
    unknown = [-(-len(text[start:end].encode()) // 4) for token, (start, end) in each if token == "[UNK]"]
    assert model.count_tokens(text) == len(found) - len(unknown) + sum(unknown)


@pytest.mark.parametrize("script", ["ผมอาศัยอยู่ที่เชียงใหม่และทำงานเป็นครู", "ខ្ញុំរស់នៅភ្នំពេញ", "x" * 500, "妹妹"])
def test_unknown_word_counts_by_its_length(model: MiniLM, script: str) -> None:
    assert model.count_tokens(script) >= len(script) / 4
    assert model.count_tokens(f"{script} {script}") == 2 * model.count_tokens(script)


@pytest.fixture
def elsewhere(tmp_path: Path) -> Path:
    """Return the model's files in a folder not loaded from before."""
    for file in find_model().iterdir():
        (tmp_path / file.name).symlink_to(file)
    return tmp_path


def test_threads_share_a_model_that_none_has_loaded_yet(elsewhere: Path) -> None:
    fresh = MiniLM(elsewhere)
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda _: fresh.embed(SENTENCES), range(4)))

    assert all(np.allclose(answer, answers[0], atol=1e-6) for answer in answers)


def test_process_loads_the_model_once(elsewhere: Path) -> None:
    first, second = MiniLM(elsewhere), MiniLM(elsewhere)
    vectors = first.embed(SENTENCES)
    (elsewhere / WEIGHTS).unlink()

    assert (second.embed(SENTENCES) == vectors).all()


def test_forked_child_can_embed() -> None:
    result = subprocess.run([sys.executable, "-c", FORK], capture_output=True, text=True, timeout=60, check=False)

    assert (result.returncode, result.stderr) == (0, "")


def test_other_weights_are_refused_at_first_use(tmp_path: Path) -> None:
    for name in ("model.safetensors", "tokenizer.json"):
        (tmp_path / name).write_bytes(b"{}")

    broken = MiniLM(tmp_path)

    with pytest.raises(ConfigurationError, match=r"sha256.*mosshead model install"):
        broken.embed(["x"])
