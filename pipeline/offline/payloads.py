"""What announces words that are not the user's own: a text of somebody else, or one to be worked on."""

import re

from pipeline.offline.acts import Act

_PAYLOAD = re.compile(
    r"\b(?:the following|the text below|below|(?:this|these) (?:text|sentence|paragraph|email|mail"
    r"|message|passage|article|essay|letter|post|note|document|story|poem|lines?|words?|transcript"
    r"|dialogue|review)s?)\b",
    re.IGNORECASE,
)
_OF_OTHERS = re.compile(
    r"\b(?:wrote|sent|says|said|got|received|e?-?mail(?:ed)?|message|texted|text|draft|letter|post(?:ed)?|review"
    r"|article|excerpt|lyrics|paragraph|replied"
    r"|snippet|log|output|transcript|story|poem|copy|quote|ad|listing|clause|contract)\b[^:]*:$|^(?:here(?:'s| is"
    r"| are)|this is)\b[^:]*:$",
    re.IGNORECASE,
)
"""What ends so is followed by another's words."""
_WORKS_ON = re.compile(
    r"\b(?:summari[sz]e|translate|rewrite|rephrase|paraphrase|proofread|shorten|polish|improve|correct|edit"
    r"|analy[sz]e|review)\b"
    r".*\b(?:this|it|following|text|below)\b",
    re.IGNORECASE,
)
_WORKS_ON_WHAT_FOLLOWS = re.compile(
    r"\b(?:summari[sz]e|translate|rewrite|rephrase|paraphrase|proofread|shorten)\b[^:.!?]{0,60}: \S"
    r"|\b(?:polish|improve|correct|edit|fix|check)\b[^:.!?]{0,40}\b(?:grammar|spelling|english|wording|sentences?|texts?"
    r"|phrases?|paragraphs?|this(?! out)|these)\b[^:.!?]{0,20}: \S"
    r"|\b(?:is|are) (?:this|these) (?:sentences?|texts?|phrases?|paragraphs?) (?:\w+ )?"
    r"(?:correct|right|ok|okay|fine|grammatical)\b",
    re.IGNORECASE,
)
"""The same where the text begins in the same line: "Translate to French: I live in Paris. I am a doctor."."""


def introduces_payload(text: str, act: Act) -> bool:
    """Whether a sentence is followed by a text of somebody else or one to work on, which says nothing about the user."""
    if act is Act.STATEMENT:
        return _OF_OTHERS.search(text) is not None
    if text.rstrip().endswith(":") or _WORKS_ON.search(text) or _WORKS_ON_WHAT_FOLLOWS.search(text):
        return True
    return act is Act.COMMAND and _PAYLOAD.search(text) is not None
