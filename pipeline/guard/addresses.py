"""Addresses that the assistant is to load, and data that it is to send away. An address that is merely named is a fact."""

import re

from pipeline.guard.screen import Screen
from pipeline.guard.words import any_of, commanded

_TOP = (
    r"(?:com|net|org|io|ai|dev|app|co|info|biz|xyz|ru|cn|de|fr|es|it|pt|br|uk|us|eu|nl|me|tv|to|sh|gg|cc|ly|site"
    r"|online|store|shop|top|cloud|tech|example|test"
    r"|invalid|local|onion|click|link|live|page|zip|pw|tk)"
)
_ADDRESS = (
    r"(?:(?:https?|ftp|wss?|file|data|javascript|gopher|ssh|hxxps?)\s?:\s?/{0,3}\s?[^\s]++|www\.\S++"
    rf"|(?<![\w@.-])(?:[\w-]{{1,63}}(?:\.|\[\.\]| dot ))+{_TOP}\b(?:/\S*+)?|\b\d{{1,3}}(?:\.\d{{1,3}}){{3}}"
    rf"(?::\d+)?(?:/\S*+)?)"
)
_MAIL = r"[\w.+-]+ ?(?:@|\(at\)|\[at\]) ?[\w-]+(?:\.[\w-]+)+"
_LOAD = (
    r"(?:visit|fetch|load|open|go to|goto|navigate to|browse(?: to)?|click(?: on)?|download|curl|wget|request|get"
    r"|post|call|ping|query|retrieve|read|access|follow|render|"
    r"display|embed|include|hit|contact|connect to|look at|look up|check|scrape|crawl|import|install|pull|execute"
    r"|run|ask|use|show|link to|send|forward|upload|submit|report|post|put|"
    r"redirect|point|direct|refer|append|add|insert|replace|log|beacon|encode|hide|place)"
)
_LOADED = Screen(rf"\b(?P<verb>{_LOAD})\b[^!?\n]{{0,120}}?(?P<address>{_ADDRESS})")
_PASSIVE = Screen(
    r"\b(?:must|should|shall|has to|have to|is to|are to|needs? to) (?:always |also |then )?be (?:posted|sent"
    r"|forwarded|uploaded|submitted|reported|loaded|fetched|opened|retrieved|"
    r"copied|mailed|transmitted|logged|written|appended|added|leaked|shown|displayed|executed|run"
    rf"|visited)\b[^!?\n]{{0,80}}?(?:{_ADDRESS}|{_MAIL})"
)
_THEN_LOADED = Screen(
    rf"{_ADDRESS}[^!?\n]{{0,60}}?\b(?P<verb>fetch|load|follow|obey|execute|apply|run|download|do|use|import|trust"
    r"|believe|render|call|query) (?:it|them|that|this|there|what|whatever|all|(?:the|its|"
    r"these|those) (?:page|link|rules?|instructions?|file|steps?|commands?|content|orders?))\b"
)
_WHENEVER = Screen(
    rf"(?:{_ADDRESS}|\blink\b|\burl\b|\baddress\b|\bpage\b)[^!?\n]{{0,120}}?\b(?:open|load|visit|fetch|ping|call"
    r"|click|request) (?:it|this|that|them) (?:whenever|each|every|when|before|after|always|if|once)\b"
    r"|\b(?<!i )(?<!we )(?:make|issue|perform|do|send) (?:an? )?(?:get|post|put|http|https|web|api)(?: get"
    rf"| post)? (?:request|call)s?\b[^!?\n]{{0,40}}?{_ADDRESS}"
)
_OWN_PAGE = re.compile(r"(?:check(?: out)?|look at|have a look at|see|read|browse) (?:out )?(?:my|our)\b")
_TO_SEE_MINE = re.compile(
    r",? (?:if you (?:want|like|fancy)(?: to \w+)?|to see|for|where i show) (?:some of |all )?(?:my|our)\b"
)
_OPENED = re.compile(r"(?:visit|open|go to|goto|navigate to|log in (?:at|to)|check)\b")
_PURPOSE = Screen(
    r"\b(?:to|for|when you|when we|before we|first step(?: to)? is|step \d) (?:book|renew|publish|deploy|submit"
    r"|register|apply|pay|order|file|report|request|reset|cancel|claim|log|sign|"
    r"enrol|enroll|track|reserve|release|expense|expenses|refunds?|bookings?|holiday|leave|vote|donate|stream|watch"
    r"|print)\w*\b|\b(?:our|my) (?:[\w-]+ )?(?:steps|runbook|checklist|routine)\b|\bsteps (?:at work|that (?:i|we))\b"
)
_WITH_DATA = re.compile(
    r"[?&=#{}$<\[]|%7b|\b(?:conversation|chat|message|memor|history|secret|password|token|key|data|prompt|answer"
    r"|reply|respond|repl)\w*|/collect|/log\b|/exfil"
)
_PICTURE = any_of(
    (
        r"!\[[^\]]{0,300}\]\s?\(\s?<?(?:https?:|//|data:|ftp:|www\.)",
        r"!\[[^\]]{0,300}\]\s?\(\s?\S*[?&{$]",
        r"!\[[^\]]{0,300}\]\s?\[[^\]]{0,100}\]",
        (
            r"<\s?(?:img|iframe|script|link|object|embed|video|audio|source|form|meta|base|svg|body|input"
            r"|style)\b[^>]{0,300}?(?:src|href|data|action|url|onload|onerror|srcset|content|poster|background)\s?="
        ),
        r"<\s?script\b",
        r"\]\(\s?(?:javascript|data|vbscript):",
        r"\[[^\]]{0,300}\]\(\s?https?:[^)]{0,300}(?:\{|%7b|\$\{|<)",
        r"\b(?:https?|hxxps?):[^\s]{0,200}[?&][\w-]{1,30}=(?:\{|%7b|\$\{|<|\[)",
    )
)
_PRIVATE = (
    r"(?:conversations?|chats?|chat (?:history|logs?)|transcripts?|messages?|history|memor(?:y|ies)|secrets?"
    r"|credentials?|passwords?|api keys?|keys|tokens?|cookies?|data|"
    r"context|system prompt|prompts?|instructions|contacts?|files?|documents?|emails?|inbox|personal (?:data"
    r"|details|information)|details|information|profile|repl(?:y|ies)|answers?|notes?)"
)
_SENT = Screen(
    r"\b(?P<verb>send|forward|post|e-?mail|upload|transmit|share|leak|exfiltrate|copy|cc|bcc|submit|report|relay"
    r"|deliver|mail|push|stream|sync|dump|write|pass|disclose|export|text|fax|encode)"
    rf"\b[^.!?]{{0,60}}?\b(?:the|this|that|these|all|our|every|each|any|user's|users'|her|his|their|your|entire"
    rf"|whole|full|everything|my)\b[^.!?]{{0,40}}?\b{_PRIVATE}\b"
    rf"[^!?]{{0,60}}?(?:\b(?:to|at|via|into|with|as|through)\b)"
)
_TO_MAIL = re.compile(
    r"\b(?P<verb>send|forward|post|e-?mail|upload|share|leak|copy|cc|bcc|submit|report|relay|mail|write"
    rf"|pass)\b[^!?]{{0,80}}?(?P<to>{_MAIL})"
)
_MONEY = Screen(
    r"\b(?P<verb>send|transfer|wire|pay|forward|route|redirect|remit|deposit|move|direct|payments? (?:must|should"
    r"|shall|always) go|donate)\b[^.!?]{0,60}?"
    r"(?:\b(?:money|payments?|funds?|salar(?:y|ies)|invoices?|balance|bitcoins?|btc|crypto|eth|usdt|savings"
    r"|refunds?|transfers?|wages|euros?|dollars?|pounds?|rent)\b|[$€£]\s?\d)"
    r"[^.!?]{0,60}?(?:\b(?:to|into|there|here|via|through)\b)"
)


