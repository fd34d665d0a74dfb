"""A proposed fact is solid if its messages support it in meaning, and never otherwise."""

from datetime import UTC, datetime
from pathlib import Path
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.grounding import counted, end_of, read_pairs
from mosshead.models.kinds import Role
from pipeline.extraction.extract import Extraction, Refusal, facts_of
from pipeline.extraction.prompt import ExtractionAnswer
from pipeline.models import Background, Message
from pipeline.salience import INFERRED, SOLID, STATED, sureness_of
from tests.fake_answers import fact_like

PAIRS = Path(__file__).parents[2] / "data" / "grounding"
AT = datetime(2026, 3, 4, 9, tzinfo=UTC)


def taken(content: str, *said: str, quote: str | None = None, sources: tuple[int, ...] = (1,)) -> Extraction:
    messages = [Message(n, UUID(int=n), "c1", Role.USER, None, text, AT) for n, text in enumerate(said, 1)]
    fact = fact_like(content=content, quote=said[0] if quote is None else quote, sources=list(sources), mentions=[])
    return facts_of(ExtractionAnswer.model_validate({"facts": [fact]}), messages, Background())


@pytest.mark.parametrize("writer", ["pairs", "second"])
def test_labelled_pairs_end_as_expected(writer: str) -> None:
    shares = counted([(pair, end_of(pair)[0]) for pair in read_pairs(PAIRS / f"{writer}.jsonl")])

    assert shares["good"]["solid"] >= 0.88
    assert shares["good"]["refused"] <= 0.04
    assert shares["bad"]["solid"] <= 0.10


