"""The words that the rules know, as sets: verbs and their past, kinship, jobs, first names, the words that open no name.

A word belongs here when several rules ask for it; what one rule alone needs stands in that rule.
"""

VERBS = frozenset(
    """
    expire present accept achieve add adopt adore agree aim apply appreciate arrange arrive ask assist attend avoid
    bake be become
    begin bike blog book borrow break bring build buy call camp cancel care carry catch celebrate change chat check
    choose clean climb close coach code collect come compete complete contact cook create cycle dance decide deploy
    design detest develop dislike discover discuss do donate draw drink drive drop earn eat edit employ encourage end
    enjoy enrol enroll escape exercise expect experience explore expect face fail fall fear feed feel fight find
    finish fish fix fly focus follow forget found freelance garden get give go graduate grow handle happen hate have
    head help hike hire hold hope host hunt improve inherit install invest invite jog join keep kayak knit know launch
    lead learn leave lend like listen live look lose love maintain make manage marry meditate meet mentor miss
    moderate move need notice open order organise organize own pack paint pass pay perform photograph pick plan plant
    play practice practise prefer prepare produce program promote publish purchase put quit raise reach read receive
    recommend record recover reduce refuse relax release relocate remain rent repair report research reside restore
    retire return review ride run sail save say scale schedule see sell send serve set share ship shop show sign sing
    sit skate ski skip sleep smoke speak specialise specialize spend sponsor stand start stay stop struggle study
    suffer supply support surf survive swim switch take talk teach tell test think train transfer translate travel
    treat trust try turn type understand use value visit volunteer wait wake walk want watch wear win wish work worry
    write admit bet doubt figure guess hang imagine mean mind promise realise realize remember root score seem suppose
    swear wonder treasure
    hand swap rotate cost owe weigh insist announce accuse appoint approve assign attach bathe belong bounce brew
    broadcast burn
    charge chair combine commute confirm contain contribute convert crash cross cure cover dedicate delay delegate
    deliver demolish
    depend die direct divorce double elect email emigrate enter evict exist export extend fax ferry file fill flood
    fund gather generate guard guide harvest hurt import include increase inject insure issue judge juggle kick
    kill knock land last lay leak lecture license lie list live load lock mail mark mind mix model mow
    narrate oversee panic park phone pitch post pour preach print process protest pull push
    qualify quote raise rank rate recruit register reject rely remove rename renew renovate replace represent request
    require rescue
    resign resit rest ring rise rule sack sail sand sell separate settle sew shoot shut sleep slip smell snore sort
    sponsor spray squat stack staff store stretch supervise surrender survey suspend sweep tackle tend terminate
    measure act add advise affect afford amount answer appear argue attack attract back ban bark base beat beg behave
    bill blame block boil borrow
    bother brush bump calculate calm carve cast cheat chew claim climb coat command comment communicate compare
    complain concentrate
    concern conduct confuse connect consider consist consult contact control cough cover crack crawl crochet cry curl
    damage deal debate deny
    describe deserve destroy detect devote dial differ digest disagree disappear disappoint dismiss display doze drag
    dress drain drown
    dust embroider emphasise encounter enforce engage ensure entertain examine exceed exchange exclude excuse exhibit
    expand explain explode
    express fade fast fetch fight filter fire fit fold force form frame frighten fry gain gamble gaze glue govern
    grab greet grill grind
    haunt heal heat hop identify ignore illustrate impress inform inspect instruct interrupt introduce invent
    investigate iron itch jump
    justify label lean lick lift limit line link locate lower march match matter melt mend mention miscarry moan
    mumble nag
    nap nibble nod number nurse obey object observe obtain occupy offer operate oppose outgrow overlook paddle part
    pat peel permit
    persuade pin pinch pleases polish pop possess postpone praise pray preserve press prevent pretend proceed
    prohibit pronounce prove
    provide punish puzzle race rain react rebuild recall recite reckon recognise recycle refer reflect regret reign
    remind repeat reply
    resemble respect respond restrict retrain reveal rinse roast rob rock roll rub ruin rush satisfy scare scold
    scratch scream screw search
    select shake shave shelter shift shout shovel sign sip sketch smash smile smooth sneeze snow soak solve spare
    spell spill spoil spot spread
    squeeze stain stamp stare steer sting stir strengthen strip stroke stumble substitute succeed suck suit suspect
    sustain swallow switch
    tap taste tempt thank tick tickle tie time tip tire touch tour tow trace trade trap trick trot trouble trust tug
    tumble twist unlock unpack
    wag wander warm warn wave whisper whistle wipe wobble wrap wrestle yawn yell
    translate transport trim tutor undergo update upgrade use vet volunteer vote warn wash waste water weld wire
    withdraw
    """.split()
)

