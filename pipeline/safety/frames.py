"""Text that poses as another turn or as the frame of a prompt: "SYSTEM:", "[INST]", "### Instruction", "END OF CONTEXT"."""

import re

from pipeline.safety.screen import Screen
from pipeline.safety.vocabulary import any_of, commanded, named

_NAMES = (
    r"(?:system|assistant|developer|operator|admin(?:istrator)?|root|moderator|tool|function|ipython|chatgpt|claude"
    r"|gpt-?\d?|ai|openai|anthropic|mosshead|memory (?:system|manager|service))"
)

_LABEL = (
    r"(?:prompts?|messages?|notes?|notices?|instructions?|overrides?|updates?|alerts?|commands?|directives?|rules?"
    r"|policy|policies|announcement|warning|log|turn|config(?:uration)?|memory|error|reminder|role)"
)

_MARKS = any_of(
    (
        (
            r"<\s?/?\s?(?:memor(?:y|ies)|system|assistant|user|human|developer|instructions?|prompt|context"
            r"|conversation|chat|messages?|rules?|admin|sys|s|im_start|im_end|inst|data|document|untrusted|input"
            r"|output|notes?|secret|important|override|thinking|answer|response|policy"
            r"|role)(?:[\s_-][^<>]{0,60})?/?\s?>"
        ),
        (
            r"<\|[^|<>]{1,40}\|>|<<\s?/?\s?sys\s?>>|\[\s?/?\s?(?:inst|sys|system)\s?\]|<｜[^｜]{1,40}｜>|<(?:start"
            r"|end)_of_turn>|<\s?eos\s?>|\beot_id\b|\bim_(?:start|end)\b"
        ),
        (
            r"(?:^|[\s;>])#{1,6} ?(?:(?:new|updated|additional|important|real|hidden|end|begin|start|your|the|of"
            rf"|response|critical) )*(?:{_NAMES}|instructions?|prompts?|rules?|response|human|input|context|override"
            r"|task)\b(?! (?:to|for|at|of|on|in|from|that|which)\b)"
        ),
        (
            r"[\[({*<]\s?(?:(?:new|important|internal|hidden|urgent|begin|end|start|from|the"
            rf"|of) )*{_NAMES}(?: {_LABEL})*\s?[\])}}*>:]"
        ),
        rf"[\[({{<]\s?(?:(?:new|important|internal|hidden|urgent|critical) )*(?:{_NAMES} )+{_LABEL}\b",
        (
            r"\b(?:begin|start|end|close|beginning)(?:ing)? (?:of )?(?:(?:the|this|all|your|user|system|previous|new"
            r"|untrusted|trusted|retrieved) )*(?:context|prompts?|system prompts?|system message|instructions?"
            r"|conversation|memories|memory block|user (?:input|message|data|text)|messages|untrusted (?:data|input"
            r"|text)|data block|facts|known names|earlier messages|document|transcript|input|quoted text|notes|fence"
            r"|session)(?=\s*(?:$|[-=.:;,!\"'\]>)*#|]|now\b|new\b|system\b|begin\b|start\b))"
        ),
        (
            r"(?:[-=*_#~]{3,})\s?(?:end|begin|start|new|system|developer|admin|operator|assistant|instructions?"
            r"|context|prompt|session|ignore|override|conversation)\b"
        ),
        (
            r"[{,;]\s?[\"']?(?:\w+[_ -])?(?:assistant|ai|model|agent|system|bot|llm|developer|operator"
            r"|copilot)[_ -](?:directives?|instructions?|notes?|hints?|guidance|polic(?:y|ies)|prompts?|actions?"
            r"|commands?|rules?|overrides?|behaviou?r|task|message)[\"']?\s?[:=]"
        ),
        r"'{3}\s?(?:system|assistant|developer|instructions?|prompt)\b",
        r"[\"']\w*_(?:for|to)_(?:the_)?(?:model|assistant|ai|agent|llm|bot)[\"']\s?:",
        (
            r":\s?[\"'](?:system|developer|admin|assistant|operator)[_ -]?(?:update|message|instruction|prompt|note"
            r"|notice|override|command|directive)s?[\"']"
        ),
        r"[{,;]\s?[\"'](?:hidden_|internal_)?(?:instructions?|directives?|guidance)[\"']\s?:\s?[\"']",
        (
            r"<\s?/?(?:[\w]+[_-])*(?:system|assistant|instructions?|directives?|override|prompt|agent|policy|ai|llm"
            r"|admin|operator|developer|model|memory)(?:[_-]\w+)+(?:\s[^<>]{0,80})?/?\s?>|<\s?(?:agent|ai|llm|model"
            r"|operator|override|directive|guidance)(?:\s[^<>]{0,80})?\s?>"
        ),
        r"[\"'](?:role|author|sender|from|speaker)[\"']\s?:\s?[\"'](?:system|assistant|developer|tool|user|function)",
        (
            r"\b(?:(?:new|updated|additional|revised|important|urgent|critical|emergency|hidden|secret|final|real"
            rf"|internal) )+(?:(?:{_NAMES}) )?(?:{_LABEL}) ?(?:from (?:the )?\w+ ?(?:team|admin\w*)? ?)?[:>]"
        ),
        rf"\b(?:{_NAMES}) (?:{_LABEL} ?)+(?:\(\w+\) ?)?[:>]",
        (
            r"\b(?:message|notice|note|instructions?|orders?|updates?|announcement|greetings) from (?:the "
            r"|your )?(?:system|openai|anthropic|developers?|(?:system )?admin(?:istrator)?s?|operators?|creators?"
            r"|mosshead|provider|vendor)\b[^:.]{0,20}:"
        ),
        (
            r"\byour (?:new |real |next |only |first )*(?:instructions?|orders?|rules?|guidelines|directives?|tasks?"
            r"|mission) ?(?:are |is )?:"
        ),
        (
            r"\bthis is (?:your|the) (?:system|developers?|(?:system )?admin(?:istrator)?|creators?|operators?|owner"
            r"|root|memory)\b(?! of (?:our|my|the) )"
        ),
        r"\b(?:admin|system|root|sudo|developer|safety|security|policy|instruction) override\b",
    )
)

