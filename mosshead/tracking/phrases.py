"""Where a message refers: its pronouns and descriptions, each with its place in the sentence. Pure, by closed lists; English."""

import re
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise

from mosshead.patterns import lazy_pattern
from mosshead.tracking import vocabulary as english
from mosshead.tracking.places import Layout, Place, bare

_LONGEST = 4
_LONGEST_TAG = 12
_NOT_IN_DESCRIPTIONS = (english.FUNCTION | english.REPORTING) - {"one", "first", "last", "next"}
_ONLY_PEOPLE = frozenset({"that", "this", "those", "these"})
_NOTHING_BEHIND = lazy_pattern(r" *(?:$|[.,;:!?)])")
_PLEONASTIC = lazy_pattern(
    r"it(?:['’]s| is| was|['’]ll be| will be)(?: been)? "
    r"(?:(?-i:[A-Z])|(?:nearly|almost|about|around|only|still|too|so|very|getting)?\s*(?:\d|one\b|two|three|four|five|six|seven"
    r"|eight|nine|ten|eleven|noon|midnight|late|early|time|raining|snowing|cold|hot|warm|dark|light|wet|windy|a pity|true"
    r"|\w+day\b))",
    re.IGNORECASE,
)
"""The time, the weather, or somebody who is named behind it ("It was Otto")."""

_TAG = lazy_pattern(r"\b(?:is|was|does|did|has|had|will|wo|ca|could|would|should)n['’]?t it$", re.IGNORECASE)
_FIXED = lazy_pattern(
    r"\b(?:(?P<both>both of (?:them|these|those)|the (?:two|pair|both) of them|(?<=them )both|(?<=they )both)"
    r"|(?P<other_one>the other (?!day|night|week|time|side|way|hand|half|end)\w+)"
    r"|(?P<that_one>th(?:at|is) one)"
    r"|(?P<before>(?:that|the|this) (?:thing|stuff|business)(?! with\b)(?: (?:that )?(?:we|you|I)\b[^.,;:!?]*)?)"
    rf"|(?P<usual>the (?:usual|same|normal|standard)(?: (?:{'|'.join(english.PROCEDURES)}))?))\b",
    re.IGNORECASE,
)
_BEHIND = lazy_pattern(r"\s+(?:with|who|that|which|from|on|in|at|of|we|I|whose|where)\b[^.,;:!?]{0,120}")
_TOLD = lazy_pattern(r"\s+(?:with|who|from) [^.,;:!?]{0,120}")


class Form(StrEnum):
    """How a phrase refers."""

    PRONOUN = "pronoun"
    PERSON = "person"  # "the baker", "her husband", "my first employer"
    THING = "thing"  # "the bridge", "the one in red"
    OTHER_ONE = "other one"
    THAT_ONE = "that one"
    BOTH = "both"
    BEFORE = "before"  # "that thing we discussed"
    USUAL = "usual"  # "the usual process", "the same"


@dataclass(frozen=True, slots=True, kw_only=True)
class Phrase:
    """Words that refer without a name.

    text: as it stands, in lower case. form: how it refers. whose: the determiner of a description ("my", "her", "the").
    head: the noun of a description. sought: what to look for in the memories; empty where only the conversation can tell.
    """

    text: str
    form: Form
    place: Place
    whose: str = ""
    head: str = ""
    sought: str = ""

    @property
    def bare(self) -> bool:
        """Whether it says too little to be told by: "the first one", where "the one in red" says more."""
        return self.head == "one" and self.sought.endswith(" one")


