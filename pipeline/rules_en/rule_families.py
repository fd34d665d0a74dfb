"""The rule families: identity, people, organisations, work, places, events and preferences."""

from typing import Any

from mosshead.language.dates.spans import DAY_NAME, MONTH_NAME
from mosshead.language.wordlists import FIRST_NAMES, MONTHS, NATIONALITIES, PARTNERS, ROLES, WEEKDAYS
from mosshead.models.kinds import EntityType, MemoryKind
from pipeline.rules_en.names import CAPITAL, RUN, Sort
from pipeline.rules_en.rules import BEARERS, END, FOR_GOOD, LASTING, NAME_OR_NOUN, SELF, THINGS, Rule, rule
from pipeline.rules_en.subjects import A_TIE

_FIRM = rf"(?P<object>(?:{RUN}(?: (?:and|&) {RUN})?|{NAME_OR_NOUN}))"
_A = r"(?:an? |the )"
_AS = rf"(?: as {_A}?(?P<role>[\w -]+?)(?= (?:in|since|and|now|for|at|with)\b|,|$))?"

ROLE_PATTERN = (
    r"(?:(?!(?:bit|lot|little|big|huge|fan|member|good|bad|the|an?)\b)[\w-]+ "
    rf"){{0,3}}?(?:{'|'.join(sorted(ROLES, key=len, reverse=True))})s?\b(?:[ -](?:engineer|"
    r"developer|manager|designer|teacher|officer|assistant|writer|scientist|nurse|analyst|"
    r"consultant|chef|lead|architect))*(?: of (?!mine|ours|User)[\w ]+?(?= at| for| in|$|,))?"
)
"""A job as a noun phrase: "primary school teacher", "head of marketing"."""

_DESCRIBED = rf"(?P<role>(?P<value>{ROLE_PATTERN}))"
_OWN = r"(?:(?:[\w']+'s )+|his |her |their )"

_ANOTHER = (
    r"(?:first|second|third|other|old|previous|former|last|side|part-time|weekend|summer|holiday|student|school|temp|temporary"
    r"|night|evening|volunteer\w*)"
)
"""Words for a job that may not be the known one."""

_MINE = rf"{_OWN}(?!{_ANOTHER}\b)(?:[\w-]+ )?"
_NO_END = r"(?:offer|interview|application|advert|hunt|search|fair|posting|early|half|un\w+|with(?:out)? (?![A-Z]))"
_HELD = rf"(?:{_MINE}job\b(?! {_NO_END})|(?:the job|{_MINE}(?:position|post))(?:{FOR_GOOD}|(?= (?:at|with)\b)))"
_LET_GO = r"(?:resigned|(?:was|got|been) (?:fired|sacked|laid off|(?:let go|dismissed)(?! by\b)|made redundant))"
_SAYS_MORE = r"(?:from|at|by|(?:on|in) (?=[A-Z\d])|last|this|yesterday|today|because|after|again)"

_WORKS_AT: dict[str, Any] = {"predicate": "works_at", "object_type": EntityType.ORG, "describes": True}
_LIVES_IN: dict[str, Any] = {"attribute": "lives_in", "predicate": "lives_in", "object_type": EntityType.PLACE}

