"""Who somebody is: name, age, birthday, address, language, family status."""

from mosshead.kinds import EntityType, MemoryKind
from pipeline.offline.discourse import Sort
from pipeline.offline.lexicon import FIRST_NAMES, NATIONALITIES, PETS, ROLES
from pipeline.offline.names import RUN
from pipeline.offline.rule import END, FOR_GOOD, PEOPLE, SELF, THINGS, Rule, rule

_PERSON = frozenset({Sort.PERSON})
_ANYONE = frozenset({Sort.SELF, Sort.PERSON})
_BE = r"(?:is|was|has been)"
_NATIONALITY = "|".join(n.capitalize() for n in sorted(NATIONALITIES))
_GIVEN = "|".join(sorted(FIRST_NAMES - {"will", "rose", "grace", "frank", "ray", "max", "hope", "mark", "jack"}))
_PET = "|".join(sorted(PETS))
_TENS = "twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety"
_ONES = "one|two|three|four|five|six|seven|eight|nine"
_TEENS = "ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen"
_COUNTED = rf"(?:{_TENS})(?:[- ](?:{_ONES}))?|{_ONES}|{_TEENS}"
_STATUS = (
    r"between jobs|married|single|divorced|engaged|widowed|pregnant|retired|left-handed|colou?r-?blind|diabetic"
    r"|asthmatic|autistic|dyslexic|gay|bi|bisexual|lesbian|trans(?:gender)?|non-binary|blind|deaf|"
    r"unemployed|self-employed|an? (?:only child|twin|introvert|extrovert|immigrant|single (?:mum|"
    r"mom|dad|parent|mother|father)|widower?|veteran|parent)"
)

