"""Characters that look like others: so that nobody can be called what looks like somebody else's name."""

import unicodedata
from typing import Final

from .text import name_key

# Of each pair of lines the upper one looks like the lower one, character by character, in most fonts.
_PAIRS: Final = (
    # Latin itself: what has no dot or no serif, small capitals.
    "I1|0ıȷɑɡ",
    "lllOijag",
    "ᴀʙᴄᴅᴇɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢ",
    "abcdeghijklmnoprstuvwyz",
    # Cyrillic.
    "АВЕЁЗІЇЈКМНОРСТУХЬЅӀѴԌԚԜҮ",
    "ABEË3lÏJKMHOPCTYXbSlVGQWY",
    "авеёзіїјкмнорстухьѕӏѵԁһԛԝү",
    "abeë3iïjkmhopctyxbslvdhqwy",
    # Greek.
    "ΑΒΕΖΗΙΚΜΝΟΡΤΥΧϹͿ",
    "ABEZHlKMNOPTYXCJ",
    "αβγεηικμνορτυχωϲϳ",
    "abyenikuvoptuxwcj",
    # Armenian, Cherokee, Lisu.
    "ՕՍՏԼօսհոցզ",
    "OUSLouhngq",
    "ᎠᎡᎢᎥᎪᎫᎬᎳᎷᎻᎽᏀᏃᏒᏚᏙᏞᏟᏢᏦᏴ",
    "DRTiAJEWMHYGZRSVLCPKB",
    "ꓐꓑꓓꓔꓖꓗꓙꓚꓜꓝꓟꓠꓡꓢꓣꓦꓧꓪꓫꓬꓮꓰꓲꓳꓴ",
    "BPDTGKJCZFMNLSRVHWXYAElOU",
    # Katakana that look like kanji or hiragana.
    "ロニハエカタトチオムヌノヒヘベペリ〇",
    "口二八工力夕卜千才厶又丿匕へべぺりO",
    # Strokes and marks.
    "ー一‐‑‒–—―−",
    "---------",
    "’‘ʼʹ`´′ꞌ",
    "''''''''",
)
_ALIKE: Final = {
    ord(one): other
    for upper, lower in zip(_PAIRS[::2], _PAIRS[1::2], strict=True)
    for one, other in zip(upper, lower, strict=True)
}


def looks(name: str) -> str:
    """What a clean name looks like: the same for two names that are easily taken for one another."""
    return name_key(unicodedata.normalize("NFKC", name).translate(_ALIKE))


def looks_like_word(name: str, word: str) -> bool:
    """Whether a name is a lower-case word, whatever marks stand around and within it."""
    return "".join(filter(str.isalnum, looks(name))) == word
