"""The words of time phrases and the pieces of their patterns: weekdays, months, seasons, numbers, parts of the day."""

WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
MONTHS = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
SEASON_STARTS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}
HOLIDAYS = {
    "christmas": (12, 25),
    "christmas eve": (12, 24),
    "christmas day": (12, 25),
    "boxing day": (12, 26),
    "new year's eve": (12, 31),
    "new year's day": (1, 1),
    "halloween": (10, 31),
    "valentine's day": (2, 14),
}
PARTS_OF_DAY = {"morning": (5, 12), "afternoon": (12, 17), "evening": (17, 23), "night": (18, 30)}
NUMBERS = {
    word: number
    for number, word in enumerate(
        [
            "zero",
            "one",
            "two",
            "three",
            "four",
            "five",
            "six",
            "seven",
            "eight",
            "nine",
            "ten",
            "eleven",
            "twelve",
            "thirteen",
            "fourteen",
            "fifteen",
        ]
    )
} | {"a": 1, "an": 1, "twenty": 20, "thirty": 30, "a couple of": 2, "couple of": 2, "a couple": 2}
VAGUE_NUMBERS = frozenset({"a few", "few", "several", "some"})
VAGUE_FROM, VAGUE_TO = 5, 2

WEEKDAY = r"(?P<weekday>mon|tues|wednes|thurs|fri|satur|sun)days?"
PART = r"(?: (?:in the )?(?P<part>morning|afternoon|evening|night))?"
NUMBER = rf"(?P<number>\d{{1,3}}|{'|'.join(sorted([*NUMBERS, *VAGUE_NUMBERS], key=len, reverse=True))})"
UNIT = r"(?P<unit>minute|hour|day|night|week|weekend|fortnight|month|year)s?"
_UNDER_TWENTY = """
first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth
seventeenth eighteenth nineteenth
""".split()
ORDINALS = (
    {word: number for number, word in enumerate(_UNDER_TWENTY, 1)}
    | {f"twenty{joint}{word}": 20 + number for number, word in enumerate(_UNDER_TWENTY[:9], 1) for joint in " -"}
    | {"twentieth": 20, "thirtieth": 30, "thirty first": 31, "thirty-first": 31}
)
ORDINAL = rf"(?P<day>[0-3]?\d(?:st|nd|rd|th)?|{'|'.join(sorted(ORDINALS, key=len, reverse=True))})"
YEAR = r"(?P<year>(?:19|20)\d\d)"

DAY_WORDS = {
    "the day before yesterday": -2,
    "day before yesterday": -2,
    "yesterday": -1,
    "last": -1,
    "this": 0,
    "today": 0,
    "to": 0,
    "tomorrow": 1,
    "day after tomorrow": 2,
    "the day after tomorrow": 2,
}

DAY_WORD = r"(?P<word>today|yesterday|tomorrow)"

RECURRING = (
    r"\b(?:every|each|usually|weekly|monthly|yearly|annually|daily)\b"
    r"|\b(?:mon|tues|wednes|thurs|fri|satur|sun)days\b(?! (?:before|after|ago)\b)"
)
"""Words that say that something comes again and again, so that no one day is its time."""

LEADS = r"(?:in|during|by|since|until|till|of|for|from|early|late|mid|end of|around|every|on)"
PLAIN_MONTH = r"(?!may\b|march\b|mar\b)"

FINER = (
    r"\d{1,2} ?(?:[ap]\.?m\b|uhr\b|h\d{0,2}\b|o'clock)|\d{1,2}[:.]\d\d|\d(?:st|nd|rd|th)\b"
    r"|\d{1,2}\.? (?:de )?[a-zéäö]{3,}|[a-zéäö]{3,} \d{1,2}\b"
    r"|\b(?:noon|midday|midnight|o'clock|half past|quarter (?:to|past)|morning|afternoon|evening|night)\b"
)
"""A time of day or a day of the month, in whatever words."""

NAMES_A_TIME = (
    rf"\d|\b(?:{'|'.join((*WEEKDAYS, *MONTHS))}|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)s?\b"
    r"|\b(?:to(?:day|night|morrow)|yesterday|now|just|recently|lately|soon|later|earlier|ago|last|past|next|this|coming"
    r"|(?:mid)?(?:night|day|week|fortnight|month|quarter|year|decade|hour|minute|second|century)(?:s|end|ends)?"
    r"|morning|noon|midday|afternoon|evening|spring|summer|autumn|fall|winter|season|christmas|easter|halloween|holidays?"
    r"|birthday|anniversary|eve|previous|when|since|until|till|during|before|after|childhood|grew up|ever|already"
    r"|(?:nine|eigh|seven|six|fif|for|thir|twen)t(?:y|ies)|one|two|three)\b"
)
"""Anything that may speak of a time, however vaguely: of an English text without any of it nobody can know when it was."""


def month(group: str) -> str:
    """The pattern of a month by its name or the short form of it, as a group of that name."""
    return rf"(?P<{group}>{'|'.join(MONTHS)}|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\b\.?"


MONTH = month("month")
