"""Words that tell little of whom a text speaks: those of grammar, and those that are names as well."""

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