_TURN = re.compile(rf"(?:^|[.;!?\"'>|)\]]\s?|\s[-–—]+\s?)(?P<name>{_NAMES}|human|user) ?[:>] ?(?P<rest>[^;]{{0,200}})")
_SHOUTED = re.compile(r"\b(?:SYSTEM|ASSISTANT|DEVELOPER|ADMIN|ROOT|OPERATOR|AI|TOOL|INSTRUCTIONS?)\s?:")

_VERBAL = re.compile(
    r"\b(?:is|are|has|have|had|must|should|shall|will|can|may|do|don't|user|you|your|i|sure|ok|okay|understood"
    r"|grant\w*|ignore|always|never|from now|enable|disable|memory|instructions?|reply|answer|respond|the|all|new"
    r"|access|approved?|allow\w*|delete|send|yes|note[d]?|prefers?|wants?|authori[sz]\w+|set|add|update|remember)\b"
)


def poses(text: str, shown: str) -> bool:
    """Whether a text poses as a system message, a turn of somebody else, or the end of the data that it stands in.

    text: a reading of it; shown: the text itself, whose capitals tell "SYSTEM:" from a list of parts.
    """
    if any(not named(text, match.start()) for match in _MARKS.finditer(text)) or _SHOUTED.search(shown):
        return True
    return any(_VERBAL.search(match["rest"]) for match in _TURN.finditer(text))


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
    r"|report|post|put|redirect|point|direct|refer|append|add|insert|replace|log|beacon|encode|hide|place)"
)

_LOADED = Screen(rf"\b(?P<verb>{_LOAD})\b[^!?\n]{{0,120}}?(?P<address>{_ADDRESS})")

_PASSIVE = Screen(
    r"\b(?:must|should|shall|has to|have to|is to|are to|needs? to) (?:always |also |then )?be (?:posted|sent"
    r"|forwarded|uploaded|submitted|reported|loaded|fetched|opened|retrieved|copied|mailed|transmitted|logged|written"
    rf"|appended|added|leaked|shown|displayed|executed|run|visited)\b[^!?\n]{{0,80}}?(?:{_ADDRESS}|{_MAIL})"
)

_THEN_LOADED = Screen(
    rf"{_ADDRESS}[^!?\n]{{0,60}}?\b(?P<verb>fetch|load|follow|obey|execute|apply|run|download|do|use|import|trust"
    r"|believe|render|call|query) (?:it|them|that|this|there|what|whatever|all|(?:the|its|these|those) (?:page|link"
    r"|rules?|instructions?|file|steps?|commands?|content|orders?))\b"
)

