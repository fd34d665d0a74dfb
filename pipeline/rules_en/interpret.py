"""Process one sentence: split it into clauses, apply the rules, compose facts, and track what later words may refer to."""

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime

from mosshead.language.dates import resolve_time, times_in
from mosshead.language.dates.spans import DAY_NAME, MONTH_NAME, NUMBERS, RECURRING, WEEKDAY
from mosshead.language.verbs import expand, tense_at
from mosshead.language.wordlists import (
    ACQUAINTANCES,
    FIRST_NAMES,
    KINSHIP,
    ORG_ENDINGS,
    PETS,
    PRONOUNS,
    ROLES,
    gender_of,
)
from mosshead.models.kinds import OF_A_DAY, EntityType, Granularity, MemoryKind
from mosshead.models.memories import Occurrence
from mosshead.models.notes import calendar_name
from mosshead.models.occurrence import FactOccurrence
from pipeline.models import Fact, FactMention
from pipeline.rules_en.aliases import Alias, aliases_in, nickname_in, without_aliases
from pipeline.rules_en.clauses import Clause, clauses
from pipeline.rules_en.compose import FactSource, compose
from pipeline.rules_en.grammar import possessive, to_third_person
from pipeline.rules_en.names import CAPITAL, Discourse, Gazetteer, Person, Sort, Subject, looks_like_name, spoken_of
from pipeline.rules_en.relevance import ON_THE_DESK, notable
from pipeline.rules_en.renamings import renamed_within, renaming_in
from pipeline.rules_en.rewrites import set_before
from pipeline.rules_en.rule_families import RULES
from pipeline.rules_en.rules import Finding, first_finding
from pipeline.rules_en.statements import Statement, read_statement
from pipeline.rules_en.subjects import TIES
from pipeline.rules_en.unnamed import TIE_MODIFIERS, named_afterwards, with_unnamed

_NO_ONE_DAY = re.compile(RECURRING, re.IGNORECASE)
_RELATIVE = re.compile(r"tomorrow|tonight|today|next", re.IGNORECASE)
_A_WEEKDAY = re.compile(WEEKDAY, re.IGNORECASE)
_YEARLY = ("birthday", "anniversary")

_SOME = rf"(?:an?|\d+|a few|several|half an?|a couple of|{'|'.join(one for one in NUMBERS if one.isalpha())})"
_UNIT = "(?:minute|hour|day|week|fortnight|month|year)"
_PART = "(?: (?:morning|afternoon|evening|night))?"
_LAPSING = re.compile(
    r"(?P<lead>,?(?: (?:(?:in|at)(?= the )|on|for|by|until|till|from|since|before|after|of|to|is|are|was|were|be|falls|starts))?)"
    r"(?: (?:just|earlier|later|early|late))*"
    r" (?P<time>the day (?:before yesterday|after tomorrow)|yesterday|today|tonight|tomorrow"
    r"|(?:the )?(?:last|this|next|past|coming|following|(?:this|the) (?:past|coming)) (?:week|weekend|month|year|night|morning"
    rf"|afternoon|evening|spring|summer|autumn|fall|winter|(?i:{DAY_NAME}|{MONTH_NAME}))"
    rf"|in {_SOME} {_UNIT}s?(?:'s?)?(?: time)?"
    rf"|{_SOME} (?:{_UNIT}|(?i:{DAY_NAME}))s? (?:ago|from now)(?: today)?|the (?:week|month|year)"
    rf" (?:before last|after next)){_PART}(?![\w'-])"
)
"""A time relative to the message, meaningless to later readers."""

_HANGS_ON = frozenset("for by until till from since before after of to is are was were be falls starts".split())
_PERFECT = re.compile(r"\b(?:has|have|had|not|never|first)\b")
_ON_ITS_OWN = 3
"""How many words must remain for a time to be dropped."""

_THIS_ONE = re.compile(r"\b(?:the|this|that|your) ")
_TIMELESS = frozenset({"birthday", "age", "name"})
_OF_ITS_DAY = re.compile(r"(?:just )?turn(?:s|ed)\b|will be\b")
"""An age is timeless, but reaching it has a day."""

