"""What somebody does, and for whom."""

from mosshead.kinds import EntityType, MemoryKind
from pipeline.offline.identity import ROLE_PATTERN
from pipeline.offline.names import RUN
from pipeline.offline.rule import END, FOR_GOOD, LASTING, NAME_OR_NOUN, THINGS, Rule, rule

_FIRM = rf"(?P<object>(?:{RUN}(?: (?:and|&) {RUN})?|{NAME_OR_NOUN}))"
_A = r"(?:an? |the )"
_AS = rf"(?: as {_A}?(?P<role>[\w -]+?)(?= (?:in|since|and|now|for|at|with)\b|,|$))?"
_DESCRIBED = rf"(?P<role>(?P<value>{ROLE_PATTERN}))"
_OWN = r"(?:(?:[\w']+'s )+|his |her |their )"
_ANOTHER = (
    r"(?:first|second|third|other|old|previous|former|last|side|part-time|weekend|summer|holiday|student|school|temp|temporary"
    r"|night|evening|volunteer\w*)"
)
"""Which job it is where it need not be the one that is known."""
_MINE = rf"{_OWN}(?!{_ANOTHER}\b)(?:[\w-]+ )?"
_NO_END = r"(?:offer|interview|application|advert|hunt|search|fair|posting|early|half|un\w+|with(?:out)? (?![A-Z]))"
_HELD = rf"(?:{_MINE}job\b(?! {_NO_END})|(?:the job|{_MINE}(?:position|post))(?:{FOR_GOOD}|(?= (?:at|with)\b)))"
_LET_GO = r"(?:resigned|(?:was|got|been) (?:fired|sacked|laid off|(?:let go|dismissed)(?! by\b)|made redundant))"
_SAYS_MORE = r"(?:from|at|by|(?:on|in) (?=[A-Z\d])|last|this|yesterday|today|because|after|again)"


def _job_is(value: str, *, noun: str) -> Rule:
    """ "My profession is …": of some nouns anything may be said, of others only what is a job."""
    return rule(
        rf"is (?:as )?{_A}?(?P<value>{value})(?: (?:at|for) (?:the )?(?P<object>{RUN}))?$",
        MemoryKind.FACT,
        noun=noun,
        subjects=THINGS,
        attribute="job",
        owner_is_subject=True,
        predicate="works_at",
        object_type=EntityType.ORG,
    )


