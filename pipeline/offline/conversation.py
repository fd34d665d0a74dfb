"""What the next words of a conversation can lean on."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from pipeline.facts import Fact, Message
from pipeline.offline.discourse import Discourse
from pipeline.offline.sentences import Sentence

_REMEMBERED = 8
"""How many sentences back a correction looks for what it corrects."""


@dataclass(frozen=True, slots=True)
class Said:
    """A sentence that stated something, for corrections: the words that the rules saw, and the facts that they made.

    message: the one that held it; None when it came before the batch, so that no fact of the batch can name it as
    its source.
    """

    text: str
    me: str
    message: Message | None
    facts: tuple[Fact, ...]
    discourse: Discourse


@dataclass(slots=True)
class Conversation:
    """The state of one conversation.

    asked: the last sentence of the assistant, while it is unanswered, and its message, None when that came before
    the batch.
    heard: the user who spoke last, whom the assistant answers; None before anybody did.
    interrupted: another user spoke before this one does.
    marked: who asked for the next thing to be remembered. withdrawn: the last thing was taken back, so what comes
    may replace it.
    fiction: what is said belongs to a story or a game.
    lately, before: what each speaker's latest message stated so far, and what the one before it did.
    """

    discourses: dict[str, Discourse] = field(default_factory=dict)
    said: list[Said] = field(default_factory=list)
    asked: tuple[Sentence, Message | None] | None = None
    heard: str | None = None
    interrupted: bool = False
    marked: str | None = None
    withdrawn: bool = False
    lately: dict[str, list[Said]] = field(default_factory=dict)
    before: dict[str, list[Said]] = field(default_factory=dict)
    fiction: bool = False

    def enter(self, me: str, you: str | None) -> None:
        """A new message of a speaker: things are out of sight, people no news, a firm a message older."""
        before = self.discourses.get(me, Discourse(me, you))
        people = tuple(replace(person, fresh=False) for person in before.people)
        self.interrupted = self.heard not in {None, me}
        self.heard = me
        self.before[me], self.lately[me] = self.lately.get(me, []), []
        self.discourses[me] = replace(before, thing=None, firm_age=before.firm_age + 1, people=people)

    def keep(self, said: Said) -> None:
        """Remember a sentence for the corrections to come."""
        self.said = [*self.said, said][-_REMEMBERED:]
        self.lately.setdefault(said.me, []).append(said)

    def said_by(self, me: str) -> list[Said]:
        """What a speaker stated lately, oldest first."""
        return [said for said in self.said if said.me == me and said.text]

    def just_said_by(self, me: str) -> Said | None:
        """What a speaker stated last, in this message or the one before it."""
        said = [*self.before.get(me, ()), *self.lately.get(me, ())]
        return next((one for one in reversed(said) if one.text), None)


@dataclass(frozen=True, slots=True)
class Turn:
    """A message of a user as it is heard: who speaks, its sentences, and these without openers and marks.

    said_in: the message as a source, None when it came before the batch.
    """

    message: Message
    here: Conversation
    me: str
    sentences: Sequence[Sentence] = ()
    texts: Sequence[str] = ()
    said_in: Message | None = None

    @property
    def discourse(self) -> Discourse:
        return self.here.discourses[self.me]