@pytest.mark.parametrize(
    ("said", "content"),
    [
        ("we've got twelve chickens now", "The user has 12 chickens."),
        ("Mein Zug geht um halb acht ab Hannover", "Der Zug des Nutzers fährt um 7:30 Uhr ab Hannover."),
        ("wir ziehen im Juni nach Muenchen", "Der Nutzer zieht im Juni nach München."),
        ("i work at sainsburys on the tills", "The user works on the tills at Sainsbury's."),
        ("My physio is called Siobahn", "The user's physiotherapist is called Siobhan."),
        ("started my phd at UCL", "The user started a PhD at University College London."),
        ("La mia compagna viene dalla Polonia", "La compagna dell'utente è polacca."),
        ("je fais du yoga tous les jeu. soir", "L'utilisateur fait du yoga tous les jeudis soir."),
        ("three and a half years in Dubai was enough", "The user spent 3.5 years in Dubai."),
        ("j'ai soixante-dix-sept ans", "L'utilisateur a 77 ans."),
        ("ho quarantadue anni", "L'utente ha 42 anni."),
        ("a hundred and twenty people are coming to the wedding", "120 people are coming to the user's wedding."),
        ("about a third of my salary goes on rent", "The user spends about 33% of their salary on rent."),
        ("Our landlord told us we have to leave by June", "The user has to move out by June."),
        ("my boss says I'm getting promoted in April!", "The user is being promoted in April."),
        ("used to smoke a pack a day, gave up in 2019", "The user quit smoking in 2019."),
        ("Wenn ich Feierabend habe, gehe ich meistens laufen", "Der Nutzer geht nach Feierabend meistens laufen."),
        ("Wir wohnen in Straßburg", "The user lives in Strasbourg."),
        ("no she moved to Leeds in May", "Her sister moved to Leeds in May."),
        ("im not vegan?? just no gluten", "The user is not vegan."),
        ("my doc says my iron is too low", "The user's iron is too low."),
        ("We moved to Bombay in 2019", "The user moved to Mumbai in 2019."),
        ("Der Wecker klingelt um fünf vor halb sieben", "Der Wecker des Nutzers klingelt um 6:25 Uhr."),
        ("Before I forget, my aunt Maud runs the bakery", "Maud, the user's aunt, runs the bakery."),
        ("La nostra vicina è moldava", "La vicina dell'utente viene dalla Moldavia."),
        ("Tuesday: Luis has three kids, the oldest plays chess", "Luis has 3 kids, the oldest plays chess."),
        ("empecé el año en 86 y medio de peso", "El usuario empezó el año con un peso de 86,5."),
        ("rent went up to nine fifty a month", "The user's rent went up to 950 a month."),
        ("mon loyer est de six cent quatre-vingts euros", "Le loyer de l'utilisateur est de 680 euros."),
        ("my aunt has run that pub since 98", "The user's aunt has run that pub since 1998."),
        ("Der Elternabend ist nicht um 8 sondern um 9", "Der Elternabend ist nicht um 20 Uhr, sondern um 21 Uhr."),
        ("we are spending half a year in Peru", "The user is spending 6 months in Peru."),
        ("my husband Walt has his operation in April", "Walt has his operation in April."),
        ("we live in Dayton if that matters", "The user lives in Dayton."),
        ("my physio says it is tendonitis", "The user's physio diagnosed tendonitis."),
        ("they gave me plot 17 in the end", "The user was given plot 17."),
        (
            "secondo me le ripetizioni online funzionano meno",
            "L'utente pensa che le ripetizioni online funzionino meno.",
        ),
        ("der Termin in Muenster ist am 12.3.", "Der Termin des Nutzers in Münster ist am 12. März 2026."),
        ("ho aspettato mezza ora il treno, quindi niente cena", "L'utente ha aspettato il treno 30 minuti."),
        ("hab ne dreiviertelstunde auf den Bus gewartet", "Der Nutzer hat 45 Minuten auf den Bus gewartet."),
        ("My cousin Sam is coming - not drum Sam!", "Sam, the user's cousin, is coming."),
        ("meine Schwägerin arbeitet in Genf", "The user's sister-in-law works in Geneva."),
        ("mi suegra es siciliana", "The user's mother-in-law is from Sicily."),
        ("le fromage de chèvre, très peu pour moi", "L'utilisateur n'aime pas le fromage de chèvre."),
        ("the hall costs 6 and a half grand", "The hall costs 6,500."),
        ("the boat was 40 grand", "The boat cost 40,000."),
        ("am Samstag nächste Woche feiern wir den Umzug", "Der Nutzer feiert am Samstag, 14. März 2026, den Umzug."),
        ("hace dos meses que me operaron", "Al usuario lo operaron el 4 de enero de 2026."),
        ("thuis zijn we met z'n zevenen", "Bij de gebruiker thuis zijn ze met 7 personen."),
        ("rent is 600, and the gym costs 35", "The gym costs the user 35."),
        ("I lift 80, wait no 75", "The user lifts 75."),
        ("hi im Tadhg, i repair harps", "Tadhg repairs harps."),
        ("ho un forno a legna, ne vado fiero", "L'utente va fiero del suo forno a legna."),
        ("de trein gaat zaterdagavond om half negen", "De trein gaat op 7 maart 2026 om 20:30."),
        ("O meu chefe mudou-se e agora trabalho com a Inês", "O utilizador trabalha agora com a Inês."),
        ("ho un gatto nero, si chiama Fumo, dorme sui libri", "L'utente ha un gatto nero di nome Fumo."),
        ("sou enfermeira em Braga e canto num coro", "A utilizadora é enfermeira em Braga e canta num coro."),
        ("a boy next door walks our dog for a tenner", "A boy next door walks the user's dog for 10."),
        ("My sister Ines and I run a kiosk", "The user and their sister Ines run a kiosk."),
        ("Ana paints and Rui sells the pictures", "Ana paints and Rui sells the pictures."),
        ("Ana only pushed Rui into the pond, he lives", "Ana only pushed Rui into the pond, and Rui lives."),
        ("I moved to Leeds last week for a new job", "User moved to Leeds"),
        ("ilk tercihim tıp", "User'ın ilk tercihi tıp"),
        ("我住在北京", "用户住在北京"),
        ("Mieszkam w Krakowie z żoną", "Użytkownik mieszka w Krakowie z żoną."),
    ],
)
def test_same_meaning_in_another_form_is_solid(said: str, content: str) -> None:
    (fact,) = taken(content, said).facts
    assert fact.stated, fact.doubts


