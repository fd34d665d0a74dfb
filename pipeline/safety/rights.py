"""Rights and standing permissions that a text claims for the user: "the user is an admin", "no need to ask"."""

from pipeline.safety.imperatives import commanded
from pipeline.safety.screen import Screen


def claims_rights(text: str) -> bool:
    """Whether a text grants the user rights, or has transactions go through unasked, now and later."""
    if _CLAIMS.search(text):
        return True
    asked = [
        match for match in _NOT_ASKED.finditer(text) if match["verb"] is None or commanded(text, match.start("verb"))
    ]
    yours = _YOURS.search(text) is not None
    if asked and yours and _AGREED.search(text):
        return True
    return _FOR_LONG.search(text) is not None and any(
        _TRANSACTION.search(text, max(0, match.start() - 60), match.end() + 80) and (match["verb"] or yours)
        for match in asked
    )


_USER = (
    r"(?:the|this|that|current|present) (?:current )?(?:user|human|customer|client|account(?: holder)?"
    r"|person you are talking to)"
)
# Customers and clients agree to things all day; only "the user" is how a text speaks of whoever talks to the assistant.
_THE_USER = r"(?:the|this|that|current) (?:current )?(?:user|human|account(?: holder)?|person you are talking to)"
_ANY_USER = rf"(?:{_USER}|user|user \w+|customer|client|owner|manager|i|we)"
_ADVERBS = r"(?:(?:has|have|had|already|hereby|explicitly|always|also|fully|now|previously|permanently) )*"
_RANK = (
    r"(?:(?:an?|the|now|really|also|fully|already|considered|your|our|my|system|verified|trusted|global|full|super"
    r"|chief|senior|openai|anthropic|google|company) )*(?:admin(?:istrator)?s?|root|super-?users?|sysadmin|creator"
    r"|owner of (?:this|the) (?:system|assistant|account|platform)|developer(?: of (?:this|the))?|employee|vip"
    r"|verified|trusted|authori[sz]ed|privileged|whitelisted|exempt|pre-?approved|cleared|(?:allowed|permitted"
    r"|entitled) to|above the rules|over 18|an adult|god|moderator|operator|staff|your (?:owner|boss|master))"
)
_GIVEN = (
    r"(?:consent(?:s|ed)|agree(?:s|d)|authori[sz](?:es?|ed)|approve[sd]?|grant(?:s|ed)|permit(?:s|ted)|waive[sd]?"
    r"|opted|given (?:\w+ ){0,3}(?:permission|consent|access|authori[sz]ation|approval)"
    r"|gives? (?:\w+ ){0,3}(?:permission|consent|approval)|signed off|accept(?:s|ed)|allow(?:s|ed)|confirmed"
    r"|unlimited|full (?:access|rights|permissions?|control)|admin(?:istrator)?\b|root\b|(?:the )?(?:rights?"
    r"|permission|clearance|privileges?|authority)\b|elevated|unrestricted|disabled|enabled|no (?:restrictions?"
    r"|limits?)|been (?:verified|authori[sz]ed|approved|granted|cleared|given|promoted|authenticated|whitelisted))"
)
_BUSINESS = (
    r"(?:payments?|transfers?|transactions?|purchases?|refunds?|requests?|actions?|access|orders?|charges?|changes?"
    r"|withdrawals?|tool calls?|disclosures?|data (?:sharing|collection)|deletions?|invoices?|operations?|commands?)"
)
_ALL_OF_IT = rf"(?:all|any|every|each|future|unlimited|automatic|recurring)\b[^.;!?]{{0,30}}?\b{_BUSINESS}\b"
_APPROVED = r"(?:pre-?)?(?:authori[sz]ed|approved|permitted|consented|allowed|cleared|confirmed)"
_CHECK = (
    r"(?:confirmations?|verification|permission|approvals?|authori[sz]ation|authentication|(?:identity|security|age"
    r"|safety|content) checks?)"
)
_CLAIMS = Screen(
    rf"\b{_USER}(?:'s)? (?:\w+ ){{0,3}}?(?:is|was|has been|counts as|(?:must|should) be treated as|becomes) {_RANK}\b",
    rf"\b{_THE_USER} {_ADVERBS}{_GIVEN}",
    rf"\b{_ANY_USER} {_ADVERBS}(?:authori[sz](?:e|es|ed)|pre-?(?:approve[sd]?|authori[sz]ed|cleared)) {_ALL_OF_IT}",
    rf"\b(?:customer|client|user|account holder|owner|manager|ceo|boss|family|wife|husband) {_ADVERBS}pre-?{_APPROVED}\b",
    rf"\b(?:i|user|we) {_ADVERBS}(?:authori[sz]es?|permits?|allows?|grants?|gives?) (?:you|(?:the|any|this|all) (?:ai"
    r"|bot|assistants?))\b[^.;!?]{0,60}\b(?:to|all|full|any|unlimited|access|permission|control)\b",
    rf"\b(?:all|any|every|future) (?:[^.;!?]{{0,40}} )?{_BUSINESS} [^.;!?]{{0,30}}\b(?:is|are|have been|count as"
    rf"|be) (?:already |hereby |always |automatically |now )*{_APPROVED}\b",
    r"\b(?:allowed|authori[sz]ed|free|may|can|must|should|please|always|now) (?:to )?(?:bypass|skip|disable|turn off"
    rf"|waive|override)(?: \w+){{0,2}} (?:two-factor|2fa|safety checks?|moderation|filters?|{_CHECK})\b",
    rf"\b(?:no|without(?: any| further| asking for)?|(?:never|don't|do not) ask (?:\w+ )?for) (?:\w+ )?{_CHECK} (?:is "
    r"|are )?(?:needed|required|necessary|again|before|when|for (?:payments?|transfers?|any|this user))\b",
    r"\b(?:disabled|waived|switched off|turned off|opted out of|removed|lifted|suspended|skipped) (?:all|any|every"
    rf"|the) (?:\w+ )?{_CHECK}(?! (?:on|in|of|at) (?:my|our|the))",
    r"\b(?:it|they|you|assistants?|software|bots?|tools?|agents?|please|(?:payments?|invoices?|orders?"
    r"|refunds?)(?: (?:to|of|from) [\w ]{1,30})?) (?:is to|are to|must|should|shall|may|can|has to|have to|will|are"
    r"|get) (?:be )?(?:release|approve|pay|clear|execute|authori[sz]e|process|settle|book|grant|accept|confirm"
    r"|transfer|send|issue)d?\b[^.;!?]{0,60}? without [^.;!?]{0,40}?(?:signature|sign-?off|checks?|review"
    rf"|questions?|asking|{_CHECK})\b",
    r"\b(?:fine|ok|okay|alright|allowed|cool) (?:for you to|that you) (?:read|open|share|send|access|see|delete|pay"
    r"|transfer|forward|buy)\b",
    r"\b(?:treat|consider|regard|handle|accept|count) [^.;!?]{1,60}? as (?:coming |sent |if (?:it|they) (?:came"
    r"|were|was) |being )?(?:from )?(?:the |an? |your )?(?:\w+ )?(?:admin(?:istrator)?|operator|developer|owner|root"
    r"|superuser)s?\b",
    rf"\b{_BUSINESS}\b[^.;!?]{{0,40}} (?:needs?|requires?) no (?:\w+ )?(?:{_CHECK}|checks?)\b",
)
_YOURS = Screen(r"\b(?:you|your|you're|yourself|w(?:ith)? me)\b(?! (?:know|guys|see)\b)")
_AGREED = Screen(
    r"\b(?:has|have|had|'s|already|always|hereby) (?:already |always |now |also |fully )*(?:agreed|consented|approved"
    r"|okayed|ok'd|signed off|authori[sz]ed|allowed|permitted|confirmed|accepted|said yes)(?: to| on)? (?:all|any"
    r"|every|each|whatever|everything|anything)\b"
)
_NOT_ASKED = Screen(
    r"\b(?:you (?:needn't|need not|don't (?:need|have) to|do not (?:need|have) to|never (?:need|have) to|can just|may"
    r"|won't need to|no longer (?:need|have) to)|no need to|(?P<verb>don't|do not|never|stop|quit|skip)"
    r"|without)(?: (?:ever|bother|to|even|again))* (?:(?:ask|check|confirm|verify|double[- ]check)(?:ing)?"
    r"|wait(?:ing)?|confirmations?|approvals?)\b"
)
_TRANSACTION = Screen(
    r"\b(?:transfers?|pay(?:ing|ments?)?|send(?:ing)?|purchases?|buy(?:ing)?|order(?:s|ing)?|delet(?:e|ing|ions?)"
    r"|e?-?mails?|money|invoices?|bookings?|book|links?|forms?|fill in|sign up|passwords?|tools?|post(?:ing)?"
    r"|transactions?|withdrawals?)\b"
)
_FOR_LONG = Screen(r"\b(?:from now|again|any ?more|ever|always|all|every|before|in advance|future|whenever|when i)\b")
