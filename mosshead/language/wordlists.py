"""Words of grammar, words that are names as well, and the genders of first names."""

from enum import Enum

GRAMMAR = frozenset(
    """
    a about above after again against all also am an and any anybody anyone anything are as at away back be because been before
    being below between both but by can could did do does doing done down during each either else enough even ever every
    everybody everyone everything few for from get gets getting go goes going gone got had has have having he her here hers
    herself him himself his how i if in into is it its itself just less let lets like made make makes making many maybe me mine
    more most much must my myself neither never no nobody none nor not nothing now of off often on once one only onto or other
    others our ours out over own per please put quite rather really same shall she should since so some somebody someone
    something still such than that the their theirs them themselves then there these they thing things this those though through
    to too toward under until up upon us use used very via was we were what whatever when where whether which while who whoever
    whom whose why will with within without would yes yet you your yours yourself
    """.split()
)
"""Articles, pronouns, prepositions, auxiliaries and the like: never looked up as part of a name."""

AMBIGUOUS = frozenset(
    """
    amber april art august autumn baker bill bird bishop black bloom brook brooks brown carpenter chance chase chip christian
    church clay cliff cook cooper crystal daisy dawn day dean dick drew dusty ernest eve faith field fisher flora forest fox frank
    gardener ginger glen grace grant gray green grey guy hale hall harmony harry heath hill holly home hope hunt hunter iris ivy
    jack jade jasmine jay jewel john joy june king knight lake lane lily long love mark market mason max may melody mercy miles
    miller misty moon moor nick olive page park parsons pat patience pearl penny piper point pope poppy porter potter price pride
    prince prior queen rain ray read reed rich river rob robin rock rod rose rowan ruby rusty sage sandy savage sergeant shepherd
    short skip sky smith snow spring star stone storm street strong sue summer sunny swift tab tailor taylor teddy terry tiger
    trip turner victor violet wade walker ward water wells west white wise wood woods woody young
    """.split()
)
"""Words that are names only where they are written as names: "mark the date" is not Mark."""

CALENDAR = frozenset(
    """
    monday tuesday wednesday thursday friday saturday sunday january february march april may june july august september october
    november december christmas easter today tomorrow yesterday
    """.split()
)
"""Words with a capital that are no part of the name before them: "Ask Peter Monday"."""

BEFORE_NAMES = frozenset(
    """
    mr mrs ms miss dr prof professor sir st saint uncle aunt auntie cousin brother sister father mother grandpa grandma granny mum
    mom dad coach captain colonel major sergeant officer doctor nurse chef judge king queen president senator minister mayor
    """.split()
)
"""Words with a capital that a name may stand behind: "Coach Haas"."""

BEFORE_DAYS = frozenset(
    "after before between by during each every from in last late early next of on since this through till to until".split()
)
"""Words behind which a day or a month is one: "on Saturday" is not the Saturday market."""

SURELY_BEFORE_DAYS = frozenset("during each every in last late early mid next since this till until".split())
"""Those behind which nobody stands who is called like a month: "from May" may be from her, "in May" is never she."""

DONE_BY_PEOPLE = frozenset(
    """
    agreed agrees asked asks bought brought brings emailed forgot hates insists knew knows likes mailed messaged owes paid pays
    phoned promised rang reckons replied replies said says sends sent swears swore telephoned tells texted thinks thought told
    wants wanted writes wrote
    """.split()
)
"""In "Brooks sent a list", where the capital says nothing, the verb says that it is somebody."""

_HE_NAMES = frozenset(
    """
    aaron adam adrian ahmed alan alexander andreas andrew anthony antonio arthur ben benjamin bob brandon brian bruno carl
    carlos charles christopher colin craig dan daniel dave david dennis ed edward eli eric erik ethan evan felix finn florian
    francis frank fred gabriel gary gavin george graham greg harry henry hugo ian igor isaac ivan jack jacob jake jamal james
    jason javier jeff jeremy jim joe joel john jonas jonathan jose joseph josh joshua juan julian justin karl keith ken kevin
    klaus kwame lars leo leon leonard lewis liam louis lucas luis luke marcus mark martin mateo matt matthew michael miguel mike
    mohammed nate nathan neil nicholas nick noah oliver omar oscar owen pablo patrick paul pedro peter phil philip piotr raj
    ralph raymond rhys ricardo richard rob robert roger ross ryan samuel sanjay scott sean sebastian sergei shaun simon stefan
    stephen steve steven stuart sven ted theo thomas tim toby tom tony victor vikram vincent will william xavier yusuf
    """.split()
)

_SHE_NAMES = frozenset(
    """
    abigail aisha alexandra alice alina amanda amy ana angela anna anne annie audrey barbara beth betty carla carol caroline
    catherine charlotte chloe christina christine claire clara daniela deborah diana diane elena elizabeth ella ellen emily emma
    eva evelyn fatima fiona francesca freya georgia gina grace hannah harriet heather heidi helen ida helena holly imogen ingrid
    isabel isabella jackie jane janet jen jennifer jenny jess jessica jill joan joanna jolene judith judy julia julie karen kate
    katherine kathryn katie kelly kirsty laura lauren layla leah lena lily linda lisa louise lucia lucy lydia maria marie marta
    martha mary maya megan melanie melissa mia michelle molly monica nadia nancy naomi natalia natalie nicola nicole nina nora
    olivia pam pamela patricia paula pauline penny phoebe pia poppy priya rachel rebecca rita rosa rosie ruth sally samantha
    sandra sara sarah sharon sofia sonia sophia sophie stella stephanie sue susan suzanne tanya tara teresa tessa theresa tina
    tracy ursula valentina vanessa vera veronica victoria wendy yara yasmin zara zoe
    """.split()
)

_HE_NOUNS = frozenset(
    """
    brother father dad husband boyfriend fiancé fiance son uncle nephew grandfather grandpa grandad granddad stepbrother
    stepfather stepdad stepson father-in-law brother-in-law son-in-law ex-husband grandson godfather godson landlord
    man boy guy bloke chap fellow lad gentleman groom
    """.split()
)

_SHE_NOUNS = frozenset(
    """
    sister mother mum mom wife girlfriend fiancée fiancee daughter aunt auntie niece grandmother grandma granny nan
    stepsister stepmother stepmum stepmom stepdaughter mother-in-law sister-in-law daughter-in-law ex-wife
    granddaughter godmother goddaughter landlady woman girl lady lass bride
    """.split()
)


class Gender(Enum):
    """Which pronoun a person was given, or can be expected to be given."""

    HE = "he"
    SHE = "she"


PRONOUNS = dict.fromkeys(("he", "him", "his"), Gender.HE) | dict.fromkeys(("she", "her", "hers"), Gender.SHE)


def gender_of(name: str | None, noun: str) -> Gender | None:
    """What the word for a relative tells, else the first name; None where neither does."""
    head = noun.lower().split()[-1:] or [""]
    first = (name or "").lower().split()[:1] or [""]
    if head[0] in _HE_NOUNS or (first[0] in _HE_NAMES and head[0] not in _SHE_NOUNS):
        return Gender.HE
    return Gender.SHE if head[0] in _SHE_NOUNS or first[0] in _SHE_NAMES else None
