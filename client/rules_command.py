"""`dobon rules`: the rules of a game as people read them, with the fields."""

import argparse
import json
import sys

from engine.rules import PRESETS, BadRules, Rules, parse_rule

from .i18n import Translate
from .rules_fields import explain, refusal, typed, value_text
from .rules_text import sections


def add_arguments(parser: argparse.ArgumentParser, _: Translate) -> None:
    parser.add_argument(
        "preset",
        nargs="?",
        metavar="PRESET",
        help=_("{names} (default: dobon)").format(names=", ".join(PRESETS)),
    )
    parser.add_argument(
        "--rule",
        action="append",
        default=[],
        metavar="FIELD=VALUE",
        help=_("with this field changed; can be given several times"),
    )
    parser.add_argument("--json", action="store_true", help=_("print JSON, for programs"))


def run(args: argparse.Namespace, _: Translate) -> int:
    try:
        rules = Rules.preset(args.preset or "dobon").changed(dict(map(parse_rule, args.rule)))
    except BadRules as error:
        sys.stderr.write(refusal(error, _) + "\n")
        return 2
    if args.json:
        json.dump(as_data(rules, _), sys.stdout, ensure_ascii=False, indent=2)
        sys.stdout.write("\n")
    else:
        sys.stdout.write(as_text(rules, _))
    return 0


def as_text(rules: Rules, _: Translate) -> str:
    """Sections of sentences, then every field with its value and what it decides."""
    lines: list[str] = []
    for title, sentences in sections(rules, _):
        lines += [title, *(f"- {sentence}" for sentence in sentences), ""]
    lines.append(_("The fields"))
    for field, value in rules.to_data().items():
        said = "" if isinstance(value, int) else f": {value_text(field, value, _)}"
        lines += [typed(field, value), f"    {explain(field, _)}{said}"]
    return "\n".join(lines) + "\n"


def as_data(rules: Rules, _: Translate) -> dict[str, object]:
    """The fields as the protocol has them, and all the text; `preset` is None for rules of one's own."""
    preset = next((name for name, known in PRESETS.items() if known == rules), None)
    data = rules.to_data()
    return {
        "preset": preset,
        "rules": data,
        "sections": [
            {"title": title, "sentences": list(sentences)} for title, sentences in sections(rules, _)
        ],
        "fields": {
            field: {"explanation": explain(field, _), "value": value_text(field, value, _)}
            for field, value in data.items()
        },
    }