RULES: tuple[Rule, ...] = (
    rule(
        (
            rf"(?:works?|is working|has worked(?={LASTING})|has been working)(?: \w+ly| part[- ]time| full[- ]time| "
            rf"remotely| now)* (?:at|for|with(?= (?:the )?[A-ZÀ-Þ])) (?!themself\b)(?:the )?{_FIRM}{_AS}"
        ),
        MemoryKind.FACT,
        attribute="works_at",
        predicate="works_at",
        object_type=EntityType.ORG,
        describes=True,
    ),
    rule(
        (
            rf"(?:works?|is working|has worked(?={LASTING})|has been working|is employed)(?: \w+ly| part[- ]time| "
            rf"full[- ]time)* as {_A}?(?P<role>(?P<value>[\w' -]+?))(?: (?:at|for|with) (?:the "
            rf")?(?P<object>{RUN}))?(?= (?:in|since|and|now|for|at|with|from)\b|,|$)"
        ),
        MemoryKind.FACT,
        attribute="job",
        predicate="works_at",
        object_type=EntityType.ORG,
        describes=True,
    ),
    rule(
        rf"(?:is employed (?:by|at|with)|interns at|is interning at) (?:the )?{_FIRM}{_AS}",
        MemoryKind.FACT,
        attribute="works_at",
        predicate="works_at",
        object_type=EntityType.ORG,
        describes=True,
    ),
    rule(
        (
            r"(?:(?:just |recently )?(?:joined|started (?:working |work |a (?:new )?job |my new job "
            r")?(?:at|for|with)|got (?:an?|the|User's) (?:new )?(?:job|position|role|offer) (?:at|with|"
            r"from)|got hired (?:by|at)|was hired (?:by|at)|has (?:just )?(?:joined|started at)|starts at|"
            r"accepted a (?:job|position|role) (?:at|with)|switched jobs to)) (?:the "
            rf")?(?P<object>{RUN}){_AS}"
        ),
        MemoryKind.FACT,
        attribute="works_at",
        predicate="works_at",
        object_type=EntityType.ORG,
        name_only=True,
        describes=True,
    ),
    rule(
        (
            rf"(?:has )?(?:(?:left|quit|resigned from|lost|gave up|given up|walked out of) {_HELD}|{_LET_GO}(?=$|,| {_SAYS_MORE})"
            rf"|(?:left|quit|resigned from|stopped working (?:at|for|with)) (?:the )?(?P<gone>{RUN}){FOR_GOOD})"
        ),
        MemoryKind.FACT,
        ends="works_at",
    ),
    rule(
        (
            r"(?:(?:just |recently )?(?:left|quit|resigned from|retired from)|(?:was|got) (?:fired|laid "
            rf"off|let go|made redundant)) ?(?:(?:from|by) )?(?P<gone>{RUN}|\w+)?"
        ),
        MemoryKind.FACT,
    ),
    rule(
        (
            rf"(?:(?:co-?)?founded|(?:co-?)?owns?|set up|started) (?:{_A}?(?:\w+ )?(?:company|business|firm"
            r"|startup|agency|studio|shop|restaurant|café|cafe|bakery|charity),? (?:called |named "
            rf")?)?(?P<object>{RUN})"
        ),
        MemoryKind.FACT,
        predicate="owns",
        object_type=EntityType.ORG,
        name_only=True,
    ),
    rule(
        (
            rf"(?:runs?|has|owns?|(?:co-?)?founded|started|set up) {_A}(?:\w+ ){{0,3}}?(?:company|business|"
            r"firm|startup|start-up|agency|studio|shop|restaurant|café|cafe|bakery|charity),? (?:called |"
            rf"named )(?P<object>{RUN}|{NAME_OR_NOUN})"
        ),
        MemoryKind.FACT,
        predicate="owns",
        object_type=EntityType.ORG,
    ),
    rule(
        (
            r"(?:runs?|manages?|leads?|heads?|directs?|is running|is leading|is managing|oversees|is in "
            rf"charge of|is responsible for|handles|looks after) (?P<role>(?:the |our |{RUN}'s |User's "
            rf")[\w' -]+?)(?= (?:in|at|of|for|and|with)\b|$|,)(?: (?:in|at|of) (?:the )?(?P<where>{RUN}))?"
        ),
        MemoryKind.FACT,
        describes=True,
    ),
    rule(
        (
            r"(?:is|became|has become|was promoted to|got promoted to|got a job as|has been) "
            rf"{_A}?{_DESCRIBED}(?: (?:at|for|with|of) (?:the )?(?P<object>{RUN}))?(?= |$|,)"
        ),
        MemoryKind.FACT,
        attribute="job",
        predicate="works_at",
        object_type=EntityType.ORG,
        describes=True,
    ),
    rule(
        (
            r"(?:studies|is studying|studied|goes to|went to|attends|attended|is a student at|graduated "
            rf"from|is enrolled at)(?: [\w ]+?)?(?: at| from)? (?P<object>(?:the )?(?:University of {RUN}|"
            rf"{RUN} (?:University|College|School|Academy|Institute)|MIT|UCLA|Oxford|Cambridge|Harvard|"
            rf"Stanford|Yale)){END}"
        ),
        MemoryKind.FACT,
        predicate="studies_at",
        object_type=EntityType.ORG,
    ),
    _job_is(r"[\w' -]+?", noun="(?:new |current )?(?:job title|profession|occupation)"),
    _job_is(ROLE_PATTERN, noun="(?:new |current |day |full-time )?(?:job|role|position)"),
    rule(
        rf"is (?P<object>{RUN})$",
        MemoryKind.FACT,
        noun="(?:new |current )?(?:employer|workplace|company)",
        subjects=THINGS,
        attribute="works_at",
        owner_is_subject=True,
        predicate="works_at",
        object_type=EntityType.ORG,
        name_only=True,
    ),
)
