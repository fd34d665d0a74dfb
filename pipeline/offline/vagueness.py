"""Words that say little: those that lean on others, and those that only judge or tell a mood."""

import re

from pipeline.offline.lexicon import ADVERBS

THIN = ADVERBS | frozenset(
    """
    it that this them those these so too to the a an and of in on at for with up down out off over back there here me
    him her us all one some any much lot bit well good great nice things thing stuff something anything everything
    nothing way time as by about into from be is was were been again soon today awesome others ton loads plenty few
    point sense
    """.split()
)
"""Words that say nothing when they stand alone after a verb."""
_EVALUATIVE_WORDS = """
    so really very such pretty quite super too absolutely totally more_than as always just not still all here there up
    down off on_it on_my on_the in_mood in_middle in_love in_the_mood in_the_middle at_the_moment at_a_loss ready
    happy glad sad sorry sure fine good ok okay great tired back busy excited grateful thankful proud lucky curious
    nervous stressed amazing awesome incredible important hard tough fun beautiful lovely cute wonderful fantastic
    perfect nice cool thrilled stoked swamped blessed inspired impressed amazed surprised honoured honored pumped
    bored hungry free able open confident hopeful looking a_bit a_little kind_of sort_of what how why worth like about
    supposed wrong right true crazy weird strange funny done gone better best worse ill sick cold hot awful terrible
    bad lost stuck confused alive alone late early certain aware speechless overwhelmed adorable delicious special
    slow loud noisy asleep angry annoying dirty messy late crying
    essential powerful emotional exhausted sore numb useless wrecked scary scared game determined focused
    committed amused relieved worried
    upset key strong safe close far near interesting exciting getting being one_of_a_kind one_of_the_best only
    """.split()
_EVALUATIVE_NOUNS = """
    good great big real true beautiful wonderful special fun nice lot little bit huge sign reminder blast mess
    pleasure shame joy lovely way joke best worst same only most amazing awesome total
    complete must angel mystery puddle legend hero gem saint monster disaster star idiot genius
    bell zombie wreck treat relief bummer drag bore
    """.split()
EVALUATIVE = re.compile(
    rf"^(?:{'|'.join(word.replace('_', ' ') for word in _EVALUATIVE_WORDS)}|(?:a|an|the) (?:{'|'.join(_EVALUATIVE_NOUNS)}))\b",
    re.IGNORECASE,
)
"""What somebody is for the moment, or finds something to be."""
