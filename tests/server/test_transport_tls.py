"""TLS over stamped reads, on the in-memory network."""

import datetime
import gc
import ipaddress
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import trio
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from trio.testing import MockClock

from server.memory import Client
from server.tls_stream import TlsStream
from tests.server.recording import Scene, say, scene


@pytest.fixture(scope="module")
def contexts(tmp_path_factory: pytest.TempPathFactory) -> tuple[ssl.SSLContext, ssl.SSLContext]:
    """A server's context with a certificate of its own, and a client's that trusts it."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "dobon")])
    loopback = x509.IPAddress(ipaddress.ip_address("127.0.0.1"))
    now = datetime.datetime.now(datetime.UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([loopback]), critical=False)
        .sign(key, hashes.SHA256())
    )
    path: Path = tmp_path_factory.mktemp("tls") / "both.pem"
    plain = serialization.NoEncryption()
    pem = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, plain)
    path.write_bytes(pem + certificate.public_bytes(serialization.Encoding.PEM))
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(path)
    return server, ssl.create_default_context(cafile=path)


class Speaker:
    """A client's TLS over the in-memory network; `sizes` are the pieces its bytes are sent in."""

    def __init__(self, client: Client, context: ssl.SSLContext, piece: int = 65536) -> None:
        self.client = client
        self.piece = piece
        self.incoming = ssl.MemoryBIO()
        self.outgoing = ssl.MemoryBIO()
        self.tls = context.wrap_bio(self.incoming, self.outgoing, server_hostname="127.0.0.1")

    def flush(self) -> None:
        """Send what waits, piece by piece."""
        data = self.outgoing.read()
        for at in range(0, len(data), self.piece):
            self.client.send(data[at : at + self.piece])

    async def shake(self, first: bytes = b"") -> None:
        """The handshake; `first` goes out together with its end."""
        while True:
            try:
                self.tls.do_handshake()
                break
            except ssl.SSLWantReadError:
                self.flush()
                self.incoming.write(await self.client.receive())
        if first:
            self.tls.write(first)
        self.flush()

    async def read(self) -> bytes:
        """Some plain bytes, none at an orderly end."""
        while True:
            try:
                return self.tls.read(65536)
            except ssl.SSLWantReadError:
                self.incoming.write(await self.client.receive())


Contexts = tuple[ssl.SSLContext, ssl.SSLContext]


@asynccontextmanager
async def echoing(context: ssl.SSLContext | None) -> AsyncIterator[Scene]:
    """A scene whose core answers each frame with its text."""
    async with scene(context=context) as here:
        here.core.step = lambda frame, text: frame.peer.send(text.encode())
        yield here


@pytest.mark.parametrize("piece", [65536, 100, 1])
async def test_the_first_frame_may_come_with_the_handshake(
    contexts: Contexts, piece: int, autojump_clock: MockClock
) -> None:
    async with echoing(contexts[0]) as here:
        speaker = Speaker(here.network.connect(), contexts[1], piece)
        await speaker.shake(say("hello"))
        assert await speaker.read() == b"hello"
        (peer,) = here.core.peers
        assert peer.tls
        assert speaker.tls.version() == "TLSv1.3"
        peer.send(b"x" * 50_000)
        got = bytearray()
        while len(got) < 50_000:
            got += await speaker.read()
        peer.close()
        assert await speaker.read() == b""


async def test_the_stamp_is_that_of_the_encrypted_bytes(
    contexts: Contexts, autojump_clock: MockClock
) -> None:
    async with echoing(contexts[0]) as here:
        speaker = Speaker(here.network.connect(), contexts[1])
        await speaker.shake()
        speaker.tls.write(say("claim"))
        now = here.network.now()
        speaker.client.send(speaker.outgoing.read(), arrival=now, readable=now + 20_000_000)
        assert await speaker.read() == b"claim"
        assert here.core.log[-1] == ("frame", now, "claim")


async def test_plain_clients_share_the_port(contexts: Contexts, autojump_clock: MockClock) -> None:
    async with echoing(contexts[0]) as here:
        client = here.network.connect()
        client.send(say("plain"))
        assert await client.receive() == b"plain"
        assert not here.core.peers[0].tls


@pytest.mark.parametrize("way", ["farewell", "close", "reset", "garbage"])
async def test_every_end_is_the_end(contexts: Contexts, way: str, autojump_clock: MockClock) -> None:
    async with echoing(contexts[0]) as here:
        speaker = Speaker(here.network.connect(), contexts[1])
        await speaker.shake(say("last"))
        assert await speaker.read() == b"last"
        if way == "farewell":
            with pytest.raises(ssl.SSLWantReadError):
                speaker.tls.unwrap()
            speaker.flush()
        elif way == "close":
            speaker.client.close()
        elif way == "reset":
            speaker.client.reset()
        else:
            speaker.client.send(b"\x17\x03\x03\x00\x20" + bytes(32))
        await trio.sleep(2)
        assert here.core.seen()[-1][0] == "closed"
        assert here.network.open() == 0


async def test_who_has_gone_holds_no_tls(contexts: Contexts, autojump_clock: MockClock) -> None:
    """A core may remember a connection for a while, the 70 KiB of its TLS not."""
    async with echoing(contexts[0]) as here:
        for _ in range(5):
            speaker = Speaker(here.network.connect(), contexts[1])
            await speaker.shake(say("hello"))
            assert await speaker.read() == b"hello"
            speaker.client.close()
        await trio.sleep(2)
        assert len(here.core.peers) == 5
        assert not [each for each in gc.get_objects() if type(each) is TlsStream]


async def test_an_unfinished_handshake_is_told_nothing(contexts: Contexts, autojump_clock: MockClock) -> None:
    async with echoing(contexts[0]) as here:
        client = here.network.connect()
        client.send(b"\x16\x03\x01")
        await trio.sleep(0.1)
        here.core.peers[0].send(b"secret")
        here.core.peers[0].close()
        assert await client.receive() == b""


async def test_without_a_context_tls_breaks_the_framing(autojump_clock: MockClock) -> None:
    async with echoing(None) as here:
        client = here.network.connect()
        client.send(b"\x16\x03\x01\x02\x00")
        assert await client.receive() == b"frame_too_large"
