"""Check whether the sources support a text, by meaning.

Earlier checks found its names, numbers and dates somewhere in the sources. A fact stays a hypothesis for any of these doubts:
too few words in common with the sources, a missing or extra negation, a question, a condition, a cancelled plan, a past state,
somebody else's claim, a statement by the assistant alone, different people, or a figure that belongs to something else.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from mosshead.language.lexicon import Word, every_lexicon, first_names, keys_of, phrases_in, words_of
from mosshead.language.numbers import spelt_numbers
from mosshead.language.passage import Passage, PassageClause
from pipeline.extraction.alignment import says_the_same
from pipeline.extraction.doubts.actors import reassigns
from pipeline.extraction.doubts.figures import misplaces_a_figure
from pipeline.extraction.doubts.interpretation import Doubt, Interpretation
from pipeline.extraction.doubts.moods import moods
from pipeline.extraction.doubts.names import fuses, misplaces_a_name, swaps_names
from pipeline.extraction.doubts.people import OF, swaps, tells_of_others
from pipeline.extraction.doubts.subjects import claims_others_things, inverts, merges
from pipeline.extraction.doubts.tenses import is_told_in_past

_COVERED: Final = 0.33
"""The limit for an unknown language, whose inflections cannot be recognised."""
_COVERED_ELSEWHERE: Final = 0.25
_COVERED_ABROAD: Final = 0.2
"""The limit if fact and sources differ in language: only the commonest words have known translations."""
_OWN: Final = 0.35
_A_SENTENCE: Final = 3
"""Words that make a sentence without a function word: "Noor dropped chess"."""
_A_PIECE, _FAR = 2, 6
_A_TAIL = 40
_NEAR = 3
_NEGATED_BEFORE: Final = {"de": 2, "en": 0, "fr": 2, "nl": 2}
"""How many preceding words a negation may apply to ("ich mag das nicht"); one in languages not listed."""
_STEM = 5
_NEGATIVE = ("dislikes", "cancelled", "instead", "prefers")
"""Roles of words with a negative meaning."""
_A_DETAIL, _A_LONG_DETAIL, _A_DETAIL_ABROAD = 2, 5, 6
_REFERS = frozenset("that this it them eso esto ello cela ca isso isto cio questo dat dit midi".split())
"""Words that, after a preposition, refer back. "Por eso" begins a new clause, and "après-midi" is a time."""
_MORNING = frozenset(("morgen", "manana"))
_A_COURTESY = 7
_QUOTED = re.compile(r"[\"“”„«].*?[\"“”»]|(?<!\w)['‘].*?['’](?!\w)")
_SHORT = 5
_PREPOSITIONS = frozenset("for of from with de da di para com con por pour avec per".split())
_RELATIVE = frozenset(("who", "which", "that", "to", "what", "where", "whom", "how"))
"""Words that let a sentence end in a preposition: "what she is known for"."""
_STOPS = frozenset(".!?…\"”»)'’")
_FINITE_AS_WRITTEN: Final = {
    "es": frozenset({"está", "da"}),
    "fr": frozenset({"a"}),
    "it": frozenset({"è", "dà"}),
    "pt": frozenset({"é", "está", "dá"}),
}
"""Verbs that become other words with or without accents."""
_FINITE_ENDINGS: Final = {
    "en": ("s", "ed"),
    "de": ("t", "te", "ten"),
    "es": ("ó", "aron", "ieron"),
    "fr": ("ait", "aient"),
    "it": ("ò", "arono", "irono"),
    "nl": ("de", "te"),
    "pt": ("ou", "eu", "iu", "aram", "eram", "iram"),
}


def doubts_of(compared: Interpretation) -> Iterator[Doubt]:
    """Yield every reason not to count the text as said."""
    if not _is_sentence(compared):
        yield Doubt.NO_SENTENCE
    yield from _doubts_of_words(compared)
    if _speaks_of_its_day(compared):
        yield Doubt.WORDING
    if _is_courtesy(compared):
        yield Doubt.COURTESY
    known = bool(compared.content.lexicons and compared.content.content)
    if known and _feels(compared):
        yield Doubt.FEELING
    if known and _negates_otherwise(compared):
        yield Doubt.NEGATION
    if known:
        yield from moods(compared)
    if known and misplaces_a_figure(compared):
        yield Doubt.FIGURE
    others = (
        (tells_of_others, merges, claims_others_things, reassigns, swaps_names, misplaces_a_name, fuses)
        if known
        else ()
    )
    if any(one(compared) for one in (swaps, inverts, *others)):
        yield Doubt.PEOPLE


def _doubts_of_words(compared: Interpretation) -> Iterator[Doubt]:
    """Check whether too few words were said, or too few by the user."""
    words = bool(compared.content.content)
    own = _share(compared, compared.said)
    others = _share(compared, compared.heard if own else compared.beside)
    least = _COVERED if compared.content.lexicons else _COVERED_ELSEWHERE
    least = least if compared.is_of_one_language else _COVERED_ABROAD
    every = [*compared.said, *compared.beside]
    if (words and (_share(compared, every) < least or _shares_people_only(compared, every))) or (
        words and _quotes_something_else(compared)
    ):
        yield Doubt.UNRELATED
    elif not compared.confirmed and ((words and own < _OWN and others > own) or _rests_on_assistant(compared)):
        yield Doubt.ASSISTANT
    elif _invents(compared):
        yield Doubt.DETAIL


def _rests_on_assistant(compared: Interpretation) -> bool:
    """Whether a number of the fact, or at least half of its predicate, comes from the assistant and not from the user."""
    content, users = compared.content, [*compared.said, compared.known]
    beside = [*zip(content.words, content.words[1:], strict=False)]
    dated = {
        one
        for pair in beside
        for one in pair
        if any(other.key in each.months for other in pair for each in content.lexicons)
    }
    for word in content.words:
        number = word.key.isdecimal() and word not in dated
        if number and not _occurs(word, users) and _occurs(word, compared.heard):
            return True
    verb = next(iter(_verbs(content)), len(content.words))
    told = [word for word in content.words[verb + 1 :] if content.counts(word)]
    heard = [word for word in told if any(compared.meets(word, one) for one in compared.heard)]
    return (
        compared.is_of_one_language
        and bool(heard)
        and 2 * len(heard) >= len(told)
        and not any(compared.meets(word, one) for word in told for one in users)
    )


def _occurs(number: Word, passages: Sequence[Passage]) -> bool:
    """Whether a number occurs, in figures or words."""
    return any(
        any(word.key == number.key for word in one.words)
        or any(number.key in spelt_numbers(one.whole or one.text, each, articles=False) for each in one.lexicons[:1])
        for one in passages
    )


def _is_sentence(compared: Interpretation) -> bool:
    words = compared.content.words
    pieces = [len(words_of(piece)) for piece in compared.content.text.split(",")]
    if len(pieces) > 2 and max(pieces) <= _A_PIECE:
        return False  # a list of words
    if (
        words
        and compared.content.has("dangles", words[-1].key)
        and not _QUOTED.search(compared.content.text[-_A_TAIL:])
    ):
        return False  # it breaks off
    if not any(map(_has_no_case, compared.content.text)) and (
        len(words) < 2 or "_" in compared.content.text.split()[0]
    ):
        return False
    headline = _heads_without_subject(compared) and not any(True for _ in _verbs(compared.content))
    if headline or _is_note(compared.content) or _is_garbled(compared):
        return False
    plain = any(compared.content.has(role, word.key) for word in words for role in ("function", "negation"))
    german = compared.content.language == "de"
    endings = ("s", "ed", "t") if german else ("s", "ed")
    bent = any(
        word.key.endswith(endings)
        and compared.content.text[before.end : word.start] == " " == compared.content.text[word.end]
        for before, word in pairwise(words[:_A_SENTENCE])
        if word is not words[-1]
    )
    return not compared.content.lexicons or plain or (bent and len(words) >= _A_SENTENCE)


def _is_note(content: Passage) -> bool:
    """Whether a text with commas and without a full stop has no word like a verb: "Anton with van, moving Saturday"."""
    endings = tuple(one for lexicon in content.lexicons[:1] for one in _FINITE_ENDINGS.get(lexicon.language, ()))
    like_verbs = any(
        lexicon.has("finite", word.key) or (word.text.islower() and word.text.endswith(endings))
        for lexicon in content.lexicons[:1]
        for word in content.words[1:]
    )
    return bool(endings) and "," in content.text and content.text.rstrip()[-1:] not in _STOPS and not like_verbs


def _is_garbled(compared: Interpretation) -> bool:
    """Whether a text ends in a preposition, has an article before one, or a name, noun or number after "the user"."""
    content = compared.content
    relative = any(word.key in _RELATIVE for word in content.words)
    ends = any(word.text in _PREPOSITIONS for word in content.words[-1:]) and not relative  # "Pará" is none
    loose = any(
        word.key in {"the", "an"} and (content.joins(after) or after.key in _PREPOSITIONS)
        for word, after in pairwise(content.words)
    )
    named = any(
        content.has("user", word.key)
        and (word.text.casefold() != "users" and content.text[word.end : after.start] == " ")  # "Users" is genitive
        and (after.text[:1].isdecimal() or _is_noun(after, compared))
        for word, after in pairwise(content.words[:_A_SENTENCE])
    )
    stray = content.words[-1].text in {"to", "at", "by"} and not any(True for _ in _verbs(content))
    return bool(content.lexicons) and (ends or loose or stray or named)


def _is_noun(word: Word, compared: Interpretation) -> bool:
    """Whether a capitalised word is a name or, in German, a noun."""
    german = compared.content.language == "de"
    return word.text.istitle() and (german or (word.key in first_names() | compared.named and word.key[-1] != "s"))


def _heads_without_subject(compared: Interpretation) -> bool:
    """Whether a text begins with neither the user, a person nor a function word, like a headline without articles."""
    content = compared.content
    named = any(compared.is_person(word, content) or content.has("user", word.key) for word in content.words[:_A_PIECE])
    opens = content.words[:1] and content.has("function", content.words[0].key)
    return bool(content.lexicons) and not (named or opens)


def _verbs(content: Passage) -> Iterator[int]:
    """Yield the positions of words that are finite verbs, or end like one and are no plural."""
    for lexicon in content.lexicons[:1]:
        written = _FINITE_AS_WRITTEN.get(lexicon.language, frozenset())
        endings = _FINITE_ENDINGS.get(lexicon.language, ())
        words = content.words
        around = zip((None, *words[:-1]), words, (*words[1:], None), strict=True)
        for at, (before, word, after) in enumerate(around):
            timed = content.is_timed(word)  # "May" is a month
            if not timed and (lexicon.has("finite", word.key) or word.text.casefold() in written):
                yield at
            elif before is not None and after is not None and word.text.islower() and word.text.endswith(endings):
                plural = not word.key.endswith("ed") and lexicon.has("prepositions", after.key)
                grammar = lexicon.has("function", word.key) or plural
                if not grammar and not content.claims(before):
                    yield at


def _share(compared: Interpretation, passages: Sequence[Passage]) -> float:
    """Return the share of content words that were said. Numbers and dates count as said: others were refused before."""
    words = compared.content.content
    told = [word for word in compared.content.words if word not in words and compared.content.claims(word)]
    met = sum(any(compared.meets(word, one) for one in passages) for word in words) + len(told)
    return met / (len(words) + len(told)) if words else 0.0


def _shares_people_only(compared: Interpretation, passages: Sequence[Passage]) -> bool:
    """Whether a text says several things about somebody, none of which was said: a mere mention is no source.

    "Caroline is a person" says nothing.
    """
    if not compared.content.lexicons or any(compared.content.claims(word) for word in compared.content.words):
        return False
    things = [word for word in compared.content.content if not compared.is_person(word, compared.content)]
    if all(compared.content.has("anybody", word.key) for word in things) and not _names_a_thing(compared):
        return bool(things)
    return (
        compared.is_of_one_language
        and len(things) >= _A_DETAIL
        and not any(compared.meets(word, one) for word in things for one in passages)
    )


def _names_a_thing(compared: Interpretation) -> bool:
    """Whether a text names a relative, a place or another thing."""
    words = compared.content.words
    return any(compared.content.has("persons", word.key) or word.key in compared.things for word in words)


def _quotes_something_else(compared: Interpretation) -> bool:
    """Whether the only cited message says nothing of the fact, in the quote or beside it."""
    quoted = [one for one in compared.said if one.span[1]]
    if compared.confirmed or compared.cited > 1 or not quoted:
        return False
    (passage,) = quoted[:1]
    content = compared.content
    same = any(one in content.lexicons for one in passage.lexicons)
    told = [word for word in content.words if content.counts(word) or content.claims(word)]
    own = Passage.of(passage.text[slice(*passage.span)], passage.whole)
    if any(passage.has("third", word.key) and word.text.casefold() != "el" for word in own.words):
        return False
    own = own if own.content and len(own.words) > _A_SENTENCE else passage
    return same and len(told) >= _A_DETAIL and not any(compared.meets(word, own) for word in told)


def _invents(compared: Interpretation) -> bool:
    """Whether a later clause contains several unsaid things, or many unsaid words in a row."""
    if _adds_a_sentence(compared) or _adds_a_predicate(compared):
        return True
    every = [*compared.said, *compared.beside]
    run = 0
    for word in compared.content.content:
        run = 0 if any(compared.meets(word, one) for one in every) else run + 1
        if run == (_A_LONG_DETAIL if compared.is_of_one_language else _A_DETAIL_ABROAD):
            return True
    if any(_is_unsaid(compared, phrase, every) for phrase in _adjuncts(compared.content)):
        return True
    clauses = (
        [word for word in clause.words if compared.content.counts(word)]
        for clause in compared.content.clauses[1:]
        if not any(map(compared.content.claims, clause.words))  # its number or date was said
    )
    return any(
        len(told) >= (_A_DETAIL if compared.is_of_one_language else _A_LONG_DETAIL)
        and not any(compared.meets(word, one) for word in told for one in every)
        for told in clauses
    )


def _adds_a_sentence(compared: Interpretation) -> bool:
    """Whether the sources hardly support one of several sentences: it came from elsewhere."""
    content = compared.content
    told = [
        [word for word in content.content if start <= word.start < end]
        for start, end in (content.sentences if len(content.sentences) > 1 else ())
    ]
    return compared.is_of_one_language and any(
        3 * sum(any(compared.meets(word, one) for one in (*compared.said, *compared.heard)) for word in words)
        < len(words)
        for words in told
        if len(words) > _A_DETAIL
    )


def _adds_a_predicate(compared: Interpretation) -> bool:
    """Whether a fact's predicate has at least three content words, people apart, and nobody said any of them."""
    content, every = compared.content, [*compared.said, *compared.beside]
    verb = next(iter(_verbs(content)), len(content.words))
    told = [word for word in content.words[verb:] if content.counts(word) and not compared.is_person(word, content)]
    return (
        compared.is_of_one_language
        and not compared.confirmed
        and len(told) > _A_DETAIL
        and not any(compared.meets(word, one) for word in told for one in every)
    )


