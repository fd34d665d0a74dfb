"""Who is whose: family, friends, colleagues, and what a person is to a firm."""

from mosshead.kinds import EntityType, MemoryKind
from pipeline.offline.discourse import Sort
from pipeline.offline.identity import ROLE_PATTERN
from pipeline.offline.lexicon import ACQUAINTANCES, KINSHIP, PARTNERS, PETS
from pipeline.offline.names import RUN
from pipeline.offline.rule import THINGS, Rule, rule

_PERSON_SORTS = frozenset({Sort.PERSON, Sort.NAMED})
_TIE = "|".join(sorted(KINSHIP | ACQUAINTANCES | PETS, key=len, reverse=True))
_PARTNER = "|".join(sorted(PARTNERS))
_OWNER = r"(?P<owner>[\w.& -]+?)'s"
_MODIFIER = (
    r"(?:(?:older|younger|elder|big|little|twin|best|new|old|former|good|close|ex|late|first|"
    r"second|eldest|youngest|own|main|biggest|smallest|oldest|newest|latest|favou?rite|only|"
    r"longest|top) )*"
)

PEOPLE_RULES: tuple[Rule, ...] = (
    rule(
        rf"(?:is|are) (?:called |named )?(?P<value>{RUN}|(?<=called )[a-z]+|(?<=named )[a-z]+)$",
        MemoryKind.RELATIONSHIP,
        noun=rf"(?:{_PARTNER})(?:'s name)?",
        subjects=THINGS | {Sort.PERSON},
        attribute="partner",
        content="{owner}'s {noun} is {value}",
        object_type=EntityType.PERSON,
        owner_is_subject=True,
    ),
    rule(
        rf"(?:is(?: called| named)?|are called) (?P<object>{RUN})$",
        MemoryKind.RELATIONSHIP,
        noun=rf"(?P<role>(?:{_MODIFIER})(?:{_TIE}|{ROLE_PATTERN}))(?: at {RUN})?(?:'s name)?",
        subjects=THINGS | {Sort.PERSON},
        predicate="has_{role}",
        object_type=EntityType.PERSON,
        describes=True,
        owner_is_subject=True,
    ),
    rule(
        rf"(?:is(?: called| named)?) (?P<object>{RUN}|[a-z]+)$",
        MemoryKind.RELATIONSHIP,
        noun=rf"(?P<role>(?:{_MODIFIER})(?:{_TIE}))'s name",
        subjects=THINGS,
        predicate="has_{role}",
        object_type=EntityType.PERSON,
        describes=True,
        owner_is_subject=True,
    ),
    rule(
        rf"(?:is|was|became|has been) (?:also )?one of {_OWNER} (?P<role>{_MODIFIER}[\w -]+?)$",
        MemoryKind.RELATIONSHIP,
        subjects=_PERSON_SORTS,
        describes=True,
    ),
    rule(
        rf"(?:is|was|became|has been) {_OWNER} (?P<role>{_MODIFIER}(?:{_TIE}|{ROLE_PATTERN}|C[A-Z]O))(?= |$|,)",
        MemoryKind.RELATIONSHIP,
        subjects=_PERSON_SORTS,
        describes=True,
    ),
    rule(
        rf"(?:is|was) an? (?P<role>{_MODIFIER}(?:{_TIE}))s? of {_OWNER}$",
        MemoryKind.RELATIONSHIP,
        subjects=_PERSON_SORTS,
        describes=True,
    ),
    rule(
        (
            rf"(?:is|are) (?:{_MODIFIER})(?:friends|married|siblings|brothers|sisters|twins|colleagues|"
            r"neighbours|engaged|dating|together)\b"
        ),
        MemoryKind.RELATIONSHIP,
        subjects=frozenset({Sort.GROUP, Sort.PERSON}),
    ),
)
