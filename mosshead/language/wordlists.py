"""English word lists: grammar, calendar, names, and relations between people."""

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
"""Articles, pronouns, prepositions, auxiliaries and the like, never looked up as part of a name."""

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
"""Words that are names only if written as names: "mark the date" is not Mark."""

WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")

MONTHS = tuple("january february march april may june july august september october november december".split())

UNDER_TWENTY = """
zero one two three four five six seven eight nine
ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen
""".split()
TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
CARDINALS = {word: number for number, word in enumerate(UNDER_TWENTY)} | {
    word: 10 * number for number, word in enumerate(TENS, 2)
}

_NTH = """
first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth
seventeenth eighteenth nineteenth
""".split()

ORDINALS = (
    {word: number for number, word in enumerate(_NTH, 1)}
    | {f"twenty{joint}{word}": 20 + number for number, word in enumerate(_NTH[:9], 1) for joint in " -"}
    | {"twentieth": 20, "thirtieth": 30, "thirty first": 31, "thirty-first": 31}
)
"""For the days of a month."""

TURNS = {"half past": (0, 30), "quarter past": (0, 15), "quarter to": (-1, 45)}
"""Before an hour: the hours to add, and the minute."""

CALENDAR = frozenset((*WEEKDAYS, *MONTHS, "christmas", "easter", "today", "tomorrow", "yesterday"))
"""Capitalised words that do not belong to the name before them: "Ask Peter Monday"."""

BEFORE_NAMES = frozenset(
    """
    mr mrs ms miss dr prof professor sir st saint uncle aunt auntie cousin brother sister father mother grandpa grandma granny mum
    mom dad coach captain colonel major sergeant officer doctor nurse chef judge king queen president senator minister mayor
    """.split()
)
"""Capitalised words that may precede a name: "Coach Haas"."""

BEFORE_DAYS = frozenset(
    "after before between by during each every from in last late early next of on since this through till to until".split()
)
"""Words after which a day or month is one: "on Saturday" does not mean the Saturday market."""

SURELY_BEFORE_DAYS = frozenset("during each every in last late early mid next since this till until".split())
"""Words never followed by a person named like a month: "from May" may be from her, "in May" is a month."""

DONE_BY_PEOPLE = frozenset(
    """
    agreed agrees asked asks bought brought brings emailed forgot hates insists knew knows likes mailed messaged owes paid pays
    phoned promised rang reckons replied replies said says sends sent swears swore telephoned tells texted thinks thought told
    wants wanted writes wrote
    """.split()
)
"""In "Brooks sent a list", the capital is no evidence, but the verb shows that Brooks is a person."""

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

_EITHER_NAMES = frozenset(
    """
    alex andrea calvin cameron charlie chris christian dylan jamie jan jean jo johanna jon jordan kim lea liz mel robin sam
    """.split()
)

FIRST_NAMES = _HE_NAMES | _SHE_NAMES | _EITHER_NAMES

_HE_KIN = frozenset(
    """
    brother father dad husband boyfriend fiancé fiance son uncle nephew grandfather grandpa grandad granddad stepbrother
    stepfather stepdad stepson father-in-law brother-in-law son-in-law ex-husband grandson godfather godson
    """.split()
)

_SHE_KIN = frozenset(
    """
    sister mother mum mom wife girlfriend fiancée fiancee daughter aunt auntie niece grandmother grandma granny nan stepsister
    stepmother stepmum stepmom stepdaughter mother-in-law sister-in-law daughter-in-law ex-wife granddaughter godmother
    goddaughter
    """.split()
)

_HE_NOUNS = _HE_KIN | frozenset("landlord man boy guy bloke chap fellow lad gentleman groom".split())
_SHE_NOUNS = _SHE_KIN | frozenset("landlady woman girl lady lass bride".split())

PARTNERS = frozenset("wife husband partner girlfriend boyfriend fiancé fiancée fiance fiancee spouse".split())
"""Relations of which a person has one at a time."""

KINSHIP = PARTNERS | _HE_KIN | _SHE_KIN | frozenset("baby child cousin ex kid parent twin".split())

ACQUAINTANCES = frozenset(
    """
    contact friend mate buddy bestie neighbour neighbor roommate flatmate housemate colleague coworker co-worker boss manager
    mentor mentee dentist doctor gp therapist lawyer accountant landlord landlady teacher tutor coach trainer assistant client
    customer supervisor student hairdresser barber vet nanny babysitter pastor priest classmate teammate bandmate co-founder
    cofounder
    """.split()
)

