"""What benchmarks.locomo reads and counts."""

import json
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks.locomo.baselines import bm25, by_vector, by_words
from benchmarks.locomo.conversations import Conversation, DataError, Question, read_conversations
from benchmarks.locomo.report import Measured, as_json
from benchmarks.locomo.scoring import Answered, by_category, official, score, within
from mosshead.embeddings import MiniLM
from workers.local.processes import ROOT

SMALL = ROOT / "tests" / "data" / "locomo"


def question(category: int = 4, *evidence: str, listed: Sequence[str] | None = None) -> Question:
    names = evidence if listed is None else listed
    return Question(text="Who?", category=category, evidence=frozenset(evidence), listed=tuple(names))


def answered(asked: Question, *ranked: str, shown: Sequence[str] = ()) -> Answered:
    return Answered(question=asked, ranked=ranked, shown={500: shown, 1000: shown, 2000: shown})


@pytest.fixture(scope="module")
def small() -> Conversation:
    (conversation,) = read_conversations(SMALL)
    return conversation


class TestReading:
    def test_turns_come_in_order_with_their_sessions_and_photo_captions(self, small: Conversation) -> None:
        assert [turn.session for turn in small.turns] == ["session_1"] * 10 + ["session_2"] * 11 + ["session_3"] * 12
        assert [turn.said_at for turn in small.turns] == sorted({turn.said_at for turn in small.turns})
        photo = next(turn for turn in small.turns if turn.id == "D3:4")
        assert photo.content == "She slept on my medal all day. (photo: a photo of a grey cat asleep on a medal)"
        assert (photo.speaker, photo.said_at.isoformat()) == ("Imogen", "2024-06-24T13:05:15+00:00")

    def test_evidence_is_read_in_every_notation(self, small: Conversation) -> None:
        several = next(one for one in small.questions if one.text.startswith("What has Rufus made"))
        assert several.evidence == {"D1:7", "D3:5", "D3:7"}
        assert several.listed == ("D1:7", "D3:5; D3:7")

    def test_facts_know_the_words_of_their_turns(self, small: Conversation) -> None:
        told = {one.content: one for one in small.told}
        fact = told["Imogen wants to see whales and has never been north of Bergen."]
        assert fact.texts[0].startswith("Beautiful. I want to see the whales")
        assert fact.texts[1].startswith("Yes! I have never been")

    @pytest.mark.parametrize("content", ["[]", "{", '[{"sample_id": "a"}]', '{"qa": 1}'])
    def test_other_data_is_reported(self, tmp_path: Path, content: str) -> None:
        (tmp_path / "locomo-odd.json").write_text(content, encoding="utf-8")
        with pytest.raises(DataError, match=re.escape(str(tmp_path))):
            read_conversations(tmp_path)

    def test_other_files_of_the_folder_are_ignored(self, tmp_path: Path) -> None:
        (tmp_path / "notes.json").write_text("[1]", encoding="utf-8")
        with pytest.raises(DataError, match="no conversation"):
            read_conversations(tmp_path)


class TestCounting:
    def test_recall_is_the_share_of_the_evidence_averaged_over_questions(self) -> None:
        found = [
            answered(question(4, "a", "b"), "a", "x", "y", "z", "w", "b", shown=["b"]),
            answered(question(1, "c"), "c", shown=["c", "x"]),
            answered(question(5, "d")),  # nothing answers it
            answered(question(2)),  # no evidence
        ]
        scores = score(found)
        assert scores.questions == 2
        assert scores.recall_at == {5: 0.75, 10: 1.0, 25: 1.0, 50: 1.0}
        assert scores.recall_tokens == {500: 0.75, 1000: 0.75, 2000: 0.75}
        assert {category: one.recall_at[5] for category, one in by_category(found).items()} == {1: 1.0, 4: 0.5}

    def test_official_rule_takes_evidence_as_listed(self) -> None:
        found = [
            answered(question(4, "D1:1", "D1:2", listed=["D1:1", "D1:2; D1:3"]), "D1:1", "D1:2"),
            answered(question(5, "D1:9"), "D1:9"),
            answered(question(5, "D1:9"), "D1:8"),
            answered(question(3)),
        ]
        assert official(found)[5] == pytest.approx((0.5 + 1 + 0 + 1) / 4)
        assert official(found, adversarial=False)[5] == pytest.approx((0.5 + 1) / 2)

    def test_budget_counts_each_heading_once_and_skips_what_does_not_fit(self) -> None:
        costs = {"a1": 4, "a2": 5, "b1": 3, "a3": 1}
        taken = within(costs, 14, costs.__getitem__, lambda turn: (turn[0], 3))
        assert taken == ["a1", "a2", "a3"]  # 4 + 3, 5; then b1 would need 3 + 3


class TestPlainSearch:
    def test_bm25_follows_the_formula(self) -> None:
        texts = [Counter(heron=2, lake=1), Counter(tram=1)]
        scores = bm25(texts, [Counter(heron=1, moon=1), Counter()])
        rarity = np.log(1 + (2 - 1 + 0.5) / 1.5)
        expected = rarity * 2 * 2.2 / (2 + 1.2 * (0.25 + 0.75 * 3 / 2))
        assert scores == pytest.approx(np.array([[expected, 0], [0, 0]]))

    def test_both_searches_rank_every_turn_for_every_question(self, small: Conversation) -> None:
        embedder = MiniLM()

        def words(texts: Sequence[str]) -> list[Counter[str]]:
            return [Counter(re.findall(r"\w+", text.lower())) for text in texts]

        for found in (by_vector(small, embedder), by_words(small, embedder, words)):
            assert len(found) == len(small.questions)
            assert all(set(one.ranked) == {turn.id for turn in small.turns} for one in found)
            assert all(len(one.shown[500]) < len(small.turns) for one in found)
            assert score(found).recall_at[5] > 0.5


def test_json_has_every_figure_as_a_fraction() -> None:
    found = [answered(question(4, "a"), "a"), answered(question(1, "a"), "b")]
    made: dict[str, Any] = json.loads(
        json.dumps(as_json(Measured(answered=found, vector=found, bm25=found, memories=3, unrelated={500: 71.26})))
    )
    ks, budgets = {"5", "10", "25", "50"}, {"500", "1000", "2000"}
    assert made["recall_at"] == dict.fromkeys(ks, 0.5)
    assert made["unrelated_tokens"] == {"500": 71.3}
    assert made["recall_tokens"] == dict.fromkeys(budgets, 0.0)
    assert made["by_category"]["4"] == {
        "recall_at": dict.fromkeys(ks, 1.0),
        "recall_tokens": dict.fromkeys(budgets, 0.0),
        "questions": 1,
    }
    assert (made["official"], made["questions"], made["official_questions"]) == (dict.fromkeys(ks, 0.5), 2, 2)
    assert made["vector"] == made["bm25"] == {key: made[key] for key in ("recall_at", "recall_tokens", "questions")}
