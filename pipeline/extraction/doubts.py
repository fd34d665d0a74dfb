"""Whether what a model wrote is borne out by what was said: claims, compared by meaning.

Its names, numbers and dates are held against its sources before. What is doubted here leaves a hypothesis: words that share
too little with the sources', a "not" too many or too few, a question, a condition, a plan called off, what is past, what somebody
else claims, the assistant alone says, or other people do.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from itertools import pairwise
from typing import Final

from mosshead.language.lexicon import Word, every_lexicon, keys_of, phrases_in, words_of
from mosshead.language.passage import Passage, PassageClause
from mosshead.language.verbs import PAST_FORMS
from mosshead.language.wordlists import FIRST_NAMES
from pipeline.extraction.alignment import says_the_same, written_out
from pipeline.models import USER


class Doubt(StrEnum):
    """Why a fact stays a hypothesis."""

    NAME = "a word of it has a capital, and nobody said it"
    NO_QUOTE = "no message of a user says its quote"
    NO_SENTENCE = "its content is no sentence"
    UNRELATED = "its words share too little with its sources"
    FEELING = "nobody said the feeling"
    NEGATION = "it negates something else than its sources"
    QUESTION = "its sources only ask"
    UNREAL = "its sources only suppose it"
    CANCELLED = "its sources call it off"
    PAST = "its sources tell it of the past"
    REPORTED = "its sources give it as somebody else's claim"
    PEOPLE = "its sources tell it of somebody else"
    ASSISTANT = "only the assistant said it"


_COVERED: Final = 0.33
"""Less where the language is not known: other forms of a word cannot be told there."""
_COVERED_ELSEWHERE: Final = 0.25
_OWN: Final = 0.35
_A_SENTENCE: Final = 3
"""Words of a sentence that has no word of its language's grammar: "Noor dropped chess"."""
_NEAR = 3
_NEGATED_BEFORE: Final = {"de": 2, "en": 0, "fr": 2, "nl": 2}
"""How many words before a "not" it may negate: "ich mag das nicht"; one where a language is not named here."""