def _adjuncts(content: Passage) -> Iterator[list[Word]]:
    """Yield the phrases for reason, purpose, company or sequence."""
    phrase: list[Word] = []
    within = False
    for word in content.words:
        adds = any(one.has("adjuncts", word.key) for one in content.lexicons[:1])
        full = bool(phrase) and content.counts(phrase[-1]) and content.has("function", word.key)
        ends = (full or content.has("prepositions", word.key)) and word.key not in OF
        if adds or ends or content.joins(word):
            yield phrase
            phrase, within = [], adds
        elif within:
            phrase.append(word)
    yield phrase


def _is_unsaid(compared: Interpretation, phrase: Sequence[Word], passages: Sequence[Passage]) -> bool:
    told = [word for word in phrase if compared.content.counts(word)]
    dated = any(_is_measured(word, compared.content) for word in phrase)
    same = compared.is_of_one_language
    refers = not phrase or phrase[0].key in _REFERS or compared.confirmed
    return (
        same
        and bool(told)
        and not (dated or refers)
        and not any(compared.meets(word, one) for word in told for one in passages)
    )


def _is_measured(word: Word, content: Passage) -> bool:
    """Whether a word is a number, day or time span, but not an article."""
    return content.claims(word) or (
        content.is_timed(word) and not any(word.key in one.articles for one in content.lexicons)
    )


