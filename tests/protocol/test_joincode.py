import ipaddress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.joincode import (
    ALPHABET,
    DEFAULT_PORT,
    Address,
    BadAddress,
    BadCode,
    decode,
    encode,
    parse_address,
)

ADDRESSES = st.one_of(
    st.ip_addresses(v=4),
    *(
        st.ip_addresses(network=network)
        for network in ("192.168.0.0/16", "10.0.0.0/8", "172.16.0.0/12", "169.254.0.0/16", "127.0.0.0/24")
    ),
).map(str)
PORTS = st.one_of(st.just(DEFAULT_PORT), st.integers(1, 65535))


@given(ADDRESSES, PORTS)
def test_a_code_is_the_address(host: str, port: int) -> None:
    code = encode(host, port)
    assert decode(code) == (host, port)
    assert set(code) <= set(ALPHABET)
    assert parse_address(code)[0] == (host, port)


@pytest.mark.parametrize(
    ("host", "port", "length"),
    [
        ("192.168.0.0", 5213, 4),
        ("192.168.255.255", 5213, 4),
        ("10.0.0.1", 5213, 6),
        ("172.31.255.255", 5213, 6),
        ("127.0.0.1", 5213, 6),
        ("192.168.1.7", 40123, 8),
        ("127.0.0.1", 40123, 8),
        ("10.0.0.1", 40123, 12),
        ("203.0.113.9", 5213, 12),
        ("255.255.255.255", 65535, 12),
    ],
)
def test_the_likeliest_addresses_have_the_shortest_codes(host: str, port: int, length: int) -> None:
    code = encode(host, port)
    assert len(code) == length
    assert decode(code) == (host, port)


@given(ADDRESSES, PORTS)
def test_decoding_forgives(host: str, port: int) -> None:
    code = encode(host, port)
    for typed in (
        code.lower(),
        f" {code[:2]} {code[2:]}\n",
        "-".join(code),
        code.replace("0", "o").replace("1", "L"),
        code.replace("1", "i"),
        "".join(chr(ord(character) + 0xFEE0) for character in code),
    ):
        assert decode(typed) == (host, port)


def test_most_slips_are_noticed() -> None:
    """Four check bits let one in sixteen through, the longer forms fewer."""
    for host, port, share in (("192.168.3.77", 5213, 0.1), ("192.168.3.77", 40123, 0.02)):
        code = encode(host, port)
        slips = {
            code[:place] + character + code[place + 1 :]
            for place in range(len(code))
            for character in ALPHABET
        } - {code}
        assert sum(map(is_code, slips)) <= share * len(slips)


@pytest.mark.parametrize(
    ("typed", "reason"),
    [("", "length"), ("ABC", "length"), ("ABCDE", "length"), ("UUUU", "character"), ("AB?D", "character")],
)
def test_what_is_no_code(typed: str, reason: str) -> None:
    with pytest.raises(BadCode) as bad:
        decode(typed)
    assert bad.value.reason == reason


@given(st.text())
def test_decoding_raises_nothing_else(typed: str) -> None:
    try:
        host, port = decode(typed)
    except BadCode:
        return
    ipaddress.IPv4Address(host)
    assert 1 <= port <= 65535


@pytest.mark.parametrize("host", ["::1", "localhost", "", "1.2.3"])
def test_only_ipv4_has_a_code(host: str) -> None:
    with pytest.raises(BadCode):
        encode(host, 5213)


@pytest.mark.parametrize("port", [0, -1, 65536])
def test_only_real_ports_have_a_code(port: int) -> None:
    with pytest.raises(BadCode):
        encode("127.0.0.1", port)


@pytest.mark.parametrize(
    ("typed", "address"),
    [
        ("192.168.1.7", ("192.168.1.7", 5213)),
        ("192.168.1.7:40123", ("192.168.1.7", 40123)),
        (" １９２．１６８．１．７：４０１２３ ", ("192.168.1.7", 40123)),
        ("localhost", ("localhost", 5213)),
        ("haru.local:1", ("haru.local", 1)),
        ("::1", ("::1", 5213)),
        ("[::1]", ("::1", 5213)),
        ("[::1]:40123", ("::1", 40123)),
        ("[fe80::1%eth0]:40123", ("fe80::1%eth0", 40123)),
        ("fe80::1%eth0", ("fe80::1%eth0", 5213)),
    ],
)
def test_addresses(typed: str, address: tuple[str, int]) -> None:
    assert parse_address(typed) == (address,)
    assert parse_address(str(parse_address(typed)[0])) == (address,)


def test_a_code_comes_before_the_host_of_that_name() -> None:
    code = encode("192.168.1.7", 5213)
    assert parse_address(code) == (Address("192.168.1.7", 5213), Address(code, 5213))
    spaced = code[:2] + " " + code[2:]
    assert parse_address(spaced) == (Address("192.168.1.7", 5213),)


@pytest.mark.parametrize(
    ("typed", "reason"),
    [
        ("", "empty"),
        ("  ", "empty"),
        ("host:", "port"),
        ("host:0", "port"),
        ("host:65536", "port"),
        ("host:x", "port"),
        ("[::1]:", "port"),
        (":5213", "host"),
        ("[::1", "host"),
        ("1:2:3", "host"),
        ("http://host/", "host"),
        ("a b", "host"),
        ("x\x1b[2J", "host"),
        ("x" * 254, "host"),
    ],
)
def test_what_is_no_address(typed: str, reason: str) -> None:
    with pytest.raises(BadAddress) as bad:
        parse_address(typed)
    assert bad.value.reason == reason
    assert "\n" not in str(bad.value)


def test_a_code_with_a_mistake_is_called_one() -> None:
    code = encode("192.168.1.7", 5213)
    wrong = next(slip for slip in (code[:3] + character for character in ALPHABET) if not is_code(slip))
    with pytest.raises(BadCode) as bad:
        parse_address(wrong[:2] + " " + wrong[2:])
    assert bad.value.reason == "check"


@given(st.text())
def test_parsing_raises_nothing_else(typed: str) -> None:
    try:
        meanings = parse_address(typed)
    except BadAddress:
        return
    assert all(host and 1 <= port <= 65535 for host, port in meanings)


def is_code(text: str) -> bool:
    try:
        decode(text)
    except BadCode:
        return False
    return True
