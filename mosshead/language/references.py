"""Find pronouns and descriptions in a message, with their place in the sentence. Pure, from word lists; English only."""

import re
from bisect import bisect_right
from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from itertools import pairwise

from mosshead.language.names import NO_FIGURE
from mosshead.language.wordlists import ACQUAINTANCES, KINSHIP, ORDINALS, PRONOUNS, ROLES
from mosshead.patterns import lazy_pattern

_LONGEST = 4
_LONGEST_TAG = 12
THEY = frozenset({"they", "them", "their", "theirs", "themselves"})
POINTING = frozenset({"this", "that"})
_PRONOUNS = PRONOUNS.keys() | THEY | POINTING | {"himself", "herself", "it", "its", "itself"}

MINE = frozenset({"my", "our"})
DETERMINERS = MINE | {"the", "your", "his", "her", "their", "its", "that", "this", "those", "these"}

PREPOSITIONS = frozenset(
    """
    about above across after against along among around as at before behind below beneath beside between beyond by
    down during except for from in inside into like near of off on onto opposite outside over past per round since
    than through till to toward towards under until up upon via with within without
    """.split()
)

_VERBS = frozenset(
    """
    am is are was were be been being do does did done doing have has had having will would shall should can could
    may might must ought need let 's 're 've 'll 'd isn't aren't wasn't weren't don't doesn't didn't haven't hasn't
    hadn't won't wouldn't shouldn't can't couldn't mustn't
    """.split()
)

_JOINING = frozenset(
    """
    and but or nor so yet because if though although while when where why how who whom whose what which whether then
    that both not no yes oh ah well right ok okay now also too please thanks anyway still just even only again maybe
    perhaps actually exactly good great sure today tomorrow tonight yesterday first last next
    """.split()
)

_OTHERS = frozenset("i me we us you he him she it they them there here all any some a an one's".split())
FUNCTION = PREPOSITIONS | _VERBS | _JOINING | _OTHERS | DETERMINERS | _PRONOUNS

REPORTING = frozenset(
    """
    said says say told tells reckons reckoned thinks thought mentioned mentions wrote writes claims claimed heard
    reports reported swears swore
    """.split()
)

_NOT_IN_DESCRIPTIONS = (FUNCTION | REPORTING) - {"one", "first", "last", "next"}
_ONLY_PEOPLE = frozenset({"that", "this", "those", "these"})
_NOTHING_BEHIND = lazy_pattern(
    r"\s*(?:$|[.,;:!?)\"”]|(?:please|now|too|again|instead|and|or|there|here)\b)", re.IGNORECASE
)

_PLEONASTIC = lazy_pattern(
    r"it(?:['’]s| is| was|['’]ll be| will be)(?: been)? "
    r"(?:(?-i:[A-Z])|(?:nearly|almost|about|around|only|still|too|so|very|getting)?\s*(?:\d|one\b|two|three|four|five|six|seven"
    r"|eight|nine|ten|eleven|noon|midnight|late|early|time|raining|snowing|cold|hot|warm|dark|light|wet|windy|a pity|true"
    r"|\w+day\b))",
    re.IGNORECASE,
)
"""The time, the weather, or somebody named after it ("It was Otto")."""

_TAG = lazy_pattern(r"\b(?:is|was|does|did|has|had|will|wo|ca|could|would|should)n['’]?t it$", re.IGNORECASE)

PROCEDURES = (
    "process procedure routine drill way steps checklist list rules protocol method thing things recipe".split()
)

_FIXED = lazy_pattern(
    r"\b(?:(?P<both>both of (?:them|these|those)|the (?:two|pair|both) of them|(?<=them )both|(?<=they )both)"
    r"|(?P<other_one>the other (?!day|night|week|time|side|way|hand|half|end)\w+)"
    r"|(?P<that_one>th(?:at|is) one)"
    r"|(?P<before>(?:that|the|this) (?:thing|stuff|business)(?! with\b)(?: (?:that )?(?:we|you|I)\b[^.,;:!?]*)?)"
    rf"|(?P<usual>the (?:usual|same|normal|standard)(?: (?:{'|'.join(PROCEDURES)}))?))\b",
    re.IGNORECASE,
)

