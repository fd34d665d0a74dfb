"""Orders to load an address, or to send away what was said, mail or money."""

import re

from pipeline.safety.imperatives import ordered
from pipeline.safety.screen import Screen


def addresses(text: str) -> bool:
    """Whether a text has the assistant load an address, or holds a picture that loads when it is shown."""
    return _PLAIN.search(text) is not None or any(not _is_taught(text, match) for match in ordered(text, _LOADED))


def sends_away(text: str) -> bool:
    """Whether a text has the assistant send somebody what it knows, or money.

    "Set up a standing order: send £200 to my landlord" is a person's own business: one sum, one receiver.
    """
    own_business = _BANKING.search(text) is not None and _WHOLESALE.search(text) is None
    return any(ordered(text, _SENT)) or (not own_business and any(ordered(text, _MONEY)))


def _is_taught(text: str, match: re.Match[str]) -> bool:
    """ "To renew the permit, open https://… and sign in" is a step of a person's work."""
    before = text[max(0, match.start() - 120) : match.start("address")]
    if not _OPENED.match(match["verb"]) or _WITH_DATA.search(match["address"]):
        return False
    return bool(_OWN.search(match.group()) or (_PURPOSE.search(before) and not _WITH_DATA.search(before)))


_TOP = (
    r"(?:com|net|org|io|ai|dev|app|co|info|biz|xyz|ru|cn|de|fr|es|it|pt|br|uk|us|eu|nl|me|tv|to|sh|gg|cc|ly|site"
    r"|online|store|shop|top|cloud|tech|example|test|invalid|local|onion|click|link|live|page|zip|pw|tk)"
)
_ADDRESS = (
    r"(?:(?:https?|ftp|wss?|file|data|javascript|gopher|ssh|hxxps?)\s?:\s?/{0,3}\s?[^\s]++|www\.\S++"
    rf"|(?<![\w@.-])(?:[\w-]{{1,63}}(?:\.|\[\.\]| dot ))+{_TOP}\b(?:/\S*+)?"
    r"|\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?(?:/\S*+)?)"
)
_MAIL = r"[\w.+-]+ ?(?:@|\(at\)|\[at\]) ?[\w-]+(?:\.[\w-]+)+"
_LOAD = (
    r"(?:visit|fetch|load|open|go to|goto|navigate to|browse(?: to)?|click(?: on)?|download|curl|wget|request|get"
    r"|post|call|ping|query|retrieve|read|access|follow|render|display|embed|include|hit|contact|connect to|look at"
    r"|look up|check|scrape|crawl|import|install|pull|execute|run|ask|use|show|link to|send|forward|upload|submit"
    r"|report|put|redirect|point|direct|refer|append|add|insert|replace|log|encode|hide|place)"
)
_LOADED = Screen(rf"\b(?P<verb>{_LOAD})\b[^!?\n]{{0,120}}?(?P<address>{_ADDRESS})")
_PLAIN = Screen(
    r"!\[[^\]]{0,300}\]\s?\(\s?<?(?:https?:|//|data:|ftp:|www\.|\S*[?&{$])|!\[[^\]]{0,300}\]\s?\[[^\]]{0,100}\]",
    r"<\s?(?:img|iframe|script|link|object|embed|video|audio|source|form|meta|base|svg|body|input"
    r"|style)\b[^>]{0,300}?(?:src|href|data|action|url|onload|onerror|srcset|content|poster|background)\s?=",
    r"\b(?:https?|hxxps?):[^\s]{0,200}[?&][\w-]{1,30}=(?:\{|%7b|\$\{|<|\[)",
    r"\b(?:must|should|shall|has to|have to|is to|are to|needs? to) (?:always |also |then )?be (?:post|send|sent"
    r"|forward|upload|submit|report|load|fetch|open|retriev|cop|mail|transmit|log|writ|append|add|leak|show|display"
    rf"|execut|run|visit)\w*\b[^!?\n]{{0,80}}?(?:{_ADDRESS}|{_MAIL})",
)
_OPENED = re.compile(r"(?:visit|open|go to|goto|navigate to|log in (?:at|to)|check|look at|see|read)\b")
_OWN = re.compile(r"^\w+(?: out| at)? (?:my|our)\b")
_PURPOSE = Screen(
    r"\b(?:to|for|when you|when we|before we|first step(?: to)? is|step \d) (?:book|renew|publish|deploy|submit"
    r"|register|apply|pay|order|file|report|request|reset|cancel|claim|log|sign|enroll?|track|reserve|release"
    r"|expenses?|refunds?|holiday|leave|vote|donate|stream|watch|print)\w*\b|\b(?:our|my) (?:[\w-]+ )?(?:steps"
    r"|runbook|checklist|routine)\b|\bsteps (?:at work|that (?:i|we))\b"
)
_WITH_DATA = re.compile(
    r"[?&=#{}$<\[]|%7b|\b(?:conversation|chat|message|memor|history|secret|password|token|key|data|prompt|answer"
    r"|reply|respond|repl)\w*|/collect|/log\b|/exfil"
)
_PRIVATE = (
    r"(?:conversations?|chats?|chat (?:history|logs?)|transcripts?|messages?|history|memor(?:y|ies)|secrets?"
    r"|credentials?|passwords?|api keys?|keys|tokens?|cookies?|data|context|system prompt|prompts?|instructions"
    r"|contacts?|files?|documents?|emails?|inbox|details|information|profile|repl(?:y|ies)|answers?|notes?)"
)
_SENT = Screen(
    r"\b(?P<verb>send|forward|post|e-?mail|upload|transmit|share|leak|exfiltrate|copy|cc|bcc|submit|report|relay"
    r"|deliver|mail|push|stream|sync|dump|write|pass|disclose|export|text|fax|encode)\b[^.!?]{0,60}?\b(?:the|this"
    r"|that|these|all|our|every|each|any|users?'s?|her|his|their|your|entire|whole|full|everything"
    rf"|my)\b[^.!?]{{0,40}}?\b{_PRIVATE}\b[^!?]{{0,60}}?(?:\b(?:to|at|via|into|with|as|through)\b)",
    r"\b(?P<verb>send|forward|post|e-?mail|upload|share|leak|copy|cc|bcc|submit|report|relay|mail|write"
    rf"|pass)\b[^!?]{{0,80}}?{_MAIL}",
)
_MONEY = Screen(
    r"\b(?P<verb>send|transfer|wire|pay|forward|route|redirect|remit|deposit|move|direct|donate|payments? (?:must"
    r"|should|shall|always) go)\b[^.!?]{0,60}?(?:\b(?:money|payments?|funds?|salar(?:y|ies)|invoices?|balance"
    r"|bitcoins?|btc|crypto|eth|usdt|savings|refunds?|transfers?|wages|euros?|dollars?|pounds?|rent)\b"
    r"|[$€£]\s?\d)[^.!?]{0,60}?(?:\b(?:to|into|there|here|via|through)\b)"
)
_BANKING = Screen(
    r"\b(?:standing orders?|direct debits?|landlord|landlady|rent|mortgage|savings account|pension|allowance|pocket money)\b"
)
_WHOLESALE = re.compile(
    r"\b(?:always|all|any|future|whenever|everything|assistant|ai|bot|your|(?:every|each) (?:payments?|invoices?"
    r"|transfers?))\b|\b[a-z]{2}\d{2}(?: ?\w{4}){3}|\b(?:bitcoin|btc|crypto|eth|usdt|wallet)\b"
)