_DATABLE = frozenset({MemoryKind.FACT, MemoryKind.EVENT, MemoryKind.RELATIONSHIP})
_TIMES_ACTION = re.compile(r"^(?:is|are|has|have|lives?|works?|speaks?|runs?|manages?|owns?|leads?)\b(?! \w+ing\b)")


def tell(
    text: str, source: FactSource, discourse: Discourse, gazetteer: Gazetteer
) -> tuple[tuple[Fact, ...], Discourse]:
    """Return the facts a sentence states, and the discourse after it."""
    third = to_third_person(expand(text), discourse.me, speaks_for(text, discourse))
    nobody = {discourse.me.lower(), *PRONOUNS}
    aliases = tuple(alias for alias in aliases_in(third) if alias.name.lower() not in nobody)
    facts: list[Fact] = []
    text = without_aliases(text) if aliases else text
    apart = renamed_within(text, gazetteer)
    found = [Clause(apart[0]), *clauses(apart[1])] if apart else clauses(text)
    name = set_before(text)  # the name of somebody introduced without one
    if name and discourse.expected and found:
        found = [Clause(f"{name} is our {discourse.expected}"), *found]
    for clause in found:
        renaming = renaming_in(clause.text, discourse, gazetteer)
        if renaming:
            facts.append(renaming.fact(source))
            discourse = renaming.heard(discourse)
            continue
        text, discourse = named_afterwards(clause.text, discourse) or by_trade(clause.text, discourse)
        nickname = nickname_in(text)
        if nickname:
            fact, discourse = _tell_nickname(nickname, source, discourse, gazetteer)
        else:
            for introduction in _introductions(text, discourse):
                unmarked = replace(source, marked=False, corrects=False)
                fact, discourse = _tell_clause(Clause(introduction), unmarked, discourse, gazetteer, ())
                facts += [fact] if fact else []
            fact, discourse = _tell_clause(replace(clause, text=text), source, discourse, gazetteer, aliases)
            discourse = with_unnamed(text, discourse)
        facts += [fact] if fact else []
    return tuple(facts), discourse


def _tell_nickname(
    nickname: Alias, source: FactSource, discourse: Discourse, gazetteer: Gazetteer
) -> tuple[Fact | None, Discourse]:
    """Make a fact of "we call it WOBS" or "everyone calls Peter 'mosshead'"."""
    is_person = nickname.name not in {"it", "them"}
    known: str | None = nickname.name
    if nickname.name in PRONOUNS:
        bearer = discourse.meant_by(nickname.name)
        known = bearer.subject.name if bearer else None
    elif not is_person:
        known = discourse.firm or (discourse.thing.name if discourse.thing else None)
    if not known or known == nickname.alias:
        return None, discourse
    if is_person:
        discourse = discourse.with_person(spoken_of(Subject(known, Sort.PERSON, known), discourse))
    assumed = EntityType.PERSON if is_person else EntityType.CONCEPT
    entity_type = gazetteer.types.get(known.casefold(), assumed)
    fact = Fact(
        kind=MemoryKind.FACT,
        content=f"{known} is also known as {nickname.alias}",
        sources=source.numbers,
        quote=source.quote,
        mentions=(FactMention(name=known, entity_type=entity_type, role="subject", aliases=(nickname.alias,)),),
        marked=source.marked,
    )
    return described(fact, discourse), discourse


def _tell_clause(
    clause: Clause, source: FactSource, discourse: Discourse, gazetteer: Gazetteer, aliases: tuple[Alias, ...]
) -> tuple[Fact | None, Discourse]:
    timed = f"{clause.text} {clause.lead}"
    heard = replace(discourse, firm=speaks_for(clause.text, discourse))
    dated = resolve_time(timed, source.said_at) is not None
    statement = read_statement(clause.text, heard, gazetteer, dated=dated)
    if statement is None:
        return None, discourse
    finding = first_finding(statement, RULES)
    occurred = _when(statement, timed, source) if dated else None
    kind = _kind(statement, finding, occurred, source) or (MemoryKind.FACT if aliases else None)
    if kind is None:
        return None, after(statement, None, None, discourse, clause.text)
    of_no_time = finding and finding.rule.attribute in _TIMELESS and not _OF_ITS_DAY.match(statement.core)
    when = None if of_no_time or kind not in _DATABLE else occurred
    fact = compose(statement, finding, kind, source, gazetteer, occurred=when, aliases=aliases)
    fact = _without_its_time(_naming_aliases(_dated_value(fact, occurred), aliases), source.said_at)
    if not (source.marked or stands_alone(fact, statement)):
        return None, after(statement, None, None, discourse, clause.text)
    following = after(statement, finding, fact, discourse, clause.text)
    return described(fact, following), following