def _speaks_of_its_day(compared: Interpretation) -> bool:
    """Whether the text says "I", "you" or "yesterday" outside quotation marks, whose meaning changes later."""
    if any(compared.content.has("addresses", word.key) for word in compared.content.words[:1]):
        return True
    words = [word for clause in Passage.of(_QUOTED.sub(" ", compared.content.text)).clauses for word in clause.words]
    for before, word in pairwise([None, *words]):
        lexicon = compared.content.lexicons[0] if compared.content.lexicons else None
        if lexicon is None or word is None:
            return False
        numbered = before is not None and before.text[:1].isupper() and not compared.content.has("user", before.key)
        if word.key in lexicon.entries.get("speaks", ()) and not (word.text == "I" and numbered):
            return True
        if lexicon.days.get(word.key, 0) != 0 and word.key not in _MORNING:
            return True
    return False


def _is_courtesy(compared: Interpretation) -> bool:
    """Whether the quoted words, or those used in the fact, only greet, thank or praise."""
    quoted = [clause for passage in compared.said for clause in passage.quoted]
    clauses = [clause for _, clause, _ in compared.aligned] or quoted
    return bool(clauses) and not compared.confirmed and all(_is_courteous(clause) for clause in clauses)


def _feels(compared: Interpretation) -> bool:
    feelings = {stem for one in compared.content.lexicons for stem in one.entries["feelings"]}
    felt = [word for word in compared.content.content if any(_begins(word.key, stem) for stem in feelings)]
    every = {key for one in (*compared.said, *compared.beside) for key in keys_of(one.whole)} if felt else set[str]()
    told = any(_begins(key, stem) for key in every for stem in feelings)
    return bool(felt) and not told and any(not compared.meets(word, one) for word in felt for one in compared.said)


