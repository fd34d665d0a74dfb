"""Check that a fact is about the people its sources are about, and does not swap two of them."""

from collections.abc import Sequence
from itertools import pairwise

from mosshead.language.lexicon import Word, first_names
from mosshead.language.passage import Passage, PassageClause
from pipeline.extraction.alignment import says_the_same
from pipeline.extraction.doubts.interpretation import Interpretation, Taken, is_name
from pipeline.models import USER

_NEAR = 3
THAT = frozenset("that que dass dat che".split())
ME = frozenset("me mich mir moi mij".split())
MINE = ME | frozenset(
    "us our ours my mine uns mi mis nos m mio mia miei mie ci meu minha meus minhas ons onze mijn".split()
)
OURS = MINE | frozenset(
    "my our mon ma mes notre nos mein meine meinem meinen meiner unser unsere mijn mn meu minha meus minhas nosso nossa "
    "nuestro nuestra nostro nostra".split()
)
ARTICLES = frozenset(
    "the a an el la los las un una le les une l der die das den dem ein eine o os as um uma il lo gli i de het een".split()
)
TITLES = frozenset(
    "dr mrs mr ms miss frau herr dona don senora senor sra sr dra prof professor mme madame monsieur m signora signor "
    "mevrouw meneer pastor".split()
)
OF = frozenset("of von vom der des de du d do da dos di del della dello dell van".split())


def tells_of_others(compared: Interpretation) -> bool:
    """Whether the clause's subject is somebody whom the fact does not mention."""
    ours = {word.key for word in compared.content.words}
    if any(
        is_name(word, compared.content, frozenset())
        and word.key in first_names()
        and not any(compared.meets(word, one) for one in (*compared.said, *compared.beside))
        and word.key not in compared.speakers
        for word in compared.content.words
    ):
        return True
    if is_said_to_them(compared) and any(
        word.key in compared.speakers_heard for word in compared.content.words[:_NEAR]
    ):
        return True
    return any(
        _speaks_another(compared, passage, ours) or _has_other_subject(compared, passage, clause, held, ours)
        for passage, clause, held in _needed(compared)
    )


def is_said_to_them(compared: Interpretation) -> bool:
    """Whether everything used is said in a group to "you" without "I": "You're so kind" is an opinion about the other."""
    told = [
        (passage, clause)
        for passage, clause, held in compared.aligned
        if not all(compared.is_person(word, passage) for word in held)
    ]
    return bool(told) and all(_is_to_them(passage, clause) for passage, clause in told)


def _is_to_them(passage: Passage, clause: PassageClause) -> bool:
    keys = [word.key for one in passage.clauses if one.sentence == clause.sentence for word in one.words]
    own = any(passage.has("first", key) or key in MINE for key in keys)
    return bool(passage.speaker) and passage.tells("addresses", keys) and not own


def _needed(compared: Interpretation) -> list[Taken]:
    """Return the aligned clauses, and neighbours that supply further words of the fact."""
    found = list(compared.aligned)
    said = {key for _, _, held in found for key in compared.taken(held)}
    near = {(id(passage), clause.sentence) for passage, clause, _ in found}
    for passage, clause, held in compared.touched:
        beside = (id(passage), clause.sentence) in near
        if beside and not clause.asks and not compared.taken(held) <= said:
            found.append((passage, clause, held))
    return found


def _speaks_another(compared: Interpretation, passage: Passage, ours: set[str]) -> bool:
    """Whether the speaker is not mentioned, but another is who does not occur in the message."""
    others = compared.speakers & ours
    mentioned = others & {word.key for word in passage.words}
    return bool(passage.speaker and others and passage.speaker not in ours and not mentioned)


def _has_other_subject(
    compared: Interpretation, passage: Passage, clause: PassageClause, held: Sequence[Word], ours: set[str]
) -> bool:
    before = passage.before(clause, held[0])
    if any(passage.has("first", word.key) for word in before) or not _is_about_somebody(compared):
        return False
    people = [word for word in before if compared.is_person(word, passage) and _is_subject(word, before, passage)]
    if people and compared.is_person(held[0], passage) and people[-1].end + 1 == held[0].start:
        people = []  # in "my husband Walt", both are Walt
    if any(passage.has("authorities", one.key) for one in people) and passage.tells("reports", clause.keys):
        return False
    owned = any(passage.has("authorities", one.key) for one in people) and ME.intersection(clause.keys)
    if people and not owned and not any(says_the_same(people[-1].key, key) for key in ours):
        return True
    mine = any(passage.has("first", key) or key in MINE for key in clause.keys)
    opens = compared.opens_with_user() and not passage.tells("naming", clause.keys)
    pronoun = any(passage.has("third", word.key) for word in clause.words[:2] if word.start < held[0].start)
    return opens and pronoun and not mine and not people and not _speaks_of_other(compared)


