"""Split a sentence into clauses with their own subjects: "I'm Sarah, I live in Leeds and work at Foo" has three."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from mosshead.language.dates.spans import DAY_NAME
from mosshead.language.verbs import (
    ADVERB,
    ADVERBS,
    AUXILIARIES,
    MODALS,
    VERBS,
    base_of,
    expand,
    is_finite,
    is_past,
    is_verb_after,
)
from mosshead.language.wordlists import FIRST_NAMES
from pipeline.rules_en.rewrites import plainer, without_asides

_IMPLICIT = re.compile(
    r"^(?:(?i:just|recently|finally) (?P<a>\w+)"
    r"|(?P<b>(?i:love|hate|prefer|enjoy)(?! (?:and|is|or|can|has|how|that|the way|to$))"
    r"|(?i:cannot stand|allergic to|have to|want to|planning to|moving to|living in|live in|born in|thinking of)"
    r"|(?i:going to) (?=[a-z]+ (?!meetings|events|has\b|is\b))|(?i:been) (?=\w+ing\b)|(?i:working) (?=at|as|for|on)"
    r"|(?i:from) (?=[A-Z]))\b|(?P<c>[A-Za-z]+)\b)"
)

_NO_IMPLICIT = frozenset(
    "been made thought hoped felt said sounded looked seen done gone had kept let meant known given used based".split()
)

_IMPLICIT_BE = re.compile(r"^(?:going|planning|working|living|born|from|thinking|moving|allergic)\b", re.IGNORECASE)

_LEAD_WITH_COMMA = re.compile(
    r"^(?P<lead>(?:when|while|after|before|since|because|although|though|as|until|once|growing up|for|in|on|at|during|over"
    r"|last|next|this|every|back|earlier|with|by|yesterday|today|tonight|tomorrow|recently|lately|currently|nowadays"
    r"|right now|these days|now|the (?:day|other|past|next)|a (?:few|couple|week|month|year)"
    r"|one (?:day|night|time|morning|year|summer)|two|three|originally|besides|sometimes|usually"
    rf"|{DAY_NAME}|\d+)\b[^,]{{0,80}}), (?=\w)",
    re.IGNORECASE,
)

_LEAD_PLAIN = re.compile(
    r"^(?P<lead>(?i:(?:yesterday|tomorrow)(?: (?:morning|afternoon|evening))?|today|tonight"
    r"|(?:last|next|this|on) \w+(?: (?:morning|afternoon|evening|night))?"
    r"|(?:a|half a|\w+) (?:days?|weeks?|months?|years?) ago(?: today)?|recently|currently|nowadays|right now"
    r"|at the moment|the day before yesterday|these days)"
    r"|(?i:last year in) [A-Z][a-z]+|[Ii]n (?:\d{4}|[A-Z][a-z]+(?: \d{4})?))"
    r" (?=(?:I|we|my|our|he|she|[A-Z]\w+ (?:and I|is|was|has|\w+ed))\b)"
)

_SUBORDINATE = re.compile(r"(?:when|while|after|before|since|because|although|though|as|until|once)\b", re.IGNORECASE)
_CONJUNCTION = r"(?:and then|and now|and also|and|but also|but now|but|so|plus|also|then|while|whereas|though|yet)"

_BOUNDARY = re.compile(
    rf"(?P<mark>\s*[,;]\s+|\s+[-–—]{{1,2}}\s+|\s*[–—]\s*|[.!]\s+|\s+\((?=I "
    rf"))(?:(?P<conj>{_CONJUNCTION})\s+)?|\s+(?P<bare>{_CONJUNCTION})\s+|(?P<runon>\s+)(?=I (?:am|"
    r"live|work|love|like|hate|have|was|moved|got)\b)"
)

_PRONOUN = re.compile(
    rf"^(?:(?:I|we|he|she|they|[Ii]t)(?: {ADVERB})* [a-z]+|there (?:is|are|was|were)\b"
    r"|(?:nobody|no one|everybody|everyone) [a-z]+)"
)

_ASIDE_HEAD = re.compile(
    r"^(?:that|this|which) (?:is|was|means|makes|will|has)\b|^you (?:know|see|were|are|said)\b", re.IGNORECASE
)

_BARE_HEAD = re.compile(
    r"^(?:(?P<first>[a-z][\w-]+) )?(?P<last>[a-z][\w-]+)"
    r" (?:is|are|was|were|has|have|had|will|says|said|does|can|cannot|goes|gets|wants|needs|starts|comes|costs|runs"
    r"|moved|went)\b(?! to\b)"
)

_NOUN_HEAD = re.compile(r"^(?:my|our|his|her|their|the|this|[A-ZÀ-Þ][\w'-]*)\b")
_MOST_SUBJECT_WORDS = 5
_MOST_ASIDE_WORDS = 6

_OPENS_PHRASE = re.compile(
    r"(?:my|our|his|her|their|the|a|an|I|we|he|she|they|it|in|on|at|for|with|by|if|when|while|since|because|as|after"
    r"|before|until|[A-ZÀ-Þ]\w+)\b"
)

_LED_IN = re.compile(
    r"^(?:(?:and|but|so|also|plus|oh|ah|ok|okay|no|nah|yes|yeah|yep|yup|ugh|well|anyway|btw|me|new note|quick one"
    r"|plot twist"
    r"|quick update|update|good news|bad news)[,:]? )+"
    r"(?=(?:I|we|he|she|they|it|my|our|his|her|their|the|there|[A-ZÀ-Þ]\w+|[a-z]+s?)\b)(?!(?:one|idea|way|more"
    r"|longer|problem|no)\b)",
    re.IGNORECASE,
)

_PREPOSITIONS = frozenset("of in on at for to with from by about as that which who than or".split())

_SUBORDINATORS = frozenset(
    "when that because if where what how which while since as than until before after whenever think know hope thing"
    " way time place everything all whatever say and or the who why one said believe whom like so once unless mean"
    " guess".split()
)

_NO_HEADS = _PREPOSITIONS | _SUBORDINATORS | AUXILIARIES | ADVERBS
_NOUNISH = frozenset(
    "work run walk study drink cook play design paint dance travel sleep help hope change show drive ride visit talk"
    " practice research hike camp surf ski swim plan start stay look book coach cycle garden report exercise shop end"
    " care promote sing set chat cut test need support experience like garden volunteer fish host type ship face kayak"
    " sail bike head".split()
)

_OBJECT_STARTS = frozenset("at for as in on with a an the my to our from two three every".split())

_COORDINATION = re.compile(
    rf"(?:,)? (?:and|but|then) (?P<adverbs>(?:(?:{'|'.join(sorted(ADVERBS))}) )*)(?P<verb>[a-z]+)\b(?: (?P<next>\w+))?"
)

_SO_TOO = re.compile(r"\bso $")
"""Before an auxiliary, this introduces another subject: "and so does my son"."""

_POSSIBLE = re.compile(r"(?:I|we|he|she|they) (?:can|could|would|will)\b")
_UNREAL = re.compile(r"\b(?:to|not|never|cannot|can|could|will|would|should|must|might|may)\b")


@dataclass(frozen=True, slots=True)
class Clause:
    """A clause. text: subject first, contractions expanded. lead: the sentence's opening time phrase, which applies to all."""

    text: str
    lead: str = ""


