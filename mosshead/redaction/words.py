"""Ordinary words where a password might stand: "my password is expired", "password: required", "password = getpass()"."""

import re

from mosshead.patterns import lazy_pattern

_NO_VALUES = frozenset(
    # what a password is, was or must be
    "too not no a an the my your our his her their its this that these those it in on at of to by for from with "
    "without within under over "
    "wrong expired weak strong secure insecure safe unsafe case case-sensitive stored hashed salted encrypted "
    "required optional being "
    "going about always never still also just only very so really quite pretty rather more less most least long "
    "longer short shorter "
    "simple complex easy easier hard harder difficult good better best bad worse worst correct incorrect invalid "
    "valid ok okay fine the same "
    "same different new old unique random missing empty blank null none nil undefined unknown unset n/a na tbd "
    "todo true false yes string "
    "str text int varchar char password passwords passwort pwd secret hidden masked visible changed reset "
    "forgotten lost stolen leaked "
    "compromised public known shared saved kept written given sent needed necessary important useless pointless "
    "outdated dated mandatory "
    "default set unset working broken gone fixed ready done up down out there here where when why how what which "
    "who whose whatever "
    "something anything nothing everything someone somewhere one two three four five six seven eight nine ten "
    "twelve at-least must "
    "should shall can cannot can't could may might will would won't wont do does don't doesn't did didn't has "
    "have had having is isn't "
    "was wasn't are aren't were be been am if unless until because since as like than then and or but nor either "
    "neither both all any "
    "some each every another other many much few several enough almost nearly probably maybe perhaps actually "
    "basically literally i "
    "you he she we they me him us them mine yours ours myself yourself now today tomorrow yesterday soon later "
    "again already yet ever "
    "please thanks thank ask see check tell send give use using make keep remember note save forget i'm i've it's "
    "that's you're via per "
    "manager policy policies field fields reset hint hints prompt protection protected rules rule requirements "
    "generator reuse sharing "
    "managed rotated updated recovered sensitive alphanumeric numeric digits characters chars letters symbols "
    "stuff problem issue thing "
    "part reason kindness between getting asking causing failing annoying confusing changing expiring wrongly "
    "unchanged used private "
    "confidential personal internal external available accepted rejected denied refused printed taped stuck "
    "pinned posted listed found "
    # and in other languages
    "zu nicht falsch abgelaufen sicher unsicher lang kurz einfach schwer stark schwach vergessen neu alt gleich "
    "gleiche dasselbe das der "
    "die den dem ein eine einen kein keine sehr noch immer schon nur auch jetzt hier dort wo wie was wer muss "
    "soll kann darf wurde wird "
    "ist war geheim weg gut schlecht auf im in am bei mit von fur gespeichert geandert gesperrt bekannt unbekannt "
    "leer und oder aber "
    "le la les un une des du de pas trop tres oublie faux mauvais perdu expire incorrecte incorrect correcte trop "
    "faible fort forte dans "
    "sur chez avec pour est el los las una muy no incorrecta correcta olvidada perdida segura debil fuerte larga "
    "corta en con para por "
    "il lo gli uno molto non sbagliata scaduta sicura debole forte nel nella o os um uma muito nao errada segura "
    "fraca na com em не "
    "неверный истек".split()
)
_CONJUNCTIONS = frozenset(
    "and but or so if for please thanks thank by because which that i we you it he she they can could don't do in "
    "on at the with just ok "
    "okay remember keep save note lol haha now since as not when while to of from is was are has had will would a "
    "an my your our his her "
    "und oder aber bitte danke fur mit auf im wenn weil ich wir du et ou mais merci pour avec y o pero gracias "
    "para con e ma grazie per "
    "still again though anyway btw everyone guys too also then there here maybe before after "
    "until username user login email".split()
)
_PLACEHOLDER = lazy_pattern(
    r"[*x.\u2022_\-#?]+\Z|<[^>]*>?\Z|\$\{?[A-Za-z_]\w*\}?\Z|\{\{|%\(?\w*\)?s?\Z|%[A-Z_]+%|\{\w*\}\Z|\[\w*|"
    r"(?:self|os|settings|config|cfg|process|env|environ|request|req|user|data|this|args|params|form|ctx|secrets|"
    r"vault|opts|options)[.\[]|"
    r"[A-Za-z_][\w.]*\(|your[_\-]?\w+|changeme\Z|example\Z|placeholder\Z|redacted\Z|omitted\Z|https?://|\w+[_\-]here\Z",
    re.IGNORECASE,
)
_WORD = lazy_pattern(r"[A-Za-z]+(?:'[a-z]+)?\Z")
_NEXT_WORD = lazy_pattern(r"[ \-]([A-Za-z]{2,14}|\d{1,4})(?![\w'])")
_MOST_WORDS = 24


def is_placeholder(value: str) -> bool:
    """Whether a value only stands for another: ``***``, ``<password>``, ``$PASSWORD``, ``os.environ["…"]``, ``getpass()``."""
    return bool(_PLACEHOLDER.match(value))


def is_no_value(value: str, *, said: bool, quoted: bool = False) -> bool:
    """Whether what follows "password is" or "password:" says something of the password, rather than the password itself.

    said: in a sentence, where a participle ("is expired") is more likely than a password.
    """
    if quoted:
        return not value.strip() or is_placeholder(value)
    word = value.casefold().rstrip("!…")
    if len(word) < 3 or word in _NO_VALUES or is_placeholder(value):
        return True
    return said and bool(re.fullmatch(r"[a-z]{3,}(?:ed|able|ible|less)", value))


def is_plain_word(value: str) -> bool:
    """Whether a value is letters only, so that it may be the first word of several."""
    return bool(_WORD.match(value))


def phrase_end(text: str, end: int) -> int:
    """Where a passphrase ends that begins with the word before ``end``: after it, unless two more words or more belong to it.

    After a word that is often said of passwords ("correct", "long") three more must, none of them another such.
    """
    at, words = end, 0
    while words < _MOST_WORDS and (match := _NEXT_WORD.match(text, at)) and match[1].casefold() not in _CONJUNCTIONS:
        at, words = match.end(), words + 1
    first, *more = re.split(r"[ \-]", text[text.rfind(" ", 0, end) + 1 : at].casefold())
    doubtful = is_no_value(first, said=True)
    if words < 2 + doubtful or (doubtful and not _NO_VALUES.isdisjoint(more)):
        return end
    return at