WORK_RULES: tuple[Rule, ...] = (
    rule(
        rf"(?:works?|is working|has worked(?={LASTING})|has been working|is employed|interns|is interning)"
        rf"(?: \w+ly| part[- ]time| full[- ]time| now)*"
        rf" (?:at|for|by|with(?= (?:the )?[A-ZÀ-Þ])) (?!themself\b)(?:the )?{_FIRM}{_AS}",
        attribute="works_at",
        **_WORKS_AT,
    ),
    rule(
        rf"(?:works?|is working|has worked(?={LASTING})|has been working|is employed)(?: \w+ly| part[- ]time| "
        rf"full[- ]time)* as {_A}?(?P<role>(?P<value>[\w' -]+?))(?: (?:at|for|with) (?:the "
        rf")?(?P<object>{RUN}))?(?= (?:in|since|and|now|for|at|with|from)\b|,|$)",
        attribute="job",
        **_WORKS_AT,
    ),
    rule(
        r"(?:(?:just |recently )?(?:joined|started (?:working |work |a (?:new )?job |my new job "
        r")?(?:at|for|with)|got (?:an?|the|User's) (?:new )?(?:job|position|role|offer) (?:at|with|"
        r"from)|got hired (?:by|at)|was hired (?:by|at)|has (?:just )?(?:joined|started at)|starts at|"
        r"accepted a (?:job|position|role) (?:at|with)|switched jobs to)) (?:the "
        rf")?(?P<object>{RUN}){_AS}",
        attribute="works_at",
        name_only=True,
        **_WORKS_AT,
    ),
    rule(
        rf"(?:has )?(?:(?:left|quit|resigned from|lost|gave up|given up|walked out of) {_HELD}|{_LET_GO}(?=$|,| {_SAYS_MORE})"
        rf"|(?:left|quit|resigned from|stopped working (?:at|for|with)) (?:the )?(?P<gone>{RUN}){FOR_GOOD})",
        ends="works_at",
    ),
    rule(
        r"(?:(?:just |recently )?(?:left|quit|resigned from|retired from)|(?:was|got) (?:fired|laid "
        rf"off|let go|made redundant)) ?(?:(?:from|by) )?(?P<gone>{RUN}|\w+)?",
    ),
    rule(
        rf"(?:runs?|has|(?:co-?)?owns?|(?:co-?)?founded|started|set up) {_A}(?:\w+ ){{0,3}}?(?:company|business|firm"
        r"|startup|start-up|agency|studio|shop|restaurant|café|cafe|bakery|charity),? "
        rf"(?:(?:called |named )(?=\w)|(?={CAPITAL}))(?P<object>{RUN}|{NAME_OR_NOUN})",
        predicate="owns",
        object_type=EntityType.ORG,
    ),
    rule(
        r"(?:runs?|manages?|leads?|heads?|directs?|is running|is leading|is managing|oversees|is in "
        rf"charge of|is responsible for|handles|looks after) (?P<role>(?:the |our |{RUN}'s |User's "
        rf")[\w' -]+?)(?= (?:in|at|of|for|and|with)\b|$|,)(?: (?:in|at|of) (?:the )?(?P<where>{RUN}))?",
        describes=True,
    ),
    rule(
        r"(?:is|became|has become|was promoted to|got promoted to|got a job as|has been) "
        rf"{_A}?{_DESCRIBED}(?: (?:at|for|with|of) (?:the )?(?P<object>{RUN}))?(?= |$|,)",
        attribute="job",
        **_WORKS_AT,
    ),
)

_WHEN = (
    rf"(?:on |at |every |in |for |from )?(?:the )?(?P<value>(?:{DAY_NAME}s?\b|\d{{1,2}}(?::\d\d)? ?(?:am|pm|o'clock)\b"
    r"|\d{1,2}:\d\d|noon\b|midnight\b|tomorrow\b|tonight\b|today\b|next \w+|\d{1,2}(?:st|nd|rd|th)\b"
    rf"|{MONTH_NAME} \d|\d{{1,2}} {MONTH_NAME}\b|\d{{4}}-\d\d).*)"
)

_IS = (
    r"(?:is|are|was|were|starts?|begins?|takes? place|happens?|falls?|ends?|runs?|has been|got|"
    r"opens?|closes?|leaves?|departs?)"
    r"(?: now| usually| always)?(?: been)?"
)

_SET = (
    r"(?: (?:moved|scheduled|set|booked|planned|postponed|rescheduled|due|held|changed|"
    r"pushed))?(?: back)?(?: to| for| until)?"
)