def clauses(sentence: str) -> list[Clause]:
    """Split a statement into clauses; openers must have been removed."""
    lower_style = not any(c.isupper() for c in sentence)
    text = plainer(_LED_IN.sub("", expand(sentence).strip()).rstrip(".!?…,;: "))
    lead, text = _lead(text)
    pieces = [without_asides(part) for piece in _split(_explicit(text), lower_style) for part in _coordinated(piece)]
    return [Clause(f"{piece} {lead}" if lead and not i else piece, lead) for i, piece in enumerate(pieces)]


def _lead(text: str) -> tuple[str, str]:
    match = _LEAD_PLAIN.match(text) or _LEAD_WITH_COMMA.match(text)
    if match is None or (re.search(r"\b(?:I|we)\b", match["lead"]) and not _SUBORDINATE.match(match["lead"])):
        return "", text
    lead = match["lead"]
    is_name = lead[:3].istitle() and lead.split()[0].lower() in FIRST_NAMES
    return lead if is_name else lead[0].lower() + lead[1:], text[match.end() :]


def _explicit(text: str) -> str:
    """Add the subject that chat omits: "Just moved to Leeds" is about the user."""
    match = _IMPLICIT.match(text)
    if match is None:
        return text
    said = text[0].lower() + text[1:]
    if match["a"] and is_past(match["a"]):
        return f"I {said}"
    if match["b"]:
        verb = "have " if said.startswith("been") else "am " if _IMPLICIT_BE.match(said) else ""
        return f"I {verb}{said}"
    word = match["c"] or ""
    known_past = is_past(word) and base_of(word) is not None and word.lower() not in AUXILIARIES | _NO_IMPLICIT
    return f"I {said}" if known_past and len(text.split()) > 2 else text


