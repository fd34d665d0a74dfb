"""The words of time phrases and the pieces of their patterns: weekdays, months, seasons, numbers, parts of the day."""

WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
MONTHS = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
SEASON_STARTS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}
HOLIDAYS = {"christmas": (12, 25), "christmas eve": (12, 24), "halloween": (10, 31), "valentine's day": (2, 14)}
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
MONTH = rf"(?P<month>{'|'.join(MONTHS)}|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\b\.?"
PART = r"(?: (?:in the )?(?P<part>morning|afternoon|evening|night))?"
CLOCK = (
    r"(?:,? (?:at (?P<hour>\d{1,2})(?::(?P<minute>[0-5]\d))?|(?P<hour2>\d{1,2})(?=:| "
    r"?[ap]\.?m)(?::(?P<minute2>[0-5]\d))?)"
    r" ?(?P<half>[ap]\.?m\b)?(?![\d:]))?"
)
NUMBER = rf"(?P<number>\d{{1,3}}|{'|'.join(sorted([*NUMBERS, *VAGUE_NUMBERS], key=len, reverse=True))})"
UNIT = r"(?P<unit>minute|hour|day|night|week|weekend|fortnight|month|year)s?"
ORDINAL = r"(?P<day>[0-3]?\d)(?:st|nd|rd|th)?"
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

LEADS = r"(?:in|during|by|since|until|till|of|for|from|early|late|mid|around|every|on)"
PLAIN_MONTH = r"(?!may\b|march\b|mar\b)"
