"""Where somebody lives, comes from and moves to."""

from mosshead.kinds import EntityType, MemoryKind
from pipeline.offline.discourse import Sort
from pipeline.offline.names import RUN
from pipeline.offline.rule import FOR_GOOD, LASTING, NAME_OR_NOUN, PEOPLE, THINGS, Rule, rule

_PLACE = rf"(?P<value>(?P<object>{NAME_OR_NOUN})(?:, {RUN})?)"
_NAMED = rf"(?P<value>(?P<object>{RUN})(?:, {RUN})?)"
_RESIDE = (
    rf"(?:lives?|resides?|is living|is now living|has lived(?={LASTING})|has been living|is based|is settled"
    r"|currently lives?|stays?)"
)
_FROM = r"(?:is|comes|hails|originally comes) (?:originally )?from"
_NO_PLACE = "(?:constant )?(?:fear|hope|peace|harmony|denial|poverty|luxury|squalor|silence|pain|sin|dread|the past)"
_EVERYONE = PEOPLE | {Sort.NAMED}
_CALENDAR = (
    r"(?!(?:January|February|March|April|May|June|July|August|September|October|November|December|"
    r"Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday)\b)"
)

PLACE_RULES: tuple[Rule, ...] = (
    rule(
        (
            rf"{_RESIDE}(?: \w+ly| alone| now| together| with [\w' ]{{2,30}}?)?"
            r" (?:in|at|near|on(?= [A-Z])|just outside|outside|outside of)"
            rf" (?!{_NO_PLACE}\b)(?:the )?{_PLACE}"
        ),
        MemoryKind.FACT,
        subjects=PEOPLE,
        attribute="lives_in",
        predicate="lives_in",
        object_type=EntityType.PLACE,
    ),
    rule(
        rf"(?:has )?(?:just )?moved (?:out of|away from) (?:the )?(?P<gone>{RUN}){FOR_GOOD}",
        MemoryKind.FACT,
        subjects=PEOPLE,
        ends="lives_in",
    ),
    rule(
        rf"(?:is|is now|has been) (?:located|based|headquartered) in (?:the )?{_PLACE}",
        MemoryKind.FACT,
        subjects=_EVERYONE,
        attribute="located_in",
        predicate="located_in",
        object_type=EntityType.PLACE,
    ),
    rule(
        (
            r"(?:just |recently )?(?:moved|relocated|has (?:just |recently )?(?:moved|relocated)|emigrated"
            r"|immigrated|moved back|settled)(?: back| here| house| home| over| down| up)*(?: from "
            rf"(?P<origin>{RUN}))?(?: (?:with|together) [\w' ]{{2,30}}?)? (?:to|in) (?:the "
            rf")?{_CALENDAR}{_NAMED}"
        ),
        MemoryKind.FACT,
        subjects=PEOPLE,
        attribute="lives_in",
        predicate="lives_in",
        object_type=EntityType.PLACE,
        name_only=True,
    ),
    rule(
        (
            r"(?:moved|has moved|relocated) (?:back )?to (?P<object>[a-z]+(?: [a-z]+)?)(?= (?:last|this|"
            r"yesterday|today|in|two|three|a|with|from|when|because|recently)\b|"
            r"$)(?<!house)(?<!flat)(?<!apartment)(?<!place)(?<!city)(?<!country)"
        ),
        MemoryKind.FACT,
        subjects=PEOPLE,
        attribute="lives_in",
        predicate="lives_in",
        object_type=EntityType.PLACE,
    ),
    rule(
        rf"{_FROM} {_PLACE}",
        MemoryKind.FACT,
        subjects=PEOPLE,
        attribute="hometown",
        predicate="from",
        object_type=EntityType.PLACE,
    ),
    rule(
        (
            r"(?:was born(?: and raised)?|grew up|was raised|was brought up) (?:in|near|on) (?:the "
            rf")?{_CALENDAR}{_NAMED}"
        ),
        MemoryKind.FACT,
        subjects=PEOPLE,
        predicate="grew_up_in",
        object_type=EntityType.PLACE,
        name_only=True,
    ),
    rule(
        rf"is (?:in )?{_PLACE}",
        MemoryKind.FACT,
        noun="home ?town|home|home city|birthplace",
        subjects=THINGS,
        attribute="hometown",
        predicate="from",
        object_type=EntityType.PLACE,
        owner_is_subject=True,
    ),
    rule(
        r"is (?P<value>.*\w.*)",
        MemoryKind.FACT,
        noun="(?:home |new |postal |mailing )?address",
        subjects=THINGS,
        attribute="address",
        owner_is_subject=True,
    ),
)
