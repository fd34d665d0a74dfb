"""Calls of tools, in the forms of programs and in words: `{"name": …, "arguments": …}`, "call the … tool"."""

import re

from pipeline.safety.imperatives import ordered
from pipeline.safety.screen import Screen


def calls_tools(text: str) -> bool:
    """Whether a text calls a tool, or tells the assistant to call one. Talk about code does neither."""
    called = (_SHELL.search(text) or _CALL.search(text)) and not _CODE_TALK.search(_CALL.sub(" ", text))
    return bool(called or _MARKS.search(text)) or any(ordered(text, _NAMED))


_ARGUMENTS = r"(?:arguments|parameters|args|params|input|tool_input|action_input|kwargs|payload)"
_MARKS = Screen(
    r"<\s?/?\s?(?:antml:|ai:)?(?:tool[_ -]?(?:calls?|use|code|results?|response|output)|function[_ -]?(?:calls?"
    r"|results?|response)|functions?|invoke|parameters?|tools?|action|command|execute|python"
    r"|plugin)(?:\s?[=|/][^>]{0,100})?\b[^>]{0,100}>",
    r"\[/?(?:tool[_ ]?calls?|available_tools|tool[_ ]?results?|function[_ ]?calls?)\]",
    r"[\"']?\b(?:name|function|tool|tool_name|function_name|recipient_name|action|command|method|plugin"
    rf"|type)[\"']\s?:\s?[\"'{{][^{{}}]{{0,200}}?[\"']?\b{_ARGUMENTS}[\"']?\s?:",
    r"[\"'](?:tool|tool_name|function_name|tool_calls?|function_calls?)[\"']\s?:\s?[\"'\[{]",
    r"(?:^|[.;|]\s?|\s)action\s?:\s?[\w.-]+\s*(?:;|\||,)?\s*action[_ ]input\s?:",
)
_SHELL = Screen(r"\b(?:rm -rf|sudo \w+|drop (?:table|database) \w+|delete from \w+)")
_TOOL = r"(?:tools?|functions?|plug-?ins?|actions?|apis?|endpoints?|skills?|connectors?|commands?|methods?)"
_NAMED = Screen(
    r"\b(?P<verb>call|invoke|run|execute|trigger|use|issue|launch|fire|emit|make|perform)\b (?:(?:the|your|a|an|any"
    r"|this|that|my|all|available|following|tool|function|built-in|with) )*[\"']?(?:[\w.:-]+ ?){0,3}?[\"']? "
    rf"?(?:\(\) ?)?\b{_TOOL}\b(?! (?:fails|room|kit|box))",
    r"\b(?P<verb>call|invoke|run|execute|trigger|use|issue)\b (?:the |your |now |then "
    r"|immediately )*[\"']?(?:[a-z]+(?:_[a-z0-9]+)+|[a-z]+\.[a-z_]+(?=\()|[a-z_]+(?=\())",
)
_SENSITIVE = (
    r"(?:delete|remove|send|transfer|exec|execute|run|fetch|wire|grant|forget|upload|post|pay|e?mail|http|shell"
    r"|browse|open|search|query|update|set|store|save|add|write|read|get|call|invoke|create|drop|purge|wipe|reset"
    r"|eval|system|os|memory|remember|buy|order|book|payment|admin|approve|revoke|disable|enable|log|load|import"
    r"|manage|share|export)"
)
_CALL = re.compile(
    rf"(?<![\w.])(?:(?:functions|tools|memory|browser|os|client|api|assistant|agent|system)\.\w+|(?:{_SENSITIVE}_\w+"
    rf"|\w+_{_SENSITIVE}|{_SENSITIVE}[a-z]*memor\w+|exec|eval|system))\s?\((?:[^()]{{0,300}}(?:\([^()]*\))?[^()]{{0,10"
    r"0})\)"
)
_CODE_TALK = re.compile(
    r"\b(?:functions?|methods?|bug|raises?|raised|fails?|failed|failing|returns?|returned|throws?|endpoint|script"
    r"|code|unit tests?|wrote|write|written|library|framework|python|javascript|implement\w*|refactor\w*|renamed?"
    r"|deprecat\w+|helper|signature|stack trace|compil\w+|debug\w*|crash\w*|module|class|our|my|i|we|i'm|we're)\b"
)