EVENT_RULES: tuple[Rule, ...] = (
    rule(
        rf"(?i:{_IS}{_SET} {_WHEN})",
        MemoryKind.EVENT,
        noun=r"(?P<event>[\w ' -]+)",
        subjects=THINGS | {Sort.NAMED},
        attribute="{event} {unit}",
    ),
    rule(
        r"(?:is|are|was|were|got|has been|have been)(?: now)? (?:off|cancell?ed|called off|postponed|delayed"
        r"|scrapped|axed|put off|on hold|back on)"
        r"(?= for|$|,| because| due| this| until| after| since| now| again| anyway| by)"
        r"|(?:will (?:happen|take place|go ahead)|is (?:happening|going ahead))\b",
        MemoryKind.EVENT,
        noun=r"(?!all|bets|day)[\w ' -]{3,}",
        subjects=THINGS | {Sort.NAMED},
    ),
    rule(
        r"(?:is|are|was|goes? (?:up|down) to|went (?:up|down) to|rises? to|rose to|costs?|stands? at)(?: now| still"
        r"| up| down| at| to| about| around| roughly)*"
        r" (?P<value>[£$€]?\d[\d,.]*\d|[£$€]?\d+)(?= (?:euros?|pounds|dollars|a month|a week|a year|now|per|from"
        r"|percent|people|kg|kilos)\b|%|$|,(?!\d))",
        noun=r"(?P<thing>(?!.*\b(?:birthday|age|name|one|thing)\b)[a-z][\w -]{1,40})",
        subjects=THINGS,
        attribute="{thing}",
    ),
)

_ANYONE = frozenset({Sort.SELF, Sort.PERSON})
_BE = r"(?:is|was|has been)"
_NATIONALITY = "|".join(n.capitalize() for n in sorted(NATIONALITIES))
_GIVEN = "|".join(sorted(FIRST_NAMES - {"will", "rose", "grace", "frank", "ray", "max", "hope", "mark", "jack"}))

_TIED = r"single|married|divorced|engaged|widowed|separated"
_WITHOUT_WORK = r"between jobs|retired|unemployed|out of work"
_STATUS = (
    rf"{_TIED}|{_WITHOUT_WORK}|pregnant|left-handed|colou?r-?blind|diabetic"
    r"|asthmatic|autistic|dyslexic|gay|bi|bisexual|lesbian|trans(?:gender)?|non-binary|blind|deaf|"
    r"self-employed|an? (?:only child|twin|introvert|extrovert|immigrant|single (?:mum|"
    r"mom|dad|parent|mother|father)|widower?|veteran|parent)"
)

_WEIGHT = r"\d[\d.,]* ?(?:kg|kgs|kilos?|kilograms?|lbs?|pounds|stone)\b"
_ILLNESS = "diabetes|asthma|adhd|ADHD|autism|dyslexia|epilepsy|arthritis|depression|anxiety|migraines?|celiac|coeliac"


def _own(noun: str, says: str, attribute: str) -> Rule:
    """Return a rule for a single-valued attribute: "My e-mail is …"."""
    return rule(says, noun=noun, subjects=THINGS, attribute=attribute, owner_is_subject=True)


_PARTNER_OF: dict[str, Any] = {
    "subjects": _ANYONE,
    "attribute": "partner",
    "object_type": EntityType.PERSON,
    "ends": "relationship_status",
}