def phrases(layout: Layout) -> tuple[Phrase, ...]:
    """The pronouns and descriptions of a message, in order."""
    found = [_fixed(layout, match) for match in _FIXED.finditer(layout.text)]
    taken = {place for one in found for place in range(one.place.start, one.place.end)}
    for number, word in enumerate(layout.words):
        plain, start = bare(word[0]), word.start()
        if start not in taken and plain in english.DETERMINERS and (described := _described(layout, number)):
            found.append(described)
            taken.update(range(start + 1, described.place.end))
        if plain in english.PRONOUNS and (start not in taken or plain in english.OWNERS) and _refers(layout, number):
            found.append(_pronoun(layout, word, plain))
    return tuple(sorted(found, key=lambda one: (one.place.start, one.place.end)))


def _refers(layout: Layout, number: int) -> bool:
    """Whether a pronoun stands for something: "do that on Monday" does, "that trouble" and "said that he came" do not."""
    text, words = layout.text, layout.words
    word, start, end = bare(words[number][0]), words[number].start(), words[number].end()
    if word == "it":
        return not _PLEONASTIC.match(text, start) and not _TAG.search(text[max(0, start - _LONGEST_TAG) : end])
    if word not in english.POINTING:
        return True
    if words[number][0].lower() != word:
        return False  # "that's fine"
    if _NOTHING_BEHIND.match(text, end):
        return True
    following = bare(words[number + 1][0]) if number + 1 < len(words) else ""
    before = bare(words[number - 1][0]) if number else ""
    if before in {"do", "does", "did", "done", "doing"}:
        return True
    return following in english.PREPOSITIONS or (not before and following in english.FUNCTION - english.DETERMINERS)


def _pronoun(layout: Layout, word: re.Match[str], plain: str) -> Phrase:
    end = word.start() + len(plain)
    behind = _TOLD.match(layout.text, end) if plain in {"him", "her"} else None
    return Phrase(
        text=plain,
        form=Form.PRONOUN,
        place=layout.place(word.start(), end),
        head="man" if plain == "him" else "woman" if plain == "her" else "",
        sought=f"the {'man' if plain == 'him' else 'woman'}{behind[0]}" if behind else "",
    )


def _fixed(layout: Layout, match: re.Match[str]) -> Phrase:
    form = Form(str(match.lastgroup).replace("_", " "))
    said = " ".join(match[0].lower().split())
    return Phrase(
        text=said, form=form, place=layout.place(match.start(), match.end()), head=bare(said.rsplit(" ", 1)[-1])
    )


def _described(layout: Layout, number: int) -> Phrase | None:
    text, words, run = layout.text, layout.words, _run(layout, number)
    if not run:
        return None
    whose, head = bare(words[number][0]), bare(run[-1][0])
    start, end = words[number].start(), run[-1].start() + len(head)
    person = english.is_person(head) or head == "one"
    if not person and whose in _ONLY_PEOPLE:
        return None  # "that Ann came", "this morning"
    owner = "the user's" if whose in english.MINE else "the"
    behind = _BEHIND.match(text, end)
    return Phrase(
        text=" ".join(text[start:end].lower().split()),
        form=Form.PERSON if person else Form.THING,
        place=layout.place(start, end),
        whose=whose,
        head=head,
        sought=f"{owner} {text[run[0].start() : end]}{behind[0] if behind else ''}",
    )


def _run(layout: Layout, number: int) -> list[re.Match[str]]:
    """The words of a description behind its determiner: up to a word for people, or to one that no noun phrase goes on with."""
    run: list[re.Match[str]] = []
    for before, word in pairwise(layout.words[number : number + 1 + _LONGEST]):
        plain = bare(word[0])
        if layout.text[before.end() : word.start()].strip(" ") or plain in _NOT_IN_DESCRIPTIONS:
            break
        run.append(word)
        if plain == "one" or plain != word[0].lower() or (english.is_person(plain) and not _goes_on(layout, word)):
            break
    return run


def _goes_on(layout: Layout, word: re.Match[str]) -> bool:
    """Whether another word for people stands right behind: "the painter fellow"."""
    following = layout.words_from(word.end(), 1)
    return bool(following) and following[0].start() == word.end() + 1 and english.is_person(bare(following[0][0]))
