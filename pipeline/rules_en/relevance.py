"""Select the statements worth keeping that no rule claims: events, plans, and what people do."""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from mosshead.language.dates.spans import DAY_NAME
from mosshead.language.verbs import AUXILIARIES, VERBS, base_of, is_past
from mosshead.language.wordlists import MONTHS, ROLES
from mosshead.models.kinds import MemoryKind
from pipeline.models import USER
from pipeline.rules_en.names import Sort
from pipeline.rules_en.statements import Statement
from pipeline.rules_en.subjects import EVALUATIVE, THIN
from pipeline.statements import tells_an_end

_VAGUE_VERBS = frozenset(
    """
    admit adore agree appreciate ask assume believe bet care check come dislike doubt enjoy expect feel figure forget get go
    guess hang happen hate hear hope imagine keep know let like look love mean mind miss need notice prefer promise realise
    realize recommend remember root say see seem show sound suggest suppose swear talk tell thank think trust try understand
    wait want wish wonder worry
    """.split()
)
"""Verbs for momentary feelings, or that depend on missing context."""

_NEVER_DATED = frozenset(
    "think hope guess mean know feel believe suppose bet wish wonder want need like love agree".split()
)

_VAGUE_PROGRESSIVES = _VAGUE_VERBS | frozenset("do get have be sit stand kid say joke lie call start stay give".split())

_REQUESTED = frozenset(
    """
    ask be check clarify confirm continue discuss do find forget get give go have hear keep know let look make miss remember
    say schedule see send share show stay take talk tell thank try understand use
    """.split()
)

_ABILITIES = frozenset("speak play swim drive code cook eat drink ride sing dance fly sail".split())

_STATE_CHANGES = frozenset(
    "married engaged divorced promoted accepted hired fired pregnant vaccinated diagnosed licensed certified"
    " separated".split()
)

_UNREAL = frozenset("could should may might must would bet bets".split())
_VAGUE_SAID = frozenset(
    "say tell ask mean guess think quote see hear look talk thank try check go smile laugh cry".split()
)

_ASKING = re.compile(
    r"(?:an?|some|another|one more|no) (?:quick |small |big )?(?:question|problem|issue|idea|request|favou?r)"
)

_AMOUNT = re.compile(r"\d|\b(?:ten|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred)\b")

_NOTHING = re.compile(
    r"\b(?:thing|point|idea|question|one|problem|issue|rest|same|answer|reason|way|trick|note|code|error"
    r"|capital|population|definition)s?\b(?! for\b)"
)
"""Things that say nothing lasting without an owner."""

_GOALS = frozenset(
    "want wants wanted plan plans planned hope hopes intend intends aim aims dream dreams need needs decided expect"
    " expects".split()
)

_PROPER = re.compile(r"[A-ZÀ-Þ]\w+|\d")

_HAS_VAGUE = re.compile(
    r"(?:to (?=\w)|(?:a|an|the) (?:question|feeling|idea|problem|look|nice|great|good|lot|blast|point|chance|hard|bit|few|time)\b"
    r"|(?:no|any|some|something|nothing|everything|anything|so|such|never|it|that|this|trouble|issues?|questions|fun)\b"
    r"|[\w']+'s back\b|been (?:so|really|very|good|great|fine|well|busy|an?|feeling|thinking|able to|there|hard)\b)"
)

_GOT = re.compile(
    r"(?:an?|the|some|two|three|\w+ new|to|into|accepted|back from|[A-ZÀ-Þ]\w+'s)"
    r" (?!walk\b|go\b|lot|bit|chance|hang|point|sense|kick|idea|surge|ton|few|go\b|know|see|be\b|back\b|feel)"
)

_WHAT_ONE_IS = re.compile(r"(?:an?|one of|the|[A-ZÀ-Þ][\w& ]*'s) \w")
_KEPT = re.compile(
    r"(?:\w+ )?(?:bees|chickens|hens|ducks|geese|goats|sheep|pigs|horses|an? (?:diary|journal|garden|blog))\b"
)
"""What is kept for years, rather than in mind or in touch."""

_ONLY_SAID = frozenset("know say tell thank share hear".split())
_WENT = re.compile(r"(?:to|on|for|back|out with|there|with|\w+ing) \w+")
_WHERE = frozenset("in at on with away abroad off back".split())
_STANDING = re.compile(r"\bsince\b|^(?:has|have) been\b|^(?:likes|loves|hates|prefers)\b|\bevery\b")