def _speaks_of_other(compared: Interpretation) -> bool:
    words = compared.content.words
    return any(compared.is_person(word, compared.content) or compared.content.has("third", word.key) for word in words)


def _is_about_somebody(compared: Interpretation) -> bool:
    """Whether the fact begins with a person."""
    return any(
        compared.content.has("user", word.key)
        or compared.content.has("persons", word.key)
        or word.key in first_names() | compared.speakers
        or (word.key in compared.named and word.key not in compared.things)
        for word in compared.content.words[: _NEAR + 1]
    )


def swaps(compared: Interpretation) -> bool:
    """Whether the fact swaps who does what to whom."""
    return any(_swaps_in(compared, passage) for passage in compared.said)


def _swaps_in(compared: Interpretation, passage: Passage) -> bool:
    where = {who: at for at, word in reversed(list(enumerate(passage.words))) if (who := _who(compared, word, passage))}
    ours = [(at, _who(compared, word, compared.content)) for at, word in enumerate(compared.content.words)]
    placed = [(who, at, where[who]) for at, who in ours if who in where]
    for (who, one, there), (whom, other, then) in pairwise(placed):
        if there <= then or compared.content.parts(one, other) or passage.parts(then, there):
            continue
        between = [word for word in compared.content.words[one + 1 : other] if not _joins(compared, word)]
        theirs = [word for word in passage.words[then + 1 : there] if not _joins(compared, word)]
        told = [word for word in between if compared.content.counts(word)]
        if USER in (who, whom) and told and all(compared.content.has("persons", word.key) for word in told):
            continue  # "my uncle Fermín": Fermín is the user's uncle
        between, theirs = _without_kin(between, compared.content), _without_kin(theirs, passage)
        same = between and [word.key for word in between] == [word.key for word in theirs]
        if same or any(says_the_same(a.key, b.key) for a in told for b in theirs):
            return True
    return False


def _without_kin(words: Sequence[Word], passage: Passage) -> list[Word]:
    """Leave out "her brother" before a name."""
    return [word for word in words if not (passage.has("persons", word.key) or passage.has("his", word.key))]


def _joins(compared: Interpretation, word: Word) -> bool:
    return compared.content.has("conjunctions", word.key) or word.key in {"s", "de", "di"}


def _who(compared: Interpretation, word: Word, passage: Passage) -> str:
    """Return the person a word names, the speaker for "I", or "" if none."""
    if passage.has("first", word.key) or word.key in ME:
        return passage.speaker or USER
    if passage.has("user", word.key):
        return USER
    return word.key if is_name(word, passage, compared.named) else ""


def _is_subject(word: Word, before: Sequence[Word], passage: Passage) -> bool:
    """Whether somebody is the subject, and not after a preposition or a verb."""
    ahead = [one for one in before if one.start < word.start]
    heads = [at for at, one in enumerate(ahead) if one.key in THAT]
    ahead = ahead[heads[-1] + 1 if heads else 0 :]
    return not any(
        one.has("prepositions", before.key) for one in passage.lexicons[:1] for before in ahead[-2:]
    ) and not any(
        passage.counts(one) and not one.text[:1].isupper() and not passage.has("persons", one.key) for one in ahead
    )


def is_oblique(passage: Passage, words: Sequence[Word], at: int) -> bool:
    """Whether a preposition precedes a person, with articles, possessives or kinship words between."""
    language = passage.language
    for word in reversed(words[:at]):
        article = word.key in ARTICLES and not (word.key == "a" and language in {"es", "fr", "it"})
        if article or word.key in OURS or passage.has("his", word.key) or passage.has("persons", word.key):
            continue
        return word.key in OF or any(one.has("prepositions", word.key) for one in passage.lexicons[:1])
    return False