IDENTITY_RULES: tuple[Rule, ...] = (
    rule(
        rf"is (?P<value>(?:{RUN}|[a-z]+))$",
        MemoryKind.FACT,
        noun="(?:(?:full|first|real|given) )?name",
        subjects=THINGS,
        attribute="name",
        owner_is_subject=True,
        object_type=EntityType.PERSON,
        content="{owner}'s name is {value}",
    ),
    rule(
        rf"(?:is(?: called| named)?|goes by) (?!(?:{_NATIONALITY})\b|(?i:{_STATUS})$)(?P<value>{RUN}|{_GIVEN})$",
        MemoryKind.FACT,
        subjects=SELF,
        attribute="name",
        object_type=EntityType.PERSON,
        content="{subject}'s name is {value}",
    ),
    rule(
        (
            r"(?:is|turned|just turned|will be|turns) (?P<value>\d{1,3})(?: years?[ -]old| years of age| "
            r"yo)?(?=$|,| (?:and|now|today|this|last|next|yesterday|tomorrow|in|on|but)\b)"
        ),
        MemoryKind.FACT,
        subjects=_ANYONE,
        attribute="age",
    ),
    rule(
        rf"(?:is|turned|turns|will be) (?P<value>(?:{_COUNTED}))(?: years? (?:old|of age))?(?=$|,| (?:and|now|today"
        rf"|this|next|in|on|but)\b)",
        MemoryKind.FACT,
        subjects=_PERSON,
        attribute="age",
    ),
    rule(rf"is (?P<value>(?:{_COUNTED})) years? (?:old|of age)\b", MemoryKind.FACT, subjects=_ANYONE, attribute="age"),
    rule(
        r"(?:is|falls) (?:on )?(?:the )?(?P<value>.*\d.*|\w+day)",
        MemoryKind.FACT,
        noun="birthday|date of birth|birth date",
        subjects=THINGS,
        attribute="birthday",
        owner_is_subject=True,
    ),
    rule(r"was born on (?:the )?(?P<value>.*\d.*)", MemoryKind.FACT, subjects=_ANYONE, attribute="birthday"),
    rule(
        r"is (?P<value>[^\s@,]+@[^\s@,]+\.\w+)",
        MemoryKind.FACT,
        noun="(?:work |private |personal )?e-?mail(?: address)?",
        subjects=THINGS,
        attribute="email",
        owner_is_subject=True,
    ),
    rule(r"can be reached at (?P<value>[^\s@,]+@[^\s@,]+\.\w+)", MemoryKind.FACT, subjects=_ANYONE, attribute="email"),
    rule(
        r"is (?P<value>\+?[\d /()-]{6,})$",
        MemoryKind.FACT,
        noun="(?:phone|mobile|cell|telephone)(?: number)?",
        subjects=THINGS,
        attribute="phone",
        owner_is_subject=True,
    ),
    rule(
        r"is (?P<value>[\w/+:-]+(?: time)?)",
        MemoryKind.FACT,
        noun="time ?zone",
        subjects=THINGS,
        attribute="timezone",
        owner_is_subject=True,
    ),
    rule(
        r"(?:is|lives|works) (?:in|on|at) (?P<value>(?:UTC|GMT|CES?T|E[SD]T|P[SD]T|BST|IST)(?:[+-]\d+)?)(?= |$)",
        MemoryKind.FACT,
        subjects=_ANYONE,
        attribute="timezone",
    ),
    rule(
        r"(?:is|lives|works) (?:in|on) (?:the )?(?P<value>[A-Z]{2,4}(?:[+-]\d+)?|\w+) (?:time|time ?zone)\b",
        MemoryKind.FACT,
        subjects=_ANYONE,
        attribute="timezone",
    ),
    rule(
        rf"is married to (?P<object>{RUN}|[a-z]+){END}",
        MemoryKind.RELATIONSHIP,
        subjects=_ANYONE,
        attribute="partner",
        predicate="married_to",
        object_type=EntityType.PERSON,
    ),
    rule(
        rf"(?:married|is engaged to|is dating|has been dating) (?P<object>{RUN}){END}",
        MemoryKind.RELATIONSHIP,
        subjects=_ANYONE,
        attribute="partner",
        predicate="partner_of",
        object_type=EntityType.PERSON,
        name_only=True,
    ),
    rule(
        rf"(?:has )?(?:broke(?:n)? up|split up|separated|(?:got )?divorced|(?:is|are) divorced(?= from))(?: (?:with|from))?"
        rf"(?: (?P<gone>{RUN}))?{FOR_GOOD}",
        MemoryKind.FACT,
        subjects=PEOPLE,
        ends="partner",
    ),
    rule(rf"{_BE} (?:{_STATUS})\b", MemoryKind.FACT, subjects=_ANYONE),
    rule(rf"is (?:an? )?(?:half |part |originally |native )?(?:{_NATIONALITY})\b", MemoryKind.FACT, subjects=PEOPLE),
    rule(
        rf"(?:speaks?|can speak|is fluent in|understands) (?P<value>(?:{_NATIONALITY}))\b",
        MemoryKind.FACT,
        subjects=PEOPLE,
    ),
    rule(
        (
            rf"has an? (?:\w+ )?(?P<role>(?:\w+ )?(?:{_PET}|son|daughter|brother|sister|baby|boyfriend|"
            rf"girlfriend|friend)),? (?:called|named|whose name is) (?P<object>{RUN}|[a-z]+){END}"
        ),
        MemoryKind.RELATIONSHIP,
        subjects=PEOPLE,
        predicate="has_{role}",
        object_type=EntityType.PERSON,
        describes=True,
    ),
    rule(
        (
            r"has (?:an? )?(?:\w+ )?(?:diabetes|asthma|adhd|ADHD|autism|dyslexia|epilepsy|arthritis|"
            r"depression|anxiety|migraines?|celiac|coeliac)\b"
        ),
        MemoryKind.FACT,
        subjects=PEOPLE,
    ),
)

ROLE_PATTERN = (
    r"(?:(?!(?:bit|lot|little|big|huge|fan|member|good|bad)\b)[\w-]+ "
    rf"){{0,3}}?(?:{'|'.join(sorted(ROLES, key=len, reverse=True))})s?\b(?:[ -](?:engineer|"
    r"developer|manager|designer|teacher|officer|assistant|writer|scientist|nurse|analyst|"
    r"consultant|chef|lead|architect))*(?: of (?!mine|ours|User)[\w ]+?(?= at| for| in|$|,))?"
)
"""A job as a noun phrase: "primary school teacher", "head of marketing"."""
