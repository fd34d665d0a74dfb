"""Text that looks like the call of a tool, or that has one called."""

import re

from pipeline.guard.screen import Screen
from pipeline.guard.words import any_of, commanded

_CALL_MARKS = any_of(
    (
        (
            r"<\s?/?\s?(?:antml:|ai:)?(?:tool[_ -]?(?:calls?|use|code|result|response|output)s?"
            r"|function[_ -]?(?:calls?"
            r"|result|response)s?|functions?|invoke|parameters?|tools?|action|command|execute|"
            r"python|plugin)(?:\s?[=|/][^>]{0,100})?\b[^>]{0,100}>"
        ),
        r"<\|\s?(?:tool|function|python|plugin|action|channel|call)\w*\s?\|>",
        r"\[/?(?:tool[_ ]?calls?|available_tools|tool[_ ]?results?|function[_ ]?calls?)\]",
        (
            r"[\"']?\b(?:name|function|tool|tool_name|function_name|recipient_name|action|command|method|plugin"
            r"|type)[\"']\s?:\s?[\"'{][^{}]{0,200}?[\"']?\b(?:arguments|parameters|args|params|input|tool_input|"
            r"action_input|kwargs|payload)[\"']?\s?:"
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
    r"\b(?P<verb>call|invoke|run|execute|trigger|use|issue|launch|fire|emit|make|perform)\b (?:(?:the|your|a|an"
    r"|any|this|that|my|all|available|following|tool|function|"
    rf"built-in|with) )*[\"']?(?:[\w.:-]+ ?){{0,3}}?[\"']? ?(?:\(\) ?)?\b{_TOOL}\b(?! (?:fails|room|kit|box))"
)
_IDENTIFIED = Screen(
    r"\b(?P<verb>call|invoke|run|execute|trigger|use|issue)\b (?:the |your |now |then "
    r"|immediately )*[\"']?(?:[a-z]+(?:_[a-z0-9]+)+|[a-z]+\.[a-z_]+(?=\()|[a-z_]+(?=\())"
)
_QUOTED = Screen(r"\b(?P<verb>execute|eval|run)(?: this)?:? [\"'][^\"']+[\"']")
_SENSITIVE = (
    r"(?:delete|remove|send|transfer|exec|execute|run|fetch|wire|grant|forget|upload|post|pay|email|mail|http|shell"
    r"|browse|open|search|query|update|set|store|save|add|write|read|"
    r"get|call|invoke|create|drop|purge|wipe|reset|eval|system|os|memory|remember|buy|order|book|payment|admin"
    r"|approve|revoke|disable|enable|log|load|import|manage|share|export)"
)
_CALL = re.compile(
    r"(?<![\w.])(?:(?:functions|tools|memory|browser|os|client|api|assistant|agent|system)\.\w+"
    rf"|(?:{_SENSITIVE}_\w+|\w+_{_SENSITIVE}|{_SENSITIVE}[a-z]*memor\w+|exec|eval"
    rf"|system))\s?\((?P<inside>[^()]{{0,300}}(?:\([^()]*\))?[^()]{{0,100}})\)"
)
_CODE_TALK = re.compile(
    r"\b(?:functions?|methods?|bug|raises?|raised|fails?|failed|failing|returns?|returned|throws?|endpoint|script"
    r"|code|unit tests?|wrote|write|written|library|framework|python|javascript|implement\w*|"
    r"refactor\w*|renamed?|deprecat\w+|helper|signature|stack trace|compil\w+|debug\w*|crash\w*|module|class|our|my"
    r"|i|we|i'm|we're)\b"
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