@dataclass(frozen=True)
class Interpretation:
    """A content beside what it was taken from.

    said: the users' words among the sources. heard: the assistant's, and what stands just before a source, which explain it.
    confirmed: the user said yes to the assistant's words.
    names: the words of the names that the fact mentions. speakers: who speaks. after: what users say after the first source.
    corrects: it puts right what was said, so that calling that off is no doubt of it.
    """

    content: Passage
    said: Sequence[Passage]
    heard: Sequence[Passage]
    confirmed: bool
    names: frozenset[str] = frozenset()
    speakers: frozenset[str] = frozenset()
    after: Sequence[Passage] = ()
    corrects: bool = False

    def doubts(self) -> Iterator[Doubt]:
        """Every reason for which the content must not count as said."""
        if not self._is_sentence():
            yield Doubt.NO_SENTENCE
        words = self.content.content
        own, others = self._share(self.said), self._share(self.heard)
        least = _COVERED if self.content.lexicons else _COVERED_ELSEWHERE
        if words and max(self._share([*self.said, *self.heard]), 0) < least:
            yield Doubt.UNRELATED
        elif words and own < _OWN and others > own and not self.confirmed:
            yield Doubt.ASSISTANT
        if not self.content.lexicons or not words:
            if self._swaps():
                yield Doubt.PEOPLE
            return
        if self._feels():
            yield Doubt.FEELING
        if self._negates_otherwise():
            yield Doubt.NEGATION
        yield from self._moods()
        if self._tells_of_others() or self._swaps():
            yield Doubt.PEOPLE

    def _is_sentence(self) -> bool:
        words = self.content.words
        if not any(map(_has_no_case, self.content.text)) and (len(words) < 2 or "_" in self.content.text.split()[0]):
            return False
        plain = any(self.content.has(role, word.key) for word in words for role in ("function", "negation"))
        german = any(one.language == "de" for one in self.content.lexicons[:1])
        endings = ("s", "ed", "t") if german else ("s", "ed")
        bent = any(
            word.key.endswith(endings)
            and self.content.text[before.end : word.start] == " " == self.content.text[word.end]
            for before, word in zip(words, words[1:_A_SENTENCE], strict=False)
            if word is not words[-1]
        )
        return not self.content.lexicons or plain or (bent and len(words) >= _A_SENTENCE)

    def _share(self, passages: Sequence[Passage]) -> float:
        """The share of the content's words that were said. Its numbers and dates were: otherwise it would have been refused."""
        words = self.content.content
        told = [word for word in self.content.words if word not in words and self.content.claims(word)]
        met = sum(any(self._meets(word, one) for one in passages) for word in words) + len(told)
        return met / (len(words) + len(told)) if words else 0.0

    def _meets(self, word: Word, passage: Passage) -> bool:
        keys = keys_of(passage.whole)
        return word.key in keys or word.key in self._written_out or any(says_the_same(word.key, one) for one in keys)

    @cached_property
    def _written_out(self) -> frozenset[str]:
        ours, theirs = self.content.words, [word for one in (*self.said, *self.heard) for word in one.words]
        short = {word.key for word in ours if word.text.isupper() and len(word.key) > 1 and written_out(theirs, [word])}
        return written_out(ours, theirs) | short

    def _matched(self, passage: Passage) -> list[Word]:
        """The words of a source that the content takes up."""
        keys = [word.key for word in self.content.content]
        return [word for word in passage.content if any(says_the_same(word.key, key) for key in keys)]

    @cached_property
    def _touched(self) -> list[tuple[Passage, PassageClause, list[Word]]]:
        """The clauses of the users' sources that the content is taken from; those of the quote where there is one."""
        found = []
        for passage in self.said:
            matched = set(self._matched(passage))
            start, end = passage.span if passage.span[1] else (0, len(passage.text))
            for clause in passage.clauses:
                held = [word for word in clause.words if word in matched]
                inside = any(word.start < end and word.end > start for word in clause.words)
                if held and inside:
                    found.append((passage, clause, held))
        return found

    @cached_property
    def _aligned(self) -> list[tuple[Passage, PassageClause, list[Word]]]:
        """Those of the clauses from which most is taken."""
        quoted = [one for one in self.said if one.span[1]]
        touched = [one for one in self._touched if not quoted or one[0] in quoted]
        most = max((len(held) for _, _, held in touched), default=0)
        return [one for one in touched if 2 * len(one[2]) >= most]

    @cached_property
    def _needed(self) -> list[tuple[Passage, PassageClause, list[Word]]]:
        """The aligned clauses, and those beside them that say a word of the content which these do not."""
        found = list(self._aligned)
        said = {key for _, _, held in found for key in self._taken(held)}
        near = {(id(passage), clause.sentence) for passage, clause, _ in found}
        for passage, clause, held in self._touched:
            beside = (id(passage), clause.sentence) in near or (passage.speaker and passage.tells_of_itself(clause))
            if beside and not clause.asks and not self._taken(held) <= said:
                found.append((passage, clause, held))
        return found

    def _taken(self, held: Sequence[Word]) -> set[str]:
        """The words of the content that some words of a source say."""
        return {one.key for one in self.content.content for word in held if says_the_same(word.key, one.key)}

    @cached_property
    def _region(self) -> dict[str, Word]:
        """All that the sentences say that the content is taken from, by key."""
        numbers = [
            (passage, {clause.sentence for one, clause, _ in self._aligned if one is passage}) for passage in self.said
        ]
        told = (clause.words for passage, here in numbers for clause in passage.clauses if clause.sentence in here)
        return {word.key: word for words in told for word in words}

    def _feels(self) -> bool:
        feelings = {stem for one in self.content.lexicons for stem in one.entries["feelings"]}
        felt = [word for word in self.content.content if any(_begins(word.key, stem) for stem in feelings)]
        every = {key for one in (*self.said, *self.heard) for key in keys_of(one.whole)} if felt else set[str]()
        told = any(_begins(key, stem) for key in every for stem in feelings)
        return bool(felt) and not told and any(not self._meets(word, one) for word in felt for one in self.said)

    def _negates_otherwise(self) -> bool:
        ours = any(self.content.has("negation", word.key) for word in self.content.words)
        sources = [*self.said, *(self.heard if self.confirmed else ())]
        theirs = list(self._negated(sources))
        region = [word.key for word in self._region.values()]
        implied = any(one.has(role, key) for one in sources for key in region for role in ("weak", "negation"))
        implied = implied or any(lex.numbers.get(key) == 0 for one in sources for lex in one.lexicons for key in region)
        if ours:
            return not implied and not theirs
        weak = any(self.content.has("weak", word.key) for word in self.content.words)
        quoted = {word.key for _, clause, _ in self._aligned for word in clause.words}
        over = any(passage.tells("past", clause.keys) for passage, clause, _ in self._aligned)
        if over and (self._is_told_in_past() or self.content.tells("past", [one.key for one in self.content.words])):
            return False
        positive = self._affirmed()
        lost = [
            word
            for word in theirs
            if word in quoted - positive and any(says_the_same(word, one.key) for one in self.content.content)
        ]
        return bool(lost) and not weak

    def _affirmed(self) -> set[str]:
        """What the clauses say that the content is taken from and that have no "not"."""
        clauses = (
            clause
            for passage, clause, _ in self._aligned
            if not any(_negates(at, clause.words, passage) for at in range(len(clause.words)))
        )
        return {word.key for clause in clauses for word in clause.words}

    @staticmethod
    def _negated(passages: Sequence[Passage]) -> Iterator[str]:
        """The words that are negated: those just after a "not", and the nearest before it."""
        for passage in passages:
            for clause in passage.clauses:
                for at in range(len(clause.words)):
                    if _negates(at, clause.words, passage):
                        after = [one.key for one in clause.words[at + 1 :] if passage.counts(one)][:_NEAR]
                        before = [one.key for one in clause.words[:at] if passage.counts(one)]
                        reach = next((_NEGATED_BEFORE.get(one.language, 1) for one in passage.lexicons), 1)
                        yield from (*after, *(before[-reach:] if reach else ()))

    def _moods(self) -> Iterator[Doubt]:
        ours = [word.key for word in self.content.words]
        clauses = self._aligned
        if not clauses or self.confirmed:
            return
        tells = self.content.tells
        if all(self._names_kin(passage, held) for passage, _, held in clauses):
            return
        licensed = any(tells(role, ours) for role in ("licence", "unreal", "conditions"))
        if not licensed and all(_only_asks(*one) for one in clauses):
            yield Doubt.QUESTION
        if not licensed and any(_is_unreal(*one, ours) for one in clauses):
            yield Doubt.UNREAL
        negated = any(self.content.has("negation", key) for key in ours)
        if not self.corrects and not negated and not tells("cancelled", ours) and self._is_called_off():
            yield Doubt.CANCELLED
        past = any(tells(role, ours) for role in ("past", "past_verbs")) or self._is_told_in_past()
        if not past and any(self._is_past(passage, clause, held, ours) for passage, clause, held in clauses):
            yield Doubt.PAST
        by_other = tells("advice", ours) or (tells("reports", ours) and not self._opens_with_user())
        if not by_other and any(_is_reported(passage, clause, held) for passage, clause, held in clauses):
            yield Doubt.REPORTED

    def _names_kin(self, passage: Passage, held: Sequence[Word]) -> bool:
        """Whether no more is taken than who somebody is: "Grandad Henk would have hated a speech" has a grandad called Henk."""
        kin = any(self.content.has("persons", word.key) for word in self.content.words)
        was = passage.tells("past", [word.key for word in passage.words])
        return kin and not was and all(self._is_person(word, passage) or self._is_kin(word, passage) for word in held)

    @staticmethod
    def _is_kin(word: Word, passage: Passage) -> bool:
        return passage.has("persons", word.key)

    def _is_called_off(self) -> bool:
        """Whether the clause, the rest of its sentence, the next one, or the head of a later message calls it off."""
        for passage, clause, _ in self._aligned:
            rest = [one for one in passage.clauses if one.words[0].start >= clause.words[0].start]
            keys = [word.key for one in rest if one.sentence == clause.sentence for word in one.words]
            following = [word.key for one in rest if one.sentence == clause.sentence + 1 for word in one.words]
            if passage.tells("cancelled", keys) or passage.tells("cancelled", following[:_HEAD]):
                return True
        own = {passage.text for passage, _, _ in self._aligned}
        return any(self._calls_off(one) for one in self.after if one.text not in own)

    def _calls_off(self, later: Passage) -> bool:
        """Whether the head of a later message calls off: with a word of the content, or with no word beside that."""
        heads = {word.key for word in later.words[:_HEAD]}
        for clause in later.clauses:
            keys = [key for key in clause.keys if key in heads]
            if later.tells("cancelled", keys):
                others = [
                    word for word in clause.words if later.counts(word) and not later.tells("cancelled", [word.key])
                ]
                return any(self._taken([word]) for word in others) or len(others) <= 1
        return False

    def _is_past(self, passage: Passage, clause: PassageClause, held: Sequence[Word], ours: Sequence[str]) -> bool:
        """Whether the sentence tells of former times, or a verb is past there and present in the content."""
        endings = tuple(one for lexicon in passage.lexicons[:1] for one in lexicon.entries.get("past_endings", ()))
        others = [word for word in held if word.key not in ours]
        until = [word.key for word in passage.until(clause)]
        if passage.tells("past", clause.keys) or (passage.tells("past", until) and clause.keys[0] not in _TURNS):
            return True
        if any(self._is_perfect(word, passage, ours) for word in clause.words) or (
            endings and any(word.key.endswith(endings) for word in others)
        ):
            return True
        for lexicon in passage.lexicons[:1]:
            pairs = [(past, now) for past, now in lexicon.past if past in clause.keys]
            if any(now in ours and now not in clause.keys and past not in ours for past, now in pairs):
                return True
            if lexicon.language == "en" and any(
                _was(word.key) and now.endswith("s") and now[:-1] in _bases(word.key) for word in others for now in ours
            ):
                return True
        return False

    def _is_perfect(self, word: Word, passage: Passage, ours: Sequence[str]) -> bool:
        """Whether a German or Dutch participle is in the present in the content: "gewohnt", "wohnt"."""
        germanic = any(one.language in {"de", "nl"} for one in passage.lexicons[:1])
        stem = word.key[2:].rstrip("tdne") if germanic and word.key.startswith("ge") else ""
        bent = any(key.startswith("ge" + stem) for key in ours)
        return len(stem) >= _NEAR and not bent and any(key.rstrip("tdne") == stem for key in ours)

    def _is_told_in_past(self) -> bool:
        """Whether the content says that something ended, or is in the past itself: then it claims nothing of today."""
        words = self.content.words
        ended = any(
            self.content.has("weak", one.key) and not any(self._meets(one, said) for said in self.said) for one in words
        )
        english = any(one.language == "en" for one in self.content.lexicons[:1])
        return ended or (english and any(len(word.key) > 3 and _was(word.key) for word in self.content.content))

    def _opens_with_user(self) -> bool:
        return any(self.content.has("user", word.key) for word in self.content.words[:2]) and not _possesses(
            self.content
        )

    def _tells_of_others(self) -> bool:
        """Whether the clause has somebody for its subject of whom the content does not speak."""
        ours = {word.key for word in self.content.words}
        opens = self._opens_with_user()
        if any(
            _is_name(word, self.content, frozenset())
            and word.key in FIRST_NAMES
            and not any(self._meets(word, one) for one in (*self.said, *self.heard))
            and word.key not in self.speakers
            for word in self.content.words
        ):
            return True
        return any(
            self._speaks_another(passage, ours) or self._has_other_subject(passage, clause, held, ours)
            for passage, clause, held in self._needed
        )

    def _speaks_another(self, passage: Passage, ours: set[str]) -> bool:
        """Whether one says it who is not spoken of, and another is of whom nothing is said there."""
        others = self.speakers & ours
        mentioned = others & {word.key for word in passage.words}
        return bool(passage.speaker and others and passage.speaker not in ours and not mentioned)

    def _has_other_subject(self, passage: Passage, clause: PassageClause, held: Sequence[Word], ours: set[str]) -> bool:
        before = passage.before(clause, held[0])
        if any(passage.has("first", word.key) for word in before) or not self._is_about_somebody():
            return False
        people = [word for word in before if self._is_person(word, passage) and _is_subject(word, before, passage)]
        if people and self._is_person(held[0], passage) and people[-1].end + 1 == held[0].start:
            people = []  # my husband Walt is Walt
        if any(passage.has("authorities", one.key) for one in people) and passage.tells("reports", clause.keys):
            return False
        if people and not any(says_the_same(people[-1].key, key) for key in ours):
            return True
        mine = any(passage.has("first", key) or key in _MINE for key in clause.keys)
        opens = self._opens_with_user()
        pronoun = any(passage.has("third", word.key) for word in clause.words[:2] if word.start < held[0].start)
        if opens and pronoun and not mine and not people and not self._speaks_of_other():
            return True
        theirs = any(passage.has("his", a.key) and passage.has("persons", b.key) for a, b in pairwise(clause.words))
        return theirs and not people[:-1] and self._has_kin_of_user() and not mine

    def _speaks_of_other(self) -> bool:
        words = self.content.words
        return any(self._is_person(word, self.content) or self.content.has("third", word.key) for word in words)

    def _is_about_somebody(self) -> bool:
        """Whether the content opens with a person."""
        heads = [word for word in self.content.words[:_NEAR]]
        return any(
            self.content.has("user", word.key)
            or self.content.has("persons", word.key)
            or word.key in FIRST_NAMES | self.speakers | self.names
            for word in heads
        )

    def _has_kin_of_user(self) -> bool:
        """Whether the content speaks of a relative of the user, and of nobody else."""
        words = self.content.words
        kin = [at for at, word in enumerate(words) if self.content.has("persons", word.key)]
        near = any(
            self.content.has("user", word.key) for at in kin[:1] for word in words[max(at - _NEAR, 0) : at + _NEAR + 1]
        )
        return near and len(kin) == 1 and not any(_is_name(word, self.content, self.names) for word in words)

    def _is_person(self, word: Word, passage: Passage) -> bool:
        if _is_name(word, passage, self.names):
            return True
        before = [one for one in passage.words if one.end <= word.start][-1:]
        return passage.has("persons", word.key) and any(passage.has("function", one.key) for one in before)

    def _swaps(self) -> bool:
        """Whether two people do to each other what the sources tell the other way round."""
        ours = [(at, self._who(word, self.content)) for at, word in enumerate(self.content.words)]
        for passage in self.said:
            where = {
                who: at for at, word in reversed(list(enumerate(passage.words))) if (who := self._who(word, passage))
            }
            placed = [(at, where[who]) for at, who in ours if who in where]
            for (one, there), (other, then) in pairwise(placed):
                ours_between = [word for word in self.content.words[one + 1 : other] if not self._joins(word)]
                theirs = [word for word in passage.words[then + 1 : there] if not self._joins(word)]
                same = ours_between and [word.key for word in ours_between] == [word.key for word in theirs]
                told = [word for word in ours_between if self.content.counts(word)]
                if told and all(self.content.has("persons", word.key) for word in told):
                    continue  # my uncle Fermín is Fermín, the uncle of me
                kept = any(self._is_marked_alike(mine, passage, its) for mine, its in ((one, there), (other, then)))
                if (
                    there > then
                    and not kept
                    and (same or any(says_the_same(a.key, b.key) for a in told for b in theirs))
                ):
                    return True
        return False

    def _is_marked_alike(self, mine: int, passage: Passage, its: int) -> bool:
        """Whether the same preposition stands before a name in both: "from Bath" is from Bath wherever it stands."""
        ours, theirs = self.content.words[max(mine - 1, 0)].key, passage.words[max(its - 1, 0)].key
        return ours == theirs and passage.has("prepositions", ours)

    def _joins(self, word: Word) -> bool:
        return self.content.has("conjunctions", word.key) or word.key in {"s", "de", "di"}

    def _who(self, word: Word, passage: Passage) -> str:
        """Whom a word names, the speaker where it is "I"; nothing where it names nobody."""
        if passage.has("first", word.key) or word.key in _ME:
            return passage.speaker or USER
        if passage.has("user", word.key):
            return USER
        return word.key if _is_name(word, passage, self._named) else ""

    @cached_property
    def _named(self) -> frozenset[str]:
        """The words that are names somewhere in the texts: a capital at the head of a sentence tells nothing."""
        texts = (self.content, *self.said)
        return self.names | {word.key for one in texts for word in one.words if _is_name(word, one, frozenset())}


