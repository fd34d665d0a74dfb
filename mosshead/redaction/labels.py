"""What a label before a number or a token says that it is: an order, a phone, a commit, a checksum; then it is no secret."""

from mosshead.patterns import lazy_pattern
from mosshead.redaction.folding import in_small

_THINGS = (
    "order|invoice|tracking|booking|reservation|serial|imei|isbn|issn|ean|upc|gtin|barcode|sku|shipment|parcel|package|awb|waybill|"
    "membership|loyalty|meter|vin|po|rma|transaction|id|ids|phone|tel|telephone|fax|extension|ext|receipt|consignment|"
    "bestellung|bestellnummer|auftrag|auftragsnummer|rechnung|rechnungsnummer|sendung|sendungsnummer|sendungsverfolgung|"
    "paketnummer|kundennummer|vertragsnummer|aktenzeichen|seriennummer|telefon|vorgang|vorgangsnummer|artikelnummer|"
    "commande|facture|suivi|colis|pedido|factura|seguimiento|ordine|fattura|spedizione|encomenda|fatura|rastreio"
)
# Words that lead up to anything ("for reference: …", "in this case: …"), so that they must say that a number follows.
_MAYBE = (
    "reference|ref|case|ticket|part|policy|member|model|article|item|product|lot|batch|mobile|asset|claim|file|document|job|build|"
    "run|issue|delivery|registration|customer|client|supplier|vendor|contract|confirmation|account|track|device|unit|student|employee"
)
_HASHES = (
    r"commit|commits|revision|rev|sha|sha-?\d+|md5|hash|hashes|checksum|digest|etag|fingerprint|integrity|cid|"
    r"ipfs|address|tx|"
    r"txid|txhash|block|image|base64|uuid|guid|trace|span|blob|object|tree|branch|tag|container|layer|pubkey|public key"
)
_NUMBER = r"[ \-_]?(?:number|numbers|no|nr|num|nummer|numero|id|code|#)"
_GLUE = (
    r"(?:[\s:#=.(\[\"'`\-]|\b(?:number|numbers|no|nr|num|id|code|is|was|are|ist|lautet|war|nummer|numero|n|est|es|"
    r"e|called|the|de|"
    r"del|di|do)\b|[\u00b0\u00ba])*"
)
_THING = lazy_pattern(rf"(?<![a-z])(?:(?:{_THINGS})s?|(?:{_MAYBE})s?{_NUMBER})(?![a-z]){_GLUE}\Z")
_HASH = lazy_pattern(rf"(?<![a-z])(?:{_HASHES})(?![a-z]){_GLUE}\Z")
_CARD = lazy_pattern(r"(?<![a-z])(?:cards?|visa|mastercard|amex|cc|karte|tarjeta|carte|carta)(?![a-z])[^,;.!?\n]*\Z")
_LOOKS_BACK = 48


def names_a_thing(text: str, start: int) -> bool:
    """Whether the words right before a place say that what stands there is the number of an order, a parcel, a phone, …"""
    before = in_small(text[max(start - _LOOKS_BACK, 0) : start])
    label = _THING.search(before)
    # "the card for the order is …"
    return label is not None and not _CARD.search(before[: label.start()])


def names_a_hash(text: str, start: int) -> bool:
    """Whether the words right before a place say that what stands there is a hash, an address or an image."""
    return bool(_HASH.search(in_small(text[max(start - _LOOKS_BACK, 0) : start])))