@dataclass(frozen=True, slots=True)
class _Predicate:
    """The words of a predicate. dated: it names a time.

    own: it is the speaker's. together: it is shared with others, so a wish is no request to the assistant.
    among: the speaker is one of several, to whom "will" is a promise.
    """

    words: list[str]
    dated: bool
    own: bool
    together: bool
    among: bool

    @property
    def rest(self) -> str:
        return " ".join(self.words[1:])

    def after_first(self) -> "_Predicate":
        return replace(self, words=self.words[1:])


def notable(statement: Statement, *, dated: bool, marked: bool) -> MemoryKind | None:
    """Return the kind to keep a statement under; None if it is not worth remembering.

    dated: a time phrase was resolved. marked: the user asked to remember it.
    """
    words, sort = statement.core.split(), statement.subject.sort
    if not words:
        return None  # "I can't" alone
    kind = MemoryKind.EVENT if dated and not _STANDING.search(statement.core) else MemoryKind.FACT
    if marked:
        return kind
    if in_passing(statement, dated=dated):
        return None
    among = statement.discourse.me != USER
    said = _Predicate(words, dated, sort in {Sort.SELF, Sort.GROUP}, among or sort is Sort.GROUP, among)
    kept = _notable_thing(statement, said) if sort is Sort.THING else _notable_doing(statement, said)
    return kind if kept else None


def _notable_doing(statement: Statement, said: _Predicate) -> bool:
    """Whether an action or state of a person or named thing is worth keeping."""
    words = said.words
    if statement.negated and (words[0] in _ABILITIES - {"code", "dance"}):
        return True
    if len(words) < 2 or not _substance(words[1:]) or (words[0] == "did" and not PINNED.search(statement.core)):
        return False
    return _JUDGES.get(words[0].lower(), _notable_verb)(said) or _specific(said)


def _substance(words: list[str]) -> bool:
    """Whether content remains without the words that refer elsewhere."""
    return any(word.lower().strip(",.'\"") not in THIN for word in words)


def _notable_thing(statement: Statement, said: _Predicate) -> bool:
    if statement.subject.owner is None:
        return not _NOTHING.search(statement.subject.noun) and _specific(said)
    complement = re.match(r"(?:is|are|was|were|has been) (?P<rest>.+)", statement.core)
    if complement:
        return not EVALUATIVE.match(complement["rest"])
    return (said.dated and base_of(said.words[0]) not in _VAGUE_VERBS) or _specific(said)


def _specific(said: _Predicate) -> bool:
    """Whether a number, name or date makes the statement specific: "is off from Friday", "goes up to 935"."""
    words, rest = said.words, said.rest.replace(USER, "")
    head = words[0].lower()
    base = base_of(head)
    if (
        len(words) < 2
        or _ASKING.match(said.rest)
        or head in _UNREAL
        or base in (_NEVER_DATED if said.own else _NEVER_DATED - {"need"})
        or (base in _VAGUE_SAID and not (base == "see" and said.dated))
        or (EVALUATIVE.match(said.rest) and (said.own or not _AMOUNT.search(rest)))
    ):
        return False
    if said.own and base in {"need", "have"} and words[1] == "to":
        return False
    if said.own and (
        base in {"need", "want", "plan"} or (head in {"is", "are"} and words[1] in {"looking", "trying", "thinking"})
    ):
        return said.together and said.dated
    if head in {"will", "cannot", "can"} and (base := base_of(words[1])) != "do" and base in _REQUESTED | _VAGUE_VERBS:
        return False
    return (len(words) > 2 and (said.dated or PINNED.search(rest) is not None)) or PINNED.match(rest) is not None


def _notable_verb(said: _Predicate) -> bool:
    words, head = said.words, said.words[0]
    base = base_of(head)
    if base is None:
        inflected = head.islower() and (is_past(head) or head.endswith("s"))
        return inflected and (said.dated or len(words) > 2)
    if base == "make" and len(words) > 2 and words[2] in {"think", "feel", "realise", "realize", "want"}:
        return False
    if base == "keep" and _KEPT.match(said.rest):
        return True
    named = said.dated and _PROPER.search(said.rest.replace(USER, "")) is not None
    return base not in _VAGUE_VERBS or (named and base not in _NEVER_DATED)


def _notable_went(said: _Predicate) -> bool:
    return _WENT.match(said.rest) is not None and (
        said.dated or said.words[0] == "went" or "every" in said.rest or _PROPER.search(said.rest) is not None
    )


def _notable_copula(said: _Predicate) -> bool:
    words, rest = said.words, said.rest
    if words[1].endswith("ing") and len(words) > 2:
        return _notable_progressive(said)
    if EVALUATIVE.match(rest):
        return False
    if _WHAT_ONE_IS.match(rest) or words[1] in {"born", "from", *_STATE_CHANGES} or words[1].strip(",") in ROLES:
        return True
    named = _PROPER.search(rest) is not None
    if words[0] == "was" and words[1] in {"in", "at", "on"}:
        return named
    return words[1].endswith("ed") and base_of(words[1]) is not None and (said.dated or named)


