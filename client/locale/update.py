"""Keeps the catalogues in step with the sources; needs Babel, which only developers have.

    python -m client.locale.update                    extract, merge, compile; lists what has no translation
    python -m client.locale.update --add FILE.json    the same, with translations from a map msgid: msgstr
    python -m client.locale.update --prune            drops what the sources no longer say
    python -m client.locale.update --check            changes nothing; exit code 1 if anything is out of step

The `.po` is sorted and has neither line numbers nor dates, so that additions by several people merge. A
string that the sources no longer say is kept at the end, in comments, and comes back with the string.
"""

import argparse
import ast
import fcntl
import io
import json
import struct
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from babel.messages import Catalog
from babel.messages.extract import extract_from_dir
from babel.messages.pofile import read_po, write_po

ROOT: Final = Path(__file__).parents[2]
LOCALE: Final = Path(__file__).parent
SOURCES: Final = ("client", "protocol", "server")
KEYWORDS: Final[dict[str, tuple[int, ...] | None]] = {"_": None, "mark": None, "ngettext": (1, 2)}
LANGUAGES: Final = ("ja",)

Message = str | tuple[str, ...]


def extracted(root: Path = ROOT) -> set[Message]:
    """Every string of the sources that people read; a pair where it has a plural."""
    found: set[Message] = set()
    for folder in SOURCES:
        for _file, _line, message, _comments, _context in extract_from_dir(
            root / folder, method_map=[("**.py", "python")], keywords=KEYWORDS
        ):
            found.add(tuple(message) if isinstance(message, (list, tuple)) else message)
    return found | set(key_helps(root / "client" / "keys.py"))


def key_helps(path: Path) -> Iterator[str]:
    """The first lines of the docstrings of a module's functions: the page of keys is made from them."""
    if path.exists():
        for node in ast.parse(path.read_text("utf-8")).body:
            if (
                isinstance(node, ast.FunctionDef)
                and node.decorator_list
                and (text := ast.get_docstring(node))
            ):
                yield text.splitlines()[0]


def po_path(language: str) -> Path:
    return LOCALE / language / "LC_MESSAGES" / "dobon.po"


def read(language: str) -> Catalog:
    """The catalogue as it is on disk, empty if it isn't there yet."""
    path = po_path(language)
    if not path.exists():
        return Catalog(locale=language)
    with path.open("rb") as file:
        return read_po(file, locale=language)


def merged(old: Catalog, messages: set[Message], added: Mapping[str, str], *, prune: bool) -> Catalog:
    """A catalogue of exactly `messages`, translated as in `added`, else as in `old`."""
    known = {**dict(_translations(old)), **added}
    catalog = Catalog(locale=old.locale, project="dobon", fuzzy=False, charset="utf-8")
    for message in messages:
        text = known.pop(_key(message), "")
        catalog.add(message, (text,) if isinstance(message, tuple) else text)
    if not prune:
        for key, text in known.items():
            if text:
                catalog.obsolete[key] = Catalog().add(key, text)
    return catalog


def written(catalog: Catalog) -> tuple[bytes, bytes]:
    """The bytes of the `.po` and the `.mo`; the same catalogue always gives the same bytes."""
    header = (
        f"Language: {catalog.locale}\nContent-Type: text/plain; charset=utf-8\n"
        f"Plural-Forms: nplurals={catalog.num_plurals}; plural={catalog.plural_expr};\n"
    )
    catalog.obsolete = dict(sorted(catalog.obsolete.items()))
    body = io.BytesIO()
    write_po(body, catalog, width=0, no_location=True, omit_header=True, sort_output=True)
    quoted = "".join(f'"{line}\\n"\n' for line in header.splitlines())
    return f'msgid ""\nmsgstr ""\n{quoted}\n'.encode() + body.getvalue(), compiled(header, catalog)


def compiled(header: str, catalog: Catalog) -> bytes:
    """The `.mo`, in GNU gettext's format without a hash table. Babel's own says which Babel wrote it."""
    texts = {b"": header.encode()}
    for message in catalog:
        if message.id and message.string:
            key, text = message.id, message.string
            joined = key if isinstance(key, str) else "\0".join(key)
            texts[joined.encode()] = (text if isinstance(text, str) else "\0".join(text)).encode()
    pairs = sorted(item for item in texts.items() if item[1].strip(b"\0"))
    start, count = 28, len(pairs)
    tables, data = [b"", b""], b""
    for column in (0, 1):
        for pair in pairs:
            tables[column] += struct.pack("<II", len(pair[column]), start + 16 * count + len(data))
            data += pair[column] + b"\0"
    head = struct.pack("<7I", 0x950412DE, 0, count, start, start + 8 * count, 0, start + 16 * count)
    return head + tables[0] + tables[1] + data


def untranslated(catalog: Catalog) -> list[str]:
    return sorted(key for key, text in _translations(catalog) if not text and key not in catalog.obsolete)


def _translations(catalog: Catalog) -> Iterator[tuple[str, str]]:
    for message in (*catalog, *catalog.obsolete.values()):
        if message.id:
            text = message.string if isinstance(message.string, str) else message.string[0]
            yield _key(message.id), text


def _key(message: str | tuple[str, ...] | list[str]) -> str:
    return message if isinstance(message, str) else message[0]


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m client.locale.update")
    parser.add_argument(
        "--add", type=Path, metavar="FILE.json", help="a map from source strings to translations"
    )
    parser.add_argument("--prune", action="store_true", help="drop what the sources no longer say")
    parser.add_argument("--check", action="store_true", help="change nothing, fail if anything would change")
    options = parser.parse_args(arguments)
    added: dict[str, str] = json.loads(options.add.read_text("utf-8")) if options.add else {}
    failed = False
    with (LOCALE / "update.py").open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        for language in LANGUAGES:
            catalog = merged(read(language), extracted(), added, prune=options.prune)
            for key in untranslated(catalog):
                sys.stderr.write(f"{language}: not translated: {json.dumps(key, ensure_ascii=False)}\n")
                failed = True
            po = po_path(language)
            for path, content in zip((po, po.with_suffix(".mo")), written(catalog), strict=True):
                if path.exists() and path.read_bytes() == content:
                    continue
                if options.check:
                    sys.stderr.write(f"{path.relative_to(ROOT)} is out of date\n")
                    failed = True
                else:
                    path.parent.mkdir(parents=True, exist_ok=True)
                    path.write_bytes(content)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