ROLES = frozenset(
    """
    writer editor developer engineer designer nurse teacher doctor lawyer accountant manager director chef cook baker student
    professor lecturer researcher scientist architect artist musician singer actor actress painter plumber electrician
    carpenter mechanic pilot driver librarian journalist consultant analyst programmer freelancer founder co-founder cofounder
    owner ceo cto cfo coo cmo president secretary receptionist assistant intern trainee apprentice paramedic firefighter
    policeman policewoman cop soldier veteran pharmacist dentist therapist psychologist psychiatrist counsellor counselor vet
    veterinarian farmer gardener photographer filmmaker translator interpreter salesperson salesman cashier waiter waitress
    barista bartender marketer copywriter recruiter entrepreneur economist historian biologist chemist physicist mathematician
    statistician author poet blogger streamer youtuber coach tutor trainer instructor midwife surgeon radiologist builder
    roofer postman courier tester administrator admin clerk banker broker realtor agent barber hairdresser stylist tailor
    seamstress butcher florist judge paralegal solicitor barrister principal headteacher headmaster dean postdoc phd pm dev
    sysadmin devops carer caregiver homemaker housewife stay-at-home pensioner supervisor lead head chief partner strategist
    specialist officer producer representative rep contractor advisor adviser expert planner coordinator technician operator
    guide proofreader
    """.split()
)
"""Trades and positions."""

PETS = frozenset(
    "dog cat puppy kitten rabbit hamster horse parrot pet bird goldfish tortoise pony turtle "
    "whippet spaniel labrador terrier poodle beagle greyhound dachshund collie".split()
)

NATIONALITIES = frozenset(
    """
    american british english scottish welsh irish french german italian spanish portuguese dutch belgian swiss austrian polish
    czech hungarian romanian bulgarian greek turkish russian ukrainian swedish norwegian danish finnish icelandic indian
    pakistani bangladeshi chinese japanese korean vietnamese thai indonesian filipino malaysian australian canadian mexican
    brazilian argentinian colombian peruvian chilean egyptian moroccan nigerian kenyan ghanaian ethiopian israeli iranian
    iraqi lebanese syrian saudi african european asian latino latina hispanic jewish muslim christian catholic buddhist hindu
    sikh arabic mandarin cantonese hindi urdu hebrew persian swahili latin somali sudanese tunisian algerian cuban venezuelan
    jamaican haitian croatian serbian bosnian slovenian slovak albanian lithuanian latvian estonian armenian azerbaijani
    kazakh uzbek afghan nepalese nepali burmese cambodian mongolian taiwanese tibetan singaporean zimbabwean ugandan tanzanian
    rwandan senegalese tamil punjabi bengali gujarati kurdish catalan basque protestant mormon lutheran methodist baptist
    anglican atheist agnostic republican democrat
    """.split()
)

NOT_NAMES = (
    GRAMMAR
    | CALENDAR
    | {f"{day}s" for day in WEEKDAYS}
    | frozenset(
        """
    i'm i've i'd i'll user although ok okay hi hey hello thanks thank well oh wow ah haha lol omg btw fyi imo tbh gosh god jesus
    actually anyway jan feb mar apr jun jul aug sep sept oct nov dec tonight halloween thanksgiving valentine spring summer
    autumn fall winter pm utc gmt cet cest est edt pst pdt tv pc dvd cd diy faq asap mr mrs ms dr prof always two three ceo cto
    cfo coo cmo hr pr qa phd mba bsc msc gp dad mom mum grandma grandpa first second next last finally remember note let's yeah
    yep yup nope sure great good nice cool awesome congrats sorry glad happy sad proud excited knowing best honestly basically
    perhaps love loved hope hoping hate thought seeing taking working living looking feeling speaking talking thinking trying
    mon tue tues wed thu thur thurs fri sat sun whenever however besides overall otherwise thus guess bet def damn dude guys man
    bro sis hun thankfully luckily sadly unfortunately fortunately hopefully
    """.split()
    )
)
"""Words that are never names, even capitalised."""

ORG_ENDINGS = frozenset(
    """
    inc ltd llc gmbh corp corporation company co plc ag group bank university college school hospital institute foundation
    agency studio studios labs lab association church museum clinic academy council ministry society club team partners
    industries roofing plumbing logistics foods tea coffee brewery motors airlines insurance consulting media records hotels
    solutions systems technologies software holdings capital ventures interiors farms dental joinery electrics builders
    catering
    """.split()
)

PLACE_ENDINGS = frozenset(
    """
    road avenue park lake river mountain mountains beach island islands city town village bay valley canyon forest square
    bridge airport station county desert falls garden gardens harbour harbor hill hills coast
    """.split()
)


class Gender(Enum):
    """The pronouns a person was given, or is likely to be given."""

    HE = "he"
    SHE = "she"


PRONOUNS = dict.fromkeys(("he", "him", "his"), Gender.HE) | dict.fromkeys(("she", "her", "hers"), Gender.SHE)


def gender_of(name: str | None, noun: str) -> Gender | None:
    """Return the gender of the word for a relative, else of the first name; None if neither shows one."""
    head = noun.lower().split()[-1:] or [""]
    first = (name or "").lower().split()[:1] or [""]
    if head[0] in _HE_NOUNS or (first[0] in _HE_NAMES and head[0] not in _SHE_NOUNS):
        return Gender.HE
    return Gender.SHE if head[0] in _SHE_NOUNS or first[0] in _SHE_NAMES else None
