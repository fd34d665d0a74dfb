"""What people say in the benchmarks: plain sentences with one fact each, by chance, the same for the same seed."""

import random
from collections.abc import Iterator

_SAYINGS = (
    "My {kin} {name} lives in {city}.",
    "My {kin} {name} works as a {job}.",
    "I work with {name} at {company}.",
    "I met {name} in {city} {years} years ago.",
    "I like {food} with {food}.",
    "I prefer {food} to {food}.",
    "I play {sport} with {name}.",
    "I want to learn {sport} before I am {years}.",
    "I have {few} {pets} from {city}.",
    "My {kin} {name} hates {food}.",
    "I need {few} {pets} for my {kin} {name}.",
    "I live {few} streets away from the {company} shop.",
)
_WORDS = {
    "kin": "sister brother cousin aunt uncle neighbour friend niece nephew boss",
    "name": "Ada Bela Cora Dana Edgar Fynn Greta Hugo Ines Jonas Kira Lars Mona Nils Olga Pavel Rosa Sven Tara Viktor",
    "city": "Berlin Lisbon Oslo Prague Seattle Toronto Vienna Zagreb Kyoto Lima Nairobi Perth Dublin Madrid Warsaw",
    "job": "teacher nurse plumber pilot baker lawyer gardener painter surgeon translator carpenter",
    "company": "Acme Globex Initech Umbrella Hooli Soylent Vandelay Wonka Cyberdyne",
    "food": "coffee tea rice olives cheese bread mangoes soup pancakes lentils honey walnuts mushrooms",
    "sport": "tennis chess football squash badminton hockey golf volleyball",
    "pets": "cats dogs rabbits parrots goldfish hamsters",
    "few": "two three four five six seven",
    "years": "thirty forty fifty sixty seventy",
}


def sentences(seed: str) -> Iterator[str]:
    """One person's sentences, without end."""
    chance = random.Random(seed)  # noqa: S311 - no secret
    while True:
        yield _filled(chance.choice(_SAYINGS), chance)


def _filled(saying: str, chance: random.Random) -> str:
    for slot, words in _WORDS.items():
        while f"{{{slot}}}" in saying:
            saying = saying.replace(f"{{{slot}}}", chance.choice(words.split()), 1)
    return saying