IDENTITY_RULES: tuple[Rule, ...] = (
    rule(
        rf"is (?P<value>(?:{RUN}|[a-z]+))$",
        noun="(?:(?:full|first|real|given) )?name",
        subjects=THINGS,
        attribute="name",
        owner_is_subject=True,
        object_type=EntityType.PERSON,
        content="{owner}'s name is {value}",
    ),
    rule(
        rf"(?:is(?: called| named)?|goes by) (?!(?:{_NATIONALITY})\b|(?i:{_STATUS})$)(?P<value>{RUN}|{_GIVEN})$",
        subjects=SELF,
        attribute="name",
        object_type=EntityType.PERSON,
        content="{subject}'s name is {value}",
    ),
    rule(
        r"(?:is|turned|just turned|will be|turns) (?P<value>\d{1,3})(?: years?[ -]old| years of age| "
        r"yo)?(?=$|,| (?:and|now|today|this|last|next|yesterday|tomorrow|in|on|but)\b)",
        subjects=_ANYONE,
        attribute="age",
    ),
    rule(rf"weighs(?: about| around| now)* (?P<value>{_WEIGHT})", subjects=_ANYONE, attribute="weight"),
    _own("(?:body )?weight", rf"is(?: about| around| now)* (?P<value>{_WEIGHT})", "weight"),
    _own("birthday|date of birth|birth date", r"(?:is|falls) (?:on )?(?:the )?(?P<value>.*\d.*|\w+day)", "birthday"),
    rule(r"was born on (?:the )?(?P<value>.*\d.*)", subjects=_ANYONE, attribute="birthday"),
    _own("(?:work |private |personal )?e-?mail(?: address)?", r"is (?P<value>[^\s@,]+@[^\s@,]+\.\w+)", "email"),
    _own("(?:phone|mobile|cell|telephone)(?: number)?", r"is (?P<value>\+?[\d /()-]{6,})$", "phone"),
    _own("time ?zone", r"is (?P<value>[\w/+:-]+(?: time)?)", "timezone"),
    _own("(?:home |new |postal |mailing )?address", r"is (?P<value>.*\w.*)", "address"),
    rule(
        rf"is married to (?P<object>{RUN}|[a-z]+){END}",
        MemoryKind.RELATIONSHIP,
        predicate="married_to",
        **_PARTNER_OF,
    ),
    rule(
        rf"(?:married|(?:is|got) (?:engaged|married) to|is dating|has been dating|is seeing) (?P<object>{RUN}){END}",
        MemoryKind.RELATIONSHIP,
        predicate="partner_of",
        name_only=True,
        **_PARTNER_OF,
    ),
    rule(
        rf"(?:has )?(?:broke(?:n)? up|split up|separated|(?:got )?divorced|(?:is|are) divorced(?= from))(?: (?:with|from))?"
        rf"(?: (?P<gone>{RUN}))?{FOR_GOOD}",
        ends="partner",
    ),
    rule(
        r"is(?: now| back)? (?P<value>single)(?: (?:now|again))?$",
        subjects=_ANYONE,
        attribute="relationship_status",
        ends="partner",
    ),
    rule(
        rf"(?:is(?: now)?|got) (?P<value>{_TIED})(?: (?:now|again|at last|finally))?$",
        subjects=_ANYONE,
        attribute="relationship_status",
    ),
    rule(rf"(?:is|became)(?: now)? (?:{_WITHOUT_WORK}){END}|retired{END}", subjects=_ANYONE, ends="works_at"),
    rule(
        rf"{_BE} (?:(?:{_STATUS})\b|(?:an? )?(?:half |part |originally |native )?(?:{_NATIONALITY})\b)"
        r"|(?:is|has) (?:\w+ )?(?:allergic to|(?:an )?allergy to|intolerant (?:to|of)) \w"
        rf"|has (?:an? )?(?:\w+ )?(?:{_ILLNESS})\b|(?:speaks?|can speak|is fluent in|understands) (?:{_NATIONALITY})\b",
        subjects=BEARERS,
    ),
)

_ORGANISATION_WORD = (
    r"(?:new |own |little |small )?(?:company|firm|business|startup|start-up|agency|"
    r"organi[sz]ation|employer|charity|studio|shop)(?:'s name)?"
)

_PROJECT = (
    r"(?:new |current |main |side |latest |big )?(?P<what>project|app|product|website|site|blog|"
    r"podcast|campaign|newsletter|game|book|novel|band|team|channel)(?:'s name)?"
)