PAST_FORMS = {
    past: base
    for base, pasts in (
        entry.split(":")
        for entry in """
    become:became begin:began,begun break:broke,broken bring:brought build:built buy:bought catch:caught
    choose:chose,chosen come:came do:did,done draw:drew,drawn drink:drank,drunk drive:drove,driven eat:ate,eaten
    fall:fell,fallen feed:fed feel:felt fight:fought find:found fly:flew,flown forget:forgot,forgotten get:got,gotten
    give:gave,given go:went,gone grow:grew,grown have:had hear:heard hold:held keep:kept know:knew,known lead:led
    learn:learnt leave:left lend:lent lose:lost make:made meet:met pay:paid ride:rode,ridden run:ran say:said
    see:saw,seen sell:sold send:sent shine:shone show:shown sing:sang,sung sit:sat sleep:slept speak:spoke,spoken
    spend:spent stand:stood swim:swam,swum take:took,taken teach:taught tell:told think:thought understand:understood
    wake:woke,woken wear:wore,worn win:won write:wrote,written mean:meant deal:dealt dream:dreamt bend:bent lay:laid
    hide:hid,hidden shoot:shot steal:stole,stolen bite:bit,bitten throw:threw,thrown blow:blew,blown rise:rose,risen
    ring:rang sink:sank freeze:froze,frozen tear:tore,torn shake:shook,shaken swear:swore,sworn sweep:swept dig:dug
    hang:hung stick:stuck strike:struck swing:swung burn:burnt be:was,were,been
    """.split()
    )
    for past in pasts.split(",")
}

UNCHANGED_PAST = frozenset({"quit", "hurt", "split", "shut", "hit", "cut", "bet", "cost", "put", "read", "set", "let"})
"""Verbs whose past looks like their base."""

MODALS = frozenset("can could will would shall should must may might cannot".split())

AUXILIARIES = MODALS | frozenset("is are was were am has have had do does did".split())

ED_IN_PRESENT = frozenset(
    "need feed bleed breed speed seed weed heed proceed succeed exceed embed shed wed red bed".split()
)

ADVERBS = frozenset(
    """
    really just also always usually often never still currently recently now actually only even already finally
    probably almost definitely absolutely truly sometimes mostly mainly generally personally kinda hardly rarely officially
    originally eventually previously then once ever soon honestly literally basically totally completely normally
    typically occasionally regularly secretly first strongly deeply greatly particularly especially both all too very
    so
    """.split()
)

PARTNERS = frozenset("wife husband partner girlfriend boyfriend fiancé fiancée fiance fiancee spouse".split())

KINSHIP = PARTNERS | frozenset(
    """
    brother sister mother father mum mom dad son daughter aunt uncle cousin nephew niece grandmother grandfather
    grandma grandpa granny nan twin stepbrother stepsister stepmother stepfather stepson stepdaughter mother-in-law
    father-in-law brother-in-law sister-in-law baby child kid ex ex-wife ex-husband parent grandson granddaughter
    godmother godfather godson goddaughter
    """.split()
)

