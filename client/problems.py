"""What is wrong with something a player typed, as one sentence in the player's language."""

from protocol.joincode import BadAddress, BadCode
from protocol.text import CHAT_CHARACTERS, NAME_COLUMNS, TABLE_NAME_COLUMNS, BadName, BadText

from .i18n import Translate


def text_problem(error: BadText, _: Translate) -> str:
    """For a name or a line of chat."""
    match error.reason:
        case "empty":
            return _("There is nothing to be seen in it.")
        case "marks":
            return _("It has too many marks on a letter, or marks without one.")
        case "character":
            return _("It has a character that can't be used here.")
    if isinstance(error, BadName):
        return _("A name has at most {columns} columns; a full-width letter takes two.").format(
            columns=NAME_COLUMNS
        )
    return _(
        "It is too long: {characters} characters for chat, {columns} columns for a table's name."
    ).format(characters=CHAT_CHARACTERS, columns=TABLE_NAME_COLUMNS)


def address_problem(error: BadAddress, _: Translate) -> str:
    """For an address or a join code."""
    if isinstance(error, BadCode) and error.reason == "check":
        return _("That join code has a mistake in it.")
    match error.reason:
        case "empty":
            return _("An address or a join code is needed.")
        case "port":
            return _("A port is a number from 1 to 65535.")
    return _("That is neither an address nor a join code.")