_BEHIND = lazy_pattern(r"\s+(?:with|who|that|which|from|on|in|at|of|we|I|whose|where)\b[^.,;:!?]{0,120}")
_TOLD = lazy_pattern(r"\s+(?:with|who|from) [^.,;:!?]{0,120}")


class ReferenceForm(StrEnum):
    """How a phrase refers."""

    PRONOUN = "pronoun"
    PERSON = "person"  # "the baker", "her husband", "my first employer"
    THING = "thing"  # "the bridge", "the one in red"
    OTHER_ONE = "other one"
    THAT_ONE = "that one"
    BOTH = "both"
    BEFORE = "before"  # "that thing we discussed"
    USUAL = "usual"  # "the usual process", "the same"
    NAMED = "named"  # "page 42"
    NTH = "nth"  # "the second page", "the last one"
    PREVIOUS = "previous"  # "the other page", "the one before"
    LATEST = "latest"  # "this page", "the most recent one"


class GrammaticalRole(StrEnum):
    """The grammatical role of words, most prominent first (centering: subject before object before other)."""

    SUBJECT = "subject"
    OBJECT = "object"
    OWNER = "owner"
    OTHER = "other"


@dataclass(frozen=True, slots=True, kw_only=True)
class PhrasePlace:
    """A position in a message.

    start, end: its characters. sentence: counted from the last, which is 0; clause: from the first. part: the role in its clause.
    reports: it is the speaker of what follows ("Ann said …").
    """

    start: int
    end: int
    sentence: int
    clause: int
    part: GrammaticalRole
    reports: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Phrase:
    """A phrase that refers without a name.

    text: its words, in lower case. form: how it refers. whose: a description's determiner ("my", "her", "the"). head: its noun.
    sought: the text to search memories for; empty if only the conversation can resolve it. key: the key it names. number: the
    position in a list, from 1; -1 for the last.
    """

    text: str
    form: ReferenceForm
    place: PhrasePlace
    whose: str = ""
    head: str = ""
    sought: str = ""
    key: str = ""
    number: int = 0

    @property
    def bare(self) -> bool:
        """Whether it says too little to resolve: "the first one" is bare, "the one in red" is not."""
        return self.head == "one" and self.sought.endswith(" one")


class Layout:
    """A message split into words, clauses and sentences."""

    def __init__(self, text: str) -> None:
        """Split the text."""
        self.text = text
        self.words = list(_WORD.finditer(text))
        self.starts = [word.start() for word in self.words]
        self._clauses = [0, *(found.end() for found in _CLAUSE_END.finditer(text))]
        ends = [found for found in _SENTENCE_END.finditer(text) if found.end() < len(text.rstrip())]
        self._sentences = [found.start() for found in ends]
        self._asked = [text[end : end + 1] == "?" for end in [*self._sentences, len(text.rstrip(_CLOSING)) - 1]]

    def place(self, start: int, end: int) -> PhrasePlace:
        """Return the position of a range of characters."""
        sentence = bisect_right(self._sentences, end - 1)
        behind = [bare(word[0]) for word in self.words_from(end, 2)]
        return PhrasePlace(
            start=start,
            end=end,
            sentence=len(self._sentences) - sentence,
            clause=bisect_right(self._clauses, start),
            part=self._part(start, end),
            reports=not self._asked[sentence] and any(word in REPORTING for word in behind),
        )

    def words_from(self, start: int, count: int) -> list[re.Match[str]]:
        """Return the next words from a character on."""
        first = bisect_right(self.starts, start - 1)
        return self.words[first : first + count]

    def _part(self, start: int, end: int) -> GrammaticalRole:
        word = bare(self.text[start:end])
        if word in SUBJECTS:
            return GrammaticalRole.SUBJECT
        if word in OWNERS and self._before_noun(end):
            return GrammaticalRole.OWNER
        if word not in _PRONOUNS and self._owns(start, end):
            return GrammaticalRole.OWNER
        clause = self._clauses[bisect_right(self._clauses, start) - 1]
        before = self.words[bisect_right(self.starts, clause - 1) : bisect_right(self.starts, start - 1)]
        said = [one[0].lower() for one in before]
        if said and said[-1] in PREPOSITIONS:
            return GrammaticalRole.OTHER
        led = all(one in BEFORE_SUBJECT or bare(one) in BEFORE_SUBJECT for one in said)
        return GrammaticalRole.SUBJECT if led and word not in OBJECTS else GrammaticalRole.OBJECT

    def _owns(self, start: int, end: int) -> bool:
        """Whether a name is possessive and a noun follows: "Otto's boat", not "Otto's late"."""
        marked = _POSSESSIVE.match(self.text, end)
        if marked is None and _ENDS_POSSESSIVE.search(self.text[start:end]) is None:
            return False
        return self._before_noun(marked.end() if marked else end)

    def _before_noun(self, end: int) -> bool:
        following = _WORD.match(self.text, end + 1)
        return following is not None and bare(following[0]) not in FUNCTION