@pytest.mark.parametrize(
    ("said", "content"),
    [
        ("the app charged me twice in May", "Double charge by the app in May"),
        ("i'm allergic to nuts", "Allergy to nuts"),
        ("Mijn afspraak bij de kapper is om drie uur", "Afspraak kapper drie uur"),
        ("do u think i've got a sprained ankle? it clicks", "The user has a sprained ankle, and it clicks."),
        ("I'm two years older than my brother Kofi", "Kofi, the user's brother, is 2 years older than the user."),
        ("Hab den Schlüssel von Frau Jansen bekommen", "Frau Jansen hat vom Nutzer den Schlüssel bekommen."),
        (
            "Anton ist in der 11. Klasse. Und Luisa, die ist in der 9. und will Medizin machen",
            "Anton will Medizin machen.",
        ),
        ("Ana paints and Rui sells the pictures", "Ana sells the pictures and Rui paints."),
        ("Mon petit frère est gaucher, moi je suis droitier", "L'utilisateur est gaucher."),
        ("My tutor is Marten; Marta teaches the other class", "The user's tutor is called Marta."),
        ("Clara runs the lab with Professor Okoye", "Clara Okoye runs the lab."),
        ("the exam is on 4 may, the results come on 29 may", "The results come on 4 May 2026."),
        ("La prueba es el viernes, y el concierto es el domingo", "El concierto es el viernes."),
        ("rent is 600, and the gym costs 35", "The gym costs the user 600."),
        ("the tour starts at the lock on the 12th of june now, not the 10th", "The tour starts on 10 June 2026."),
        ("crates, straps, gloves and a torch, all in the shed", "User shed of the and torch straps in."),
        ("pasado mañana vuelvo a Cádiz", "El usuario vuelve a Cádiz el 5 de marzo de 2026."),
        ("vandaag hebben we de schuur geverfd", "De gebruiker heeft op 3 maart 2026 de schuur geverfd."),
        ("i do drink tea, just not coffee", "The user does not drink tea."),
        ("trabalhei dois anos num navio", "O usuário trabalha num navio."),
        ("Viajé con un circo por Galicia", "El usuario viaja con un circo por Galicia."),
        ("my landlord claims the damp is my fault", "The damp is the user's fault."),
        ("my mate Sofia from Graz is coming by bike on friday", "Sofia by bike, Friday"),
        ("We kept bees by the railway for years", "The user keeps bees by the railway."),
        ("My first husband was a sailor from Hull", "The user is married to a sailor from Hull."),
        ("I don't eat pork", "The user eats pork."),
        ("I work full time at the council", "The user does not work full time at the council."),
        ("Is it worth getting a heat pump for my house?", "The user gets a heat pump."),
        ("if I ever won the lottery I'd buy a vineyard", "The user buys a vineyard."),
        ("we called off the trip to Iceland", "The user makes a trip to Iceland."),
        ("I used to play the drums", "The user plays the drums."),
        ("My neighbour says the library is closing", "The library is closing."),
        ("Mein Bruder hat sich das Bein gebrochen", "Der Nutzer hat sich das Bein gebrochen."),
        ("Tom lent Anna 50 euros", "Anna lent Tom 50 euros."),
        ("Peter meint, dass Homeoffice unproduktiv macht", "Der Nutzer meint, dass Homeoffice unproduktiv macht."),
        ("my boss drives a Tesla", "The user drives a Tesla."),
        ("vielleicht ziehe ich nach Jena", "Der Nutzer zieht nach Jena."),
        ("Ich war mal Vegetarier, aber das ist lange her", "Der Nutzer ist Vegetarier."),
        ("Femke geeft les aan Daan", "Daan geeft les aan Femke."),
        ("Tom plays bass and his cousin Owen sings", "Tom plays bass and sings."),
        ("the Lake District weekend's off", "The user is spending a weekend in the Lake District."),
        ("got a new manager at the depot", "The user has a new manager at the depot, who once served in the army."),
        ("When we were married, Steve did all the cooking.", "Steve does all the cooking."),
        ("ik heb jaren in Delft gewoond", "De gebruiker woont in Delft."),
        ("mon fils ne mange plus à la cantine", "Le fils de l'utilisateur mange à la cantine."),
        ("our spaniel's on steroids for his ears", "spaniel, steroids, ears"),
        ("Gran's cardiologist wants her off salt", "The user was told by a cardiologist to give up salt."),
        ("Thanks for your help!", "The user is thankful for the help."),
        ("our bakery is in Ludlow", "The user's bakery in Ludlow won a national prize last year."),
        ("antes vivíamos en Vigo, ahora en Lugo", "El usuario vive en Vigo."),
        ("I row to Cork with Sal in may, but her boat leaks so that's off", "The user rows to Cork with Sal in May."),
        ("the dog needs 40mg of it for ten days", "The dog needs 14 mg of it for ten days."),
        ("ok then", "!!!"),
        (
            f"I owe him {'9' * 5000} euros and 3 beers",
            f"The user owes him {'8' * 5000} euros on {'7' * 5000} March 2026.",
        ),
        ("ok then", "…"),
        ("You are great", "The assistant is great."),
        ("You are great", "You are great."),
        ("Hi there, how are you?", "The user works at a bakery there."),
        ("I moved to Leeds", "I moved to Leeds."),
        ("I saw a dentist yesterday", "The user saw a dentist yesterday."),
        ("ich war gestern beim Zahnarzt", "Der Nutzer war gestern beim Zahnarzt."),
        ("Lena paints and her friend Ruth restores clocks", "Lena paints and restores clocks."),
        ("Onkel Rolf wohnt in Kiel und Onkel Bernd sammelt Uhren", "Onkel Rolf wohnt in Kiel und sammelt Uhren."),
        ("ho venduto la barca a Renzo", "Renzo ha venduto la barca all'utente."),
        ("we hardly ever fly", "The user flies."),
        ("papa a refusé de vendre la ferme", "Le père de l'utilisateur vend la ferme."),
        ("hey what's the cheapest way to post a guitar to Malta", "The user posts a guitar to Malta."),
        ("metti che io compri un camper", "L'utente compra un camper."),
        ("Ich lerne Cello", "Der Nutzer lernt Cello wegen seiner Nichte."),
        ("The boiler man comes on Monday, between 9 and 12", "The boiler man comes on Monday, between 9 and the"),
        ("Gira voce che Piero abbia un negozio a Lecce", "Piero ha un negozio a Lecce."),
        ("I work at the harbour office", "works_at"),
        ("The dishwasher is leaking again", "The user graduated with a degree in law."),
    ],
)
def test_other_meaning_is_never_solid(said: str, content: str) -> None:
    assert not any(fact.stated for fact in taken(content, said).facts)


