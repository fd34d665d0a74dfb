"""Words that a crowd of made-up people is described with: what they do, where, and what happens to them."""

TRADES = tuple(
    one.strip()
    for one in """
accordion tuner|acupuncturist|aerial photographer|air traffic controller|antiquarian bookseller|aquarium keeper|arborist|
archivist|barge pilot|barrister|bell founder|biochemist|blacksmith|bookbinder|bricklayer|bus inspector|butcher|cabin steward|
calligrapher|cartographer|caterer|chauffeur|chimney sweep|cobbler|crane operator|croupier|customs officer|dog groomer|
dressmaker|economist|falconer|film editor|fishmonger|florist|forester|furrier|gamekeeper|glassblower|glazier|gravedigger|
hairdresser|hotel porter|hydrologist|interpreter|ironmonger|jeweller|jockey|journalist|lacemaker|lecturer|librarian|
lighthouse keeper|locksmith|magician|masseur|meteorologist|milliner|miner|mosaic artist|notary|optician|paediatrician|
parking warden|patent clerk|pastry cook|plasterer|plumber|potter|prison officer|projectionist|puppeteer|quarryman|radiographer|
real estate agent|roofer|saddler|sculptor|seismologist|shepherd|signwriter|silversmith|ski instructor|stonemason|surveyor|
tailor|tax adviser|taxidermist|thatcher|tiler|train dispatcher|translator|typesetter|umpire|undertaker|veterinarian|
wallpaper designer|watchmaker|weaver|wine merchant|zookeeper
""".split("|")
)

HABITS = tuple(
    one.strip()
    for one in """
always pays in foreign notes|answers letters by typewriter|avoids lifts|bakes with spelt only|believes in dowsing|
carries a compass everywhere|collects beer mats|collects enamel signs|collects meteorites|composes crosswords|
cuts paper silhouettes|cycles to every appointment|dances tango|dreams in Portuguese|drinks tea through a sugar lump|
eats supper at five|embroiders cushions|flies kites|folds paper cranes|grows bonsai|hates cellophane|hums in traffic|
insists on fountain pens|keeps bees|keeps a diary in code|keeps geese|keeps tropical frogs|knows every flag|
likes thunderstorms|lives without a refrigerator|makes marmalade|memorises timetables|models in clay|never wears socks|
paints miniatures|photographs doors|plays the bagpipes|plays the zither|practises archery|presses wild flowers|
quotes Dante|races pigeons|reads palms|rides a tandem alone|roasts coffee at home|rows on Sundays|sleeps in a hammock|
speaks Esperanto|studies lichens|tells long jokes|wears a monocle|wears only linen|whittles spoons|will not fly|
will not use a credit card|works standing up|writes limericks|yodels
""".split("|")
)

THINGS = tuple(
    one.strip()
    for one in """
abacus|anvil|armoire|astrolabe|balaclava|bangle|barometer|barrow|bassinet|binoculars|bollard|brazier|buckle|candelabra|canteen|
cauldron|chandelier|chessboard|cistern|clipboard|coaster|colander|corkscrew|crayon|crowbar|cufflinks|decanter|dictaphone|
doormat|dustpan|easel|eggcup|envelope|fender|filing cabinet|flask|funnel|futon|gazebo|goblet|gramophone|griddle|hammock|
handcart|hatstand|hourglass|jug|kaleidoscope|kayak|kettle|ladle|lantern|lawnmower|lectern|locket|magnet|mandolin|mattress|
megaphone|microscope|mousetrap|nutcracker|padlock|paperweight|parasol|pedestal|periscope|perambulator|photocopier|pincushion|
pitcher|postcard|protractor|quilt|rucksack|samovar|sandal|saucepan|saxophone|scooter|sextant|shoehorn|sieve|skateboard|
slipper|snorkel|sombrero|spatula|spyglass|stapler|stencil|stopwatch|suitcase|sundial|syrup|tambourine|tapestry|teapot|telescope|
thermostat|thimble|tiara|toboggan|tripod|trophy|trowel|trumpet|tureen|turntable|tweezers|ukulele|umbrella|vase|wardrobe|
weathervane|wheelbarrow|windmill|xylophone|yoke|zip
""".split("|")
)

DEEDS = (
    "admired the {thing} in {town}", "advertised a {thing}", "auctioned off the {thing}", "borrowed a {thing}",
    "catalogued each {thing}", "dented the {thing}", "dismantled a {thing}", "dropped the {thing}",
    "engraved a {thing}", "exchanged a {thing} for a {other}", "exhibited a {thing} in {town}",
    "haggled over a {thing}", "inherited a {thing}", "insured the {thing}", "mislaid a {thing}", "patented a {thing}",
    "pawned the {thing} in {town}", "polished a {thing}", "unpacked the {thing} and the {other}", "varnished a {thing}",
)  # fmt: skip

FIRST_NAMES = """
Abel Ada Agnes Albin Alma Amos Anton Astrid Aurel Beata Benno Berit Boris Carla Cyril Dagmar Darius Delia Edda Edgar Elias
Elvira Emil Enid Erwin Esther Ezra Fabian Flora Frieda Gideon Gisela Greta Gustav Hanne Hector Hedda Henrik Hilda Igor Imogen
Ines Irma Isolde Ivo Jarek Josefa Judith Julius Karsten Kasper Klara Konrad Leif Leonie Linus Ludmila Lukas Magda Malte Marius
Mathilda Milan Mirjam Moritz Nadia Nils Noemi Odette Olga Oskar Otto Paloma Pavel Petra Quentin Rafael Ramona Renata Roland
Rosa Rufus Sabine Selma Silas Sonja Stellan Sven Tabea Tamara Tilda Timon Ulrike Valentin Vera Viktor Wanda Wilma Xenia Yannick
Yvonne Zacharias Zelda
""".split()

SYLLABLES = (
    (
        "Bar",
        "Cor",
        "Dal",
        "Fen",
        "Gar",
        "Hol",
        "Kel",
        "Lam",
        "Mor",
        "Nor",
        "Pol",
        "Quil",
        "Ras",
        "Sel",
        "Tor",
        "Ul",
        "Ves",
        "Wal",
    ),
    ("a", "be", "de", "di", "fi", "go", "la", "li", "ma", "me", "ni", "ra", "ri", "so", "ta", "ti", "vo", "ze"),
    (
        "bach",
        "burn",
        "by",
        "dale",
        "den",
        "field",
        "ford",
        "ham",
        "ley",
        "low",
        "mere",
        "ney",
        "rick",
        "sby",
        "son",
        "stow",
        "ton",
        "wick",
    ),
)
"""Of surnames and of places, which nobody bears."""