_WHENEVER = Screen(
    rf"(?:{_ADDRESS}|\blink\b|\burl\b|\baddress\b|\bpage\b)[^!?\n]{{0,120}}?\b(?:open|load|visit|fetch|ping|call|click"
    r"|request) (?:it|this|that|them) (?:whenever|each|every|when|before|after|always|if|once)\b"
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
    r"|register|apply|pay|order|file|report|request|reset|cancel|claim|log|sign|enrol|enroll|track|reserve|release"
    r"|expense|expenses|refunds?|bookings?|holiday|leave|vote|donate|stream|watch|print)\w*\b|\b(?:our"
    r"|my) (?:[\w-]+ )?(?:steps|runbook|checklist|routine)\b|\bsteps (?:at work|that (?:i|we))\b"
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
    r"|credentials?|passwords?|api keys?|keys|tokens?|cookies?|data|context|system prompt|prompts?|instructions"
    r"|contacts?|files?|documents?|emails?|inbox|personal (?:data|details|information)|details|information|profile"
    r"|repl(?:y|ies)|answers?|notes?)"
)

_SENT = Screen(
    r"\b(?P<verb>send|forward|post|e-?mail|upload|transmit|share|leak|exfiltrate|copy|cc|bcc|submit|report|relay"
    r"|deliver|mail|push|stream|sync|dump|write|pass|disclose|export|text|fax|encode)\b[^.!?]{0,60}?\b(?:the|this"
    r"|that|these|all|our|every|each|any|user's|users'|her|his|their|your|entire|whole|full|everything"
    rf"|my)\b[^.!?]{{0,40}}?\b{_PRIVATE}\b[^!?]{{0,60}}?(?:\b(?:to|at|via|into|with|as|through)\b)"
)

_TO_MAIL = re.compile(
    r"\b(?P<verb>send|forward|post|e-?mail|upload|share|leak|copy|cc|bcc|submit|report|relay|mail|write"
    rf"|pass)\b[^!?]{{0,80}}?(?P<to>{_MAIL})"
)

_MONEY = Screen(
    r"\b(?P<verb>send|transfer|wire|pay|forward|route|redirect|remit|deposit|move|direct|payments? (?:must|should"
    r"|shall|always) go|donate)\b[^.!?]{0,60}?(?:\b(?:money|payments?|funds?|salar(?:y|ies)|invoices?|balance"
    r"|bitcoins?|btc|crypto|eth|usdt|savings|refunds?|transfers?|wages|euros?|dollars?|pounds?|rent)\b"
    r"|[$€£]\s?\d)[^.!?]{0,60}?(?:\b(?:to|into|there|here|via|through)\b)"
)

_BANKING = Screen(
    r"\b(?:standing orders?|direct debits?|landlord|landlady|rent|mortgage|savings account|pension|allowance"
    r"|pocket money)\b"
)

