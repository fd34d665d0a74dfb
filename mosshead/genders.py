"""Who "he" and who "she" can be: the common first names and the words for relatives that tell."""

from enum import Enum

_HE_NAMES = frozenset(
    """
    aaron adam adrian ahmed alan alexander andreas andrew anthony antonio arthur ben benjamin bob brandon brian bruno
    carl carlos charles christopher colin craig dan daniel dave david dennis ed edward eli eric erik ethan evan felix
    finn florian francis frank fred gabriel gary gavin george graham greg harry henry hugo ian igor isaac ivan jack
    jacob jake jamal james jason javier jeff jeremy jim joe joel john jonas jonathan jose joseph josh joshua juan
    julian justin karl keith ken kevin klaus kwame lars leo leon leonard lewis liam louis lucas luis luke marcus mark
    martin mateo matt matthew michael miguel mike mohammed nate nathan neil nicholas nick noah oliver omar oscar owen
    pablo patrick paul pedro peter phil philip piotr raj ralph raymond rhys ricardo richard rob robert roger ross ryan
    samuel sanjay scott sean sebastian sergei shaun simon stefan stephen steve steven stuart sven ted theo thomas tim
    toby tom tony victor vikram vincent will william xavier yusuf
    """.split()
)
_SHE_NAMES = frozenset(
    """
    abigail aisha alexandra alice alina amanda amy ana angela anna anne annie audrey barbara beth betty carla carol
    caroline catherine charlotte chloe christina christine claire clara daniela deborah diana diane elena elizabeth
    ella ellen emily emma eva evelyn fatima fiona francesca freya georgia gina grace hannah harriet heather heidi
    helen ida
    helena holly imogen ingrid isabel isabella jackie jane janet jen jennifer jenny jess jessica jill joan joanna
    jolene judith judy julia julie karen kate katherine kathryn katie kelly kirsty laura lauren layla leah lena lily
    linda lisa louise lucia lucy lydia maria marie marta martha mary maya megan melanie melissa mia michelle molly
    monica nadia nancy naomi natalia natalie nicola nicole nina nora olivia pam pamela patricia paula pauline penny
    phoebe pia poppy priya rachel rebecca rita rosa rosie ruth sally samantha sandra sara sarah sharon sofia sonia
    sophia sophie stella stephanie sue susan suzanne tanya tara teresa tessa theresa tina tracy ursula valentina
    vanessa vera veronica victoria wendy yara yasmin zara zoe
    """.split()
)
_HE_NOUNS = frozenset(
    """
    brother father dad husband boyfriend fiancé fiance son uncle nephew grandfather grandpa grandad granddad stepbrother
    stepfather stepdad stepson father-in-law brother-in-law son-in-law ex-husband grandson godfather godson landlord
    man boy guy bloke chap fellow lad gentleman groom
    """.split()
)
_SHE_NOUNS = frozenset(
    """
    sister mother mum mom wife girlfriend fiancée fiancee daughter aunt auntie niece grandmother grandma granny nan
    stepsister stepmother stepmum stepmom stepdaughter mother-in-law sister-in-law daughter-in-law ex-wife
    granddaughter godmother goddaughter landlady woman girl lady lass bride
    """.split()
)


class Gender(Enum):
    """Which pronoun a person was given, or can be expected to be given."""

    HE = "he"
    SHE = "she"


PRONOUNS = {
    "he": Gender.HE,
    "him": Gender.HE,
    "his": Gender.HE,
    "she": Gender.SHE,
    "her": Gender.SHE,
    "hers": Gender.SHE,
}


def gender_of(name: str | None, noun: str) -> Gender | None:
    """What the word for a relative tells, else the first name; None where neither does."""
    head = noun.lower().split()[-1:] or [""]
    first = (name or "").lower().split()[:1] or [""]
    if head[0] in _HE_NOUNS or (first[0] in _HE_NAMES and head[0] not in _SHE_NOUNS):
        return Gender.HE
    return Gender.SHE if head[0] in _SHE_NOUNS or first[0] in _SHE_NAMES else None