ACQUAINTANCES = frozenset(
    """
    contact friend mate buddy bestie neighbour neighbor roommate flatmate housemate colleague coworker co-worker boss
    manager
    mentor mentee dentist doctor gp therapist lawyer accountant landlord landlady teacher tutor coach trainer
    assistant client customer supervisor student hairdresser barber vet nanny babysitter pastor priest classmate
    teammate bandmate co-founder cofounder
    """.split()
)

PETS = frozenset(
    "dog cat puppy kitten rabbit hamster horse parrot pet bird goldfish tortoise pony turtle "
    "whippet spaniel labrador terrier poodle beagle greyhound dachshund collie".split()
)

ROLES = frozenset(
    """
    writer editor developer engineer designer nurse teacher doctor lawyer accountant manager director chef cook baker
    student professor lecturer researcher scientist architect artist musician singer actor actress painter plumber
    electrician carpenter mechanic pilot driver librarian journalist consultant analyst programmer freelancer founder
    co-founder cofounder owner ceo cto cfo coo cmo president secretary receptionist assistant intern trainee
    apprentice paramedic firefighter policeman policewoman cop soldier veteran pharmacist dentist therapist
    psychologist psychiatrist counsellor counselor vet veterinarian farmer gardener photographer filmmaker translator
    interpreter salesperson salesman cashier waiter waitress barista bartender marketer copywriter recruiter
    entrepreneur economist historian biologist chemist physicist mathematician statistician author poet blogger
    streamer youtuber coach tutor trainer instructor midwife surgeon radiologist builder roofer postman courier tester
    administrator admin clerk banker broker realtor agent barber hairdresser stylist tailor seamstress butcher florist
    judge paralegal solicitor barrister principal headteacher headmaster dean postdoc phd pm dev sysadmin devops carer
    caregiver homemaker housewife stay-at-home pensioner supervisor lead head chief partner strategist specialist
    officer producer representative rep contractor advisor adviser expert planner coordinator technician operator
    guide proofreader
    """.split()
)

NATIONALITIES = frozenset(
    """
    american british english scottish welsh irish french german italian spanish portuguese dutch belgian swiss
    austrian polish czech hungarian romanian bulgarian greek turkish russian ukrainian swedish norwegian danish
    finnish icelandic indian pakistani bangladeshi chinese japanese korean vietnamese thai indonesian filipino
    malaysian australian canadian mexican brazilian argentinian colombian peruvian chilean egyptian moroccan nigerian
    kenyan ghanaian ethiopian israeli iranian iraqi lebanese syrian saudi african european asian latino latina
    hispanic jewish muslim christian catholic buddhist hindu sikh arabic mandarin cantonese hindi urdu hebrew persian
    swahili latin somali sudanese tunisian algerian cuban venezuelan jamaican haitian croatian serbian bosnian
    slovenian slovak albanian lithuanian latvian estonian armenian azerbaijani kazakh uzbek afghan nepalese nepali
    burmese cambodian mongolian taiwanese tibetan singaporean zimbabwean ugandan tanzanian rwandan senegalese tamil
    punjabi bengali gujarati kurdish catalan basque protestant mormon lutheran methodist baptist anglican atheist
    agnostic republican democrat
    """.split()
)

