"""The state of a conversation as JSON."""

import json
from uuid import uuid4

import pytest

from mosshead.contrib.focus import FocusState, LayerEntry, ResolvedReference, Seen
from mosshead.language.wordlists import Gender


def test_state_survives_json() -> None:
    one, other = uuid4(), uuid4()
    state = FocusState(
        scene=(LayerEntry(entity_id=one, fit=0.8, score=0.7, age=2),),
        topic=(LayerEntry(entity_id=other, fit=1.0, score=0.99),),
        mentions=(LayerEntry(entity_id=one, fit=1.0, score=0.9),),
        seen=(
            Seen(entity_id=one, message=3, prominence=0.6, gender=Gender.SHE),
            Seen(entity_id=other, message=2, prominence=1.0),
        ),
        references=(ResolvedReference(text="both of them", start=0, entity_ids=(one, other)),),
        messages=4,
    )
    assert FocusState.from_json(json.loads(json.dumps(state.to_json()))) == state
    assert state.entity_ids == {one, other}


@pytest.mark.parametrize("wrong", [{}, {"scene": 1}, {**FocusState().to_json(), "seen": [{"message": 1}]}])
def test_malformed_state_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="state: not what"):
        FocusState.from_json(wrong)