_HEAD = 8
_TURNS = frozenset("but now aber jetzt pero ahora mais maintenant ma adesso mas agora maar nu".split())
_THAT = frozenset("that que dass dat che".split())
_ME = frozenset("me mich mir moi mij".split())
_MINE = _ME | frozenset(
    "us our ours my mine uns mi mis nos m mio mia miei mie ci meu minha meus minhas ons onze mijn".split()
)
_ACCORDING = frozenset("secondo selon d segun segundo volgens laut nach".split())


def _was(key: str) -> bool:
    return key in PAST_FORMS or key.endswith("ed")


def _bases(key: str) -> set[str]:
    return {PAST_FORMS.get(key, ""), key.removesuffix("ed"), key.removesuffix("d"), key[:-3]} - {""}


def confirms(reply: str) -> bool:
    """Whether a reply says yes before anything else, or at its head, and nothing against it."""
    keys = [word.key for word in words_of(reply)]
    lexicons = every_lexicon()
    yes = [at for one in lexicons for at, _ in phrases_in(keys[:_SHORT], one.entries["affirm"])]
    no = any(one.has("negation", key) for one in lexicons for key in keys[:_SHORT])
    return 0 in yes or (bool(yes) and not no)


_SHORT = 5


def _negates(at: int, words: Sequence[Word], passage: Passage) -> bool:
    """Whether a word is a "not". An English "no" before a word of grammar is an answer: "no she moved"."""
    following = words[at + 1].key if at + 1 < len(words) else ""
    answers = words[at].key == "no" and any(one.language == "en" for one in passage.lexicons[:1])
    answers = answers and passage.has("function", following) and following not in {"more", "other"}
    return passage.has("negation", words[at].key) and not answers