def phrases(layout: Layout, nouns: Collection[str] | None = None) -> tuple[Phrase, ...]:
    """Find the pronouns and descriptions of a message, in order. nouns: the app's words for its things, in lower case."""
    fixed = [_fixed(layout, match) for match in _FIXED.finditer(layout.text)]
    if nouns is not None:
        fixed = [*(_thing(layout, match, nouns) for match in _things(frozenset(nouns)).finditer(layout.text)), *fixed]
    found: list[Phrase] = []
    taken: set[int] = set()
    for one in fixed:
        if one.place.start not in taken:
            found.append(one)
            taken.update(range(one.place.start, one.place.end))
    for number, word in enumerate(layout.words):
        plain, start = bare(word[0]), word.start()
        if start not in taken and plain in DETERMINERS and (described := _described(layout, number)):
            found.append(described)
            taken.update(range(start + 1, described.place.end))
        if plain in _PRONOUNS and (start not in taken or plain in OWNERS) and _refers(layout, number):
            found.append(_pronoun(layout, word, plain))
    return tuple(sorted(found, key=lambda one: (one.place.start, one.place.end)))


def _refers(layout: Layout, number: int) -> bool:
    """Whether a pronoun refers: "do that on Monday" does, "that trouble" and "said that he came" do not."""
    text, words = layout.text, layout.words
    word, start, end = bare(words[number][0]), words[number].start(), words[number].end()
    if word == "it":
        return not _PLEONASTIC.match(text, start) and not _TAG.search(text[max(0, start - _LONGEST_TAG) : end])
    if word not in POINTING:
        return True
    if words[number][0].lower() != word:
        return False  # "that's fine"
    if _NOTHING_BEHIND.match(text, end):
        return True
    following = bare(words[number + 1][0]) if number + 1 < len(words) else ""
    before = bare(words[number - 1][0]) if number else ""
    if before in {"do", "does", "did", "done", "doing"}:
        return True
    return following in PREPOSITIONS or (not before and following in FUNCTION - DETERMINERS)


def _pronoun(layout: Layout, word: re.Match[str], plain: str) -> Phrase:
    end = word.start() + len(plain)
    behind = _TOLD.match(layout.text, end) if plain in {"him", "her"} else None
    return Phrase(
        text=plain,
        form=ReferenceForm.PRONOUN,
        place=layout.place(word.start(), end),
        head="man" if plain == "him" else "woman" if plain == "her" else "",
        sought=f"the {'man' if plain == 'him' else 'woman'}{behind[0]}" if behind else "",
    )


def _fixed(layout: Layout, match: re.Match[str]) -> Phrase:
    form = ReferenceForm(str(match.lastgroup).replace("_", " "))
    said = " ".join(match[0].lower().split())
    return Phrase(
        text=said, form=form, place=layout.place(match.start(), match.end()), head=bare(said.rsplit(" ", 1)[-1])
    )


_PLACES = "|".join((*list(ORDINALS)[:10], "last", r"[1-9]\d?(?:st|nd|rd|th)"))
_SPACE = r"[\s_-]+"
_QUALIFIED = r"(?!\s+(?:about|of|for|with|called|named|titled|from|where|which|who|that|on|in|at)\b)"


