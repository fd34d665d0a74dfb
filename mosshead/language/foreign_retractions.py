"""Find what somebody asks to forget in German, Spanish or French, in English like the memories. Plain requests only.

"Vergiss meine Telefonnummer" gives "my phone number", "olvida dónde vivo" gives "I live". Questions and negations give nothing:
"Vergiss nicht, wo ich wohne", "j'ai oublié mon numéro".
"""

import re
from dataclasses import dataclass
from functools import cache


@dataclass(frozen=True, slots=True)
class _Tongue:
    """A language's words for asking to forget something, as patterns.

    politely: may stand anywhere. asking: allows "forget" and "delete" at the end. all_of_it: before the subject matter; knowing:
    after it. mine: "my"; of_mine: joins a matter to its owner if the owner is the speaker's. a_clause: opens a clause.
    """

    politely: str
    asking: str
    forget: str
    delete: str
    all_of_it: str
    knowing: str
    mine: str
    of_mine: str
    a_clause: str
    denied: str
    from_memory: str


_TONGUES = (
    _Tongue(
        politely=r"bitte|mal|doch|einfach|sofort|danke|jetzt|und|okay|ok|hey|hallo",
        asking=r"(?:kannst|könntest|würdest|magst) du|ich (?:möchte|will), dass du",
        forget=r"vergiss(?:t|te)?|vergessen|vergessen sie",
        delete=r"lösch(?:e|en|t|st)?|entfern(?:e|en|t|st)?",
        all_of_it=r"(?:alles|das|was)(?:,? was)?(?: (?:du|ich)(?: dir)?)? (?:über|von|zu)",
        knowing=r" (?:weißt|gesagt habe|erzählt habe)",
        mine=r"mein(?:e[nmrs]?)?|unser(?:e[nmrs]?)?",
        of_mine=r"(?:mein|unser)e[sr]",
        a_clause=r"dass ich|wo(?:hin|mit|ran)? ich|wie(?: alt)? ich|wer ich|wann ich|was ich",
        denied=r"nicht|nie|niemals|kein\w*",
        from_memory=r"aus (?:deine[mn]|dem|den) (?:gedächtnis|speicher|notizen|daten)",
    ),
    _Tongue(
        politely=r"por favor|porfa|gracias|ya|ahora|y|vale|oye|hola",
        asking=r"(?:puedes|podrías|puede|podría)|quiero que",
        forget=r"olvida(?:r|te de)?|olvídate de|olvides",
        delete=r"borra(?:r)?|elimina(?:r)?|borres|elimines",
        all_of_it=r"(?:todo|lo)(?: lo)?(?: que (?:sabes|(?:te )?(?:dije|he dicho|conté)))? (?:sobre|de|acerca de)",
        knowing=r"",
        mine=r"mis?|nuestr[oa]s?",
        of_mine=r"de (?:mis?|nuestr[oa]s?)",
        a_clause=r"que|d[óo]nde|cu[áa]ndo|cu[áa]ntos|c[óo]mo|qui[ée]n",
        denied=r"no|nunca|jamás",
        from_memory=r"de (?:tu|tus) (?:memoria|notas|datos)",
    ),
    _Tongue(
        politely=r"s['’]il (?:te|vous) pla[iî]t|stp|svp|merci|maintenant|et|ok|bonjour|salut",
        asking=r"(?:peux-tu|tu peux|pourrais-tu|tu pourrais|pouvez-vous)|je veux que tu",
        forget=r"oubli(?:e|er|es|ez)",
        delete=r"efface(?:r|s|z)?|supprime(?:r|s|z)?",
        all_of_it=r"(?:tout )?(?:ce que (?:tu sais|j['’]ai dit|je t['’]ai dit) )?(?:sur|au sujet de|à propos de)",
        knowing=r"",
        mine=r"mon|ma|mes|notre|nos",
        of_mine=r"de (?:mon|ma|mes|notre|nos)",
        a_clause=r"que|qu['’]|où|quand|quel|comment|qui",
        denied=r"ne|n['’]\w+|pas|jamais",
        from_memory=r"de (?:ta|tes|votre|vos) (?:mémoire|notes|données)",
    ),
)

