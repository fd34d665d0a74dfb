"""WhatsApp's exported chat: lines of Android or iOS, with dates, times and words of the phone's language."""

from collections import Counter
from collections.abc import Iterator
from datetime import datetime, tzinfo
from re import Match
from typing import Final, Literal

from mosshead.errors import InvalidEvent
from mosshead.history.archive import Archive
from mosshead.history.message import Entry, HistoryMessage, OmittedEntry, in_zone, joined_id
from mosshead.patterns import lazy_pattern

DateOrder = Literal["day", "month", "year"]

HEADER = lazy_pattern(
    r"[\u200e\u200f\u202a-\u202e]*(\[)?(\d{1,4})[./-]\s?(\d{1,2})[./-]\s?(\d{2,4})\.?,?\s(?:[a-zà-ÿ ]{1,8}\s)?"
    r"(\d{1,2})[:.](\d\d)(?:[:.](\d\d))?(?:\s?([AaPp])\.?\s?[Mm]\.?)?(?(1)\]|\s[-–])\s(.*)"
)
"""The start of a message: a date and a time, in brackets or before a dash."""

_SENDER = lazy_pattern(r"([^:\"“”„«»]{1,100}):(?:\s(.*)|$)")
"""The sender: a name has no quotation mark, unlike a notice about a group's new name."""

_MARKS = lazy_pattern(r"[\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_EDITED = lazy_pattern(
    r"\s*\u200e?<[^<>]*(?:edited|bearbeitet|editó|editado|editada|modifié|modificato|bewerkt)[^<>]*>\s*$"
)
_GONE = (
    "omitted|weggelassen|ausgeschlossen|omitid[oa]s?|omis|omise|absente?|ocult[oa]|ocultad[oa]|omess[oaie]|weggelaten"
)
_OMITTED = lazy_pattern(rf"\u200e(?:\w+[ -]){{1,4}}(?:{_GONE})$")
_MEDIA = lazy_pattern(
    rf"<(?:\w+[ -]){{1,4}}(?:{_GONE})>|<(?:attached|Anhang|adjunto|pièce jointe|anexo|allegato|bijlage|bijgevoegd) ?: .*>"
    r"|.*\.\w{2,5} \((?:file attached|Datei angehängt|archivo adjunto|fichier joint|arquivo anexado|file allegato"
    r"|bestand bijgevoegd)\)|null"
)
"""The first line of a message with a picture or a file; its caption follows."""

_FILE_NAME = lazy_pattern(r".*\.\w{2,5}(?: • .*)?")
_DELETED = lazy_pattern(
    r"(?:This message was deleted|You deleted this message|Diese Nachricht wurde gelöscht|Du hast diese Nachricht gelöscht"
    r"|Se eliminó este mensaje|Este mensaje fue eliminado|Eliminaste este mensaje|Ce message a été supprimé"
    r"|Vous avez supprimé ce message|(?:Esta )?[Mm]ensagem (?:foi )?apagada|Você apagou esta mensagem"
    r"|Questo messaggio è stato eliminato|Hai eliminato questo messaggio|Dit bericht is verwijderd"
    r"|(?:U hebt|Je hebt) dit bericht verwijderd)\.?"
)
_COPY = lazy_pattern(r"\s\(\d+\)$")
_NO_NAME: Final = frozenset({"_chat", "chat"})


def whatsapp_messages(
    archive: Archive, name: str, zone: tzinfo | None, order: DateOrder | None = None
) -> Iterator[Entry]:
    """Yield a chat's messages.

    zone: of its times; None for this machine's. order: of its dates; None detects it from the whole file. Raises InvalidEvent,
    which names the invalid line, or asks for the order if it is ambiguous.
    """
    order = order or _order(archive, name)
    stem = name.rpartition("/")[2].removesuffix(".txt")
    chat = _COPY.sub("", archive.stem if stem in _NO_NAME else stem)[:200]
    same: Counter[tuple[str, str]] = Counter()
    minute: datetime | None = None
    for number, head, text in _blocks(archive, name):
        where = f"{archive.named(name)}, line {number}"
        said = _time(head, order, where)
        entry = _said(text)
        if isinstance(entry, OmittedEntry):
            yield entry
            continue
        if said != minute:
            same.clear()
            minute = said
        same[entry] += 1
        speaker, content = entry
        source_id = joined_id(chat, said.isoformat(), speaker, same[entry], content)
        yield HistoryMessage(where, source_id, chat, content, in_zone(said, zone), speaker=speaker)


