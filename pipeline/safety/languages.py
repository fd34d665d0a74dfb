"""Orders in other languages than English, without accents: the same shapes, filled with the words of each."""

import re

from pipeline.safety.language_words import DUTCH, FRENCH, GERMAN, ITALIAN, PORTUGUESE, SPANISH, LanguageWords
from pipeline.safety.screen import Screen

_WORD = re.compile(r"[a-z]+")
_SENTENCE = re.compile(r"[.!?;]+ |\" ")
_WEB = r"(?:https?\s?:|www\.|[\w-]+\.(?:com|net|org|io|de|es|fr|it|pt|br|nl|ru|info|biz|xyz|example|test|invalid)\b)"
_START = r"(?:^|[.;!?,:>\"*#\]] ?)"


def in_other_words(text: str) -> bool:
    """Whether a text gives the assistant an order in another language than English."""
    words = frozenset(_WORD.findall(text))
    if any(len(language.words & words) > 1 and language.orders(text) for language in _LANGUAGES):
        return True
    return bool(_IN_MORE.search(text) or (not text.isascii() and _OTHER_SCRIPTS.search(text)))


class _Language:
    def __init__(self, its: LanguageWords) -> None:
        self.words = frozenset(its.known_by.split())
        self._plain = Screen(*_shapes(its))
        self._deed = Screen(
            rf"\b(?:{its.you_do})\b|(?:{_START}|\b(?:{its.led}) )(?:(?:{its.always}|{its.led}) )*(?:{its.do})(?!\w)"
        )
        self._again = Screen(rf"\b(?:{its.once})\b[^.!?;]{{0,60}}?\b(?:{its.asks})\b", rf"\b(?:{its.onward})\b")
        self._secret = Screen(rf"\b(?:{its.secretly})\b")

    def orders(self, text: str) -> bool:
        """Whether a text has one of the shapes, or a deed that is to be done again and again, or in secret."""
        if self._plain.search(text):
            return True
        secret = self._secret.search(text) is not None
        return bool(secret or self._again.search(text)) and any(
            self._deed.search(sentence) and (secret or self._again.search(sentence))
            for sentence in _SENTENCE.split(text)
        )


def _shapes(its: LanguageWords) -> tuple[str, ...]:
    without = rf"\b(?:{its.without}) (?:\w+ )?(?:{its.rules})\b"
    return (
        rf"\b(?:{its.forget})\b[^.!?;]{{0,40}}?\b(?:{its.whose}) (?:[\w']+ ){{0,3}}?(?:{its.rules})\b",
        rf"\b(?:{its.forget})\b (?:\w+,? ){{0,2}}?(?:{its.what_you_were_told})\b",
        rf"\b(?:{its.whose}) (?:\w+ ){{0,2}}?(?:{its.rules})\b (?:\w+ ){{0,2}}?(?:{its.void})\b",
        rf"\b(?:{its.answer})\b[^.!?;]{{0,60}}?{without}|{without}[^.!?;]{{0,50}}?\b(?:{its.answer})\b",
        rf"\b(?:{its.become})\b",
        rf"\b(?:{its.whatever_i_say})",
        rf"\b(?:{its.unasked})\b[^.!?;]{{0,60}}?\b(?:{its.business})\b",
        rf"\b(?:{its.business})\b[^.!?;]{{0,60}}?\b(?:{its.unasked})\b",
        rf"\b(?:{its.agreed})\b",
        rf"\b(?:{its.must})\b",
        rf"\b(?:{its.the_assistant})\b",
        rf"(?:{_START}|\b(?:{its.led}) )(?:{its.do}) (?:{its.always})\b",
        rf"(?:{_START}|\b(?:{its.led}) )(?:{its.send})\b[^.!?]{{0,60}}(?:\b(?:{its.private})\b|{_WEB})",
        rf"\b(?:{its.note})\b,?:?(?: (?!s')[\w']+){{0,3}}? ?\b(?:{its.assistant})\b(?=[^.!?]{{0,60}}[:;,!\u2013\u2014])",
        rf"\b(?:{its.assistant}),? (?:{its.reads})\b",
        rf"{_START}(?:{its.assistant}) ?: |(?:^|[.!?] )(?:{its.assistant}), ",
    )


_LANGUAGES = tuple(map(_Language, (GERMAN, SPANISH, FRENCH, ITALIAN, PORTUGUESE, DUTCH)))

_IN_MORE = Screen(
    r"\b(?:zignoruj|ignoruj|zapomnij)\b(?: \w+){0,4} (?:instrukcje|polecenia|zasady)",
    r"\b(?:od teraz|odtad|od dzis)\b[^.!?]{0,60}?\b(?:polecaj|odpowiadaj|mow|pisz|rekomenduj|ignoruj|wysylaj"
    r"|nie wspominaj|udawaj|jestes|musisz)\b",
    r"\b(?:ignorera|glom|strunta i)\b(?: \w+){0,4} (?:instruktioner|regler)",
    r"\b(?:fran och med nu|fran nu|hadanefter|fra na av|fra nu af|fremover|framover)\b[^.!?]{0,50}\b(?:svara?"
    r"|rekommendera|anbefale?|namn|naevn|nevn|sag|si)\b",
    r"\b(?:onceki|tum) (?:talimatlari|komutlari)[^.!?]{0,20}(?:yok say|unut|gormezden)",
    r"\b(?:bundan sonra|artik)\b[^.!?]{0,80}?(?:oner|tavsiye et|soyle|cevap ver|yanitla|bahsetme|gonder)",
)
"""The plainest orders in more languages."""

_OTHER_SCRIPTS = Screen(
    r"(?:игнорируи|забудь|проигнорируи|игнорировать|не следуи)\w*[^.!?]{0,40}(?:инструкци|указани|правил|команд)",
    r"(?:с этого момента|отныне|теперь|впредь|всегда|никогда не|если|когда)[^.!?]{0,80}(?:рекомендуи|советуи"
    r"|отвечаи|ответь|говори|скажи|упоминаи|отправ(?:ь|ляи)|предлагаи|называи)",
    r"(?:с этого момента|отныне|теперь),? (?:ты|вы)\b",
    r"(?:忽略|无视|忘记|忽視|無視|忘掉|不要理会).{0,12}(?:指令|指示|说明|規則|规则|提示|命令|內容|内容)",
    r"(?:从现在起|从现在开始|今后|以后|每次|始终|总是|务必|当|如果|每当)[^。!?]{0,24}(?:推荐|推薦|回答|回复|告诉|提到|必须)",
    r"(?:指示|命令|指令|プロンプト|ルール|ふろんふと).{0,8}(?:無視|忘れ)",
    r"(?:今後|これから|以後|必す|常に)[^。]{0,30}(?:勧め|推薦|推奨|答え(?:て|る|なさい)|回答|返答)",
    r"(?:지시|명령|규칙|ᄌ[ᅡ-ᇿ]*시).{0,12}(?:무시|ᄆ[ᅮ]시)|(?:앞으로|지금부터|항상).{0,30}(?:추천|답변|대답)",
    r"(?:تجاهل|انس).{0,20}(?:التعليمات|الاوامر|الأوامر|السابقة)",
    r"(?:अब से|हमेशा|जब भी)[^।]{0,60}(?:जवाब द|सिफारिश|सुझाव द|बताना|बताओ)",
)