_CALLED = rf"(?:(?:called |named |known as )(?=\w)|(?={CAPITAL}))"
"""May be omitted only before a capital: "is called crumbs", "is Crumbs"."""

ORGANISATION_RULES: tuple[Rule, ...] = (
    rule(
        rf"is {_CALLED}(?P<object>{RUN}|[a-z][\w ]*)",
        noun=_ORGANISATION_WORD,
        subjects=THINGS,
        predicate="works_at",
        object_type=EntityType.ORG,
        owner_is_subject=True,
    ),
    rule(
        rf"is {_CALLED}(?P<object>{RUN}|[a-z][\w ]*)",
        noun=_PROJECT,
        subjects=THINGS,
        predicate="works_on",
        object_type=EntityType.PROJECT,
        owner_is_subject=True,
    ),
    rule(
        rf"is (?:now )?(?:called|named) (?P<value>{RUN}|[a-z]+)(?= now$|$|,)",
        noun=r"(?P<thing>.+)",
        subjects=THINGS,
        attribute="{thing}'s name",
    ),
)

_PERSON_SORTS = frozenset({Sort.PERSON, Sort.NAMED})
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
        noun=rf"(?P<role>(?:{_MODIFIER})(?:{A_TIE}|{ROLE_PATTERN}))(?: at {RUN})?(?:'s name)?",
        subjects=THINGS | {Sort.PERSON},
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
        rf"(?:is|was|became|has been) {_OWNER} (?P<role>{_MODIFIER}(?:{A_TIE}|{ROLE_PATTERN}|C[A-Z]O))(?= |$|,)",
        MemoryKind.RELATIONSHIP,
        subjects=_PERSON_SORTS,
        describes=True,
    ),
)

_PLACE = rf"(?P<value>(?P<object>{NAME_OR_NOUN})(?:, {RUN})?)"
_NAMED = rf"(?P<value>(?P<object>{RUN})(?:, {RUN})?)"

_RESIDE = (
    rf"(?:lives?|resides?|is living|is now living|has lived(?={LASTING})|has been living|is based|is settled"
    r"|currently lives?|stays?)"
)

_FROM = r"(?:is|comes|hails|originally comes) (?:originally )?from"
_NO_PLACE = "(?:constant )?(?:fear|hope|peace|harmony|denial|poverty|luxury|squalor|silence|pain|sin|dread|the past)"

_CALENDAR = rf"(?!(?:{'|'.join(name.capitalize() for name in (*MONTHS, *WEEKDAYS))})\b)"

PLACE_RULES: tuple[Rule, ...] = (
    rule(
        rf"{_RESIDE}(?: \w+ly| alone| now| together| with [\w' ]{{2,30}}?)?"
        r" (?:in|at|near|on(?= [A-Z])|just outside|outside|outside of)"
        rf" (?!{_NO_PLACE}\b)(?:the )?{_PLACE}",
        **_LIVES_IN,
    ),
    rule(rf"(?:has )?(?:just )?moved (?:out of|away from) (?:the )?(?P<gone>{RUN}){FOR_GOOD}", ends="lives_in"),
    rule(
        r"(?:just |recently )?(?:moved|relocated|has (?:just |recently )?(?:moved|relocated)|emigrated"
        r"|immigrated|moved back|settled)(?: back| here| house| home| over| down| up)*(?: from "
        rf"(?P<origin>{RUN}))?(?: (?:with|together) [\w' ]{{2,30}}?)? (?:to|in) (?:the "
        rf")?{_CALENDAR}{_NAMED}",
        name_only=True,
        **_LIVES_IN,
    ),
    rule(
        r"(?:moved|has moved|relocated) (?:back )?to (?P<object>[a-z]+(?: [a-z]+)?)(?= (?:last|this|"
        r"yesterday|today|in|two|three|a|with|from|when|because|recently)\b|"
        r"$)(?<!house)(?<!flat)(?<!apartment)(?<!place)(?<!city)(?<!country)",
        **_LIVES_IN,
    ),
    rule(rf"{_FROM} {_PLACE}", attribute="hometown", predicate="from", object_type=EntityType.PLACE),
)