def _blocks(archive: Archive, name: str) -> Iterator[tuple[int, Match[str], str]]:
    """Yield each message with the number of its first line, its header, and the text after it."""
    first, head, lines = 0, None, [""]
    with archive.text(name) as source:
        for number, line in enumerate(source, 1):
            line = line.rstrip("\r\n")  # noqa: PLW2901 - its end says nothing
            if found := HEADER.match(line):
                if head:
                    yield first, head, "\n".join(lines)
                first, head, lines = number, found, [found.group(9)]
            elif head:
                lines.append(line)
            elif line.strip():
                raise InvalidEvent(f"{archive.named(name)}, line {number}: does not begin with a date and a time")
    if head:
        yield first, head, "\n".join(lines)


def _said(text: str) -> tuple[str, str] | OmittedEntry:
    found = _SENDER.match(text)
    if not found:
        return OmittedEntry("a notice of the app")
    speaker = _MARKS.sub("", found.group(1)).strip().lstrip("~\u202f\xa0 ")
    raw = _EDITED.sub("", (found.group(2) or "") + text[found.end() :])
    content = _MARKS.sub("", raw).strip()
    if _DELETED.fullmatch(content):
        return OmittedEntry("deleted")
    content = _beside_media(raw)
    if not content:
        return OmittedEntry("a picture, sound or file")
    if raw.startswith("\u200e"):
        return OmittedEntry("a notice of the app")
    return speaker, content


def _beside_media(raw: str) -> str:
    """Return a message's text without the marks of pictures and files: above a mark on iOS, below it on Android."""
    said = _OMITTED.sub("", raw)
    first, _, rest = _MARKS.sub("", said).strip().partition("\n")
    if _MEDIA.fullmatch(first) or (said != raw and _FILE_NAME.fullmatch(first)):
        return rest.strip()
    return f"{first}\n{rest}".strip()


def _order(archive: Archive, name: str) -> DateOrder:
    """Detect which number of a date is the day: one above 12, or else the order in which times never go backwards."""
    first = second = False
    back = {"day": 0, "month": 0}
    last: dict[str, tuple[int, ...]] = {}
    for _, head, _ in _blocks(archive, name):
        a, b, c = head.group(2, 3, 4)
        if len(a) == 4:
            return "year"
        first, second = first or int(a) > 12, second or int(b) > 12
        for order, (month, day) in {"day": (b, a), "month": (a, b)}.items():
            date = (int(c), int(month), int(day))
            back[order] += date < last.get(order, date)
            last[order] = date
    if first != second:
        return "day" if first else "month"
    if back["day"] != back["month"] and not first:
        return "day" if back["day"] < back["month"] else "month"
    raise InvalidEvent(
        f"{archive.named(name)}: its dates may be day first or month first; pass --date-order day or month"
    )


def _time(head: Match[str], order: DateOrder, where: str) -> datetime:
    a, b, c, hour, minute, second = (int(one or 0) for one in head.group(2, 3, 4, 5, 6, 7))
    year, month, day = {"day": (c, b, a), "month": (c, a, b), "year": (a, b, c)}[order]
    if half := head.group(8):
        hour = hour % 12 + (12 if half in "pP" else 0)
    try:
        return datetime(year + 2000 if year < 100 else year, month, day, hour, minute, second)  # noqa: DTZ001 - as the phone had it
    except ValueError:
        raise InvalidEvent(f"{where}: no such date with the {order} first; pass --date-order day or month") from None