def _split(text: str, lower_style: bool) -> Iterator[str]:
    start = 0
    for match in _BOUNDARY.finditer(text):
        left, right = text[start : match.start()], text[match.end() :]
        if match["runon"] and not _runs_on(left, lower_style):
            continue
        if match["bare"] in {"so", "while", "though"} and _POSSIBLE.match(right):
            continue
        if (_has_verb(left) or _is_aside(left, match)) and _opens_clause(right):
            yield left.strip()
            start = match.end()
    last = text[start:].strip()
    yield last if last.count("(") == last.count(")") else last.rstrip(")")


def _is_aside(left: str, match: re.Match[str]) -> bool:
    """Whether a few words without a verb precede a comma: "brilliant, my dog …", "Cologne, we take …"."""
    comma = (match["mark"] or "").strip() in {",", ";"} and match["conj"] is None
    return comma and 0 < len(left.split()) <= _MOST_ASIDE_WORDS and not _OPENS_PHRASE.match(left)


def _runs_on(left: str, lower_style: bool) -> bool:
    words = left.split()
    return lower_style and len(words) > 1 and words[-1].lower() not in _SUBORDINATORS


def _has_verb(text: str) -> bool:
    return any(is_finite(word) or word in VERBS for word in text.split()[:12])


def _opens_clause(text: str) -> bool:
    if _PRONOUN.match(text) or _ASIDE_HEAD.match(text):
        return True
    bare = _BARE_HEAD.match(text)
    if bare is not None and not {bare["first"], bare["last"]} & _NO_HEADS:
        return True
    return _NOUN_HEAD.match(text) is not None and _subject_length(text) is not None


def _subject_length(text: str) -> int | None:
    """Return the number of words before the verb, if the text begins with a short third-person subject."""
    words = text.split()[: _MOST_SUBJECT_WORDS + 1]
    for index, word in enumerate(words):
        if index and is_verb_after(words[index - 1], word):
            return index
        if word.endswith((",", ";")) or word in _PREPOSITIONS:
            return None
    return None


def _coordinated(clause: str) -> Iterator[str]:
    """Split coordinated verbs: "I live in Leeds and work at Foo" → "I live in Leeds", "I work at Foo"."""
    pronoun = re.match(r"(?:I|we|he|she|they)\b", clause)
    subject = pronoun[0] if pronoun else " ".join(clause.split()[: _subject_length(clause) or 0])
    if not subject:
        yield clause
        return
    start, prefix = 0, ""
    for match in _COORDINATION.finditer(clause):
        left = clause[start : match.start()]
        if _has_verb(left) and _continues(subject, left, match):
            yield prefix + left
            start, prefix = match.start("adverbs"), f"{subject} "
    yield prefix + clause[start:]


def _continues(subject: str, left: str, match: re.Match[str]) -> bool:
    verb, following = match["verb"], match["next"] or ""
    if subject in {"I", "we", "they"}:
        known = verb in VERBS or verb in AUXILIARIES - MODALS or (is_past(verb) and base_of(verb) is not None)
    else:
        known = is_finite(verb) and (verb in AUXILIARIES or base_of(verb) is not None)
    if not known or verb in {"been", "done", "made"} or (verb in AUXILIARIES and _SO_TOO.search(match["adverbs"])):
        return False
    if verb.endswith("ed") and re.search(r"\b(?:am|is|are|was|were|be|been|feel|felt)\b", left):
        return False
    if verb in VERBS and not is_past(verb):
        return not _UNREAL.search(left) and (verb not in _NOUNISH or following in _OBJECT_STARTS)
    return True
