"""Messages and memories as a reader sees them, by rules and through the public face: dates, disputes, renames and gaps."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from mosshead import Namespace
from tests.forming import Forming

MONDAY = datetime(2026, 3, 2, 12, tzinfo=UTC)
LATER = datetime(2026, 5, 4, 12, tzinfo=UTC)
MUCH_LATER = datetime(2026, 9, 20, 12, tzinfo=UTC)


def said(forming: Forming, *contents: str, at: datetime = MONDAY, speaker: str | None = None) -> None:
    given = {"occurred_at": at.isoformat(), "conversation": f"{at:%d %B}"} | ({"speaker": speaker} if speaker else {})
    forming.send(*(forming.publishing.message(one, **given) for one in contents))


def renderings(namespace: Namespace, question: str) -> Iterator[str]:
    """Return all texts that a prompt may contain for a question, long after."""
    yield namespace.query(question).text
    yield namespace.query(question).as_system_message()["content"]
    for budget in (130, 800):
        for fill in (True, False):
            yield namespace.context(question, budget=budget, fill=fill, now=MUCH_LATER).text


@pytest.mark.parametrize(
    ("sentence", "content", "when"),
    [
        ("I'm meeting Karl tonight.", "User is meeting Karl", "2 March 2026"),
        ("I'm flying to Rome next month.", "User is flying to Rome", "April 2026"),
        ("I saw Karl the day before yesterday.", "User saw Karl", "28 February 2026"),
        ("My exam is next week.", "User's exam is in the week of 9 March 2026", "week of 9 March 2026"),
        ("I'm starting at Bosch in three weeks.", "User is starting at Bosch", "week of 23 March 2026"),
        ("I moved to Ghent last week.", "User moved to Ghent", "week of 23 February 2026"),
        ("We went skiing in Davos last winter.", "User went skiing in Davos", "winter 2025/26"),
        ("I ran a marathon last summer.", "User ran a marathon", "summer 2025"),
        ("My mum visited us last weekend.", "User's mum visited User", "28 February 2026 to 1 March 2026"),
        ("I'm on holiday from next Monday.", "User is on holiday from 9 March 2026", "9 March 2026"),
        (
            "My dentist appointment is tomorrow at 9.",
            "User's dentist appointment is on 3 March 2026 at 9",
            "3 March 2026",
        ),
    ],
)
def test_relative_time_is_replaced_by_its_date_in_every_rendering(
    forming: Forming, sarah: Namespace, sentence: str, content: str, when: str
) -> None:
    said(forming, sentence)
    assert content in [one.content for one in sarah.memories()]
    words = content.removeprefix("User ").removeprefix("User's ")
    for text in renderings(sarah, f"When was it: {words}?"):
        assert when in text or f"2 March 2026: {sentence}" in text, text


def test_changing_facts_are_dated_in_every_rendering_and_in_the_profile(forming: Forming, sarah: Namespace) -> None:
    at = datetime(2023, 3, 1, 12, tzinfo=UTC)
    changing = {
        "I'm 34 years old.": "User is 34 years old",
        "I weigh 82 kg.": "User weighs 82 kg",
        "My son is four years old.": "User's son is four years old",
        "I'm learning Spanish now.": "User is learning Spanish now",
        "I'm planning to buy a house.": "User is planning to buy a house",
        "I have been at Siemens for five years.": "User has been at Siemens for five years",
    }
    said(forming, "I like tea.", *changing, at=at)
    profile = sarah.entities.profile("User").summary
    for sentence, content in changing.items():
        assert f"{content} (said 1 March 2023)." in profile or not sentence.startswith("I")
        for text in renderings(sarah, sentence):
            assert f"{content} (said 1 March 2023)" in text or f"1 March 2023: {sentence}" in text
    assert "User likes tea." in profile


@pytest.mark.parametrize(
    ("mum", "dad", "lines"),
    [
        (
            "Leo is allergic to nuts.",
            "Leo is not allergic to nuts.",
            (
                "Mum says: Leo is allergic to nuts; Dad says otherwise",
                "Dad says: Leo is not allergic to nuts; Mum says otherwise",
            ),
        ),
        (
            "Leo likes broccoli.",
            "Leo hates broccoli.",
            ("Mum says: Leo likes broccoli", "Dad says: Leo hates broccoli"),
        ),
        ("Tom works at Bosch.", "Tom doesn't work at Bosch.", ("Mum says: Tom works", "Dad says: Tom does not work")),
        ("The party is on Saturday.", "The party is on Sunday.", ("Mum says: The party", "Dad says: The party")),
        (
            "The rent is 900 euros.",
            "The rent is 950 euros.",
            ("Mum says: The rent is 900", "Dad says: The rent is 950"),
        ),
        ("Leo is six.", "Leo is seven.", ("Mum says: Leo is six", "Dad says: Leo is seven")),
    ],
)
def test_line_says_who_said_what_where_two_people_disagree(
    forming: Forming, sarah: Namespace, mum: str, dad: str, lines: tuple[str, str]
) -> None:
    said(forming, mum, speaker="Mum")
    said(forming, dad, speaker="Dad")
    assert all(line in sarah.query(mum).text for line in lines)
    context = sarah.context(mum, fill=False).text
    assert all(line in context for line in lines)
    assert all(len(one.disputed_by) == 1 for one in sarah.memories() if one.content in context)


@pytest.mark.parametrize(
    ("before", "now"),
    [
        ("I'm vegetarian.", "I eat meat again."),
        ("I'm vegan.", "I've gone back to eating cheese."),
        ("I don't drink coffee.", "I drink coffee again."),
        ("I smoke.", "I quit smoking."),
        ("I drink alcohol.", "I gave up drinking alcohol."),
        ("I quit smoking.", "I've started smoking again."),
        ("I'm single.", "I got engaged to Tom."),
        ("My girlfriend is Ana.", "I'm single again."),
        ("I'm married.", "I got divorced."),
        ("I work at Siemens.", "I'm retired now."),
        ("My weight is 82 kg.", "I weigh 78 kg now."),
        ("I'm a smoker.", "I don't smoke any more."),
        ("I'm learning French.", "I stopped learning French."),
        ("I own a Golf.", "I sold the Golf."),
        ("I'm unemployed.", "I got a job at Ikea."),
        ("My boss is Ms Wolf.", "My new boss is Mr Fox."),
        ("I have a beard.", "I shaved off my beard."),
        ("I drive a diesel Golf.", "I traded the Golf in for a Zoe."),
        ("I have a Spotify account.", "I've replaced Spotify with Tidal."),
        ("I wear glasses.", "I swapped my glasses for contact lenses."),
        ("My favourite band is Muse.", "My favourite band these days is Low."),
        ("I go to the gym on Mill Road twice a week.", "I cancelled my gym membership."),
        ("I play the cello in the town orchestra.", "I gave up the cello."),
        ("I smoke a pack a day.", "I quit smoking in March."),
        ("I subscribe to the Guardian.", "I cancelled the Guardian."),
        ("I have a Netflix subscription.", "I cancelled Netflix."),
        ("I play padel on Fridays.", "I gave up padel."),
        ("I eat meat.", "I've given up meat."),
    ],
)
def test_newest_statement_replaces_the_one_before(forming: Forming, sarah: Namespace, before: str, now: str) -> None:
    said(forming, before)
    (old,) = sarah.memories()
    said(forming, now, at=LATER)
    assert sarah.get(old.id).state == "superseded"
    assert len(sarah.memories()) == 1


@pytest.mark.parametrize(
    ("wrong", "right", "question", "holds", "lacks"),
    [
        ("I live in Oslo.", "Sorry, I meant Bergen.", "Where do I live?", "Bergen", "Oslo"),
        ("I work at Siemens.", "No wait, I work at Bosch.", "Where do I work?", "Bosch", "Siemens"),
        ("My dog is called Rex.", "Correction: my dog is called Max.", "What's my dog called?", "Max", "Rex"),
        ("My flight is on Monday.", "Not Monday, Tuesday.", "When is my flight?", "Tuesday", "is on Monday"),
        ("I'm allergic to walnuts.", "Sorry, I meant peanuts.", "What am I allergic to?", "peanuts", "walnuts"),
    ],
)
def test_immediate_correction_hides_the_error_until_an_undo(  # noqa: PLR0917 - cases
    forming: Forming, sarah: Namespace, wrong: str, right: str, question: str, holds: str, lacks: str
) -> None:
    said(forming, wrong, right)
    said(forming, "I like jam.", at=LATER)
    texts = [*renderings(sarah, question), sarah.messages.search(question).text]
    assert all(holds in text for text in texts[2:])
    assert not [text for text in texts if lacks in text]

    (decision,) = [one for one in sarah.decisions.latest() if one.fact.get("corrects") and one.in_effect]
    forming.command(type="undo", decision_id=str(decision.id))
    assert lacks in sarah.messages.search(question).text


@pytest.mark.parametrize(
    ("told", "right", "question"),
    [
        (
            "My dog is called Rex, he's a rescue from Porto.",
            "Correction: my dog is called Max.",
            "What's my dog called?",
        ),
        ("I work at Siemens as a welder, I get up at five.", "No wait, I work at Bosch.", "Where do I work?"),
        ("My dentist is Dr Lowe, he's very gentle.", "Sorry, my dentist is Dr Patel.", "Who is my dentist?"),
    ],
)
@pytest.mark.parametrize("at", [MONDAY, LATER])
def test_a_corrected_message_that_says_more_stands_below_and_is_marked(  # noqa: PLR0917 - cases
    forming: Forming, sarah: Namespace, told: str, right: str, question: str, at: datetime
) -> None:
    said(forming, told)
    said(forming, right, at=at + timedelta(minutes=1))
    lines = sarah.context(question, now=MUCH_LATER).text.splitlines()
    (corrected,) = [line for line in lines if told in line]
    assert "(earlier" in corrected
    assert right.rstrip(".").rsplit(maxsplit=1)[-1] in lines[0]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("I hate smoking.", "I quit smoking."),
        ("I work at the bakery.", "I stopped by the bakery."),
        ("I like the Golf.", "I sold the Golf."),
        ("My sister is learning French.", "I stopped learning French."),
        ("I have a dog.", "I don't have a cat any more."),
        ("I have an iPhone.", "I swapped my iPhone's case for a red one."),
        ("My dream car is a Golf.", "I sold the Golf."),
        ("I have a dog bed.", "I gave away the dog."),
        ("I use Windows at work.", "I switched to decaf."),
    ],
)
def test_phrase_that_only_sounds_like_an_end_replaces_nothing(
    forming: Forming, sarah: Namespace, before: str, after: str
) -> None:
    said(forming, before)
    (old,) = sarah.memories()
    said(forming, after, at=LATER)
    assert sarah.get(old.id).state == "active"


@pytest.mark.parametrize(
    ("before", "change", "question"),
    [
        ("I have an iPhone.", "I switched to Android.", "What phone do I have?"),
        ("I use Windows at work.", "I've moved over to Linux at work.", "Which operating system do I use?"),
        ("I play the guitar in a band.", "I left the band.", "Am I in a band?"),
        ("I bank with Barclays.", "I changed to Monzo.", "Which bank am I with?"),
        ("I work the day shift at the hospital.", "They put me on nights.", "Which shift do I work?"),
        ("I take sertraline.", "My doctor switched me to fluoxetine.", "Which medication do I take?"),
        ("I drink coffee in the morning.", "I'm on tea now.", "What do I drink in the morning?"),
        ("I sing in the Tuesday choir.", "They moved me to the Thursday choir.", "Which choir do I sing in?"),
        ("My electricity comes from Shell Energy.", "I changed to Octopus.", "Who supplies my electricity?"),
        ("My insurance is with Allianz.", "I switched to AXA.", "Who is my insurance with?"),
        ("I'm a member of the tennis club.", "I quit the tennis club.", "Am I in a club?"),
        ("I drive a petrol car.", "I changed to an electric car.", "What car do I drive?"),
    ],
)
def test_possibly_replaced_memory_stands_below_the_change_and_is_marked_as_earlier(
    forming: Forming, sarah: Namespace, before: str, change: str, question: str
) -> None:
    said(forming, before)
    (old,) = sarah.memories()
    said(forming, change, at=LATER)
    first, *rest = sarah.context(question, now=MUCH_LATER).text.splitlines()
    assert change.removesuffix(".").split()[-1] in first
    assert [line for line in rest if f"{old.content} (earlier, said 2 March 2026)" in line], rest


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("I commute by train.", "I changed to the bus at Leeds."),
        ("I drink espresso.", "I switched to decaf for today."),
        ("I go to the gym on Mill Road.", "I cancelled my gym class on Thursday."),
        ("I work the day shift.", "They put me on hold for an hour."),
        ("I bank with Barclays.", "I thought about changing to Monzo."),
        ("I work at Acme.", "I almost quit my job at Acme yesterday."),
        ("I play the cello.", "I gave up my seat to the cello player."),
        ("I play the cello.", "I haven't given up the cello."),
        ("I smoke.", "My brother quit smoking."),
        ("I take sertraline.", "I'm on the train now."),
        ("I use an iPhone.", "Should I switch to a Pixel?"),
        ("I subscribe to the Guardian.", "I cancelled dinner with the Guardian editor."),
        ("I study physics.", "I changed to trainers before the lecture."),
        ("I drive a Skoda.", "I sold a painting."),
        ("I like jam.", "I switched to a Pixel."),
        ("I have a Netflix subscription.", "I cancelled the Netflix evening with Tom."),
        ("I play padel on Fridays.", "I gave up my padel court on Friday for Ana."),
        ("I use Outlook for my mail.", "I moved to the kitchen table."),
        ("I drive a petrol car.", "I switched to the left lane."),
        ("I take the bus to work.", "I changed to a window seat."),
        ("My insurance is with Allianz.", "I switched to speakerphone."),
        ("I'm with Vodafone for my phone.", "I'm with Tom now."),
        ("My therapist is Ms Reed.", "I cancelled Ms Reed on Monday."),
        ("I take vitamin D.", "They moved me to row 12."),
    ],
)
def test_what_only_sounds_like_a_change_ends_nothing_and_marks_nothing_as_earlier(
    forming: Forming, sarah: Namespace, before: str, after: str
) -> None:
    said(forming, before)
    (old,) = sarah.memories()
    said(forming, after, at=LATER)
    assert sarah.get(old.id).state == "active"
    assert "(earlier" not in sarah.context(f"What about this: {before}", now=MUCH_LATER).text


@pytest.mark.parametrize(
    ("before", "now", "name", "alias"),
    [
        (
            "My friend Anna Becker works at Siemens.",
            "Anna got married last week, she's called Anna Vogel now.",
            "Anna Vogel",
            "Anna Becker",
        ),
        ("My colleague Tom Hart plays golf.", "Tom Hart is now called Tom Reed.", "Tom Reed", "Tom Hart"),
        (
            "My boss Julia Stein lives in Bonn.",
            "Julia Stein got married and is Julia Kern now.",
            "Julia Kern",
            "Julia Stein",
        ),
        ("My sister Eva Lang lives in Bath.", "Eva got married. Her new last name is Moss.", "Eva Moss", "Eva Lang"),
        ("My aunt Ruth Abel plays golf.", "Ruth Abel changed her name to Ruth Cole.", "Ruth Cole", "Ruth Abel"),
        (
            "My cousin Dana Fox plays chess.",
            "Dana took her husband's name, she is Dana Reid now.",
            "Dana Reid",
            "Dana Fox",
        ),
        ("My aunt Ruth Abel plays golf.", "Ruth has a new surname: Cole.", "Ruth Cole", "Ruth Abel"),
        ("My aunt Ruth Abel plays golf.", "Ruth Cole, née Abel, moved to Ulm.", "Ruth Cole", "Ruth Abel"),
        (
            "My aunt Ruth Abel plays golf.",
            "Ruth Abel, who is now called Ruth Cole, moved to Ulm.",
            "Ruth Cole",
            "Ruth Abel",
        ),
        ("My aunt Ruth Abel plays golf.", "Since the wedding Ruth is called Ruth Cole.", "Ruth Cole", "Ruth Abel"),
    ],
)
def test_renamed_person_stays_one_entity_with_the_old_name_as_an_alias(  # noqa: PLR0917 - cases
    forming: Forming, sarah: Namespace, before: str, now: str, name: str, alias: str
) -> None:
    said(forming, before)
    said(forming, now, at=LATER)
    people = [one for one in sarah.entities.list() if one.entity_type == "person" and not one.is_user]
    assert [(one.name, one.aliases) for one in people] == [(name, (alias,))]
    first = before.removesuffix(".").split()[-1]
    assert all(first in sarah.context(f"What about {one}?").text for one in (name, alias))
    assert not sarah.context(f"What does {name} do?").questions

    (renamed,) = [one for one in sarah.decisions.latest() if "is now called" in one.fact.get("content", "")]
    forming.command(type="undo", decision_id=str(renamed.id))
    (person,) = [one for one in sarah.entities.list() if one.id == people[0].id]
    assert person.name == alias


@pytest.mark.parametrize(
    ("told", "request_", "words"),
    [
        ("My phone number is 555 1234.", "Forget my phone number.", "555"),
        ("I live in Leeds.", "Can you forget where I live?", "Leeds"),
        ("My sister's birthday is on 4 May.", "Please forget what I said about my sister's birthday.", "4 May"),
        ("I'm allergic to peanuts.", "Delete everything you know about my allergies.", "peanuts"),
        ("My doctor is Dr Haas.", "forget who my doctor is pls", "Haas"),
        ("I'm 34 years old.", "I'd rather you forgot my age.", "34"),
        ("I live in Leeds.", "Please delete my home address.", "Leeds"),
    ],
)
@pytest.mark.parametrize("at_once", [True, False])
def test_message_that_says_only_what_is_forgotten_is_hidden_until_an_undo(  # noqa: PLR0917 - cases
    forming: Forming, sarah: Namespace, told: str, request_: str, words: str, at_once: bool
) -> None:
    said(forming, "I like tea.", told, *([request_] if at_once else []))
    if not at_once:
        said(forming, request_, at=LATER)
    texts = [*renderings(sarah, told), sarah.messages.search(told).text]
    assert not [text for text in texts if words in text or request_ in text]

    (forgotten,) = [one for one in sarah.decisions.latest() if one.action == "forget" and one.in_effect]
    forming.command(type="undo", decision_id=str(forgotten.id))
    assert words in sarah.messages.search(told).text


def test_message_that_says_more_than_what_is_forgotten_is_still_shown(forming: Forming, sarah: Namespace) -> None:
    said(forming, "I live in Leeds, and I work at Acme.")
    said(forming, "Forget that I live in Leeds.", at=LATER)
    assert "Acme" in sarah.messages.search("Where do I work?").text


@pytest.mark.parametrize(
    ("told", "question", "answer"),
    [
        ("This is my dog Pepper, she's a beagle.", "What breed is my dog?", "beagle"),
        ("I work at Acme. Badge number 7731.", "What is my badge number?", "7731"),
        ("We have two kids; the older one plays the tuba.", "What does my older kid play?", "tuba"),
        ("My wife is called Vera (blood type: 0 negative).", "What is my wife's blood type?", "0 negative"),
        ("I live in Ghent. Door code is the year Max was born.", "What is my door code?", "Max"),
        ("My brother Tom is a vet, and a terrible cook.", "Can Tom cook?", "terrible cook"),
    ],
)
def test_no_memory_hides_a_message_that_says_more(
    forming: Forming, sarah: Namespace, told: str, question: str, answer: str
) -> None:
    said(forming, told)
    assert all(answer in sarah.context(question, fill=fill).text for fill in (True, False))


@pytest.mark.parametrize(
    ("kim", "lou", "lines"),
    [
        (
            "Grandma is vegetarian.",
            "Grandma isn't vegetarian, she eats fish and chicken.",
            (
                "Kim says: User's grandma is vegetarian; Lou says otherwise",
                "Lou, 2 March 2026: Grandma isn't vegetarian",
            ),
        ),
        (
            "The cabin has a sauna.",
            "The cabin doesn't have a sauna.",
            ("Kim, 2 March 2026: The cabin has", "Lou, 2 March 2026: The cabin doesn't"),
        ),
    ],
)
def test_where_the_denial_is_a_message_the_context_says_who_said_what(
    forming: Forming, sarah: Namespace, kim: str, lou: str, lines: tuple[str, str]
) -> None:
    said(forming, kim, speaker="Kim")
    said(forming, lou, speaker="Lou")
    text = sarah.context(f"Is it so? {kim}").text
    assert all(line in text for line in lines), text


_OF_ANA = (
    *("I'm lactose intolerant.", "I have high blood pressure.", "I own a tin shelf.", "My favourite colour is green."),
    *("I went to the cinema yesterday.", "I live in Ghent.", "I work as a nurse.", "I bought a new lamp."),
    *("My friend Olga collects stamps.", "The bus was late today.", "I'm learning Spanish.", "My sister Eva is vegan."),
)


def test_a_request_brings_the_diet_for_what_is_eaten_and_the_health_for_what_the_body_does(
    forming: Forming, sarah: Namespace
) -> None:
    said(forming, *_OF_ANA)
    for request_ in (
        *("Recommend a cake for Sunday.", "Which ice cream should I get?", "Suggest a snack for the train."),
        *("What could I order at the Indian place?", "Plan our picnic.", "Write a shopping list for the week."),
    ):
        assert "lactose intolerant" in sarah.context(request_).text, request_
    for request_ in (
        *("Plan a workout for me.", "Which sport should I take up?", "Is it okay for me to go diving?"),
        *(
            "What should I do about this cold?",
            "Design a running schedule.",
            "Which painkiller can I take for a headache?",
        ),
    ):
        assert "blood pressure" in sarah.context(request_).text, request_


@pytest.mark.parametrize(
    "request_",
    [
        *("Can you convert 5 miles to km?", "Write a haiku about rain.", "Recommend a science fiction novel."),
        *("Plan the sprint for the backend team.", "Give me a recipe for disaster recovery of Postgres."),
        *("Is the exercise on page 12 solvable?", "Suggest a name for my boat.", "Which laptop should I buy?"),
        *("Design a logo for the bakery.", "My printer has a paper jam, what can I do?"),
    ],
)
def test_a_request_of_another_kind_brings_neither(forming: Forming, sarah: Namespace, request_: str) -> None:
    said(forming, *_OF_ANA)
    text = sarah.context(request_).text
    assert "lactose" not in text
    assert "blood pressure" not in text


def test_asking_speaker_is_meant_in_a_query_and_in_a_search_of_messages(forming: Forming, sarah: Namespace) -> None:
    for speaker, dog, town in (("Ana", "Rex", "Ghent"), ("Cleo", "Milo", "Leeds"), ("Ben", "Fido", "Bath")):
        said(forming, f"My dog is called {dog}.", f"I live in {town}.", speaker=speaker)
    for speaker, dog, town in (("Ana", "Rex", "Ghent"), ("Cleo", "Milo", "Leeds"), ("Ben", "Fido", "Bath")):
        assert dog in sarah.query("What's my dog's name?", speaker=speaker)[0].content
        assert town in sarah.query("Where do I live?", speaker=speaker)[0].content
        history = [{"role": "user", "content": "Hi", "name": speaker}]
        for given in ({"speaker": speaker}, {"history": history}):
            (hit,) = sarah.messages.search("What's my dog's name?", limit=1, **given).hits
            assert dog in hit.message.content
        for fill in (True, False):
            assert dog in sarah.context("What's my dog's name?", speaker=speaker, fill=fill).text.splitlines()[0]


def test_first_speaker_of_a_conversation_is_meant_too(forming: Forming, sarah: Namespace) -> None:
    said(forming, "My birthday is on 2 July.", "My car is a Fiat.", speaker="Ana")
    said(forming, "My birthday is on 9 August.", "My car is a Volvo.", speaker="Cleo")
    for speaker, answers in (("Ana", ("2 July", "Fiat")), ("Cleo", ("9 August", "Volvo"))):
        for question, answer in zip(("When's my birthday?", "what car have i got"), answers, strict=True):
            assert answer in sarah.context(question, speaker=speaker).text.splitlines()[0]


@pytest.mark.parametrize("question", ["What do you know about me?", "Who am I?", "Tell me about myself"])
def test_asking_speakers_own_profile_is_shown(forming: Forming, sarah: Namespace, question: str) -> None:
    said(
        forming, "I'm called Sarah.", "I live in Ghent.", "My wife Vera is a nurse.", "I like chess.", "Max likes tea."
    )
    lines = sarah.context(question, fill=False).text.splitlines()
    own = [line for line in lines if not line.startswith("- User's wife")]
    assert {"- User's name is Sarah", "- User lives in Ghent", "- User likes chess"} <= set(own[:3])
    assert "- User's wife Vera is a nurse" in lines[3:]
    assert not [line for line in lines if "Max" in line]


def test_question_about_oneself_shows_nothing_about_others(forming: Forming, sarah: Namespace) -> None:
    said(forming, "I'm allergic to latex.", "My cousin Robert is allergic to walnuts.", "Robert lives in Graz.")
    said(forming, "I live in Linz.", at=LATER)
    for question, own, other in (
        ("What am I allergic to?", "latex", "walnuts"),
        ("which town do I live in", "Linz", "Graz"),
        ("What's my home address?", "Linz", "Graz"),
    ):
        text = sarah.context(question).text
        assert own in text
        assert other not in text
    assert "walnuts" in sarah.context("What is Robert allergic to?").text
    assert "walnuts" in sarah.context("What is my cousin allergic to?").text


def test_question_about_an_unknown_home_or_job_shows_nobody_elses(forming: Forming, sarah: Namespace) -> None:
    said(
        forming,
        "I live in Leeds.",
        "My brother Tom lives in York.",
        "My sister works at Bosch.",
        "My mum is 61 years old.",
    )
    said(forming, "Forget where I live.", at=LATER)
    for question in ("Where do I live?", "where is my home", "Which city is my flat in?", "What's my address?"):
        text = sarah.context(question).text
        assert "York" not in text, question
        assert "Leeds" not in text, question
    assert "Bosch" not in sarah.context("Where do I work?").text
    assert "Bosch" not in sarah.context("Who is my employer?").text
    assert "61" not in sarah.context("How old am I?").text
    assert "York" in sarah.context("Where does my brother live?").text


def test_question_about_oneself_in_a_group_shows_nobody_else(forming: Forming, sarah: Namespace) -> None:
    said(forming, "I live in Ghent.", "My dog is called Rex.", "I work at Acme.", speaker="Ana")
    said(forming, "I live in Leeds.", "My dog is called Milo.", speaker="Cleo")
    said(forming, "My birthday is on 3 May.", speaker="Ben")
    assert "Ghent" not in sarah.context("Where do I live?", speaker="Cleo").text
    assert "Acme" not in sarah.context("Where do I work?", speaker="Ben").text
    assert "3 May" not in sarah.context("When is my birthday?", speaker="Ana").text
    assert "Milo" in sarah.context("Do I have a dog?", speaker="Cleo").text.splitlines()[0]


def test_answer_comes_first_though_other_things_were_said_after_it(forming: Forming, sarah: Namespace) -> None:
    others = ("lives in Cardiff", "works at Lloyds", "likes rugby", "is allergic to eggs", "has a dog called Rex")
    said(forming, *(f"Peter {one}." for one in others), "My sister Ida lives in Bergen.")
    own = ("I live in Dundee.", "I work at a library.", "My dog is called Pip.", "I'm allergic to penicillin.")
    said(forming, *own, "My birthday is on 9 June.", at=LATER)
    for question, answer in (
        ("Where do I live?", "Dundee"),
        ("Can you tell me which city I live in?", "Dundee"),
        ("Where do I work?", "library"),
        ("What's my dog called?", "Pip"),
        ("do i have allergies", "penicillin"),
        ("What city does Peter live in?", "Cardiff"),
    ):
        assert answer in sarah.context(question).text.splitlines()[0], question


def test_filler_has_no_line_however_often_it_was_said(forming: Forming, sarah: Namespace) -> None:
    filler = (
        "ok",
        "lol",
        "7 minutes.",
        "<Media omitted>",
        "k",
        "You deleted this message",
        "omw",
        "danke",
        "15 min",
        "👍",
    )
    for day in range(2, 8):
        told = {3: ["I live in Tartu."], 5: ["My birthday is on 2 July."]}.get(day, [])
        said(forming, *filler, *told, *filler, at=MONDAY.replace(day=day))
    for question, answer in (("Where do I live?", "Tartu"), ("When is my birthday?", "2 July")):
        lines = sarah.context(question).text.splitlines()
        assert answer in lines[0]
        assert not [line for line in lines if line.partition(": ")[2] in filler]


def test_two_namesakes_have_a_heading_each_even_where_neither_is_named(forming: Forming, sarah: Namespace) -> None:
    said(forming, "My sister Ruth works as a nurse in Lyon.", "My boss Ruth works as an architect in Rome.")
    said(forming, "My sister Ruth plays the harp.", "My boss Ruth plays the tuba.", at=LATER)
    shown = sarah.context("Which instruments are played?").text.splitlines()
    headings = [line for line in shown if line.endswith(":")]
    assert len([line for line in headings if line.startswith("Ruth, ")]) == 2, shown
    assert not any("harp" in line or "tuba" in line for line in shown[: shown.index(headings[0])])


def test_message_with_a_replaced_memory_is_marked_and_comes_last(forming: Forming, sarah: Namespace) -> None:
    said(forming, "I work at Siemens in Graz, right behind the cathedral with the crooked tower.")
    said(forming, "I work at Bosch now, near the harbour with the blue cranes.", at=LATER)
    question = "Where do I work?"
    shown = sarah.context(question, now=MUCH_LATER).text.splitlines()
    marked = [line for line in shown if "Siemens" in line]
    assert "Bosch" in shown[0]
    assert all("(earlier, no longer so: User works at Siemens" in line for line in marked)
    (found,) = (one for one in sarah.messages.search(question).messages if "Siemens" in one.content)
    assert found.replaced[0].startswith("User works at Siemens")


def test_replaced_memory_is_marked_in_the_context_of_a_request(forming: Forming, sarah: Namespace) -> None:
    said(forming, "I'm vegan.", "We have a cat called Fig.", "My car is a red Skoda.", "I like jazz.")
    said(forming, "I've gone back to eating cheese.", at=LATER)
    shown = sarah.context("What should I cook for dinner?").text.splitlines()
    assert "cheese" in shown[0]
    assert all("no longer so" in line for line in shown if "vegan" in line)
