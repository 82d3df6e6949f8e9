import ast
import gettext
import re
import string
from pathlib import Path

import pytest
from babel.messages import Catalog

from client import i18n
from client.locale.update import (
    ROOT,
    SOURCES,
    Message,
    extracted,
    merged,
    po_path,
    read,
    untranslated,
    written,
)

JAPANESE = read("ja")


@pytest.mark.parametrize(
    ("flag", "environ", "configured", "chosen"),
    [
        ("ja", {"DOBON_LANG": "en"}, "en", "ja"),
        (None, {"DOBON_LANG": "ja", "LANG": "en_US.UTF-8"}, "en", "ja"),
        (None, {"LANG": "en_US.UTF-8"}, "ja", "ja"),
        (None, {"LANG": "ja_JP.UTF-8"}, "", "ja"),
        (None, {"LC_ALL": "C", "LANG": "ja_JP.UTF-8"}, "", "en"),
        (None, {"LC_ALL": "", "LC_MESSAGES": "ja_JP", "LANG": "en_US"}, "", "ja"),
        (None, {"LANG": "fr_FR.UTF-8"}, "", "en"),
        ("JA-jp", {}, "", "ja"),
        (None, {"DOBON_LANG": "fr", "LANG": "ja"}, "", "ja"),
        (None, {}, "", "en"),
    ],
)
def test_order_of_wishes(flag: str | None, environ: dict[str, str], configured: str, chosen: str) -> None:
    assert i18n.language(flag, environ, lambda: configured) == chosen


def test_english_is_the_source() -> None:
    assert i18n.catalogue("en").gettext("anything") == "anything"
    assert i18n.catalogue("en").ngettext("one", "many", 2) == "many"


def test_japanese_is_loaded_from_the_compiled_file() -> None:
    catalogue = i18n.catalogue("ja")
    assert isinstance(catalogue, gettext.GNUTranslations)
    key = next(message.id for message in JAPANESE if isinstance(message.id, str) and message.id)
    assert catalogue.gettext(key) == JAPANESE[key].string


def test_every_string_is_translated_and_the_files_are_up_to_date() -> None:
    catalog = merged(JAPANESE, extracted(), {}, prune=False)
    assert untranslated(catalog) == []
    po, mo = written(catalog)
    assert po_path("ja").read_bytes() == po, "python -m client.locale.update"
    assert po_path("ja").with_suffix(".mo").read_bytes() == mo, "python -m client.locale.update"


def test_placeholders_are_the_same() -> None:
    for message in JAPANESE:
        sources = [message.id] if isinstance(message.id, str) else message.id
        texts = [message.string] if isinstance(message.string, str) else message.string or []
        for text in texts:
            assert placeholders(text) == placeholders(sources[-1]), sources[-1]


def test_no_space_parts_a_name_or_a_card_from_its_particle() -> None:
    """`花子が`, never `花子 が`; only what is copied, such as a path, stands between spaces."""
    what = r"\{(?:name|names|other|one|winners?|losers?|who|seat|cards?|top|rank|count|match|suit|minutes)\}"
    parted = re.compile(rf"{what} [ぁ-ん一-龥]|[ぁ-ん] {what}")
    for message in JAPANESE:
        texts = [message.string] if isinstance(message.string, str) else message.string or []
        assert not [text for text in texts if parted.search(text)]


def test_strings_are_literals_with_named_placeholders() -> None:
    """An f-string is formatted before it is looked up, and is never found."""
    for folder in SOURCES:
        for path in (ROOT / folder).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                if (
                    isinstance(node, ast.Call)
                    and isinstance(node.func, ast.Name)
                    and node.func.id in {"_", "mark"}
                ):
                    assert not isinstance(node.args[0], (ast.JoinedStr, ast.BinOp)), f"{path}:{node.lineno}"
    for message in extracted():
        for text in [message] if isinstance(message, str) else message:
            assert all(name == "" or name.isidentifier() for name in placeholders(text)), text
            assert "" not in placeholders(text), text


def placeholders(text: str) -> set[str]:
    braces = {name for _, name, _, _ in string.Formatter().parse(text) if name is not None}
    return braces | set(re.findall(r"%\((\w+)\)", text))


def test_merging_keeps_translations_and_brings_them_back() -> None:
    messages: set[Message] = {"b {x}", "gone", 'q "x"\nl', ("one {n}", "many {n}")}
    added = {"b {x}": "び{x}", "gone": "行", 'q "x"\nl': "き\n", "one {n}": "{n}個"}
    full = merged(Catalog(locale="ja"), messages, added, prune=False)
    po, mo = written(full)
    assert untranslated(full) == []
    fewer, _ = written(merged(full, messages - {"gone"}, {}, prune=False))
    assert '#~ msgid "gone"' in fewer.decode()
    assert written(merged(full, messages, {}, prune=False)) == (po, mo)
    pruned, _ = written(merged(full, messages - {"gone"}, {}, prune=True))
    assert "gone" not in pruned.decode()


def test_the_compiled_form_is_what_gettext_reads(tmp_path: Path) -> None:
    messages: set[Message] = {"b {x}", ("one {n}", "many {n}"), "none"}
    catalog = merged(Catalog(locale="ja"), messages, {"b {x}": "び{x}", "one {n}": "{n}個"}, prune=False)
    path = tmp_path / "dobon.mo"
    path.write_bytes(written(catalog)[1])
    with path.open("rb") as file:
        compiled = gettext.GNUTranslations(file)
    assert compiled.gettext("b {x}") == "び{x}"
    assert compiled.gettext("none") == "none"
    assert compiled.ngettext("one {n}", "many {n}", 3) == "{n}個"