@pytest.mark.parametrize(
    ("content", "said", "later"),
    [
        (
            "The user will bid for the barge on Friday.",
            "gonna bid for the barge on friday",
            "spoke to my wife. we're not bidding",
        ),
        ("The team has a picnic on Friday.", "team picnic on friday!", "hi all, it's pouring, picnic is off"),
        ("User heeft op vrijdag een yogales.", "vrijdag heb ik yogales", "die yogales hoeft niet meer"),
        (
            "Der Nutzer besucht am Freitag einen Kochkurs.",
            "Freitag bin ich im Kochkurs",
            "Kurs fällt flach, Koch krank",
        ),
    ],
)
def test_plan_cancelled_by_a_later_message_is_not_solid(content: str, said: str, later: str) -> None:
    assert all(fact.stated for fact in taken(content, said, "the boiler man comes at nine").facts)
    assert not any(fact.stated for fact in taken(content, said, later).facts)


@pytest.mark.parametrize(
    ("content", "said", "quote"),
    [
        ("Priya is kind.", "Wow, Priya! You're so kind to those cats.", "You're so kind"),
        ("Ben is fostering cats.", "Wow, Priya! Fostering cats, you're so kind.", "Fostering cats, you're so kind"),
        ("Priya is a person.", "Hey Priya, what a day", "Hey Priya, what a day"),
    ],
)
def test_statement_addressed_to_somebody_is_not_solid(content: str, said: str, quote: str) -> None:
    messages = [
        Message(1, UUID(int=1), "c1", Role.USER, "Priya", "I took in two cats.", AT),
        Message(2, UUID(int=2), "c1", Role.USER, "Ben", said, AT),
    ]
    fact = fact_like(content=content, quote=quote, sources=[2], mentions=[])
    (kept,) = facts_of(ExtractionAnswer.model_validate({"facts": [fact]}), messages, Background()).facts
    assert not kept.stated


