"""Where a server is, as people say it: a join code, or an address.

A join code is the address itself in Crockford's base 32, so that it needs nobody to look it up. Its length
tells which of four forms it is (`_FORMS`); each holds a number made of address and port, then check bits,
the first bits of SHA-256 of `dobon code` and that number in eight big-endian bytes. On 192.168/16 with the
default port it has four characters. Codes are for IPv4; an IPv6 address is typed as it is.
"""

import hashlib
import ipaddress
import re
import unicodedata
from collections.abc import Iterator
from typing import Final, NamedTuple

DEFAULT_PORT: Final = 5213
ALPHABET: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

_ALIKE: Final = str.maketrans("OIL", "011")
_SEPARATORS: Final = re.compile(r"[\s\-‐‑–—ー_]+")
_ASCII_DIGITS: Final = re.compile("[0-9]{1,5}")


class Form(NamedTuple):
    """One length of code: the networks it can name, each with the default port or with any."""

    networks: tuple[ipaddress.IPv4Network, ...]
    any_port: bool
    check_bits: int


_FORMS: Final[dict[int, Form]] = {
    length: Form(tuple(map(ipaddress.IPv4Network, networks.split())), any_port, check_bits)
    for length, networks, any_port, check_bits in (
        (4, "192.168.0.0/16", False, 4),
        (6, "10.0.0.0/8 172.16.0.0/12 169.254.0.0/16 127.0.0.0/24", False, 5),
        (8, "192.168.0.0/16 127.0.0.0/24", True, 7),
        (12, "0.0.0.0/0", True, 12),
    )
}


class Address(NamedTuple):
    """A host, by name or number without brackets, and a TCP port."""

    host: str
    port: int

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


class BadAddress(ValueError):
    """What was typed is no address. `reason` is `empty`, `host` or `port`."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason


class BadCode(BadAddress):
    """What was typed is no join code. `reason` is `length`, `character`, `check`, or `host` for an address
    that has no code."""


def encode(host: str, port: int) -> str:
    """The shortest code of an IPv4 address and port, upper case without separators. Raises BadCode."""
    try:
        address = ipaddress.IPv4Address(host)
    except ValueError:
        raise BadCode("host", "only an IPv4 address has a join code") from None
    if not 1 <= port <= 65535:
        raise BadCode("port", "a port is a number from 1 to 65535")
    for length, form in _FORMS.items():
        value = 0
        for network in form.networks:
            if address in network and (form.any_port or port == DEFAULT_PORT):
                value += int(address) - int(network.network_address)
                return _written(value * 65536 + port if form.any_port else value, length, form)
            value += network.num_addresses
    raise AssertionError("the last form holds every address")


def decode(text: str) -> Address:
    """The address in a code; case, spaces and hyphens don't matter, O is 0, I and L are 1. Raises BadCode."""
    code = _SEPARATORS.sub("", unicodedata.normalize("NFKC", text)).upper().translate(_ALIKE)
    form = _FORMS.get(len(code))
    if form is None:
        lengths = ", ".join(map(str, _FORMS))
        raise BadCode("length", f"a join code has {lengths} characters, this has {len(code)}")
    number = 0
    for character in code:
        if character not in ALPHABET:
            raise BadCode("character", "a join code has only digits and letters, and no U")
        number = number * 32 + ALPHABET.index(character)
    value = number >> form.check_bits
    if number & ((1 << form.check_bits) - 1) != _check(value, form.check_bits):
        raise BadCode("check", "that join code has a mistake in it")
    offset, port = divmod(value, 65536) if form.any_port else (value, DEFAULT_PORT)
    for network in form.networks:
        if offset < network.num_addresses and port:
            return Address(str(network.network_address + offset), port)
        offset -= network.num_addresses
    raise BadCode("check", "that join code has a mistake in it")


def parse_address(text: str) -> tuple[Address, ...]:
    """What a player may have meant, likeliest first: a code, `host`, `host:port`, an IPv6 address,
    `[v6]:port`. A short word can be both a code and a host's name. Raises BadAddress."""
    typed = unicodedata.normalize("NFKC", text).strip()
    if not typed:
        raise BadAddress("empty", "an address or a join code is needed")
    return tuple(dict.fromkeys(_meanings(typed)))


def _meanings(typed: str) -> Iterator[Address]:
    problem: BadCode | None = None
    try:
        yield decode(typed)
    except BadCode as error:
        problem = error
    try:
        yield _host_and_port(typed)
    except BadAddress as error:
        if problem is None:
            return
        # what can be no host's name and has a code's length was meant as a code
        raise (problem if error.reason == "host" and problem.reason == "check" else error) from None


def _host_and_port(typed: str) -> Address:
    if bracketed := re.fullmatch(r"\[([^\]]*)\](?::(.*))?", typed):
        return Address(_v6(bracketed[1]), _port(bracketed[2]))
    if typed.count(":") > 1:
        return Address(_v6(typed), DEFAULT_PORT)
    host, colon, port = typed.partition(":")
    if not host or len(host) > 253 or re.search(r"[\s/@?#\[\]\\%]", typed) or not typed.isprintable():
        raise BadAddress("host", "that is neither an address nor a join code")
    return Address(host, _port(port if colon else None))


def _v6(text: str) -> str:
    try:
        return str(ipaddress.IPv6Address(text))
    except ValueError:
        raise BadAddress("host", "that is no IPv6 address") from None


def _port(text: str | None) -> int:
    if text is None:
        return DEFAULT_PORT
    if not _ASCII_DIGITS.fullmatch(text) or not 1 <= int(text) <= 65535:
        raise BadAddress("port", "a port is a number from 1 to 65535")
    return int(text)


def _written(value: int, length: int, form: Form) -> str:
    number = value << form.check_bits | _check(value, form.check_bits)
    return "".join(ALPHABET[number >> 5 * place & 31] for place in reversed(range(length)))


def _check(value: int, bits: int) -> int:
    digest = hashlib.sha256(b"dobon code" + value.to_bytes(8, "big")).digest()
    return int.from_bytes(digest[:2], "big") >> 16 - bits