_IN_ENGLISH = {
    said: english
    for english, abroad in {
        "phone number": "telefonnummer,handynummer,nummer,número de teléfono,número,teléfono,móvil,"
        "numéro de téléphone,numéro,téléphone",
        "email": "e-mail,mail,email,e-mail-adresse,mailadresse,correo,correo electrónico,adresse e-mail,adresse mail,courriel",
        "address": "adresse,anschrift,dirección,domicilio",
        "birthday": "geburtstag,geburtsdatum,cumpleaños,fecha de nacimiento,anniversaire,date de naissance",
        "age": "alter,edad,âge",
        "name": "name,namen,nombre,nom",
        "weight": "gewicht,peso,poids",
        "salary": "gehalt,lohn,einkommen,sueldo,salario,salaire,revenu",
        "job": "job,beruf,arbeit,stelle,trabajo,empleo,travail,emploi,métier",
        "allergies": "allergie,allergien,alergia,alergias,allergies",
        "diet": "ernährung,diät,dieta,régime",
        "doctor": "arzt,ärztin,hausarzt,hausärztin,médico,médica,médecin,docteur",
        "boss": "chef,chefin,jefe,jefa,patron,patronne",
        "mother": "mutter,mama,madre,mamá,mère,maman",
        "father": "vater,papa,padre,papá,père",
        "brother": "bruder,bruders,hermano,frère",
        "sister": "schwester,hermana,sœur,soeur",
        "son": "sohn,sohns,sohnes,hijo,fils",
        "daughter": "tochter,hija,fille",
        "wife": "frau,ehefrau,mujer,esposa,femme",
        "husband": "mann,ehemann,manns,mannes,marido,esposo,mari",
        "boyfriend": "freund,freunds,freundes,novio,copain",
        "girlfriend": "freundin,novia,copine",
        "dog": "hund,hunds,hundes,perro,perra,chien,chienne",
        "cat": "katze,kater,gato,gata,chat,chatte",
        "live": "wohne,lebe,vivo,habite,vis",
        "work": "arbeite,travaille",
        "allergic": "allergisch,alérgico,alérgica,allergique",
        "vegan": "veganer,veganerin,vegano,vegana,végane",
        "vegetarian": "vegetarier,vegetarierin,vegetariano,vegetariana,végétarien,végétarienne",
        "in": "in,en,à",
    }.items()
    for said in abroad.split(",")
}
_AGED = re.compile(r"wie alt ich bin|cu[áa]ntos años tengo|quel âge j['’]ai", re.IGNORECASE)
_CALLED = re.compile(r"wie ich heiße|c[óo]mo me llamo|comment je m['’]appelle", re.IGNORECASE)
_BESIDE = frozenset("ich bin habe bei als gegen zu el la los las soy tengo al a je j suis ai les le l chez au".split())
"""Words dropped from a clause."""

_VERBS = frozenset({"live", "work"})
_WORD = re.compile(r"[^\W_]+(?:-[^\W_]+)*")
FOREIGN_STEMS = "verg lösch entfern olvid olvíd borr elimin oubli efface supprim".split()
"""Every request to forget something contains one of these."""


def foreign_matter(text: str) -> str | None:
    """Return what somebody asks to forget, in English: "my phone number" for "vergiss meine Telefonnummer"."""
    small = text.lower()
    if not any(stem in small for stem in FOREIGN_STEMS):
        return None
    return next((matter for tongue in _TONGUES if (matter := _matter(text, tongue)) is not None), None)


def _matter(text: str, tongue: _Tongue) -> str | None:
    asked = re.sub(rf"(?i)(?<!\w)(?:{tongue.politely})(?!\w)", " ", text)
    asked = " ".join(asked.strip(" ¿¡,.!?").split()).replace(" ,", ",")
    match = next((found for one in _patterns(tongue) if (found := one.fullmatch(asked))), None)
    only_asks = text.rstrip().endswith("?") and not (match and match["asking"])
    if match is None or only_asks or re.search(rf"(?i)\b(?:{tongue.denied})\b", asked):
        return None
    if match["clause"]:
        return _clause(match["clause"])
    owner, matter = (
        _IN_ENGLISH.get((match["whose"] or "").lower()),
        _IN_ENGLISH.get((match["mine"] or match["of"]).lower()),
    )
    if match["whose"]:
        return f"my {owner}'s {matter}" if owner and matter else None
    if matter is None and match["forget"] and " " not in match["mine"]:
        return f"my {match['mine']}"
    return f"my {matter}" if matter else None


def _clause(said: str) -> str | None:
    """Translate a clause word for word: "où j'habite" becomes "I live". None if it is not about the speaker."""
    if _AGED.match(said):
        return "my age"
    if _CALLED.match(said):
        return "my name"
    told = [word for word in _WORD.findall(said)[1:] if word.lower() not in _BESIDE]
    # "Trabajo" is both a job and "I work".
    english = [_IN_ENGLISH.get(word.lower(), word).replace("job", "work") for word in told]
    english.sort(key=lambda word: word not in _VERBS)
    return f"I {' '.join(english)}" if any(word.lower() in _IN_ENGLISH for word in told) else None


@cache
def _patterns(tongue: _Tongue) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return patterns for a request that opens with the verb, and for one that ends with it ("kannst du meine Adresse
    vergessen")."""
    do = rf"(?:(?P<forget>{tongue.forget})|(?:{tongue.delete}))"
    matter = (
        rf"(?:(?:\w+ |l['’])(?P<of>\w+) (?:{tongue.of_mine}) (?P<whose>\w+)"
        rf"|(?:{tongue.mine}) (?P<mine>[^,;:]+?)|(?P<clause>(?:{tongue.a_clause})(?:\b|(?<=['’]))[^,;:]*?))"
    )
    about = rf"(?:{tongue.all_of_it} )?{matter}(?:{tongue.knowing})?(?: (?:{tongue.from_memory}))?"
    return (
        re.compile(rf"(?:(?P<asking>{tongue.asking}),? )?{do},? {about}", re.IGNORECASE),
        re.compile(rf"(?P<asking>{tongue.asking}),? {about} {do}", re.IGNORECASE),
    )