def _when(statement: Statement, text: str, source: FactSource) -> FactOccurrence | None:
    if _NO_ONE_DAY.search(text):
        return None
    # The words around the time show its direction better than the sentence's opening.
    first = next(iter(times_in(text, source.said_at)), None)
    around = tense_at(text, first.start, first.end) if first else None
    return resolve_time(text, source.said_at, past=statement.past if around is None else around)


def _kind(
    statement: Statement, finding: Finding | None, occurred: FactOccurrence | None, source: FactSource
) -> MemoryKind | None:
    if finding is None:
        return notable(statement, dated=occurred is not None, marked=source.marked)
    kind, core = finding.rule.kind, statement.core
    if kind is MemoryKind.PREFERENCE and occurred is None and not source.marked:
        return None if _THIS_ONE.search(core) and ON_THE_DESK.search(core) else kind
    happened = occurred is not None and finding.rule.attribute not in _TIMELESS and not _TIMES_ACTION.match(core)
    return MemoryKind.EVENT if kind is MemoryKind.FACT and happened else kind


def _dated_value(fact: Fact, occurred: FactOccurrence | None) -> Fact:
    """Replace "tomorrow", or "Friday" in an undated fact, by the date, since neither is meaningful later."""
    attribute, value = fact.attribute or "", fact.value or ""
    lapsing = _RELATIVE.match(value) or (fact.occurred is None and _A_WEEKDAY.fullmatch(value))
    if occurred is None or not lapsing:
        return fact
    if attribute.endswith(_YEARLY) and occurred.granularity is Granularity.DAY:
        day = f"{occurred.start.day} {occurred.start:%B}"
        content = re.sub(rf"(?:\bon )?\b{re.escape(value)}\b", f"on {day}", fact.content, count=1)
        return fact.model_copy(update={"value": day, "content": content, "occurred": None})
    if fact.occurred is None or not attribute.endswith(" day"):
        return fact
    return fact.model_copy(update={"value": occurred.start.date().isoformat()})


def _without_its_time(fact: Fact, said_at: datetime) -> Fact:
    """Drop "yesterday" and the like, which mislead later readers: the fact's time covers it, or the date replaces it."""
    content = fact.content
    for match in reversed(list(_LAPSING.finditer(content)) if fact.occurred else []):
        when = resolve_time(match["time"], said_at, past=False)
        lead, rest = match["lead"].strip(" ,"), content[match.end() :]
        before = content[: match.start()]
        lasts = match["time"].startswith("in ") and _PERFECT.search(before)  # "has not slept in three days"
        if when is None or lasts:
            continue
        fits = fact.occurred is not None and when.start <= fact.occurred.start < when.end
        if fits and lead not in _HANGS_ON and len(f"{before}{rest}".split()) >= _ON_ITS_OWN:
            content = f"{before}{rest}"
        else:
            content = f"{content[: match.start('lead')]}{_led(lead)} {_calendar_words(when, lead)}{rest}"
    return fact if content == fact.content else fact.model_copy(update={"content": content})


def _led(lead: str) -> str:
    return f" {lead}" if lead in _HANGS_ON else ""


def _calendar_words(when: FactOccurrence, lead: str) -> str:
    """Return a time for use in a sentence: "on 3 March 2026", "in summer 2026"; without the preposition if one precedes."""
    name = calendar_name(Occurrence(start=when.start, end=when.end, granularity=when.granularity))
    if lead in _HANGS_ON - {"is", "are", "was", "were", "be", "falls", "starts"}:
        return name if name[0].isdigit() or not name.startswith("week") else f"the {name}"
    if name.startswith("week"):
        return f"in the {name}"
    return f"on {name}" if when.granularity in OF_A_DAY else f"in {name}"


