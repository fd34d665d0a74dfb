"""All weights of reading, each with how it was set. docs/explanation/reading.md has the figures."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryWeights:
    """How memories are ranked and how they share a context.

    The first block counts in standard deviations over the namespace. Set on four worlds of namesakes (88 questions), each left
    out once; round numbers in the middle of a plateau. The figures: docs/explanation/reading.md, "How the weights were set".

    words: BM25 beside the cosine. entity: a memory about somebody whom the message names. house: a taught process that belongs
    to whom it names, or to their firm. foundation: the oldest of what is lastingly so of somebody who is named; the next gets a
    half, then a third. event: the part that an event gets of what comes through an entity, since what is lastingly so tells
    more. when: of a time that is named.

    lent: what a memory lends to others about the same entity: so much of what it has above lends_above, by the root of how many
    they are. lenders: so many of the best lend; lenders_after: and so many after that, second_hop times as much.
    """

    words: float = 0.3
    entity: float = 2.5
    house: float = 1.0
    foundation: float = 1.0
    event: float = 0.5
    when: float = 1.5
    lent: float = 2.0
    lends_above: float = 1.0
    lenders: int = 6
    lenders_after: int = 12
    second_hop: float = 0.5
    ruled_out: float = 0.3
    """Of the probability of who is meant: a namesake who is less likely is ruled out."""

    relevance: float = 0.2
    """Of a score for each standard deviation, so that the boost for what was said this week is worth 0.75 of one."""
    salience: float = 0.02
    """Of a score for each point of 0 to 10."""
    strength: float = 0.05
    """Of a score at full confidence."""
    recency: tuple[tuple[int, float], ...] = ((7, 0.15), (30, 0.08), (90, 0.03))
    """Added to a score where a memory was said less than so many days ago (R5)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextWeights:
    """How what was found shares the tokens of a context.

    shares: of the budget, for what is salient, what is relevant and what is recent (R4). They are ceilings and reserve nothing:
    what stands above its category's share scores less by `ceded`, so that it waits for what is nearly as good, and for no more.
    salient: the salience, 0 to 10, from which a memory is. recent: days. message: of a score for each standard deviation of a
    message.
    unrelated: the score that something needs to be shown for a message which has to do with nothing that is known
    (`mosshead.context.reader.relates`), unless a path must deliver it.
    """

    shares: tuple[float, float, float] = (0.40, 0.35, 0.25)
    ceded: float = 0.1
    salient: float = 4.0
    recent: int = 30
    message: float = 0.2
    unrelated: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadingWeights:
    """How what was found is chosen and ordered for a reader; scores are those of messages, in standard deviations.

    memory: of the relevance of a memory, without what is lent. assistant, request: for what the assistant said, and for what was
    asked before. touches: deviations above the mean cosine of unrelated texts that a message reaches by its own words; untouched:
    for one that does not. asker: for what is about whoever asks, or what they said, where the message speaks of them.
    newer: for the newest of what was found, less for what is older; lead: of so many of the best the newest comes first, if it
    has so much of the best score (rivals; rivals_at_once where it was said on the same day, and as no change).
    relative: of the best score, from which something is shown; fall: so much more is asked of what is below the first `free` of
    its kind, times the logarithm of how far below. least: from which anything is shown. most: lines. few: of fewer things than
    so many all are shown that are near. called: so many memories stand below these, for a name, a process or what is lent.
    """

    memory: float = 1.3
    assistant: float = -2.5
    request: float = -2.0
    touches: float = 2.0
    untouched: float = -2.0
    asker: float = 1.0
    newer: float = 0.25
    lead: int = 6
    rivals: float = 0.5
    rivals_at_once: float = 0.8
    relative: float = 0.4
    fall: float = 2.0
    free: int = 5
    least: float = 2.5
    most: int = 30
    called: int = 12
    few: int = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageWeights:
    """How messages are ranked.

    All count in standard deviations of the raw score over the messages of the namespace, and are summed. Set on five
    conversations, each left out once; round numbers in the middle of a plateau. The figures: docs/benchmarks.md.

    cosine: of the text. with_before: of the turn before and it. words: BM25.

    with_after: the cosine of it and the turn after it. words_before, words_after: the BM25 of its neighbours, for a question and
    its answer share few words. conversation: what the three best of a conversation lend to all of it, on the average.

    speaker: it was said by somebody whom the question names. when: it was said at a time that the question names. asks: it ends
    with a question mark, and so tells little. lent: by a memory that was taken from it,
    where messages are shown without memories.
    """

    cosine: float = 0.3
    with_before: float = 0.6
    words: float = 0.3
    with_after: float = 0.25
    words_before: float = 0.2
    words_after: float = 0.1
    conversation: float = 0.4
    speaker: float = 2.5
    when: float = 1.5
    asks: float = -1.0
    lent: float = 0.4