@lru_cache(maxsize=256)
def _things(nouns: frozenset[str]) -> re.Pattern[str]:
    """Return the pattern of references to things that the app names, tried at each word in this order."""
    longest_first = sorted(nouns, key=lambda noun: (-len(noun), noun))
    noun = "|".join(_SPACE.join(map(re.escape, one.split())) for one in longest_first) or "(?!)"
    return re.compile(
        rf"""\b(?:
            (?P<named> (?:(?:the|this|that)\s+)? (?:{noun}) \s+ (?:\#|no\.?\s*|number\s+|id\s+)? (?P<key>[\w-]*\d[\w-]*))
          | (?P<nth> the\s+ (?P<place>{_PLACES}) \s+ (?:{noun}|one|result|item))
          | (?P<previous> the\s+ (?:(?:previous|prior|earlier|other) \s+ (?:{noun}|one) | (?:{noun}|one) \s+ before))
          | (?P<latest> (?:this|that|the\s+(?:same|current|latest|newest|most\s+recent)) \s+ (?:same\s+)? (?:{noun}|one)
              | the\s+ (?:{noun}) \b {_QUALIFIED})
        )\b""",
        re.IGNORECASE | re.VERBOSE,
    )


def _thing(layout: Layout, match: re.Match[str], nouns: Collection[str]) -> Phrase:
    said = " ".join(re.split(_SPACE, match[0].lower()))
    place = (match["place"] or "").lower()
    return Phrase(
        text=said,
        form=ReferenceForm(str(match.lastgroup)),
        place=layout.place(match.start(), match.end()),
        head=max((noun for noun in nouns if f" {noun} " in f" {said} "), key=len, default=""),
        key=(match["key"] or "").lower(),
        number=-1 if place == "last" else ORDINALS.get(place) or int(place[:-2] or 0),
    )


def _described(layout: Layout, number: int) -> Phrase | None:
    text, words, run = layout.text, layout.words, _run(layout, number)
    if not run:
        return None
    whose, head = bare(words[number][0]), bare(run[-1][0])
    start, end = words[number].start(), run[-1].start() + len(head)
    person = is_person(head) or head == "one"
    if not person and whose in _ONLY_PEOPLE:
        return None  # "that Ann came", "this morning"
    owner = "the user's" if whose in MINE else "the"
    behind = _BEHIND.match(text, end)
    return Phrase(
        text=" ".join(text[start:end].lower().split()),
        form=ReferenceForm.PERSON if person else ReferenceForm.THING,
        place=layout.place(start, end),
        whose=whose,
        head=head,
        sought=f"{owner} {text[run[0].start() : end]}{behind[0] if behind else ''}",
    )


def _run(layout: Layout, number: int) -> list[re.Match[str]]:
    """Return a description's words after its determiner, up to a word for people or one that cannot be in a noun phrase."""
    run: list[re.Match[str]] = []
    for before, word in pairwise(layout.words[number : number + 1 + _LONGEST]):
        plain = bare(word[0])
        if layout.text[before.end() : word.start()].strip(" ") or plain in _NOT_IN_DESCRIPTIONS:
            break
        run.append(word)
        if plain == "one" or plain != word[0].lower() or (is_person(plain) and not _goes_on(layout, word)):
            break
    return run


def _goes_on(layout: Layout, word: re.Match[str]) -> bool:
    """Whether another word for people follows: "the painter fellow"."""
    following = layout.words_from(word.end(), 1)
    return bool(following) and following[0].start() == word.end() + 1 and is_person(bare(following[0][0]))


_WORD = lazy_pattern(r"[^\W_]+(?:['’\-.][^\W_]+)*['’]?")
_SENTENCE_END = lazy_pattern(r"[.!?…]+[\"')\]]*(?:\s+|$)|:\s|\n+")
_CLAUSE_END = lazy_pattern(r"[.!?…,;:()—–\n]| - |\b(?:and|but|so|because|then)\b", re.IGNORECASE)
_CLOSING = " \n\"')]"
_POSSESSIVE = lazy_pattern(r"['’]s?")
_ENDS_POSSESSIVE = lazy_pattern(r"['’]s?$")
_PLURAL_POSSESSIVE = lazy_pattern(r"s['’]$")