def _naming_aliases(fact: Fact, aliases: tuple[Alias, ...]) -> Fact:
    """Restore aliases, which had been removed for the rules, in the text."""
    named = {mention.name for mention in fact.mentions}
    others = [alias.alias for alias in aliases if alias.name in named and alias.alias not in fact.content]
    content = f"{fact.content}, also known as {' and '.join(others)}"
    return fact.model_copy(update={"content": content}) if others else fact


_NAMED = frozenset({EntityType.ORG, EntityType.PROJECT, EntityType.SYSTEM})


def after(
    statement: Statement, finding: Finding | None, fact: Fact | None, discourse: Discourse, clause: str
) -> Discourse:
    """Update whom "he", "it" and "we" may mean; among the names in a clause, the first is likeliest."""
    newcomer = _NEWCOMER.match(expand(clause))
    if newcomer and newcomer["role"] in _NEWCOMERS:
        discourse = replace(discourse, expected=newcomer["role"])
    subject, of_owner = statement.subject, finding is not None and finding.rule.owner_is_subject
    for mention in reversed(fact.mentions if fact else ()):
        is_subject = mention.role == "subject" and subject.sort is not Sort.THING and not of_owner
        if mention.name != discourse.me and not is_subject:
            discourse = _with_mention(mention, discourse)
    # What seemed a mere name may turn out to be a person: "Poppy is Peter's daughter".
    people = {one.name for one in fact.mentions if one.entity_type is EntityType.PERSON} if fact else set()
    if of_owner:
        pass
    elif subject.sort is Sort.PERSON or (subject.sort is Sort.NAMED and subject.name in people):
        discourse = discourse.with_person(_subject_person(statement, fact, discourse, clause))
    elif subject.sort is Sort.NAMED:
        org = subject.name if subject.entity_type is EntityType.ORG else discourse.org
        discourse = replace(discourse, thing=subject, org=org)
    return _with_firm(statement, finding, fact, discourse) if fact else discourse


def described(fact: Fact, discourse: Discourse) -> Fact:
    """Add to each person what the conversation first said about them, to distinguish namesakes."""
    mentions = tuple(_told_apart(mention, discourse) for mention in fact.mentions)
    return fact.model_copy(update={"mentions": mentions})


def _told_apart(mention: FactMention, discourse: Discourse) -> FactMention:
    person = discourse.called(mention.name)
    if person is None or mention.name == discourse.me:
        return mention
    if mention.entity_type is not EntityType.PERSON and person.subject.name != mention.name:
        return mention
    changes: dict[str, object] = {"entity_type": EntityType.PERSON}
    if person.described and not (mention.description or "").startswith(person.described[0]):
        changes["description"] = person.described[0]
    if person.parent and mention.parent is None:
        changes["parent"] = person.parent
    if person.short and mention.name == person.subject.name:
        changes["aliases"] = tuple(dict.fromkeys((*mention.aliases, person.short)))
    return mention.model_copy(update=changes)


def _with_mention(mention: FactMention, discourse: Discourse) -> Discourse:
    if mention.entity_type is EntityType.PERSON:
        bearer = Subject(mention.name, Sort.PERSON, mention.name)
        return discourse.with_person(_with_parent(spoken_of(bearer, discourse, mention.description), mention))
    if mention.entity_type in _NAMED:
        org = mention.name if mention.entity_type is EntityType.ORG else discourse.org
        thing = Subject(mention.name, Sort.NAMED, mention.name, mention.entity_type)
        return replace(discourse, thing=thing, org=org)
    return discourse


def _subject_person(statement: Statement, fact: Fact | None, discourse: Discourse, clause: str) -> Person:
    mention = next((m for m in fact.mentions if m.role == "subject"), None) if fact else None
    parts = mention.description.split(", ") if mention and mention.description else []
    subject = replace(statement.subject, sort=Sort.PERSON, entity_type=EntityType.PERSON)
    pronoun = re.match(r"(?:he|she)\b", clause, re.IGNORECASE)
    person = spoken_of(subject, discourse, parts[0] if parts else None, pronoun[0] if pronoun else "")
    person = replace(person, described=tuple(dict.fromkeys((*person.described, *parts))))
    return _with_parent(person, mention) if mention else person


def _with_parent(person: Person, mention: FactMention) -> Person:
    return replace(person, parent=person.parent or mention.parent)


