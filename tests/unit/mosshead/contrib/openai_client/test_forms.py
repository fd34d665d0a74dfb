"""What a call of either API asks, where the notes go, and what its answer says."""

import copy
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openai.types.chat import ChatCompletionMessage
from openai.types.chat.chat_completion_chunk import ChoiceDelta
from openai.types.responses import ResponseFunctionToolCall

from mosshead.contrib.openai_client.apis import HISTORY, ApiForm, CallRequest, Chat, Responses, asked, storable
from mosshead.events.envelope import MAX_CONTENT_BYTES

CALL = {"id": "c1", "type": "function", "function": {"name": "look", "arguments": "{}"}}
WORDS = st.text(max_size=5)
CONTENTS = st.one_of(
    st.none(),
    WORDS,
    st.integers(),
    st.lists(st.one_of(WORDS, st.dictionaries(st.sampled_from(["type", "text"]), WORDS)), max_size=2),
)
ROLES = st.sampled_from(["system", "developer", "user", "assistant", "tool", "function", "", None])
MESSAGES = st.lists(
    st.one_of(
        st.fixed_dictionaries({"role": ROLES, "content": CONTENTS}),
        st.fixed_dictionaries({"type": st.sampled_from(["function_call", "reasoning", "message"])}),
        WORDS,
    ),
    max_size=6,
)


def user(content: Any) -> dict[str, Any]:
    return {"role": "user", "content": content}