def _owns(passage: Passage, held: Sequence[Word]) -> bool:
    """A question about what is mine says that I have it."""
    owners = {
        "my",
        "our",
        "mein",
        "meine",
        "meinen",
        "meinem",
        "meiner",
        "mi",
        "mis",
        "mon",
        "ma",
        "mes",
        "meu",
        "minha",
        "mio",
        "mia",
        "mijn",
    }
    words = list(passage.words)
    return all(
        any(one.key in owners for one in words[max(words.index(word) - _NEAR, 0) : words.index(word)]) for word in held
    )


def _only_asks(passage: Passage, clause: PassageClause, held: Sequence[Word]) -> bool:
    """Whether a clause asks what is taken from it. One that opens with an "I" and ends in a question mark is surprised."""
    return clause.asks and not passage.has("first", clause.words[0].key) and not _owns(passage, held)


def _is_unreal(passage: Passage, clause: PassageClause, held: Sequence[Word], ours: Sequence[str]) -> bool:
    endings = tuple(one for lexicon in passage.lexicons[:1] for one in lexicon.entries.get("unreal_endings", ()))
    bent = [key for key in clause.keys if key not in ours]
    sentence = [key for one in passage.clauses if one.sentence == clause.sentence for key in one.keys]
    until = [word.key for word in passage.until(clause) if word.start < held[-1].start]
    supposes = passage.tells("conditions", until) and not passage.tells("habits", sentence)
    return (
        passage.tells("unreal", clause.keys) or supposes or bool(endings and any(key.endswith(endings) for key in bent))
    )