def _with_firm(statement: Statement, finding: Finding | None, fact: Fact, discourse: Discourse) -> Discourse:
    """Record the firm that a sentence presents as the speaker's own."""
    if finding is None or statement.negated:
        return discourse
    firm = finding.groups.get("object") if finding.rule.object_type is EntityType.ORG else None
    own = statement.subject.sort is Sort.SELF or finding.rule.owner_is_subject
    named = any(mention.name == firm for mention in fact.mentions)
    return replace(discourse, firm=firm, firm_age=0, own_firm=firm) if own and firm and named else discourse


_TIES = TIES | ROLES
_TITLE = r"(?:(?:Mr|Mrs|Ms|Dr|Prof)\.? )?"
_TIE = rf"(?P<role>(?:(?:{TIE_MODIFIERS}) )*(?P<tie>[a-z][\w-]+|C[A-Z]O)(?<!-))"

_BROUGHT_IN = re.compile(
    rf"(?<!not )(?<!n't )\b(?P<whose>[Mm]y|[Oo]ur|[Hh]is|[Hh]er|{CAPITAL}\w+'s) {_TIE},? "
    rf"(?P<name>{_TITLE}{CAPITAL}[\w-]+(?: {CAPITAL}[\w-]+)?)(?!'s|\w)"
)

_NEWCOMER = re.compile(
    r"^(?:[Ww]e|I) (?:have |has |just |recently |finally )*(?:signed|got|won|landed|hired|found|met|took on|taken on|gained)"
    r"(?: up| on)? an? (?:(?:new|big|first|second|great|lovely) )*(?P<role>[a-z-]+)\b"
)
"""The relation of an unnamed newcomer: "client" in "we signed a new client"."""

_NEWCOMERS = ROLES | ACQUAINTANCES | {"supplier", "vendor", "investor", "sponsor", "neighbour", "tenant"}
_BY_TRADE = re.compile(rf"(?<![\w'])(?P<name>{CAPITAL}[\w-]+) the (?P<role>[a-z-]+)\b(?! of\b)")


def _introductions(clause: str, discourse: Discourse) -> Iterator[str]:
    """Yield the relations that introduce people in a clause as sentences: "Peter is my brother-in-law"."""
    for match in _BROUGHT_IN.finditer(clause):
        whose, name = match["whose"], match["name"]
        bare = re.sub(rf"^{_TITLE}", "", name)
        if match["tie"].lower() not in _TIES or not (looks_like_name(bare) or bare.split()[0].lower() in FIRST_NAMES):
            continue
        owner = _owner(whose, clause[: match.start()], discourse)
        if owner is not None:
            yield f"{name} is {owner} {match['role']}"


def _owner(whose: str, before: str, discourse: Discourse) -> str | None:
    if whose.lower() in {"my", "our"}:
        return whose.lower()
    if whose.lower() not in {"his", "her"}:
        return whose
    named = [word for word in re.findall(rf"{CAPITAL}[\w-]+", before) if word.lower() in FIRST_NAMES]
    if named:
        return possessive(named[-1]) if gender_of(named[-1], "") in {None, PRONOUNS[whose.lower()]} else None
    person = discourse.meant_by(whose)
    return possessive(person.subject.name) if person and person.subject.name else None


def by_trade(clause: str, discourse: Discourse) -> tuple[str, Discourse]:
    """Change "Peter the plumber keeps bees" to "Peter keeps bees", about the Peter who is a plumber."""
    match = _BY_TRADE.search(clause)
    if match is None or match["role"] not in ROLES or not looks_like_name(match["name"]):
        return clause, discourse
    name, role = match["name"], match["role"]
    new = Person(Subject(name, Sort.PERSON, name), (role,), None, gender_of(name, ""))
    person = discourse.called(name, role) or new
    return clause[: match.start()] + name + clause[match.end() :], discourse.with_person(person)


_STAFF = "|".join(sorted(ROLES - {"partner", "author", "lead", "head"}))
FIRM_LASTS = 6
"""For how many messages "we" still means a firm after it was named."""

_AT_WORK = re.compile(
    r"\b[Ww]e(?: \w+ly| also| mostly| mainly| just| only)? (?:do|make|build|sell|offer|provide|"
    r"help|have|are|were|run|use|launch\w*|hire\w*|develop|specialise|specialize|serve|work|ship|"
    r"publish|deliver|focus"
    r"|create|operate|manage|plan|aim|write|design|grow|need|started|opened|just|recently|call|"
    r"check|deploy|employ|train|review|produce|release\w*)\b"
)

