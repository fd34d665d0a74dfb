"""Track people mentioned without a name, "a baby", "my new boss", until later words name them."""

import re
from collections.abc import Set
from dataclasses import replace

from mosshead.language.wordlists import FIRST_NAMES, NOT_NAMES, PETS, PRONOUNS, ROLES, gender_of
from mosshead.models.kinds import EntityType
from pipeline.rules_en.grammar import possessive
from pipeline.rules_en.names import CAPITAL, RUN, Discourse, Person, Sort, Subject, looks_like_name, titled
from pipeline.rules_en.subjects import TIES

TIE_MODIFIERS = (
    "older|younger|elder|big|little|twin|best|new|old|former|good|close|late|first|second|eldest|youngest|only|third"
)
"""What may precede a relation."""

_STAFF = ROLES - {"lead", "head", "chief", "guide", "officer", "judge"}
_RELATIVES = TIES - {"ex", "parent", "contact", "pet", "student"}
_CHILDREN = dict.fromkeys(("girl", "little girl"), "daughter") | dict.fromkeys(("boy", "little boy"), "son")
_CHILDREN |= dict.fromkeys(("baby girl", "baby boy"), "baby")
_PEOPLE = TIES | ROLES | set(_CHILDREN)

_THINGS = frozenset(
    """
    project app product website site blog podcast campaign newsletter game book novel band team channel company firm business
    startup agency charity studio shop restaurant café cafe bakery boat ship yacht van car camper house cottage farm school
    club course series show choir horse cow goat pig
    """.split()
)
_SHE_TOO = frozenset("boat ship yacht van car camper horse cow goat pig".split())


def _one_of(words: Set[str]) -> str:
    return "|".join(sorted(words, key=len, reverse=True))


_OWN = re.compile(
    rf"\b(?:[Mm]y|[Oo]ur) (?P<noun>(?:(?:{TIE_MODIFIERS}) )*(?:{_one_of(_RELATIVES | _STAFF)}))"
    rf"(?!'s?\b|-| {CAPITAL}|[^,.;]{{0,40}} (?:called|named)\b)\b"
)

_WHO = (
    rf"(?:[Ii]|[Ww]e|[Hh]e|[Ss]he|[Tt]hey|(?:[Mm]y|[Oo]ur) [a-z-]+(?: [A-Z]\w+)?|{CAPITAL}[\w-]+(?: {CAPITAL}[\w-]+)?)"
)
_GOT = (
    r"(?:have|has|had|got|gets?|getting|gotten|adopt(?:s|ed)?|bought|buys?|brought home|hired|employ(?:s|ed)?|found(?:ed)?"
    r"|start(?:ed)?|launched|opened|runs?|owns?|built|made|wrote|joined|welcomed|gave birth to|given birth to|expecting"
    r"|took (?:on|in)|taken on|signed(?: up)?|gained|keeps?)"
)
_BORN = re.compile(r"\b(?:ha(?:ve|s|d)|birth to|expecting|adopted) (?:an?|another) ")
_GAINED = re.compile(
    rf"\b(?:(?P<there>[Tt]here) (?:is|are|was)|(?P<who>{_WHO})"
    rf"(?: (?:have|has|had|am|are|is|just|also|really|recently|finally|now|already|even))* {_GOT}(?: (?:my|our|him|her)sel\w+)?)"
    r" (?P<things>(?:an?|one|another) .+)"
)
_NOUN_END = (
    r"(?=$|[,.;:!?)]| (?:and|or|but|who|which|that|from|in|at|for|with|on|this|last|next|yesterday|today|since|now|already"
    r"|again|recently|after|when|because|to|so|of|too|as|by|together)\b)"
)
_NEW = re.compile(
    r"\b(?P<joined>and |or )?(?:an?|another) (?:(?:(?!(?:and|or|of|for|with|called|named)\b)[a-z-]+) ){0,2}?"
    rf"(?P<noun>(?:(?:twin|big|older|younger) )*(?:{_one_of(_PEOPLE | _THINGS)})){_NOUN_END}"
)
_ALREADY_NAMED = re.compile(rf" (?:is )?(?:called|named)\b|,? {CAPITAL}[a-z]+(?=$|[,.!])")
_NAME = rf"(?:{RUN}|[a-z]+|\"[^\"]{{2,40}}\"|'[^']{{2,40}}')"
_NAMES = re.compile(
    r"(?:(?:and|but|so|because) )?(?:(?P<who>he|she|it|this one) (?:is|was|will be|is going to be) (?:called|named|christened)"
    r"|(?P<whose>his|her|its)(?: (?:first|full))? name is"
    r"|(?:we|i|they|people|everyone|everybody|the \w+|my [a-z ]+|our [a-z ]+)(?: (?:have|all|just|will|also|both|decided to))*"
    r" (?:call|calls|called|name|named|christened) (?P<them>him|her|it))"
    rf" (?P<name>(?-i:{_NAME}))(?=$|[,;:.!)]| (?:after|because|since|for|now|by|and|at)\b)",
    re.IGNORECASE,
)