def _negates_otherwise(compared: Interpretation) -> bool:
    if _loses_a_hardly(compared):
        return True
    content = compared.content
    ours = [word for word in content.words if content.is_negation(word.key) and not compared.writes_out(word)]
    ours += [word for word in content.words if content.has("unable", word.key)]
    if _dislikes_what_is_fine(compared):
        return True
    sources = [*compared.said, *(compared.heard if compared.confirmed else ())]
    theirs = list(_negated(sources))
    if ours:
        implied = theirs or _is_implied(compared, sources)
        return not compared.corrects and (not implied or _is_affirmed(compared, sources, theirs))
    quoted = {word.key for _, clause, _ in compared.aligned for word in clause.words}
    over = any(passage.tells("past", clause.keys) for passage, clause, _ in compared.aligned)
    if over and (is_told_in_past(compared) or content.tells("past", [one.key for one in content.words])):
        return False
    positive = _affirmed(compared)
    lost = [
        word
        for word in theirs
        if word in quoted - positive and any(says_the_same(word, one.key) for one in content.content)
    ]
    return bool(lost) and not compared.corrects and not _is_negative(content, lost)


def _is_affirmed(compared: Interpretation, sources: Sequence[Passage], negated: Sequence[str]) -> bool:
    """Whether the sources say what the fact negates, and negate something else: "I do eat fish, just not meat"."""
    content = compared.content
    denials = (
        clause.words[at + 1 :]
        for clause in content.clauses
        for at in range(len(clause.words))
        if _negates(at, clause.words, content)
    )
    likes = {key for one in content.lexicons for key in one.entries["likes"]}
    told = [word.key for words in denials for word in words if content.counts(word)]
    denied = next((key for key in told if key not in likes), "")  # "doesn't like cheese" denies the cheese
    liking = bool(likes.intersection(told[:1]))
    asserted = [clause for one in sources for clause in one.clauses if _asserts(clause, one)]
    said = [key for one in asserted if not liking or likes.intersection(one.keys) for key in one.keys]
    return any(says_the_same(denied, key) for key in said) and not any(says_the_same(denied, key) for key in negated)