_VAGUE = (
    r"(?! (?:to$|it$|it|that|this|them|those|these|so|the (?:idea|sound|way|vibe|look)|to (?:hear|"
    r"see|know|think|say|help|thank|share|ask|chat|talk)|how|when|what|seeing|hearing|User|"
    r"everything|every)\b)(?! you)"
)

_DIETS = (
    r"(?:vegetarian|vegan|pescatarian|gluten-free|kosher|halal|keto|lactose[- ]intolerant|"
    r"gluten[- ]intolerant|coeliac|celiac|teetotal|omnivor(?:e|ous)|flexitarian|(?:meat|fish)[- ]eater)"
)
_ANIMAL = r"(?:meat|fish|seafood|poultry|chicken|beef|dairy|cheese|eggs|animal products|everything)"

PREFERENCE_RULES: tuple[Rule, ...] = (
    rule(
        r"(?:is|has (?:been|become|gone)|became|went|eats|is on|follows)(?: an?| strictly)? "
        rf"(?P<value>{_DIETS})\b(?: diet)?",
        MemoryKind.PREFERENCE,
        subjects=BEARERS,
        attribute="diet",
    ),
    rule(
        r"(?:(?P<anew>(?:has )?(?:started|begun|resumed) eating|(?:went|has gone|is) back to(?: eating)?)|eats|is eating)"
        rf"(?: now)? (?P<value>{_ANIMAL})(?(anew)|(?=.* (?:again|now|these days|after all)\b))",
        MemoryKind.PREFERENCE,
        subjects=BEARERS,
        attribute="diet",
    ),
    rule(r"(?:smokes|vapes|drinks|gambles)(?: (?:a lot|socially|occasionally|sometimes|every day|daily|again|now))*$"),
    rule(
        r"(?:likes?|loves?|adores?|enjoys?|hates?|dislikes?|detests?|prefers?|despises?|loathes?|avoids?|craves?"
        rf"|would (?:rather|prefer)(?! not (?:say|to say))|(?:used to )?love|loved|enjoyed|hated|adored){_VAGUE} .*\w"
        r"|(?:(?:can ?not|cannot|can not)(?: really)? )?(?:stand|bear|tolerate|abide|stomach) (?!it|that|this|you)\w"
        r"|is (?:(?:an? )?(?:big|huge|massive|great|real|lifelong) )?(?:an? )?(?:into|fond of|fan of|lover of|obsessed with"
        r"|crazy about|passionate about|keen on|mad about|hooked on|interested in) (?!(?:it|that|this|you)\b)\w"
        r"|(?:drink|eat|eats|drinks|smoke|smokes|does not eat|wear)\b \w",
        MemoryKind.PREFERENCE,
    ),
    rule(
        r"(?:is|are|has always been|would be|must be) (?P<value>.*\w.*)",
        MemoryKind.PREFERENCE,
        noun=r"(?:all-time |absolute )?favou?rite (?P<thing>[\w ]+)",
        subjects=THINGS,
        attribute="favourite_{thing}",
        owner_is_subject=True,
    ),
    rule(
        r"(?:thinks?|believes?|reckons?|is convinced|feels? strongly)(?: that)? (?!so\b|it\b|that\b|"
        r"this\b|they\b|he\b|she\b|you\b|User\b|about\b|of\b|there\b|we\b|in\b)\w+(?: \S+){2,}",
        MemoryKind.BELIEF,
    ),
)

RULES = IDENTITY_RULES + PEOPLE_RULES + ORGANISATION_RULES + EVENT_RULES + PLACE_RULES + WORK_RULES + PREFERENCE_RULES
"""All families, in the order tried."""
