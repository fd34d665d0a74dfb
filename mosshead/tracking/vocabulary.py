"""The words by which English refers: pronouns, what joins them, words for people. Closed lists, and endings of open ones."""

HE = frozenset({"he", "him", "his", "himself"})
SHE = frozenset({"she", "her", "hers", "herself"})
IT = frozenset({"it", "its", "itself"})
THEY = frozenset({"they", "them", "their", "theirs", "themselves"})
POINTING = frozenset({"this", "that"})
PRONOUNS = HE | SHE | IT | THEY | POINTING

SUBJECTS = frozenset({"he", "she", "they"})
OBJECTS = frozenset({"him", "her", "them"})
OWNERS = frozenset({"his", "her", "its", "their"})

MINE = frozenset({"my", "our"})
DETERMINERS = MINE | {"the", "your", "his", "her", "their", "its", "that", "this", "those", "these"}

PREPOSITIONS = frozenset(
    """
    about above across after against along among around as at before behind below beneath beside between beyond by
    down during except for from in inside into like near of off on onto opposite outside over past per round since
    than through till to toward towards under until up upon via with within without
    """.split()
)
_VERBS = frozenset(
    """
    am is are was were be been being do does did done doing have has had having will would shall should can could
    may might must ought need let 's 're 've 'll 'd isn't aren't wasn't weren't don't doesn't didn't haven't hasn't
    hadn't won't wouldn't shouldn't can't couldn't mustn't
    """.split()
)
_JOINING = frozenset(
    """
    and but or nor so yet because if though although while when where why how who whom whose what which whether then
    that both not no yes oh ah well right ok okay now also too please thanks anyway still just even only again maybe
    perhaps actually exactly good great sure today tomorrow tonight yesterday first last next
    """.split()
)
_OTHERS = frozenset("i me we us you he him she it they them there here all any some a an one's".split())
FUNCTION = PREPOSITIONS | _VERBS | _JOINING | _OTHERS | DETERMINERS | PRONOUNS

BEFORE_SUBJECT = _VERBS | _JOINING | {"i", "there", "here", "the", "our", "my", "a", "an", "poor", "dear", "old"}
"""What may stand before the subject of a clause: what is behind anything else is no subject."""

REPORTING = frozenset(
    """
    said says say told tells reckons reckoned thinks thought mentioned mentions wrote writes claims claimed heard
    reports reported swears swore
    """.split()
)

KIN_AND_ROLES = frozenset(
    """
    husband wife spouse partner boyfriend girlfriend fiancé fiancée fiance fiancee brother sister sibling mother
    father mum mom dad parent son daughter child kid uncle aunt auntie nephew niece cousin grandfather grandmother
    grandad granddad grandma grandpa gran granny nan stepdad stepmum stepmom stepfather stepmother stepson
    stepdaughter stepbrother stepsister twin ex friend mate pal buddy flatmate housemate roommate neighbour neighbor
    boss colleague coworker landlord landlady tenant lodger doctor gp nurse vet dentist teacher coach chef cook boy
    girl man woman guy bloke chap fellow lad lass lady gentleman person chair captain clerk apprentice assistant
    accountant student guest client host priest vicar monk nun judge mayor agent scout pilot guide guard spy thief
    king queen prince expert specialist freelancer temp intern bride groom widow widower witness patron recruit
    veteran soprano alto tenor bass chaplain matron rep curate deacon bishop rabbi imam nanny midwife medic
    paramedic surgeon architect mechanic athlete soloist clown hermit bard poet critic cleric comic skipper deputy
    secretary treasurer delegate beginner foreman boatman tutor goddaughter godson godmother godfather goalie rookie
    hippie junkie cabbie dean
    """.split()
)
_AGENT = ("er", "or", "ist", "ian", "man", "woman", "eer", "ess", "ee", "wright", "smith")
_NO_AGENT = frozenset(
    """
    after answer border bottom brother butter calendar car center centre chapter character charter color colour
    computer copper corner counter cover dinner discover door doctor's drawer error ever every factor favour filter
    finger floor flower folder fever fibre freezer front fryer gather grocer's gutter harbour her honour horror hour
    hunger inner interior labour ladder laser lavender leather letter litre lumber mirror master matter meter metre
    minor monster motor never number offer order other over paper pepper pier plaster poster powder power printer
    prior projector radiator rather refer register river roller rubber rumour sector semester server shelter shower
    silver sister-in-law slipper spider sticker sugar summer supper sweater tender theater theatre thunder ticker
    timber timer toaster together tower tractor transfer transformer trailer transmitter trigger tumour under user
    vapour vector visor water weather whether whisper winter wonder boiler cooker charger speaker speakers headliner
    newsletter banner binder blender burner button list waist mist fist wrist twist gist process access address
    business press dress mess less guess mattress happiness illness fitness progress success german coffee committee
    decree degree fee frisbee jubilee knee marquee melee pedigree puree settee toffee tree human van plan
    fan loan can scan tan ocean mean musician's
    """.split()
)

PROCEDURES = (
    "process procedure routine drill way steps checklist list rules protocol method thing things recipe".split()
)


def is_person(word: str) -> bool:
    """Whether a noun (lower case) is one for people, by a list or by how it ends."""
    if word in KIN_AND_ROLES:
        return True
    return len(word) > 4 and word.endswith(_AGENT) and word not in _NO_AGENT