def _dislikes_what_is_fine(compared: Interpretation) -> bool:
    """Whether the fact denies or dislikes something, and its sources do not mind it: "we don't mind cats"."""
    content = compared.content
    keys = [word.key for word in content.words]
    negative = any(map(content.is_negation, keys)) or any(content.tells(role, keys) for role in ("weak", "dislikes"))
    fine = [passage.tells("fine", clause.keys) for passage, clause, _ in compared.aligned]
    return negative and bool(fine) and all(fine) and not content.tells("fine", keys)


def _asserts(clause: PassageClause, passage: Passage) -> bool:
    """Whether a clause says something without a negation, a limit, a question or another's claim."""
    limits = any(passage.has(role, key) for role in ("weak", "unable", "ends") for key in clause.keys)
    other = any(passage.tells(role, clause.keys) for role in (*_NEGATIVE, "past", "reports"))
    denied = any(_negates(at, clause.words, passage) for at in range(len(clause.words)))
    return not (clause.asks or limits or other or denied)


def _is_implied(compared: Interpretation, sources: Sequence[Passage]) -> bool:
    """Whether the source sentences imply a negation by other words: "quit", "very little for me"."""
    region = [*_region(compared)] or [word.key for one in compared.said for word in one.words]
    region += [key for one in compared.said for clause in one.quoted for key in clause.keys]
    if any(one.has(role, key) for one in sources for key in region for role in ("weak", "negation", "unable", "ends")):
        return True
    if any(lexicon.numbers.get(key) == 0 for one in sources for lexicon in one.lexicons for key in region):
        return True
    clauses = [(one, clause.keys) for one in sources for clause in one.clauses if set(clause.keys) <= set(region)]
    return any(one.tells(role, keys) for one, keys in clauses for role in (*_NEGATIVE, "past"))