def _notable_progressive(said: _Predicate) -> bool:
    verb, after = said.words[1], said.words[2:]
    if verb == "going":
        return _notable_going(said, after)
    if verb == "getting":
        return after[0] in _STATE_CHANGES
    base = _from_gerund(verb)
    if verb == "doing":
        told = _substance(after) and not EVALUATIVE.match(said.rest.partition(" ")[2])
        return told and (said.among or PINNED.search(said.rest) is not None)
    if base in {"try", "think", "hope"}:
        return len(after) > 2 and (after[1] in AIMS or (after[0] in {"of", "about"} and after[1].endswith("ing")))
    if base in {"look", "have"}:
        birth = said.dated and after[0] in {"a", "an", "twins", "surgery"}
        return birth if base == "have" else after[0] == "for" and len(after) > 1
    plain = base is not None and base not in _VAGUE_PROGRESSIVES and (after[0] != "up" or base == "save")
    return plain and _substance(after)


def _notable_going(said: _Predicate, after: list[str]) -> bool:
    if after[0] in {"with", "for"}:
        return said.together and _substance(after[1:])
    to_do = after[0] == "to" and len(after) > 1 and after[1] in VERBS
    return _notable_goal(said.after_first()) if to_do else said.dated


def _from_gerund(word: str) -> str | None:
    stem = word[:-3]
    forms = (stem, stem + "e", stem[:-1])
    return next((form for form in forms if form in VERBS or form in AUXILIARIES or form in _VAGUE_PROGRESSIVES), None)


def _notable_has(said: _Predicate) -> bool:
    words, rest = said.words, said.rest
    if _HAS_VAGUE.match(rest):
        return rest.startswith("been to ") and _PROPER.search(rest) is not None
    if words[1] == "been":
        return len(words) > 3 and words[2].endswith("ing") and _notable_progressive(said.after_first())
    if is_past(words[1]):
        return base_of(words[1]) not in _VAGUE_VERBS and _substance(words[2:])
    return True


def _notable_will(said: _Predicate) -> bool:
    words = said.words
    if words[1] == "be" and len(words) > 3:
        if words[2].endswith("ing"):
            return _notable_progressive(said.after_first())
        return said.dated and words[2] in _WHERE and _substance(words[3:])
    known = words[1] in VERBS - _REQUESTED - _VAGUE_VERBS
    meant = said.dated or said.among or words[1] in AIMS
    return len(words) > 2 and known and meant and _substance(words[2:])


def _notable_would(said: _Predicate) -> bool:
    words = said.words
    return words[1] in {"like", "love"} and words[2:3] == ["to"] and len(words) > 4 and words[3] in AIMS


def _notable_goal(said: _Predicate) -> bool:
    """Distinguish a goal, "wants to learn Spanish", from a request to the assistant, "wants to know how"."""
    words = said.words
    if "to" not in words[:4]:
        due = said.together and said.dated and words[1] in {"a", "an", "the"}
        return not said.own or due or (words[0].startswith("plan") and len(words) > 3)
    goal = words[words.index("to") + 1 :]
    if len(goal) < 2 or not _substance(goal[1:]):
        return False
    needed = words[0].startswith("need") and not said.dated
    if goal[0] in _REQUESTED:
        return said.dated and _PROPER.search(" ".join(goal)) is not None and goal[0] not in _ONLY_SAID
    return not needed


_JUDGES: dict[str, Callable[[_Predicate], bool]] = {
    **dict.fromkeys(("is", "are", "was", "were"), _notable_copula),
    **dict.fromkeys(("has", "have", "had"), _notable_has),
    **dict.fromkeys(("can", "cannot"), lambda said: len(said.words) > 2 and said.words[1] in _ABILITIES),
    **dict.fromkeys(_UNREAL - {"would"}, lambda _: False),
    **dict.fromkeys(
        ("got", "gets", "get"), lambda said: said.words[1] in _STATE_CHANGES or bool(_GOT.match(said.rest))
    ),
    **dict.fromkeys(("went", "goes", "go"), _notable_went),
    **dict.fromkeys(_GOALS, _notable_goal),
    "will": _notable_will,
    "would": _notable_would,
}
"""The judge of a predicate by its first word; other verbs are judged by `_notable_verb`."""

