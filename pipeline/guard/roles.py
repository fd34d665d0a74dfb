"""Text that poses as another turn or as the frame of a prompt: "SYSTEM:", "[INST]", "### Instruction", "END OF CONTEXT"."""

import re

from pipeline.guard.words import any_of, named

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
            r"|conversation|chat|messages?|rules?|admin|sys|s|im_start|im_end|inst|data|document|untrusted|input|"
            r"output|notes?|secret|important|override|thinking|answer|response|policy"
            r"|role)(?:[\s_-][^<>]{0,60})?/?\s?>"
        ),
        (
            r"<\|[^|<>]{1,40}\|>|<<\s?/?\s?sys\s?>>|\[\s?/?\s?(?:inst|sys|system)\s?\]|<｜[^｜]{1,40}｜>|<(?:start"
            r"|end)_of_turn>|<\s?eos\s?>|\beot_id\b|\bim_(?:start|end)\b"
        ),
        (
            rf"(?:^|[\s;>])#{{1,6}} ?(?:(?:new|updated|additional|important|real|hidden|end|begin|start|your|the|of"
            rf"|response|critical) )*(?:{_NAMES}|instructions?|prompts?|rules?|response|human|input|context|override"
            r"|task)\b(?! (?:to|for|at|of|on|in|from|that|which)\b)"
        ),
        (
            rf"[\[({{*<]\s?(?:(?:new|important|internal|hidden|urgent|begin|end|start|from|the"
            rf"|of) )*{_NAMES}(?: {_LABEL})*\s?[\])}}*>:]"
        ),
        rf"[\[({{<]\s?(?:(?:new|important|internal|hidden|urgent|critical) )*(?:{_NAMES} )+{_LABEL}\b",
        (
            r"\b(?:begin|start|end|close|beginning)(?:ing)? (?:of )?(?:(?:the|this|all|your|user|system|previous|new"
            r"|untrusted|trusted|retrieved) )*(?:context|prompts?|system prompts?|system message|instructions?"
            r"|conversation|memories|memory block|user "
            r"(?:input|message|data|text)|messages|untrusted (?:data|input|text)|data block|facts|known names"
            r"|earlier messages|document|transcript|input|quoted text|notes|fence|session)(?=\s*(?:$"
            r"|[-=.:;,!\"'\]>)*#|]|now\b|new\b|system\b|begin\b|start\b))"
        ),
        (
            r"(?:[-=*_#~]{3,})\s?(?:end|begin|start|new|system|developer|admin|operator|assistant|instructions?"
            r"|context|prompt|session|ignore|override"
            r"|conversation)\b"
        ),
        (
            r"[{,;]\s?[\"']?(?:\w+[_ -])?(?:assistant|ai|model|agent|system|bot|llm|developer|operator"
            r"|copilot)[_ -](?:directives?|instructions?|notes?|hints?"
            r"|guidance|polic(?:y|ies)|prompts?|actions?|commands?|rules?|overrides?|behaviou?r|task"
            r"|message)[\"']?\s?[:=]"
        ),
        r"'{3}\s?(?:system|assistant|developer|instructions?|prompt)\b",
        r"[\"']\w*_(?:for|to)_(?:the_)?(?:model|assistant|ai|agent|llm|bot)[\"']\s?:",
        (
            r":\s?[\"'](?:system|developer|admin|assistant|operator)[_ -]?(?:update|message|instruction|prompt|note"
            r"|notice|override|command|directive)s?[\"']"
        ),
        r"[{,;]\s?[\"'](?:hidden_|internal_)?(?:instructions?|directives?|guidance)[\"']\s?:\s?[\"']",
        (
            r"<\s?/?(?:[\w]+[_-])*(?:system|assistant|instructions?|directives?|override|prompt|agent|policy|ai"
            r"|llm|admin|operator|developer|model|memory)"
            r"(?:[_-]\w+)+(?:\s[^<>]{0,80})?/?\s?>|<\s?(?:agent|ai|llm|model|operator|override|directive|guidance)"
            r"(?:\s[^<>]{0,80})?\s?>"
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
            r"|mosshead|"
            r"provider|vendor)\b[^:.]{0,20}:"
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
    r"|grant\w*|ignore|always|never|from now|enable|disable|memory|instructions?|reply|answer|respond|"
    r"the|all|new|access|approved?|allow\w*|delete|send|yes|note[d]?|prefers?|wants?|authori[sz]\w+|set|add|update"
    r"|remember)\b"
)


def poses(text: str, shown: str) -> bool:
    """Whether a text poses as a system message, a turn of somebody else, or the end of the data that it stands in.

    text: a reading of it; shown: the text itself, whose capitals tell "SYSTEM:" from a list of parts.
    """
    if any(not named(text, match.start()) for match in _MARKS.finditer(text)) or _SHOUTED.search(shown):
        return True
    return any(_VERBAL.search(match["rest"]) for match in _TURN.finditer(text))