def _is_reported(passage: Passage, clause: PassageClause, held: Sequence[Word]) -> bool:
    """Whether somebody else says it: a word of saying before its last word, without an "I" just before that.

    A doctor, an employer or a landlord tells the user what holds for the user. A clause of the user's own ends what is reported.
    """
    told = [
        one
        for one in passage.clauses
        if one.sentence == clause.sentence and one.words[0].start <= clause.words[0].start
    ]
    own = [
        at
        for at, one in enumerate(told)
        if at and passage.has("conjunctions", one.words[0].key) and _after_comma(one, passage)
    ]
    words = [word for one in told[own[-1] if own else 0 :] for word in one.words]
    keys = [word.key for word in words]
    for at, _ in (hit for one in passage.lexicons for hit in phrases_in(keys, one.entries["reports"])):
        mine = any(passage.has("first", key) for key in keys[max(at - _NEAR, 0) : at])
        mine = mine or (keys[at] in _ACCORDING and bool(_ME.intersection(keys[at + 1 : at + _NEAR])))
        entitled = any(passage.has("authorities", key) for key in keys[:at])
        if not mine and not entitled and words[at] not in held and words[at].start < held[-1].start:
            return True
    return False


def _after_comma(clause: PassageClause, passage: Passage) -> bool:
    return passage.text[: clause.words[0].start].rstrip().endswith((",", ";"))