FIRST_NAMES = frozenset(
    """
    dan finn graham ida jamal kwame marcus poppy
    aaron abigail adam adrian ahmed aisha alan alex alexander alexandra alice alina amanda amy ana andrea andreas
    andrew angela anna anne annie anthony antonio arthur audrey barbara ben benjamin beth betty bob brandon brian
    bruno calvin cameron carl carla carlos carol caroline catherine charles charlie charlotte chloe chris christian
    christina christine christopher claire clara colin craig daniel daniela dave david deborah dennis diana diane
    dylan ed edward elena eli elizabeth ella ellen emily emma eric erik ethan eva evan evelyn fatima felix fiona
    florian francesca francis frank fred freya gabriel gary gavin george georgia gina grace greg hannah harriet harry
    heather heidi helen helena henry holly hugo ian igor imogen ingrid isaac isabel isabella ivan jack jackie jacob
    jake james jamie jan jane janet jason javier jean jeff jen jennifer jenny jeremy jess jessica jill jim jo joan
    joanna joe joel john johanna jolene jon jonas jonathan jordan jose joseph josh joshua juan judith judy julia
    julian julie justin karen karl kate katherine kathryn katie keith kelly ken kevin kim kirsty klaus lars laura
    lauren layla lea leah lena leo leon leonard lewis liam lily linda lisa liz louis louise lucas lucia lucy luis luke
    lydia maria marie mark marta martha martin mary mateo matt matthew maya megan mel melanie melissa mia michael
    michelle miguel mike mohammed molly monica nadia nancy naomi natalia natalie nate nathan neil nicholas nick nicola
    nicole nina noah nora oliver olivia omar oscar owen pablo pam pamela patricia patrick paul paula pauline pedro
    penny peter phil philip phoebe pia piotr priya rachel raj ralph raymond rebecca rhys ricardo richard rita rob
    robert robin roger rosa rosie ross ruth ryan sally sam samantha samuel sandra sanjay sara sarah scott sean
    sebastian sergei sharon shaun simon sofia sonia sophia sophie stefan stella stephanie stephen steve steven stuart
    sue susan suzanne sven tanya tara ted teresa tessa theo theresa thomas tim tina toby tom tony tracy ursula
    valentina vanessa vera veronica victor victoria vikram vincent wendy will william xavier yara yasmin yusuf zara
    zoe
    """.split()
)

NOT_NAMES = frozenset(
    """
    i i'm i've i'd i'll user we you he she it they this that these those the a an my our your his her their its who
    what when where why how which there here and or but so if because since although while as at in on of for from to
    with by about after before until yes no ok okay hi hey hello thanks thank please well oh wow ah haha lol omg btw
    fyi imo tbh gosh god jesus also actually anyway monday tuesday wednesday thursday friday saturday sunday mondays
    tuesdays wednesdays thursdays fridays saturdays sundays january february march april may june july august
    september october november december jan feb mar apr jun jul aug sep sept oct nov dec today yesterday tomorrow
    tonight christmas easter halloween thanksgiving valentine spring summer autumn fall winter am pm utc gmt cet cest
    est edt pst pdt tv pc dvd cd diy faq asap mr mrs ms dr prof not never always just now then all some any one two
    three ceo cto cfo coo cmo hr pr qa phd mba bsc msc gp pm dad mom mum grandma grandpa first second next last
    finally remember note let's let do does did is are was were can could will would should have has had be been
    everyone everybody nobody somebody someone something yeah yep yup nope sure great good nice cool awesome congrats
    sorry both each every more most many much few such only too very glad happy sad proud excited even really knowing
    being best honestly basically maybe perhaps love loved hope hoping hate thought seeing having doing going getting
    making taking working living looking feeling speaking talking thinking trying being yours mine none neither mon tue tues wed
    thu thur thurs fri sat sun like such whatever whenever however besides overall otherwise though thus guess bet def
    damn dude guys man bro sis hun thankfully luckily sadly unfortunately fortunately hopefully
    """.split()
)

ORG_ENDINGS = frozenset(
    """
    inc ltd llc gmbh corp corporation company co plc ag group bank university college school hospital institute
    foundation agency studio studios labs lab association church museum clinic academy council ministry society club
    team partners industries roofing plumbing logistics foods tea coffee brewery motors airlines insurance consulting
    media
    records hotels solutions systems technologies software holdings capital ventures interiors farms dental joinery
    electrics builders catering
    """.split()
)

PLACE_ENDINGS = frozenset(
    """
    road avenue park lake river mountain mountains beach island islands city town village bay valley canyon forest
    square bridge airport station county desert falls garden gardens harbour harbor hill hills coast
    """.split()
)