_BANKING = Screen(
    r"\b(?:standing orders?|direct debits?|landlord|landlady|rent|mortgage|savings account|pension|allowance"
    r"|pocket money)\b"
)
_WHOLESALE = re.compile(
    r"\b(?:always|all|any|future|whenever|everything|assistant|ai|bot|your|(?:every|each) (?:payments?|invoices?"
    r"|transfers?))\b"
    r"|\b[a-z]{2}\d{2}(?: ?\w{4}){3}|\b(?:bitcoin|btc|crypto|eth|usdt|wallet)\b"
)


def addresses(text: str) -> bool:
    """Whether a text has the assistant load an address, or shows a picture that would be loaded when it is rendered."""
    if _PICTURE.search(text) or _PASSIVE.search(text) or _WHENEVER.search(text):
        return True
    if any(commanded(text, match.start("verb")) for match in _THEN_LOADED.finditer(text)):
        return True
    return any(commanded(text, match.start("verb")) and not _is_taught(text, match) for match in _LOADED.finditer(text))


def sends_away(text: str) -> bool:
    """Whether a text has the assistant send what it knows, or money, to somebody."""
    found = (match for pattern in (_SENT, _TO_MAIL) for match in pattern.finditer(text))
    if any(commanded(text, match.start("verb")) for match in found):
        return True
    return not _is_banking(text) and any(commanded(text, match.start("verb")) for match in _MONEY.finditer(text))


def _is_banking(text: str) -> bool:
    """ "Set up a standing order: send £200 to my landlord" is a person's own business, of one sum and one receiver."""
    return bool(_BANKING.search(text)) and _WHOLESALE.search(text) is None


def _is_taught(text: str, match: re.Match[str]) -> bool:
    """ "To renew the permit, open https://… and sign in" is a step of a person's work."""
    before = text[max(0, match.start() - 120) : match.start()]
    own = _OWN_PAGE.match(match.group()) or (
        _OPENED.match(match["verb"] + " ") and _TO_SEE_MINE.match(text, match.end())
    )
    if own and not _WITH_DATA.search(match["address"]):
        return True
    return bool(
        _OPENED.match(match["verb"] + " ")
        and _PURPOSE.search(before)
        and not _WITH_DATA.search(match["address"])
        and not _WITH_DATA.search(text[max(0, match.start() - 120) : match.start("address")])
    )
