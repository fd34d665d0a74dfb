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
        ("my nan was a codebreaker, never said a word", "The user's nan was a codebreaker."),
        ("I was promoted to shift manager at Lidl", "The user is a shift manager at Lidl."),
        ("Me and Gwil took over the chippy back in 2014", "The user and Gwil took over the chippy in 2014."),
        ("Been a midwife since I was 27", "The user has been a midwife since the age of 27."),
        ("Wurst kann ich nicht mehr sehen", "Der Nutzer kann keine Wurst mehr sehen."),
        ("vivo a Lecce con due studenti", "L'utente vive a Lecce con due studenti."),
        ("ik werk als conciërge in Assen", "De gebruiker is conciërge in Assen."),
        ("a minha mulher, a Iracema, é do Pará", "Iracema, a mulher do usuário, é do Pará."),
        ("Il mio coinquilino Nico russa e lunedì ho l'esame", "L'utente ha l'esame lunedì."),
        ("we got a greyhound on sunday, she is called Nettle", "The user got a greyhound called Nettle."),
        ("theres a lad in my year 9 set, Felix, reads Tolstoy", "Felix, in the user's year 9 set, reads Tolstoy."),
        ("my gran swears by goose fat, anyway i've had a cough for weeks", "The user has had a cough for weeks."),
        (
            "up before Easter i hope, the second polytunnel",
            "The user hopes to have the second polytunnel up before 5 April 2026.",
        ),
        (
            "Ich koche seit Aschermittwoch auf dem Campingkocher",
            "Der Nutzer kocht seit dem 18. Februar 2026 auf dem Campingkocher.",
        ),
        ("Morgen in einer Woche hab ich die Prüfung", "Der Nutzer hat am 12. März 2026 die Prüfung."),
        ("Wir sind 4 Frauen und wandern im Mai", "Die Nutzerin wandert im Mai mit drei anderen Frauen."),
        ("lavoro qui da quando avevo 19 anni, ora ne ho 44", "L'utente ha 44 anni e lavora qui da quando ne aveva 19."),
        ("on holiday in Bern from 2 to 11 April", "The user is on holiday in Bern from 2 April to 11 April."),
        ("rent went up from 800 to 900", "The user's rent was 800."),
        ("fri: hire the van, sat: set up the tent", "The user sets up the tent on Saturday."),
        ("the neighbour says it's mine but I paid for the fence", "The user paid for the fence."),
        ("A Candela le robaron el portátil", "A Candela le robaron el portátil."),
        ("Dr. Mensah did my scan", "Dr. Mensah did the user's scan."),
        ("we don't mind cats", "The user does not mind cats."),
        ("used to smoke 20 a day, quit in 2018", "The user quit smoking in 2018."),
        ("war 12 Jahre bei einer Werft in Papenburg", "Der Nutzer arbeitete 12 Jahre bei einer Werft in Papenburg."),
        (
            "parle comme si j'avais dix ans, j'ouvre une fromagerie à Cahors",
            "L'utilisateur ouvre une fromagerie à Cahors.",
        ),
        ("20 mg of Lexapro in the morning and 5 mg of melatonin", "The user takes 5 mg of melatonin."),
        ("According to the vet my dog has arthritis", "The user's dog has arthritis."),
        ("Will Smith is my boss", "Will Smith is the user's boss."),
        ("Did I mention I'm allergic to nuts", "The user is allergic to nuts."),
        ("Tengo 2 hijos de 8 y 10 años", "Los 2 hijos del usuario tienen 8 y 10 años."),
        ("We're going to Rome from the 3rd to the 9th of March", "The user is going to Rome on 3 March 2026."),
        ("My mum who was a nurse lives in Leeds", "The user's mum lives in Leeds."),
        ("i dj on fridays", "The user DJs on Fridays."),
        ("War letzte Woche krank. Montag arbeite ich wieder", "Der Nutzer arbeitet ab Montag, 9. März 2026, wieder."),
        ("I've got 12 sheep, sorry, also 7 goats", "The user has 12 sheep."),
        ("Le médecin dit que mon oeil est infecté", "L'oeil de l'utilisateur est infecté."),
        (
            "insurance say they'll cover 60 percent of the roof",
            "The user's insurance says it will cover 60% of the roof.",
        ),
        ("suono il fagotto da quando avevo dodici anni", "L'utente suona il fagotto dall'età di 12 anni."),
        ("adotei um gato ontem, se chama Paçoca", "O usuário adotou um gato chamado Paçoca."),
        ("não tenho carro nem quero", "O usuário não tem carro nem quer ter."),
        ("rent is 1150, electric about 70 on top", "The user pays 1150 in rent and about 70 for electric."),
        ("she's 14 kilos, the seat takes 25 kilos", "The seat takes 25 kilos."),
        ("two carrots a day, and he weighs 9kg", "He weighs 9 kg."),
        ("1. Ilse is vegan now\n2. Bram turned 15", "Bram turned 15."),
        ("nights 16th to 20th, then off to Bern on the 22nd", "The user works nights from 16 to 20 March 2026."),
        ("Anna kept the flat in Graz, Karl moved to Linz", "Karl moved to Linz, and Anna kept the flat in Graz."),
        ("were arriving on 9 may now", "The user is arriving on 9 May."),
        (
            "Leaving do's cancelled, the Anchor double booked",
            "The user's leaving do is cancelled because the Anchor double booked.",
        ),
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
        ("We had chickens for years, right up until the fox", "The user keeps chickens."),
        ("Hettie chaired the residents' association up to 2023", "Hettie is the chair of the residents' association."),
        ("éramos onze no lar, hoje somos vinte", "Há onze pessoas no lar."),
        ("avant la fac je faisais du handball", "L'utilisateur joue au handball."),
        ("Antes daba clases de flamenco", "El usuario da clases de flamenco."),
        ("Pass, Foto, Frau Tetzlaff anrufen, Gebühr 37 €", "Der Nutzer Pass Foto Frau Tetzlaff 37 Gebühr noch."),
        ("the audit's been pushed from the 10th to the 24th", "The audit is on 10 March 2026."),
        ("got through 11 of 40 flashcard decks", "The user has got through 40 flashcard decks."),
        ("le rendez-vous est le 17 mai, oups non, le 7", "Le rendez-vous de l'utilisateur est le 17 mai 2026."),
        ("La finale è sabato 14, non domenica 15", "La finale è domenica 15 marzo."),
        ("Rent goes up in June not May", "The user's rent goes up in May."),
        (
            "thurs: feed the hens, fri: hire van, sat: set up marquee",
            "The user is setting up the marquee on Friday, 6 March 2026.",
        ),
        ("volgende week woensdag komt de monteur", "De monteur komt op 18 maart 2026."),
        (
            "My bunkmate on the rig is Karl, the cook is Lars.",
            "Lars, the user's bunkmate on the rig, is a cook.",
        ),
        ("A juíza é a Dra. Felismina e a advogada é a Dra. Otília", "A Dra. Felismina é a advogada."),
        ("Jannis fährt den Bus und Ewald repariert die Traktoren", "Jannis fährt den Bus und repariert die Traktoren."),
        ("Femke heeft haar broer Jorrit geld geleend", "Jorrit heeft zijn zus Femke geld geleend."),
        ("A Candela le robaron el portátil, a mí el paraguas", "Al usuario le robaron el portátil."),
        ("a customer's lurcher ate the cake", "The user's lurcher ate the cake."),
        ("Le he dado clases a la hija del alcalde, aprobó", "La hija del usuario aprobó."),
        ("Volgens Gijs ga ik volgend jaar opslag krijgen", "De gebruiker krijgt volgend jaar opslag."),
        ("Laut Vermieter hab ich den Schaden verursacht, Quatsch", "Der Nutzer hat den Schaden verursacht."),
        ("is Gustavo leading the migration or is that up in the air", "Gustavo is leading the migration."),
        ("We don't mind cats at all", "The user dislikes cats."),
        ("J'adore le fromage mais le médecin m'a mis au régime sans sel", "L'utilisateur n'aime pas le fromage."),
        ("Paid 240 for the vet then another 85 for the tablets", "The user paid 240 for the tablets."),
        ("Aniversário da Ana é dia 22 e o do Rui dia 29", "O aniversário da Ana é no dia 29."),
        ("Stipendio 1.650 netti, affitto 720, palestra 45", "L'utente paga 1.650 euro di affitto."),
        (
            "Vaccin le 20 mars chez le Dr Lemoigne, et visite des 2 ans le 3 avril",
            "La visite des 2 ans est le 20 mars 2026.",
        ),
        ("Had lunch with Nell at Luca's, then drinks at The Anchor", "The user had lunch with Nell at The Anchor."),
        ("De nieuwe fiets is een Gazelle, mijn oude Batavus staat te koop", "De nieuwe fiets is een Batavus."),
        (
            "Karl spielt Handball beim TSV Dinkelhausen, sein Bruder kickt beim SC Rohrbeck",
            "Karl spielt Handball beim SC Rohrbeck.",
        ),
        (
            "Anna the landlady and her brother Karl came round. Karl fixed the tap, she moaned about the bikes",
            "Karl moaned about the bikes and Anna, the landlady, fixed the tap.",
        ),
        (
            "Organiser = Karl Tranter, he's a judge now. DJ = Anna Boyle, she owns a nursery",
            "Karl Tranter owns a nursery.",
        ),
        ("My sis says the doctor got the dosage wrong", "The doctor got the dosage wrong."),
        ("We have 4 children", "The user has 3 children."),
        ("I put 4 children to bed on my own", "The user put three children to bed."),
        ("According to my ex, I'm a bad driver", "The user is a bad driver."),
        ("My exam is on the 12th. Not the 10th.", "The user's exam is on 10 March 2026."),
        ("My sister's flat had mould", "The flat of the user's sister has mould."),
        ("I was working as a dentist", "The user works as a dentist."),
        ("Eu trabalhava num museu", "O usuário trabalha num museu."),
        ("Ich fliege an Mariä Himmelfahrt", "Der Nutzer fliegt am 14. Mai 2026."),
        ("Nasci em São João da Madeira", "O usuário nasceu em 24 de junho em São João da Madeira."),
        ("I'm 44. I run 10 km", "The user runs 44 km."),
        ("My van went from 720 to 800 a month", "The user's van costs 720 a month."),
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


def test_quote_that_says_nothing_of_the_fact_makes_no_solid_fact() -> None:
    said = "The dishwasher is leaking again. My grandad was a lighthouse keeper"
    content = "The user's grandad was a lighthouse keeper."
    assert not any(fact.stated for fact in taken(content, said, quote="The dishwasher is leaking again").facts)
    assert all(fact.stated for fact in taken(content, said, quote="My grandad was a lighthouse keeper").facts)


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