_WHOLESALE = re.compile(
    r"\b(?:always|all|any|future|whenever|everything|assistant|ai|bot|your|(?:every|each) (?:payments?|invoices?"
    r"|transfers?))\b|\b[a-z]{2}\d{2}(?: ?\w{4}){3}|\b(?:bitcoin|btc|crypto|eth|usdt|wallet)\b"
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


_CALL_MARKS = any_of(
    (
        (
            r"<\s?/?\s?(?:antml:|ai:)?(?:tool[_ -]?(?:calls?|use|code|result|response|output)s?"
            r"|function[_ -]?(?:calls?|result|response)s?|functions?|invoke|parameters?|tools?|action|command|execute"
            r"|python|plugin)(?:\s?[=|/][^>]{0,100})?\b[^>]{0,100}>"
        ),
        r"<\|\s?(?:tool|function|python|plugin|action|channel|call)\w*\s?\|>",
        r"\[/?(?:tool[_ ]?calls?|available_tools|tool[_ ]?results?|function[_ ]?calls?)\]",
        (
            r"[\"']?\b(?:name|function|tool|tool_name|function_name|recipient_name|action|command|method|plugin"
            r"|type)[\"']\s?:\s?[\"'{][^{}]{0,200}?[\"']?\b(?:arguments|parameters|args|params|input|tool_input"
            r"|action_input|kwargs|payload)[\"']?\s?:"
        ),
        (
            r"[\"']?\b(?:arguments|parameters|args|params|tool_input|action_input"
            r"|kwargs)[\"']\s?:\s?[\"'{\[].{0,200}?[\"']?\b(?:name|function|tool|tool_name|action)[\"']\s?:"
        ),
        r"[\"']?\b(?:tool_calls?|function_calls?|tool_use)[\"']?\s?[:=]\s?[\[{\"']",
        r"[\"']function[\"']\s?:\s?\{|[\"'](?:tool|tool_name|function_name)[\"']\s?:\s?[\"'][\w.-]+[\"']",
        r"(?:^|[.;|]\s?|\s)action\s?:\s?[\w.-]+\s*(?:;|\||,)?\s*action[_ ]input\s?:",
        r"\bto=(?:functions|tools|python|browser|bio|memory)\b",
        r"'''\s?(?:tool|function|action)(?:_\w+)?\b",
        r"(?:^|[;\s])/(?:delete|forget|wipe|exec|run|system|admin|sudo|execute|grant|tool|imagine|eval)\b(?!/)",
        r"\b(?:rm -rf|sudo \w+|drop (?:table|database) \w+|delete from \w+|; ?shutdown|format c:)",
    )
)

_SHELL = re.compile(r"\b(?:rm -rf|sudo \w+|drop (?:table|database) \w+|delete from \w+)")
_TOOL = r"(?:tools?|functions?|plug-?ins?|actions?|apis?|endpoints?|skills?|connectors?|commands?|methods?)"

_NAMED = Screen(
    r"\b(?P<verb>call|invoke|run|execute|trigger|use|issue|launch|fire|emit|make|perform)\b (?:(?:the|your|a|an|any"
    r"|this|that|my|all|available|following|tool|function|built-in|with) )*[\"']?(?:[\w.:-]+ ?){0,3}?[\"']? "
    rf"?(?:\(\) ?)?\b{_TOOL}\b(?! (?:fails|room|kit|box))"
)

_IDENTIFIED = Screen(
    r"\b(?P<verb>call|invoke|run|execute|trigger|use|issue)\b (?:the |your |now |then "
    r"|immediately )*[\"']?(?:[a-z]+(?:_[a-z0-9]+)+|[a-z]+\.[a-z_]+(?=\()|[a-z_]+(?=\())"
)

_QUOTED = Screen(r"\b(?P<verb>execute|eval|run)(?: this)?:? [\"'][^\"']+[\"']")

_SENSITIVE = (
    r"(?:delete|remove|send|transfer|exec|execute|run|fetch|wire|grant|forget|upload|post|pay|email|mail|http|shell"
    r"|browse|open|search|query|update|set|store|save|add|write|read|get|call|invoke|create|drop|purge|wipe|reset"
    r"|eval|system|os|memory|remember|buy|order|book|payment|admin|approve|revoke|disable|enable|log|load|import"
    r"|manage|share|export)"
)

_CALL = re.compile(
    rf"(?<![\w.])(?:(?:functions|tools|memory|browser|os|client|api|assistant|agent|system)\.\w+|(?:{_SENSITIVE}_\w+"
    rf"|\w+_{_SENSITIVE}|{_SENSITIVE}[a-z]*memor\w+|exec|eval|system))\s?\((?P<inside>[^()]{{0,300}}(?:\([^()]*\))?[^("
    r")]{0,100})\)"
)

_CODE_TALK = re.compile(
    r"\b(?:functions?|methods?|bug|raises?|raised|fails?|failed|failing|returns?|returned|throws?|endpoint|script"
    r"|code|unit tests?|wrote|write|written|library|framework|python|javascript|implement\w*|refactor\w*|renamed?"
    r"|deprecat\w+|helper|signature|stack trace|compil\w+|debug\w*|crash\w*|module|class|our|my|i|we|i'm|we're)\b"
)

_CALLED = Screen(_NAMED, _IDENTIFIED, _QUOTED)


def calls_tools(text: str) -> bool:
    """Whether a text has the form of a tool's call, or tells the assistant to make one. Talk about code is neither."""
    if _CALL_MARKS.search(text) and not (
        _SHELL.search(text) and _CODE_TALK.search(text) and not _CALL_MARKS.search(_SHELL.sub("", text))
    ):
        return True
    if any(not _CODE_TALK.search(_CALL.sub(" ", text)) for _ in _CALL.finditer(text)):
        return True
    return any(commanded(text, match.start("verb")) for match in _CALLED.finditer(text))
