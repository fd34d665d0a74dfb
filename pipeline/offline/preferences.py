"""What somebody likes, avoids and holds to be so."""

from mosshead.kinds import MemoryKind
from pipeline.offline.discourse import Sort
from pipeline.offline.lexicon import KINSHIP
from pipeline.offline.rule import BEARERS, PEOPLE, THINGS, Rule, rule

_VAGUE = (
    r"(?! (?:to$|it$|it|that|this|them|those|these|so|the (?:idea|sound|way|vibe|look)|to (?:hear|"
    r"see|know|think|say|help|thank|share|ask|chat|talk)|how|when|what|seeing|hearing|User|"
    r"everything|every)\b)(?! you)"
)
_DIETS = (
    r"(?:vegetarian|vegan|pescatarian|gluten-free|kosher|halal|keto|lactose[- ]intolerant|"
    r"gluten[- ]intolerant|coeliac|celiac|teetotal)"
)

PREFERENCE_RULES: tuple[Rule, ...] = (
    rule(
        (
            r"(?:is|has (?:been|become|gone)|became|went|eats|is on|follows)(?: an?| strictly)? "
            rf"(?P<value>{_DIETS})\b(?: diet)?"
        ),
        MemoryKind.PREFERENCE,
        subjects=BEARERS,
        attribute="diet",
    ),
    rule(
        (
            r"(?:is|has) (?:\w+ )?(?:allergic to|allergy to|an allergy to|intolerant to|intolerant of) "
            r"(?P<thing>.+)"
        ),
        MemoryKind.FACT,
        subjects=BEARERS,
    ),
    rule(
        (
            r"(?:likes?|loves?|adores?|enjoys?|hates?|dislikes?|detests?|prefers?|despises?|loathes?|"
            rf"avoids?|craves?|(?:used to )?love|loved|enjoyed|hated|adored){_VAGUE} (?P<thing>.*\w.*)"
        ),
        MemoryKind.PREFERENCE,
    ),
    rule(
        (
            r"(?:(?:can ?not|cannot|can not)(?: really)? )?(?:stand|bear|tolerate|abide|stomach) (?!it|that|this|"
            r"you)(?P<thing>\w.*)"
        ),
        MemoryKind.PREFERENCE,
    ),
    rule(
        (
            r"is (?:(?:an? )?(?:big|huge|massive|great|real|lifelong) )?(?:an? )?(?:into|fond of|fan of|"
            r"lover of|obsessed with|crazy about|passionate about|keen on|addicted to|mad about|hooked on|"
            r"interested in|afraid of|scared of|terrified of|tired of|sick of) (?!it\b|that\b|this\b|"
            r"you\b)(?P<thing>\w.*)"
        ),
        MemoryKind.PREFERENCE,
    ),
    rule(
        r"is an? (?:\w+ )?(?P<thing>[\w-]+ (?:person|lover|enthusiast|fan|addict|fanatic|buff|geek|nerd))\b",
        MemoryKind.PREFERENCE,
    ),
    rule(r"(?:would rather|would prefer) (?!not (?:say|to say))(?P<thing>\w.*)", MemoryKind.PREFERENCE),
    rule(r"(?:drink|eat|eats|drinks|smoke|smokes|does not eat|wear)\b (?P<thing>\w.*)", MemoryKind.PREFERENCE),
    rule(
        r"(?:is|are|has always been|would be|must be) (?P<value>.*\w.*)",
        MemoryKind.PREFERENCE,
        noun=r"(?:all-time |absolute )?favou?rite (?P<thing>[\w ]+)",
        subjects=THINGS,
        attribute="favourite_{thing}",
        owner_is_subject=True,
    ),
    rule(
        r"(?:is|are) (?P<owner>[\w ]+)'s (?:all-time |absolute )?favou?rite (?P<thing>[\w ]+)$",
        MemoryKind.PREFERENCE,
        subjects=BEARERS | THINGS,
    ),
    rule(
        (
            r"(?:thinks?|believes?|reckons?|is convinced|feels? strongly)(?: that)? (?!so\b|it\b|that\b|"
            r"this\b|they\b|he\b|she\b|you\b|User\b|about\b|of\b|there\b|we\b|in\b)(?P<thing>\w+(?: "
            r"\S+){2,})"
        ),
        MemoryKind.BELIEF,
        subjects=PEOPLE,
    ),
    rule(
        r"(?:says?|said|claims?|claimed|insists?|insisted|told User|tells User|reckons?|swears?)(?: that)? (?!so\b"
        r"|it\b|that\b|yes\b|no\b|hi\b|hello\b|to\b"
        r"|sorry\b|thanks?\b|goodbye\b|nothing\b|something\b|anything\b|about\b|you\b|what\b|how\b|why\b|the same\b"
        r"|[\"'])(?P<thing>\w+(?: \S+){2,})",
        MemoryKind.BELIEF,
        noun=rf"|(?:\w+ )?(?:{'|'.join(sorted(KINSHIP))})",
        subjects=frozenset({Sort.PERSON}),
    ),
    rule(r"believes? in (?P<thing>\w.*)", MemoryKind.BELIEF, subjects=PEOPLE),
)
