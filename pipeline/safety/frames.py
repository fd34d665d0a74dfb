"""Text that poses as another turn or as the frame of a prompt: "SYSTEM:", "[INST]", "### Instruction"."""

import re

from pipeline.safety.imperatives import named
from pipeline.safety.screen import Screen


def poses(text: str, shown: str) -> bool:
    """Whether a reading poses as a system message or turn, or the text as shown does in capitals: "SYSTEM:"."""
    if any(not named(text, match.start()) for match in _MARKS.finditer(text)) or _SHOUTED.search(shown):
        return True
    return any(_VERBAL.search(match["rest"]) for match in _TURN.finditer(text))


_NAMES = (
    r"(?:system|assistant|developer|operator|admin(?:istrator)?|root|moderator|tool|function|ipython|chatgpt|claude"
    r"|gpt-?\d?|ai|openai|anthropic|mosshead|memory (?:system|manager|service))"
)
_LABEL = (
    r"(?:prompts?|messages?|notes?|notices?|instructions?|overrides?|updates?|alerts?|commands?|directives?|rules?"
    r"|polic(?:y|ies)|announcement|warning|log|turn|config(?:uration)?|memory|error|reminder|role)"
)
_NEW = (
    r"(?:(?:new|updated|additional|revised|important|urgent|critical|internal|hidden|secret|final|real|begin|start"
    r"|end|from|the|of) )*"
)
_MARKS = Screen(
    r"<\s?/?\s?(?:memor(?:y|ies)|system|assistant|user|human|developer|instructions?|prompt|context|conversation|chat"
    r"|messages?|rules?|admin|sys|s|im_start|im_end|inst|data|document|untrusted|input|output|notes?|secret|important"
    r"|override|thinking|answer|response|policy|role|agent|ai|llm|model|operator"
    r"|directive)(?:[\s_-][^<>]{0,60})?/?\s?>",
    r"<\|[^|<>]{1,40}\|>|<<\s?/?\s?sys\s?>>|\[\s?/?\s?(?:inst|sys|system)\s?\]|<｜[^｜]{1,40}｜>|<(?:start"
    r"|end)_of_turn>|<\s?eos\s?>|\beot_id\b|\bim_(?:start|end)\b",
    rf"(?:^|[\s;>])#{{1,6}} ?{_NEW}(?:your )?(?:response )?(?:{_NAMES}|instructions?|prompts?|rules?|response|human"
    r"|input|context|override|task)\b(?! (?:to|for|at|of|on|in|from|that|which)\b)",
    rf"[\[({{*<]\s?{_NEW}(?:{_NAMES} )*(?:{_NAMES}\s?[\])}}*>:]|{_NAMES} {_LABEL}\b)",
    r"\b(?:begin|start|end|close|beginning)(?:ing)? (?:of )?(?:(?:the|this|all|your|user|system|previous|new"
    r"|untrusted|trusted|retrieved) )*(?:context|prompts?|system message|instructions?|conversation|memories"
    r"|memory block|user (?:input|message|data|text)|messages|data block|facts|document|transcript|input|quoted text"
    r"|notes|fence|session)(?=\s*(?:$|[-=.:;,!\"'\]>)*#|]|now\b|new\b|system\b|begin\b|start\b))",
    r"(?:[-=*_#~]{3,})\s?(?:end|begin|start|new|system|developer|admin|operator|assistant|instructions?|context"
    r"|prompt|session|ignore|override|conversation)\b",
    r"[\"'](?:role|author|sender|from|speaker)[\"']\s?:\s?[\"'](?:system|assistant|developer|tool|user|function)",
    r"\b(?:(?:new|updated|additional|revised|important|urgent|critical|emergency|hidden|secret|final|real"
    rf"|internal) )+(?:(?:{_NAMES}) )?(?:{_LABEL}) ?(?:from (?:the )?\w+ ?(?:team|admin\w*)? ?)?[:>]",
    rf"\b(?:{_NAMES}) (?:{_LABEL} ?)+(?:\(\w+\) ?)?[:>]",
)
_TURN = re.compile(rf"(?:^|[.;!?\"'>|)\]]\s?|\s[-–—]+\s?)(?:{_NAMES}|human|user) ?[:>] ?(?P<rest>[^;]{{0,200}})")
_SHOUTED = re.compile(r"\b(?:SYSTEM|ASSISTANT|DEVELOPER|ADMIN|ROOT|OPERATOR|AI|TOOL|INSTRUCTIONS?)\s?:")
_VERBAL = re.compile(
    r"\b(?:is|are|has|have|had|must|should|shall|will|can|may|do|don't|user|you|your|i|sure|ok|okay|understood"
    r"|grant\w*|ignore|always|never|from now|enable|disable|memory|instructions?|reply|answer|respond|the|all|new"
    r"|access|approved?|allow\w*|delete|send|yes|note[d]?|prefers?|wants?|authori[sz]\w+|set|add|update|remember)\b"
)
