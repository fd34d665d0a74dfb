"""Where the names that a registry holds stand in a text: whole, or in part.

Pure. `mosshead.lookup` fetches the names that share a word with the text, this package says which of them the text speaks. A
capital letter counts for much: "Point" is Henderson Point where "point" is not. `words` takes a text apart, `speaking` says
whether words that say a name are meant as one, and `places` puts both together.
"""

from mosshead.matching.places import Place, keys, places
from mosshead.matching.speaking import Name
from mosshead.matching.words import Word, name_words, words_of

__all__ = ["Name", "Place", "Word", "keys", "name_words", "places", "words_of"]