def bare(word: str) -> str:
    """Return a word in lower case without contraction or possessive: "He's" is "he", "Finches'" is "finches"."""
    lowered = word.lower().replace("’", "'")
    return _PLURAL_POSSESSIVE.sub("s", lowered).split("'")[0] if not lowered.endswith("n't") else lowered


SUBJECTS = frozenset({"he", "she", "they"})
OBJECTS = frozenset({"him", "her", "them"})
OWNERS = frozenset({"his", "her", "its", "their"})

BEFORE_SUBJECT = _VERBS | _JOINING | {"i", "there", "here", "the", "our", "my", "a", "an", "poor", "dear", "old"}
"""What may precede the subject of a clause: after any other word, there is no subject."""

_ALSO_THINGS = frozenset("contact lead head chief principal coo phd pm".split())

KIN_AND_ROLES = (KINSHIP | ACQUAINTANCES | ROLES) - _ALSO_THINGS | frozenset(
    """
    sibling gran pal tenant boy girl man guy bloke chap fellow lad lass lady person chair captain guest host vicar monk nun
    scout guard spy thief king queen prince temp bride groom widow patron recruit soprano alto bass chaplain matron curate
    deacon bishop rabbi imam medic athlete clown hermit bard critic cleric comic deputy delegate goalie rookie hippie junkie
    cabbie
    """.split()
)

_AGENT = ("er", "or", "ist", "ian", "man", "ess", "ee", "wright", "smith")

_NO_AGENT = frozenset(
    """
    after answer border butter center chapter character charter color computer copper corner counter cover dinner discover
    drawer error factor filter finger floor flower folder fever freezer fryer gather gutter horror hunger inner interior
    ladder laser lavender leather letter lumber mirror master matter meter minor monster motor never number offer order
    other paper pepper plaster poster powder power printer prior projector radiator rather refer register river roller
    rubber sector semester server shelter shower silver slipper spider sticker summer supper sweater tender theater thunder
    ticker timber timer toaster together tower tractor transfer transformer trailer transmitter trigger under vector visor
    water weather whether whisper winter wonder boiler cooker charger speaker headliner newsletter banner binder blender
    burner waist wrist twist process access address business press dress guess mattress happiness illness fitness progress
    success german coffee committee decree degree frisbee jubilee marquee melee pedigree puree settee toffee human
    """.split()
)


def is_person(word: str) -> bool:
    """Whether a noun (in lower case) means a person, by list or ending."""
    if word in KIN_AND_ROLES:
        return True
    return len(word) > 4 and word.endswith(_AGENT) and word not in _NO_AGENT


_CONTENT_WORD = lazy_pattern(rf"{NO_FIGURE}{{3,}}")

_EMPTY = FUNCTION | frozenset("user users person people man woman thing things get make how old".split())

_SHORTEST_STEM = 4
_OF_ANOTHER = r"(?<!\bis )(?<!\bas )(?<!\bwas )(?<!^)\b(?:the|his|her|their) (?:\w+ )?{noun}\b"


def content_words(text: str) -> frozenset[str]:
    """Return the content words of a text, in lower case."""
    return frozenset(word for word in _CONTENT_WORD.findall(text.lower()) if word not in _EMPTY)


def shared(words: frozenset[str], others: frozenset[str]) -> float:
    """Return the share of words that match one of the others, 0 to 1; 0 if there are none."""
    return sum(any(_alike(word, other) for other in others) for word in words) / len(words) if words else 0.0


def names_another(noun: str, text: str) -> bool:
    """Whether a noun means somebody other than the text's subject: "Ann held the ladder for the electrician"."""
    return bool(noun) and re.search(_OF_ANOTHER.format(noun=re.escape(noun)), text) is not None


def _alike(word: str, other: str) -> bool:
    stem = max(_SHORTEST_STEM, min(len(word), len(other)) - 2)
    return word == other or (len(word) >= stem and word[:stem] == other[:stem])