def with_unnamed(clause: str, discourse: Discourse) -> Discourse:
    """Add those whom a clause mentions as "my daughter" or "a dog", whom "she's called Luna" may name next."""
    groups: list[tuple[Subject, ...]] = []
    for match in _OWN.finditer(clause):
        one = _subject(match["noun"], discourse.me)
        if not any(person.subject.name and one.text in person.described for person in discourse.people):
            groups.append((one,))
            discourse = _before_the_last(one, discourse)
    gained = _GAINED.search(clause)
    owner = _owner(gained["who"] or gained["there"], discourse) if gained else None
    if gained and owner:
        for match in _NEW.finditer(gained["things"]):
            if _ALREADY_NAMED.match(gained["things"], match.end()):
                continue
            noun = _CHILDREN.get(match["noun"], match["noun"]) if _BORN.search(gained[0]) else match["noun"]
            if noun in _CHILDREN:
                continue
            one = _subject(noun, owner)
            groups = [*groups[:-1], (*groups[-1], one)] if match["joined"] and groups else [*groups, (one,)]
            if noun in _PEOPLE:
                discourse = _before_the_last(one, discourse)
    return replace(discourse, unnamed=tuple(groups), unnamed_fresh=True) if groups else discourse


def _subject(noun: str, owner: str) -> Subject:
    return Subject(f"{possessive(owner)} {noun}", Sort.PERSON, None, EntityType.PERSON, noun, owner)


def _before_the_last(one: Subject, discourse: Discourse) -> Discourse:
    """Add somebody unnamed to the referents of pronouns: after the one who got them, unless that is the speaker."""
    if any(one.noun == p.subject.noun or one.text in p.described for p in discourse.people):
        return discourse
    added = discourse.with_person(Person(one, (), None, gender_of(None, one.noun.split()[-1])))
    if one.owner == discourse.me or len(added.people) == 1:
        return added
    *others, owner, new = added.people
    return replace(added, people=(*others, new, owner))


def _owner(who: str, discourse: Discourse) -> str | None:
    """Return the owner: the subject of the clause that introduced somebody."""
    low = who.lower()
    if low in {"i", "we", "there"}:
        return discourse.me
    if low in {"he", "she"}:
        person = discourse.meant_by(low)
        return person.subject.name or person.subject.text if person else None
    last = who.rsplit(maxsplit=1)[-1]
    if last[0].isupper() and (looks_like_name(last) or last.lower() in FIRST_NAMES):
        return last
    own = re.fullmatch(r"(?:my|our) (?P<noun>[a-z-]+)", low)
    return f"{possessive(discourse.me)} {own['noun']}" if own else None


def named_afterwards(clause: str, discourse: Discourse) -> tuple[str, Discourse] | None:
    """Apply a clause that names "she" to the nearest unnamed person; None if it names nobody.

    The clause is empty if nobody, or several, could be meant: somebody named already gets no other name this way.
    """
    match = _NAMES.match(clause)
    if match is None or not _may_be_name(match["name"]):
        return None
    elsewhere = match["them"] or (match["whose"] and _is_fuller(match["name"], match["whose"], discourse))
    nobody = None if elsewhere else ("", discourse)
    pronoun = (match["who"] or match["whose"] or match["them"]).lower()
    for group in reversed(discourse.unnamed):
        fitting = [one for one in group if _fits(pronoun, one.noun)]
        if len(fitting) > 1:
            return "", discourse
        if fitting:
            whom = f"my {fitting[0].noun}" if fitting[0].owner == discourse.me else fitting[0].text
            says = "'s name is" if match["whose"] else " is called"
            name = titled(match["name"].strip("\"'"))
            return f"{whom}{says} {name}", replace(discourse, unnamed=())
    return nobody


def _is_fuller(name: str, whose: str, discourse: Discourse) -> bool:
    """Whether a name is a longer or shorter form of a person's name, or their first."""
    person = discourse.meant_by(whose)
    return person is not None and (
        person.subject.name is None or bool({*name.split()} & {*person.subject.name.split()})
    )


def _may_be_name(text: str) -> bool:
    first = text.split(maxsplit=1)[0].lower()
    return (text[0].isupper() and first not in NOT_NAMES) or text[0] in "\"'" or text in FIRST_NAMES


def _fits(pronoun: str, noun: str) -> bool:
    head = noun.rsplit(maxsplit=1)[-1]
    if pronoun in {"it", "its", "this one"}:
        return head in _THINGS | PETS or head == "baby"
    if head in _THINGS:
        return head in _SHE_TOO
    return gender_of(None, head) in {None, PRONOUNS[pronoun]}
