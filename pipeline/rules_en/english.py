"""Detect whether a text is English."""

import re

from mosshead.language.wordlists import GRAMMAR

_SHARED = frozenset("all even go let made mine most once over per put same still under use via".split())
"""English words equally common in another of these languages, so no evidence."""

_ENGLISH = GRAMMAR - _SHARED | {"i'm", "it's", "don't", "i've", "that's"}
_ALSO_ENGLISH = _ENGLISH | {"die", "man", "war", "son", "pay"}

_FOREIGN = (
    frozenset(
        """
    der die das den dem ein eine einen einem einer und oder aber ich du er sie wir ihr mein meine meinen dein ist sind bin war
    habe hat haben nicht kein keine mit von zu zum zur auf für seit auch noch wie wenn dass bei nach heute morgen el la los
    las un una unos y o pero yo tú ella nosotros mi mis tu su sus es son soy está están estoy tengo tiene hay no con de del en
    por para que qué como cuando muy más también ya se le lo al vivo les des et ou mais je il elle nous vous mon ma mes ton ta
    sa est sont suis ai ont pas avec dans sur pour qui au aux ce cette c'est j'ai une très plus chez depuis gli i di e io lui
    noi mio mia è sono ho ha non per che nel della dei alla più anche sempre questo os as um uma mas eu ele ela meu minha é
    são estou tenho tem não com em na muito também w do z że się nie jest są mam mój moja to ale od po przez ve bir bu da için
    ile ben benim var yok çok ama değil het een ik jij hij zij wij mijn niet geen van voor met op naar bij ook
    """.split()
    )
    - _ALSO_ENGLISH
)

_WORD = re.compile(r"[^\W\d_]+(?:'[a-z]+)?")
_LATIN = re.compile(r"[A-Za-zÀ-ɏ]")
_LEAST_LATIN = 0.7


def is_english(text: str) -> bool:
    """Whether more of its function words are English than foreign; a text without any counts as English."""
    words = [word.lower() for word in _WORD.findall(text.replace("’", "'"))]
    letters = "".join(words).replace("'", "")
    if letters and len(_LATIN.findall(letters)) < _LEAST_LATIN * len(letters):
        return False
    foreign = sum(word in _FOREIGN for word in words)
    return foreign < 2 or foreign <= sum(word in _ENGLISH for word in words)