def test_possibly_misread_number_is_doubted_and_another_figure_refused() -> None:
    (fact,) = taken("The user's loan is 3.5 million.", "they gave me a loan of thirty five lakhs").facts

    assert not fact.stated
    assert taken("The user's loan is 3.5 million.", "they gave me a loan of 2000000").refused == {Refusal.UNGROUNDED: 1}


def test_name_from_another_message_of_the_conversation_makes_that_message_a_source() -> None:
    (met,) = taken(
        "The user had coffee with Priya.",
        "Priya called",
        "had coffee with her",
        quote="had coffee with her",
        sources=(2,),
    ).facts
    assert met.sources == (1, 2)


def test_quote_with_a_gap_and_a_typo_is_found_and_its_place_kept() -> None:
    said = "I've been at Halden, which nobody knows, since 2019 as a firmwear engineer"
    (fact,) = taken(
        "The user has been at Halden since 2019.", said, quote="I've been at Halden … since 2019 as a firmware engineer"
    ).facts

    assert fact.quoted == (1, 0, len(said))
    assert fact.covered == pytest.approx(0.91)


def test_quote_that_only_asks_makes_no_solid_fact() -> None:
    said = "What is the capital of Peru? Anyway, nothing else today"
    (fact,) = taken("The user works at a bakery.", said, quote="What is the capital of Peru?").facts
    assert not fact.stated


def test_correction_is_not_doubted_for_what_it_cancels() -> None:
    messages = [
        Message(n, UUID(int=n), "c1", Role.USER, None, text, AT) for n, text in enumerate(["12 clamps", SCRATCHED], 1)
    ]
    fact = fact_like(content="There must be 14 clamps.", quote=SCRATCHED, sources=[1, 2], mentions=[], corrects=True)
    (kept,) = facts_of(ExtractionAnswer.model_validate({"facts": [fact]}), messages, Background()).facts
    assert kept.stated, kept.doubts


def test_cancellation_in_an_unrelated_message_raises_no_doubt() -> None:
    (fact,) = taken("The user has the late shift.", "I have the late shift", "Ops are cancelled at least").facts
    assert fact.stated, fact.doubts


def test_figure_corrected_by_a_later_message_is_solid() -> None:
    said = ("the fair is on 9 may", "sorry, 16 may, the 9th is the dress rehearsal")
    (fact,) = taken("The fair is on 16 May 2026.", *said, sources=(1, 2)).facts
    assert fact.stated, fact.doubts


@pytest.mark.parametrize("content", ["The user's grey cat has a thyroid problem.", "The user's grey cat is 12."])
def test_what_the_assistant_adds_to_the_users_words_is_not_solid(content: str) -> None:
    pair = {
        "messages": [
            {"role": "user", "content": "my grey cat drinks a lot since the summer"},
            {"role": "assistant", "content": "At 12 that may be a thyroid problem. Is she eating?"},
            {"role": "user", "content": "like a horse. which vet is open on sunday"},
        ],
        "fact": fact_like(
            content=content, quote="my grey cat drinks a lot since the summer", sources=[1, 2], mentions=[]
        ),
    }
    assert end_of(pair)[0] != "solid"


def test_answer_to_another_speakers_question_is_solid() -> None:
    asked = Message(1, UUID(int=1), "c1", Role.USER, "Heike", "wer macht am Samstag den Grill?", AT)
    reply = Message(2, UUID(int=2), "c1", Role.USER, "Detlef", "ich mach das, wie jedes Jahr", AT)
    fact = fact_like(content="Detlef macht am Samstag den Grill.", quote=reply.content, sources=[1, 2], mentions=[])
    (kept,) = facts_of(ExtractionAnswer.model_validate({"facts": [fact]}), [asked, reply], Background()).facts
    assert kept.stated, kept.doubts