def assistant(content: Any, **more: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": content, **more}


class TestWhatIsAsked:
    def test_last_user_message_and_the_earlier_ones_are_read(self) -> None:
        found = asked([{"role": "system", "content": "Be kind."}, user("Hi"), assistant("Hello"), user("Where am I?")])
        assert found == CallRequest(
            text="Where am I?", history=(user("Hi"), assistant("Hello")), new=(user("Where am I?"),)
        )

    def test_speaker_is_the_name_on_the_asking_message(self) -> None:
        tom, ana = {**user("Hi"), "name": "Tom"}, {**user("Where do I live?"), "name": "Ana"}
        assert asked([tom, ana]).speaker == "Ana"
        assert asked([tom, user("Where do I live?")]).speaker is None
        assert asked([{**user("Hi"), "name": " "}]).speaker is None

    def test_text_in_parts_is_joined_and_pictures_are_left_out(self) -> None:
        picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
        found = asked([user([{"type": "text", "text": "What is"}, picture, {"type": "text", "text": "this?"}])])
        assert found.text == "What is\nthis?"
        assert found.new == (user("What is\nthis?"),)
        assert asked([user([picture])]) == CallRequest()

    def test_tool_result_is_new_and_the_question_before_it_is_asked_again(self) -> None:
        tool = {"role": "tool", "content": "rain", "tool_call_id": "c1"}
        found = asked([user("Weather?"), assistant(None, tool_calls=[CALL]), tool])
        assert (found.text, found.new) == ("Weather?", (tool,))

    def test_several_messages_since_the_last_answer_are_all_new(self) -> None:
        named = {"role": "user", "name": "Ann", "content": "And I."}
        assert asked([assistant("Hello"), user("I am in."), named]).new == (user("I am in."), named)

    def test_history_is_limited_to_a_number_of_messages(self) -> None:
        talk = [message for number in range(60) for message in (user(f"q{number}"), assistant(f"a{number}"))]
        history = asked([*talk, user("last")]).history
        assert len(history) == HISTORY
        assert history[-1] == assistant("a59")

    def test_unstorable_characters_are_replaced_and_long_texts_are_cut(self) -> None:
        assert storable("a\x00b\ud83dc") == "a?b?c"
        assert len(storable("é" * MAX_CONTENT_BYTES).encode()) <= MAX_CONTENT_BYTES

    def test_items_of_the_responses_api_are_read(self) -> None:
        called = ResponseFunctionToolCall(type="function_call", call_id="c1", name="look", arguments="{}")
        items = [
            {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Weather?"}]},
            {"type": "reasoning", "id": "r1", "summary": []},
            called,
            {"type": "function_call_output", "call_id": "c1", "output": "rain"},
        ]
        found = Responses().asked({"input": items})
        assert (found.text, found.new) == (
            "Weather?",
            ({"role": "tool", "content": "rain", "tool_call_id": "c1"},),
        )
        assert Responses().asked({"input": "Hi"}) == CallRequest(text="Hi", new=(user("Hi"),))

    @pytest.mark.parametrize("form", [Chat(), Responses()], ids=["chat", "responses"])
    @given(messages=MESSAGES)
    def test_any_messages_can_be_read(self, form: ApiForm, messages: list[Any]) -> None:
        arguments = {"messages": messages, "input": messages}
        before = copy.deepcopy(arguments)
        found = form.asked(arguments)
        form.with_notes(arguments, "notes")
        form.in_system_prompt(arguments, "notes")
        assert arguments == before
        assert all(one["content"] and one["role"] in {"user", "tool"} for one in found.new)


class TestWhereTheProfileGoes:
    @pytest.mark.parametrize("role", ["system", "developer"])
    def test_profile_goes_to_the_end_of_the_system_prompt(self, role: str) -> None:
        given_ = [{"role": role, "content": "Be kind."}, user("Hi")]
        put = Chat().in_system_prompt({"messages": given_, "model": "m"}, "NOTES")
        assert put == {"messages": [{"role": role, "content": "Be kind.\n\nNOTES"}, user("Hi")], "model": "m"}
        assert given_[0]["content"] == "Be kind."

    def test_profile_is_an_extra_part_of_a_prompt_in_parts(self) -> None:
        parts = [{"type": "text", "text": "Be kind."}]
        put = Chat().in_system_prompt({"messages": [{"role": "system", "content": parts}]}, "NOTES")
        assert put["messages"][0]["content"] == [*parts, {"type": "text", "text": "NOTES"}]
        assert len(parts) == 1

    def test_profile_is_its_own_message_where_there_is_no_system_prompt(self) -> None:
        put = Chat().in_system_prompt({"messages": [user("Hi")]}, "NOTES")
        assert put["messages"] == [{"role": "system", "content": "NOTES"}, user("Hi")]

    @pytest.mark.parametrize(
        ("given_", "put"), [("Be kind.", "Be kind.\n\nNOTES"), (None, "NOTES"), (object(), "NOTES")], ids=str.__class__
    )
    def test_profile_goes_into_the_instructions_of_a_response(self, given_: object, put: str) -> None:
        assert Responses().in_system_prompt({"input": "Hi", "instructions": given_}, "NOTES")["instructions"] == put


class TestWhereTheNotesGo:
    def test_notes_go_before_the_text_of_the_last_user_message(self) -> None:
        given_ = [user("Hi"), assistant("Hello"), user("Where am I?"), assistant(None, tool_calls=[CALL])]
        put = Chat().with_notes({"messages": given_, "model": "m"}, "NOTES")
        assert put["messages"] == [*given_[:2], user("NOTES\n\nWhere am I?"), given_[3]]
        assert given_[2] == user("Where am I?")

    def test_notes_are_an_extra_part_of_a_message_in_parts(self) -> None:
        parts = [{"type": "image_url", "image_url": {"url": "data:,"}}, {"type": "text", "text": "Who?"}]
        put = Chat().with_notes({"messages": [user(parts)]}, "NOTES")
        assert put["messages"] == [user([{"type": "text", "text": "NOTES"}, *parts])]

    @pytest.mark.parametrize(
        ("given_", "put"),
        [
            ("Hi", "NOTES\n\nHi"),
            ([user("Hi")], [user("NOTES\n\nHi")]),
            ([user([])], [user([{"type": "input_text", "text": "NOTES"}])]),
        ],
        ids=["text", "message", "parts"],
    )
    def test_notes_go_into_the_input_of_a_response(self, given_: object, put: object) -> None:
        assert Responses().with_notes({"input": given_, "instructions": "Be kind."}, "NOTES") == {
            "input": put,
            "instructions": "Be kind.",
        }

    def test_iterator_of_messages_is_read_once(self) -> None:
        settled = Chat().settled({"messages": iter([user("Hi")])})
        assert Chat().asked(settled).text == "Hi"
        assert Chat().with_notes(settled, "NOTES")["messages"] == [user("NOTES\n\nHi")]


class TestWhatIsAnswered:
    def test_stream_may_omit_empty_fields(self) -> None:
        """Azure's filter sends pieces without text; other endpoints omit the number of their only choice."""
        pieces = Chat().pieces()
        for index, delta, finish_reason in (
            (0, None, None),
            (None, ChoiceDelta(content="Hello"), None),
            (1, ChoiceDelta(content="Bye"), None),
            (None, ChoiceDelta(), "stop"),
        ):
            choice = SimpleNamespace(index=index, delta=delta, finish_reason=finish_reason)
            pieces.add(SimpleNamespace(choices=[choice]))
        assert (pieces.messages(), pieces.whole) == ((assistant("Hello"),), True)

    def test_first_choice_is_read_with_its_tool_calls(self) -> None:
        said = ChatCompletionMessage.model_validate(assistant("Let me see.", tool_calls=[CALL]))
        other = ChatCompletionMessage(role="assistant", content="No.")
        result = SimpleNamespace(choices=[SimpleNamespace(message=said), SimpleNamespace(message=other)])
        assert Chat().answered(result) == (assistant("Let me see.", tool_calls=[CALL]),)

    def test_refusal_counts_as_an_answer_and_an_empty_answer_as_none(self) -> None:
        refused = ChatCompletionMessage(role="assistant", content=None, refusal="I will not.")
        empty = ChatCompletionMessage(role="assistant", content="")
        assert Chat().answered(SimpleNamespace(choices=[SimpleNamespace(message=refused)])) == (
            assistant("I will not."),
        )
        assert Chat().answered(SimpleNamespace(choices=[SimpleNamespace(message=empty)])) == ()
        assert Chat().answered(SimpleNamespace(choices=[])) == ()