def _is_subject(word: Word, before: Sequence[Word], passage: Passage) -> bool:
    """Whether somebody opens a clause: those after a preposition, or after a verb, have something done with them."""
    ahead = [one for one in before if one.start < word.start]
    heads = [at for at, one in enumerate(ahead) if one.key in _THAT]
    ahead = ahead[heads[-1] + 1 if heads else 0 :]
    return not any(passage.has("prepositions", one.key) for one in ahead[-2:]) and not any(
        passage.counts(one) and not one.text[:1].isupper() and not passage.has("persons", one.key) for one in ahead
    )


def _is_name(word: Word, passage: Passage, names: frozenset[str]) -> bool:
    if word.text == word.text.lower() or passage.claims(word):
        return False
    if passage.has("user", word.key) or passage.has("function", word.key):
        return False
    opens = not passage.text[: word.start].strip() or passage.text[: word.start].rstrip()[-1] in ".!?:"
    capital = bool(passage.lexicons) and passage.lexicons[0].language != "de" and not opens and word.text.istitle()
    return word.key in names or word.key in FIRST_NAMES or capital


def _possesses(content: Passage) -> bool:
    return any(
        word.text.casefold() in {"s", "des", "del", "de", "dell", "do", "da", "van"} for word in content.words[1:4]
    )


def _begins(key: str, stem: str) -> bool:
    return key == stem or (len(stem) > 4 and key.startswith(stem))


def _has_no_case(character: str) -> bool:
    return character.isalpha() and character.lower() == character.upper()