AIMS = frozenset(
    """
    adopt become build buy climb create finish grow improve launch learn live lose marry move open own publish quit retire run
    save sell start stop study travel visit work write
    """.split()
)

_PLAIN_MONTHS = "|".join(month for month in MONTHS if month != "may")

PINNED = re.compile(
    rf"[A-ZÀ-Þ]\w+|\d|\b(?:{DAY_NAME}s?|{_PLAIN_MONTHS}|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
    r"|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|once|twice|dozen|half)\b"
)

ON_THE_DESK = re.compile(
    r"\b(?:functions?|scripts?|code|regex|quer(?:y|ies)|tests?|lines?|tabs?|rows?|columns?|csv|json|errors?"
    r"|exceptions?|commands?|output|logs?|loops?"
    r"|variables?|methods?|builds?|buttons?|options?|steps?|versions?|chapters?|sections?|paragraphs?|sentences?"
    r"|words?|pages?|articles?|movies?|films?"
    r"|songs?|recipes?|prompts?|answers?|screenshots?|poems?|essays?"
    r"|servers? and|restarted|env|sandbox|drafts?|endings?|titles?|fonts?|layouts?)\b",
    re.IGNORECASE,
)
"""Objects of work in the conversation itself: "the second paragraph"."""

_LASTING = frozenset(
    """
    adopt become begin break build buy cancel change close create decide divorce donate drop earn end enrol enroll fail finish
    found get give graduate grow have hire inherit install invest join launch learn leave lose make marry migrate move need
    open own pass plan plant pick publish quit receive record register rent renovate resign retire sell separate settle sign
    sponsor start stop study switch take teach train upgrade win work write accept apply book order lend borrow pay owe refuse
    agree swap split land meet use retake relocate qualify sail
    """.split()
)
"""Actions that still matter a year later."""

_FOR_A_WHILE = (
    AIMS
    | _LASTING
    | frozenset(
        "learn study work train apply switch use teach practise organise organize host date see expect think look".split()
    )
)

_HABITS = frozenset(
    "do eat drink smoke drive work use have own speak play wear take keep live cook read watch like celebrate want plan"
    " swim sing ride sail ski cycle dance".split()
)

_UNDONE = re.compile(
    r"(?:was|were) (?:[a-z]+ing (?!up\b)(?!.*\b(?:in|since|for|until) (?:[A-Z]|\\d))|going|about|planning|thinking"
    r"|hoping|supposed|meant|wondering|trying|just)\b(?! on \w+day)"
)

_MOMENTARY = re.compile(
    r"\b(?:\d+|a few) (?:more )?(?:min(?:ute)?s?|seconds?)\b|^is (?:in|on|at) (?:a|the) (?:meeting|call|bus|train|phone|queue)\b"
)
_A_TIME = re.compile(rf"^(?:next |this |the )?{DAY_NAME}(?! )|^\d", re.IGNORECASE)


def in_passing(statement: Statement, *, dated: bool) -> bool:
    """Whether a statement concerns work at hand, the moment, or the world at large."""
    core, subject = statement.core, statement.subject
    if _MOMENTARY.search(core) or _UNDONE.match(core) or _A_TIME.match(subject.text):
        return True
    if subject.sort in {Sort.SELF, Sort.GROUP}:
        return not dated and _own_small_matter(statement)
    if subject.text == "There":
        return not dated
    return subject.sort is Sort.THING and subject.owner is None and ON_THE_DESK.search(subject.noun) is not None


def _just_doing(core: str) -> bool:
    """Whether it is a momentary activity, "is making soup", rather than a longer one, "is learning Spanish"."""
    doing = re.match(r"(?:is|are) (?P<verb>[a-z]+ing)\b(?! to\b)", core)
    if doing is None or doing["verb"] in {"doing", "going", "getting"}:
        return False
    stem = doing["verb"][:-3]
    return not {stem, f"{stem}e", stem[:-1]} & _FOR_A_WHILE


def _told_in_passing(statement: Statement) -> bool:
    """Whether it is part of a story: done once without consequences, or not done."""
    head = statement.core.split()[0].lower()
    if head in AUXILIARIES:
        return False
    base = base_of(head)
    if is_past(head):
        return base not in _LASTING and "never" not in statement.predicate and not tells_an_end(statement.core)
    return base is None or (statement.negated and base not in _HABITS)


def _own_small_matter(statement: Statement) -> bool:
    core = statement.core
    past = is_past(core.split()[0])
    pinned = PINNED.search(core.replace(USER, "")) is not None
    if _just_doing(core) or (_told_in_passing(statement) and (past or not pinned)):
        return True
    return ON_THE_DESK.search(core) is not None and (past or core.startswith(("is ", "has ")))
