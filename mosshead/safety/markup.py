"""Marks that prose does without: frames of prompts ("SYSTEM:", "[INST]"), calls of tools, elements that load addresses."""

import re


def poses(reading: str, shown: str) -> bool:
    """Whether a reading holds the frame of a prompt or of a turn, or the text as shown opens a line as one: "SYSTEM:"."""
    return _FRAME.search(reading) is not None or _SHOUTED.search(shown) is not None


def calls_tools(reading: str) -> bool:
    """Whether a reading holds a call of a tool in the form of a program. Talk about code holds none."""
    code = _SHELL.search(reading) or _CALL.search(reading)
    return bool(code and not _CODE_TALK.search(_CALL.sub(" ", reading))) or _TOOL.search(reading) is not None


def loads(reading: str) -> bool:
    """Whether a reading holds an element that, when it is shown, loads an address which tells something: ``?d=…``."""
    return _LOADED.search(reading) is not None


_ROLE = r"(?:system|assistant|developer|operator|admin(?:istrator)?|root|tool|function)"
_FRAME = re.compile(
    r"<\s?/?\s?(?:memor(?:y|ies)|system|assistant|developer|instructions?|prompt|context|admin|sys|inst|override|policy)"
    r"(?:[\s_-][^<>]{0,60})?/?\s?>"
    r"|<\|[^|<>]{1,40}\|>|<<\s?/?\s?sys\s?>>|\[\s?/?\s?(?:inst|sys|system)\s?\]|<｜[^｜]{1,40}｜>|<(?:start|end)_of_turn>"
    r"|\beot_id\b|\bim_(?:start|end)\b"
    rf"|(?:^|[\s;>])#{{1,6}} ?(?:new |your )?(?:{_ROLE}|instructions?|response|override)\b(?! (?:to|for|at|of|on|in|from|that)\b)"
    rf"|[\[({{]\s?(?:new |important |updated )?{_ROLE} (?:prompt|message|note|notice|instructions?|override)\b"
    rf"|[-=*_#~]{{3,}}\s?(?:end|begin|start|new)? ?{_ROLE}\b"
    r"|[\"']role[\"']\s?:\s?[\"'](?:system|developer)[\"']"
)
_SHOUTED = re.compile(r"^\W{0,3}(?:SYSTEM|ASSISTANT|DEVELOPER|OPERATOR)\s?:", re.MULTILINE)

_ARGUMENTS = r"(?:arguments|parameters|args|params|input|tool_input|action_input|kwargs|payload)"
_TOOL = re.compile(
    r"<\s?/?\s?(?:antml:|ai:)?(?:tool[_ -]?(?:calls?|use|code|results?|response|output)|function[_ -]?(?:calls?"
    r"|results?|response)|functions?|invoke)(?:\s?[=|/][^>]{0,100})?\b[^>]{0,100}>"
    r"|\[/?(?:tool[_ ]?calls?|available_tools|tool[_ ]?results?|function[_ ]?calls?)\]"
    r"|[\"']?\b(?:name|function|tool|tool_name|function_name|recipient_name|action|command|method|plugin"
    rf"|type)[\"']\s?:\s?[\"'{{][^{{}}]{{0,200}}?[\"']?\b{_ARGUMENTS}[\"']?\s?:"
    r"|[\"'](?:tool|tool_name|function_name|tool_calls?|function_calls?)[\"']\s?:\s?[\"'\[{]"
    r"|(?:^|[.;|]\s?|\s)action\s?:\s?[\w.-]+\s*(?:;|\||,)?\s*action[_ ]input\s?:"
)
_SHELL = re.compile(r"\b(?:rm -rf|sudo \w+|drop (?:table|database) \w+|delete from \w+)")
_SENSITIVE = (
    r"(?:delete|remove|send|transfer|exec|execute|run|fetch|wire|grant|forget|upload|post|pay|e?mail|http|shell"
    r"|browse|open|search|query|update|set|store|save|add|write|read|get|call|invoke|create|drop|purge|wipe|reset"
    r"|eval|system|os|memory|remember|buy|order|book|payment|admin|approve|revoke|disable|enable|log|load|import"
    r"|manage|share|export)"
)
_CALL = re.compile(
    rf"(?<![\w.])(?:(?:functions|tools|memory|browser|os|client|api|assistant|agent|system)\.\w+|(?:{_SENSITIVE}_\w+"
    rf"|\w+_{_SENSITIVE}|{_SENSITIVE}[a-z]*memor\w+|exec|eval|system))\s?\((?:[^()]{{0,300}}(?:\([^()]*\))?[^()]{{0,100}})\)"
)
_CODE_TALK = re.compile(
    r"\b(?:functions?|methods?|bug|raises?|raised|fails?|failed|failing|returns?|returned|throws?|endpoint|script"
    r"|code|unit tests?|wrote|write|written|library|framework|python|javascript|implement\w*|refactor\w*|renamed?"
    r"|deprecat\w+|helper|signature|stack trace|compil\w+|debug\w*|crash\w*|module|class|our|my|i|we|i'm|we're|prod)\b"
)
_LOADED = re.compile(
    r"!\[[^\]]{0,300}\]\s?\([^)\s]{0,200}[?&{$]|!\[[^\]]{0,300}\]\s?\[[^\]]{0,100}\]"
    r"|<\s?(?:img|iframe|script|link|object|embed|video|audio|source|form|meta|base|svg|body|input|style)\b[^>]{0,300}?"
    r"(?:src|href|data|action|url|onload|onerror|srcset|content|poster|background)\s?=[^>]{0,200}[?&{$]"
    r"|\b(?:https?|hxxps?):[^\s]{0,200}[?&][\w-]{1,30}=(?:\{|%7b|\$\{|<|\[)"
)
