"""All weights of reading, and how each was set. docs/explanation/reading.md has the figures."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryWeights:
    """The weights for ranking memories.

    The first block is in standard deviations over the namespace. They were set on four worlds of namesakes (88 questions), each
    left out once; round numbers in the middle of a plateau. Figures: docs/explanation/reading.md, "How the weights were set".

    words: BM25 relative to the cosine. entity: a memory about a named entity. house: a taught process of a named entity or its
    organisation. foundation: the oldest lasting memory about a named entity; the next gets a half, then a third. event: an
    event's share of what comes through an entity, since lasting facts tell more. when: from a named time.

    lent: what a memory lends to others about the same entity: its share of the score above lends_above, divided by the root of
    their number. lenders: how many of the best lend; lenders_after: how many lend in the next round, second_hop times as much.
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
    """Share of the meant entity's probability; a less likely namesake is ruled out."""

    relevance: float = 0.2
    """Score per standard deviation; the boost for this week's memories is thus worth 0.75 of one."""
    salience: float = 0.02
    """Score per point of 0 to 10."""
    strength: float = 0.05
    """Score at full confidence."""
    recency: tuple[tuple[int, float], ...] = ((7, 0.15), (30, 0.08), (90, 0.03))
    """Boosts by age: (days, score) for memories said less than that many days ago (R5)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextWeights:
    """How results share the tokens of a context.

    shares: of the budget, for salient, relevant and recent results (R4). They are ceilings and reserve nothing: a result above
    its category's share loses `ceded` of its score, so that only nearly equal results precede it.
    salient: the salience, 0 to 10, from which a memory counts as salient. recent: days. message: score per standard deviation
        of a message.
    unrelated: the minimum score to show anything for a message unrelated to all that is known
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
    """How results are chosen and ordered for a reader; scores are those of messages, in standard deviations.

    memory: weight of a memory's relevance, without the lent part. assistant, request: for the assistant's messages, and for
    earlier questions. touches: deviations above the mean cosine of unrelated texts that a message must reach by its own words;
    untouched: for one that does not. asker: for results about or by the asker, if the message is about them.
    newer: for the newest result, less for older ones; lead: among this many of the best, the newest comes first if it has this
        share of the best score (rivals; rivals_at_once if said on the same day, and not as a change).
    relative: the minimum share of the best score;
    fall: how much this minimum rises below the first `free` of a kind, times the logarithm of the distance. least: the minimum
    score. most: lines. few: with fewer results than this, all near ones are shown. called: how many further memories follow, for
    a name, a process or what is lent.
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
    """The weights for ranking messages.

    Each applies to standard deviations of a raw score over the namespace's messages; they are summed. They were set on five
    conversations, each left out once; round numbers in the middle of a plateau. Figures: docs/benchmarks.md.

    cosine: of the text. with_before: of it with the turn before. words: BM25.

    with_after: the cosine of it with the turn after. words_before, words_after: the BM25 of its neighbours, since a question
        and its answer share few words. conversation: the mean that a conversation's three best lend to all of it.
    speaker: it was said by somebody whom the question names. when: it was said at a time that the question names. asks: it ends
        with a question mark, so it says little. lent: by one of its memories, if messages are shown without memories.
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
