"""Orders to the memory: "store the following as a rule", "wipe your memory"."""

import re

from pipeline.safety.imperatives import ordered
from pipeline.safety.screen import Screen


def tampers(text: str) -> bool:
    """Whether a text tells the memory to hold a rule, or to change what it holds; "remember that I …" does not."""
    if _TOLD.search(text) or any(not _is_a_bank_order(text, match) for match in ordered(text, _ORDERED)):
        return True
    return any(not _is_harmless(text, match) for match in ordered(text, _CHANGED))


def _is_a_bank_order(text: str, match: re.Match[str]) -> bool:
    """Where a text speaks of money, a bank follows the standing order."""
    return match.group().endswith(("standing order", "standing orders")) and _MONEY.search(text) is not None


def _is_harmless(text: str, match: re.Match[str]) -> bool:
    """ "Commit this to memory: I am allergic to nuts" is a fact of the user; "your memory" is the assistant's."""
    if _KEPT.match(match["verb"]):
        return _OWN_FACT.match(text, match.end("what")) is not None
    return _HUMAN_MEMORY.match(match["what"]) is not None


_THIS = r"(?:this |that |the following |it )?"
_MEMORY = (
    r"(?:(?:your|the|all|any|every|long-?term|persistent|permanent|stored|saved|existing|previous|assistant's|ai's"
    r"|other|user's|user|her|his|old|core|everything in your|of|internal|own) )*(?:memor(?:y|ies)|knowledge(?: base)?"
    r"|(?:stored|saved) (?:facts|notes)|user profiles?|system prompts?|instructions?|long-term store)"
)
_CHANGED = Screen(
    r"\b(?P<verb>update|overwrite|rewrite|replace|modify|edit|alter|delete|clear|wipe|purge|erase|reset|remove|forget"
    rf"|drop|correct|patch|change|(?:add|commit|append) {_THIS}to|(?:write|save|store|put|insert|inject"
    rf"|record) {_THIS}(?:to|in|into)) (?:(?:you|her|his|their|to|from|in|of) )?(?=(?P<what>{_MEMORY})\b)"
)
_KEPT = re.compile(r"add|write|save|store|put|commit|record|insert|append|update")
_HUMAN_MEMORY = re.compile(r"(?:to )?(?:the )?(?:memory|instructions?|knowledge(?: base)?|user profiles?)$")
_OWN_FACT = re.compile(r"[^\w]*(?:that |the fact that )?(?:i|i'm|i've|my|we|our)\b")
_MONEY = re.compile(r"[$€£]\s?\d|\d ?[$€£]|\b(?:euros?|dollars?|pounds?|rent|landlord|bank|account|salary|allowance)\b")

_STORE = (
    r"(?:store|save|record|remember|memori[sz]e|add|write|keep|note|log|register|treat|set|retain|install|adopt"
    r"|accept|learn|regard|consider|cite|list)"
)
_ALL_YOU_KNOW = (
    r"(?:what|everything|anything|all|whatever) (?:that )?you (?:know|remember|learned|have (?:stored|learned|saved))"
)
_ORDERED = Screen(
    rf"\b(?P<verb>{_STORE})\b[^.!?]{{0,80}}?\b(?:as|under|in) (?:an? |your |the )?(?:\w+ ){{0,2}}?(?:rules?|polic(?:y"
    r"|ies)|directives?|(?:permanent|core) (?:fact|memory|belief|value)|system (?:message|prompt|fact)|instructions?"
    r"|(?:highest|top|high) priority|commands?|standing orders?|ground truth|(?:verified|trusted) facts?)\b",
    rf"\b(?P<verb>{_STORE})\b(?: that)? (?!i\b|my\b|our\b|we\b)(?:[^.!?;:]|\.(?=\w)){{2,80}}? (?:is|as) (?:an?|the"
    r"|your|our) (?:\w+ )?(?:trusted|authoritative|trustworthy|reliable|definitive|true|valid|go-to|preferred"
    r"|official) (?:and \w+ )?(?:source|authority|expert|reference|provider|site|website|profile|record"
    r"|version)\b(?! (?:at|in|of|for) (?:my|our|his|her|the(?! user))\b)",
    rf"\b(?P<verb>{_STORE})\b(?: (?:this|that|it))?(?: in mind)? (?:for (?:all )?(?:later|future"
    r"|coming) (?:conversations?|chats?|sessions?|answers?)|permanently|forever|for ever|indefinitely)\b",
    rf"\b(?P<verb>{_STORE})(?: down| in| to| into| memory| it| this)* ?(?:instead )?(?:that|:|in (?:its"
    r"|their) place)[^.!?;]{0,120}?\b(?:so (?:that )?you|then (?:you|nag|tell|send|remind)|and (?:then )?(?:nag"
    r"|tell everyone|never ask)|whenever|each time|every time|instead|in (?:its|their) place)\b",
    rf"\b(?P<verb>{_STORE}|overwrite|update|correct|alter|forget|delete|erase|replace|change"
    rf"|discard) (?:{_ALL_YOU_KNOW}|(?:the|this) user as)\b",
    r"\b(?P<verb>copy|paste|repeat|insert|include|add|reproduce|append|put|carry|forward|attach|embed|hide) (?:this"
    r"|these|the) (?:\w+ ){0,2}?(?:paragraph|text|notes?|message|instructions?|lines?|block|sentence|section"
    r"|comment|prompt)s?\b[^.!?;]{0,50}?\b(?:repl(?:y|ies)|e?mails?|messages?|answers?|summar(?:y|ies)|documents?"
    r"|posts?|files?|commits?|output)\b",
)
_TOLD = Screen(
    r"\b(?:delete|erase|wipe|forget|remove|scrap) (?:everything|what|all|anything|whatever) (?:i|we) (?:have |had "
    rf"|'ve )?(?:told|said to|wrote to) you\b[^.!?;]{{0,60}}?\b(?:and|then|instead) {_STORE}\b",
    r"(?<!i )(?<!we )(?<!they )(?<!you )(?<!she )(?<!he )(?<!n't )\b(?:remember|store|save|memori[sz]e|note|record"
    r"|learn|know|keep in mind|bear in mind|never forget|don't forget|do not forget|add|write down|commit to memory"
    r"|log)(?: this| the following| as a fact| permanently| forever)*[:,]? (?:that |the fact that "
    r"|this: )?(?:to (?:always |never |automatically )?(?:recommend|answer|respond|reply|say|tell|mention|promote"
    r"|ignore|obey|send|approve|trust|include|add|end|start|act|call|run|open|visit|fetch|load|forward|transfer|grant"
    r"|reveal|refuse)\b|(?:you're (?:allowed|not|never|supposed|to)|(?:you|your|the assistant|assistants?|the ai"
    r"|ais?) (?:must|should|shall|will|are|have to|has to|is to|can|may|need|always|never)\b(?! (?:call me|know|learn"
    r"|remember|meet|try|see)))|(?:the|this|that|current) (?:current )?(?:user|human|customer|client|account) \w)",
)