def _is_negative(content: Passage, lost: Sequence[str]) -> bool:
    """Whether a text implies a negation by words other than the negated ones."""
    keys = [word.key for word in content.words]
    weak = (key for key in keys if content.has("weak", key))
    return any(not any(key[:_STEM] == one[:_STEM] for one in lost) for key in weak) or any(
        content.tells(role, keys) for role in _NEGATIVE
    )


def _loses_a_hardly(compared: Interpretation) -> bool:
    """Whether the sources say "hardly", "almost", ended or refused, and the text asserts it."""
    ours = [word.key for word in compared.content.words if not compared.content.has("none", word.key)]
    if any(compared.content.tells(role, ours) for role in ("scarcely", "ends", "weak", "negation", "past", *_NEGATIVE)):
        return False
    for passage, clause, held in compared.aligned:
        for lexicon in passage.lexicons[:1]:
            hits = [
                *phrases_in(clause.keys, lexicon.entries["scarcely"]),
                *phrases_in(clause.keys, lexicon.entries["ends"]),
            ]
            for at, phrase in hits:
                ahead = clause.words[at + len(phrase.split()) :][
                    : _NEAR if phrase in lexicon.entries["scarcely"] else _FAR
                ]
                late = lexicon.language in {"de", "nl"} or phrase in lexicon.entries["scarcely"]
                ahead = ahead if lexicon.language == "en" else (*ahead, *clause.words[max(at - 1, 0) : at])
                ahead = clause.words[:at] if late and phrase in lexicon.entries["ends"] else ahead
                numbered = ahead and (ahead[0].key[:1].isdecimal() or any(map(passage.is_timed, ahead[:2])))
                if not numbered and any(word in held for word in ahead):
                    return True
    return False


def _region(compared: Interpretation) -> dict[str, Word]:
    """Return all words of the source sentences, by key."""
    numbers = [
        (passage, {clause.sentence for one, clause, _ in compared.aligned if one is passage})
        for passage in compared.said
    ]
    told = (clause.words for passage, here in numbers for clause in passage.clauses if clause.sentence in here)
    return {word.key: word for words in told for word in words}


def _affirmed(compared: Interpretation) -> set[str]:
    """Return the words of source clauses without a negation."""
    clauses = (
        clause
        for passage, clause, _ in compared.aligned
        if not any(_negates(at, clause.words, passage) for at in range(len(clause.words)))
    )
    return {word.key for clause in clauses for word in clause.words}


def _negated(passages: Sequence[Passage]) -> Iterator[str]:
    """Yield negated words: those just after a negation, and the nearest before it."""
    for passage in passages:
        for clause in passage.clauses:
            for at in range(len(clause.words)):
                if _negates(at, clause.words, passage) and not passage.tells("fine", clause.keys):
                    after = [one.key for one in clause.words[at + 1 :] if passage.counts(one)][:_NEAR]
                    before = [one.key for one in clause.words[:at] if passage.counts(one)]
                    reach = next((_NEGATED_BEFORE.get(one.language, 1) for one in passage.lexicons), 1)
                    yield from (*after, *(before[-reach:] if reach else ()))


def confirms(reply: str) -> bool:
    """Whether a reply begins with a yes, or contains one early and no negation."""
    keys = [word.key for word in words_of(reply)]
    lexicons = every_lexicon()
    yes = [at for one in lexicons for at, _ in phrases_in(keys[:_SHORT], one.entries["affirm"])]
    no = any(one.has("negation", key) for one in lexicons for key in keys[:_SHORT])
    return 0 in yes or (bool(yes) and not no)


def _is_courteous(clause: PassageClause) -> bool:
    return len(clause.words) <= _A_COURTESY and any(
        True for one in every_lexicon() for _ in phrases_in(clause.keys, one.entries.get("courtesy", frozenset()))
    )


def _negates(at: int, words: Sequence[Word], passage: Passage) -> bool:
    """Whether a word negates. English "no" before a function word is an answer: "no she moved"."""
    following = words[at + 1].key if at + 1 < len(words) else ""
    answers = words[at].key == "no" and passage.language == "en"
    answers = answers and passage.has("function", following) and following not in {"more", "other"}
    return passage.is_negation(words[at].key) and not answers


def _begins(key: str, stem: str) -> bool:
    return key == stem or (len(stem) > 4 and key.startswith(stem))


def _has_no_case(character: str) -> bool:
    return character.isalpha() and character.lower() == character.upper()
