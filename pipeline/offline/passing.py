"""What is said in passing: of the moment, of what lies on the desk, of the world at large, or as part of a story."""

import re

from pipeline.facts import USER
from pipeline.offline.discourse import Sort
from pipeline.offline.grammar import base_of, is_past
from pipeline.offline.lexicon import AUXILIARIES
from pipeline.offline.statements import Statement

AIMS = frozenset(
    """
    adopt become build buy climb create finish grow improve launch learn live lose marry move open own publish quit
    retire run save sell start stop study travel visit work write
    """.split()
)
PINNED = re.compile(
    r"[A-ZÀ-Þ]\w+|\d|\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b|\b(?:two|three|four|five|six|seven|eight|nine"
    r"|ten|eleven|twelve"
    r"|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|once|twice|dozen|half"
    r"|january|february|march|april|june|july|august|september|october|november|december)\b"
)
_ON_THE_DESK = re.compile(
    r"\b(?:functions?|scripts?|code|regex|quer(?:y|ies)|tests?|lines?|tabs?|rows?|columns?|csv|json|errors?"
    r"|exceptions?|commands?|output|logs?|loops?"
    r"|variables?|methods?|builds?|buttons?|options?|steps?|versions?|chapters?|sections?|paragraphs?|sentences?"
    r"|words?|pages?|articles?|movies?|films?"
    r"|songs?|recipes?|prompts?|answers?|screenshots?|poems?|essays?"
    r"|servers? and|restarted|env|sandbox|drafts?|endings?|titles?|fonts?|layouts?)\b",
    re.IGNORECASE,
)
"""What is worked on, or looked at, in the conversation itself."""
_MOMENTARY = re.compile(
    r"\b(?:in|for|till|until|another|last|only|have|has) (?:\w+ )?(?:\d+|a few|five|ten|fifteen|twenty|thirty"
    r"|a couple of) ?(?:more )?(?:min(?:ute)?s?|seconds?)\b"
    r"|\bin a (?:minute|second|moment|sec)\b|\b(?:at|on) \d+ (?:percent|%)$|^is (?:in|on|at) (?:a|the) (?:meeting"
    r"|call|bus|train|tube|phone|bath|queue)\b"
)
_SMALL = re.compile(
    r"(?:made (?:some|a few|a|the|an) (?:changes?|mistakes?|errors?|edits?|typos?|start|list|note|joke)"
    r"|took the (?:bus|train|tube|tram|lift|stairs)|found\b|spent\b"
    r"|waited\b|smiled\b|laughed\b|cried\b|tried\b|put\b|went to the (?:shop|shops|store|bathroom|kitchen|pub|gym)$"
    r"|met someone|bought (?:milk|bread|food|groceries)"
    r"|is feeling\b|has (?:a|an) (?:\w+ )?(?:headache|hangover|cold|cough)$|is looking for\b)"
)
_LASTING = frozenset(
    """
    adopt become begin break build buy cancel change close create decide divorce donate drop earn end enrol enroll
    fail finish
    found get give graduate grow have hire inherit install invest join launch learn leave lose make marry migrate
    move need open
    own pass plan plant pick publish quit receive record register rent renovate resign retire sell separate settle
    sign sponsor start
    stop study switch take teach train upgrade win work write accept apply book order lend borrow pay owe refuse
    agree swap split
    land meet use retake relocate graduate qualify sail
    """.split()
)
"""What one has done and still counts a year later."""
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
_LORE = re.compile(
    r"is the (?:capital|largest|biggest|highest|tallest|longest|smallest|fastest|deepest|oldest|most \w+) .*\b(?:of"
    r"|in|on)\b"
    r"|(?:was|were) (?:created|invented|discovered|written|painted|composed|directed|designed|founded) (?:by|in) "
    r"|won the (?:world cup|war|nobel|election)"
    r"|(?:boils?|melts?|freezes?) at|wrote [A-Z]\w+$"
)
"""What an encyclopedia says."""
_A_TIME = re.compile(r"^(?:next |this |the )?(?:mon|tues|wednes|thurs|fri|satur|sun)day(?! )|^\d", re.IGNORECASE)
_STAFFED = re.compile(
    r"\b\d+ (?:people|of us|employees|kids|children|members|students|pupils|staff|residents|units|guests)\b"
)


def in_passing(statement: Statement, *, dated: bool) -> bool:
    """Whether a statement is about what lies on the desk just now, about the moment, or about the world at large."""
    core, subject = statement.core, statement.subject
    if _MOMENTARY.search(core) or _UNDONE.match(core) or _LORE.match(core) or _A_TIME.match(subject.text):
        return True
    if subject.sort in {Sort.SELF, Sort.GROUP}:
        return not dated and _own_small_matter(statement)
    if subject.text == "There":
        return not dated and _STAFFED.search(core) is None
    return subject.sort is Sort.THING and subject.owner is None and _ON_THE_DESK.search(subject.noun) is not None


def on_the_desk(text: str) -> bool:
    """Whether a text is about something that the conversation itself works on: "the second paragraph"."""
    return _ON_THE_DESK.search(text) is not None


def _just_doing(core: str) -> bool:
    """Whether it is what somebody is at just now, "is making soup", rather than for a while, "is learning Spanish"."""
    doing = re.match(r"(?:is|are) (?P<verb>[a-z]+ing)\b(?! to\b)", core)
    if doing is None or doing["verb"] in {"doing", "going", "getting"}:
        return False
    stem = doing["verb"][:-3]
    return not {stem, f"{stem}e", stem[:-1]} & _FOR_A_WHILE


def _told_in_passing(statement: Statement) -> bool:
    """Whether it is part of a story: something done once that leaves nothing behind, or something not done."""
    head = statement.core.split()[0].lower()
    if head in AUXILIARIES:
        return False
    base = base_of(head)
    if is_past(head):
        return base not in _LASTING and "never" not in statement.predicate
    return base is None or (statement.negated and base not in _HABITS)


def _own_small_matter(statement: Statement) -> bool:
    core = statement.core
    past = is_past(core.split()[0])
    pinned = PINNED.search(core.replace(USER, "")) is not None
    if _just_doing(core) or (_told_in_passing(statement) and (past or not pinned)):
        return True
    if not pinned and _SMALL.match(core):
        return True
    return _ON_THE_DESK.search(core) is not None and (past or core.startswith(("is ", "has ")))