_SURELY_WORK = re.compile(
    r"\b(?:works?|working|writes?|freelances?) for us\b|\b(?:joined|joining|joins|left|leaving|hired by) us\b"
    rf"|\b(?:one of )?our (?:\w+ )?(?:{_STAFF}|client|customer|supplier|office|firm)s?\b"
)

_PRIVATE = re.compile(
    rf"\b(?:our|we)\b.*\b(?:{'|'.join(sorted(KINSHIP | PETS))}|kids|children|house|home|family|"
    r"flat|apartment|wedding|holidays?|vacation|parents|marriage|honeymoon|garden|trip|mortgage|married|"
    r"engaged|dating|vegetarian|vegan)s?\b",
    re.IGNORECASE,
)

_OF_ANYBODY = re.compile(r"\b[Ww]e(?: \w+ly| also| just| only)? (?:have|are|were|need|plan|just|recently|started)\b")
_AT_HOME = "go|mov|gett|expect|visit|stay|hav|think|fly|driv|eat|cook|watch|sail|camp|hik"

_OF_WORK = re.compile(
    rf"\b(?:{_STAFF}|{'|'.join(sorted(ORG_ENDINGS))}|hiring|launch\w*|clients?|customers?|suppliers?|offices?|staff|employees?"
    r"|people|compan(?:y|ies)|firms?|business|agency|products?|apps?|software|sales|revenue|budgets?|projects?|deadlines?"
    r"|releas\w+|sprints?|servers?|websites?|sites?|shops?|stores?|orders?|contracts?|deals?|investors?|funding|startup"
    rf"|brands?|content|meetings?|invoices?|based|(?!(?:{_AT_HOME})ing\b)\w+ing)s?\b",
    re.IGNORECASE,
)
"""Words that people seldom use about themselves and their household."""

_OURS = re.compile(r"\b[Oo]urs?\b|\bus\b")


def speaks_for(clause: str, discourse: Discourse) -> str | None:
    """Return the firm that "we" means: one named recently, in a sentence about work rather than home."""
    if discourse.own_firm is not None and _SURELY_WORK.search(clause):
        return discourse.own_firm
    if discourse.firm is None or discourse.firm_age > FIRM_LASTS or _PRIVATE.search(clause):
        return None
    if _OF_ANYBODY.search(expand(clause)) and not _OF_WORK.search(clause):
        return None
    return discourse.firm if _AT_WORK.search(expand(clause)) or _OURS.search(clause) else None


_IT = re.compile(r"(?<!when )(?<!because )(?<!if )(?<!that )\bit\b")

_POINTING = re.compile(
    r"\b(?:that|this|these|those)(?=$|[,.;]| (?:the hard way|yesterday|today|again|too|as well|for|with|on|in|at|to"
    r"|before)\b)"
    r"|\b(?:learned|learnt|knows|said|did|does|do|done|loves|likes|hates) (?:that|this)$"
)

_THERE = re.compile(r"\bthere\b(?! (?:is|are|was|were|will|has|have)\b)")
_HE = re.compile(r"\b(?:he|him|his|she|her|hers)\b")


def stands_alone(fact: Fact, statement: Statement) -> bool:
    """Whether no "it", "that", "there", "he" or "she" in the fact refers to something outside it."""
    said = statement.predicate
    if _IT.search(said) or _POINTING.search(said) or _THERE.search(said) or _THERE.search(statement.subject.text):
        return False
    return _he_is_named(fact, statement)


def _he_is_named(fact: Fact, statement: Statement) -> bool:
    match = _HE.search(fact.content)
    if match is None:
        return True
    if statement.subject.sort is Sort.PERSON:
        gender = gender_of(statement.subject.name, statement.subject.noun)
        return gender in {None, PRONOUNS[match[0]]}
    before = fact.content[: match.start()]
    people = {m.name for m in fact.mentions if m.entity_type is EntityType.PERSON} - {statement.discourse.me}
    words = {word.lower() for word in re.findall(r"[\w-]+", before)}
    return bool(words & (KINSHIP | ACQUAINTANCES | FIRST_NAMES)) or any(name in before for name in people)