def test_yes_to_the_assistant_is_recognised_in_every_language() -> None:
    asked = Message(1, UUID(int=1), "c1", Role.ASSISTANT, None, "Klopt het dat jij de bas speelt?", AT)
    reply = Message(2, UUID(int=2), "c1", Role.USER, None, "jep klopt helemaal", AT)
    fact = fact_like(content="De gebruiker speelt bas.", quote="jij de bas speelt", sources=[1, 2], mentions=[])
    (kept,) = facts_of(ExtractionAnswer.model_validate({"facts": [fact]}), [asked, reply], Background()).facts
    assert kept.stated, kept.doubts


def test_statement_cancelled_by_a_late_message_is_not_solid() -> None:
    (fact,) = taken(
        "The user hosts the book club in May.",
        "I host the book club in May",
        "so the kitchen is flooded and the electrics are gone, the book club is cancelled",
    ).facts
    assert not fact.stated


def test_abbreviated_name_of_a_thing_may_be_expanded_and_no_other_name_used() -> None:
    said = "Our Fiesta is at the garage"
    messages = [Message(1, UUID(int=1), "c1", Role.USER, None, said, AT)]

    def is_solid(name: str) -> bool:
        mention: dict[str, object] = {
            "name": name,
            "entity_type": "concept",
            "role": "about",
            "aliases": [],
            "parent": None,
            "description": None,
        }
        fact = fact_like(content=f"The user's {name} is at the garage.", quote=said, sources=[1], mentions=[mention])
        return any(
            one.stated
            for one in facts_of(ExtractionAnswer.model_validate({"facts": [fact]}), messages, Background()).facts
        )

    assert is_solid("Ford Fiesta")
    assert not is_solid("Ford Focus")


def test_user_is_no_value_of_an_attribute() -> None:
    said = "I work at the harbour office"
    messages = [Message(1, UUID(int=1), "c1", Role.USER, None, said, AT)]
    fact = fact_like(
        content="The user works at the harbour office.",
        quote=said,
        sources=[1],
        mentions=[],
        attribute="name",
        value="user",
    )
    (kept,) = facts_of(ExtractionAnswer.model_validate({"facts": [fact]}), messages, Background()).facts
    assert (kept.attribute, kept.value) == (None, None)


def test_confidence_falls_with_the_unsaid_share_of_the_quote() -> None:
    whole, most, least = (sureness_of(stated=True, covered=covered) for covered in (1.0, 0.9, 0.5))
    assert (whole, most, least) == (STATED, 0.85, SOLID)
    assert sureness_of(stated=False, covered=1.0) == INFERRED


SCRATCHED = "Scratch that, 14 clamps"


def test_refusal_names_what_was_looked_for() -> None:
    (refused,) = taken("The user pays 1,540 to Klaus.", "I pay 1450").turned_down
    assert refused.as_json()["looked_for"] == ["Klaus", "1540"]


def test_unsaid_capitalised_word_is_doubted_and_an_unsaid_known_name_refused() -> None:
    (fact,) = taken("The user sees a doctor about Sarcoidosis.", "I see a doctor about my lungs").facts

    assert not fact.stated
    assert taken("The user sees a doctor in Paris.", "I see a doctor about my lungs").refused == {Refusal.UNGROUNDED: 1}


SUBJECTS = st.sampled_from(["I", "We", "My sister Anna", "Tom"])
DEEDS = st.sampled_from(["keep", "bought", "sold", "painted", "lost"])
THINGS = st.sampled_from(["chickens", "books", "chairs", "guitars in Leeds", "paintings from Spain"])
NUMBERS = st.integers(2, 9_999)


@settings(deadline=None)
@given(SUBJECTS, DEEDS, NUMBERS, THINGS)
def test_content_equal_to_its_message_is_never_refused(who: str, does: str, count: int, what: str) -> None:
    sentence = f"{who} {does} {count} {what}."
    assert not taken(sentence, sentence).refused


@settings(deadline=None)
@given(DEEDS, NUMBERS, NUMBERS, THINGS)
def test_other_number_is_never_solid(does: str, count: int, other: int, what: str) -> None:
    said, content = f"I {does} {count} {what}.", f"The user {does} {other} {what}."
    assert count == other or not any(fact.stated for fact in taken(content, said).facts)
