"""A person's end of a connection, plain or encrypted, over a network that fails.

What is said comes in pieces of any size, late, twice, or not to its end; what is heard stalls, or is lost.
"""

from __future__ import annotations

import datetime
import random
import ssl
import tempfile
from functools import cache
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from server.memory import WINDOW, Network
from tests.server.encrypted import trusting

from .plan import Plan, Weather

SECOND = 1_000_000_000


class Line:
    """One connection from ``address``. ``cuts`` counts what befell it."""

    def __init__(
        self, network: Network, weather: Weather, chance: random.Random, address: str, encrypted: bool
    ) -> None:
        self.client = network.connect(address)
        self.cuts = 0
        self.stalled = False
        """Nothing was read for a while: much may be unsent at the other end."""
        self._network = network
        self._weather = weather
        self._plan: Plan = weather.plan
        self._chance = chance
        self._tls: ssl.SSLObject | None = None
        self._incoming, self._outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self._early: bytes | None = b""
        """What is to be said once the handshake is done."""
        if encrypted:
            self._tls = _trusting().wrap_bio(self._incoming, self._outgoing)
            self._decrypted()

    @property
    def encrypted(self) -> bool:
        return self._tls is not None

    def put(self, data: bytes) -> None:
        """Say something."""
        if self._tls is None:
            self._carry(data)
        elif self._early is not None:
            self._early += data
        else:
            self._tls.write(data)
            self._carry(self._outgoing.read())

    async def receive(self) -> bytes:
        """What has come, none at the end."""
        while True:
            data = await self.client.receive()
            if self._tls is None or not data:
                return data
            self._incoming.write(data)
            plain = self._decrypted()
            if plain is None or plain:
                return plain or b""

    def _decrypted(self) -> bytes | None:
        """The plain bytes so far, None at the end."""
        assert self._tls is not None
        plain = bytearray()
        try:
            if self._early is not None:
                self._tls.do_handshake()
                early, self._early = self._early, None
                if early:
                    self._tls.write(early)
            while part := self._tls.read(WINDOW):
                plain += part
        except ssl.SSLWantReadError:
            self._carry(self._outgoing.read())
            return bytes(plain)
        except ssl.SSLError:
            pass
        return bytes(plain) or None

    def _carry(self, data: bytes) -> None:
        """Send bytes as the network of the day does."""
        if not data:
            return
        if not self._weather.bad:
            self.open_up(WINDOW)
            self.client.send(data)
            return
        chance, at = self._chance, self._network.now()
        if chance.random() < self._plan.split:
            trickle = chance.random() < 0.1
            while len(data) > 1:
                size = 1 if trickle else chance.choice([1, chance.randrange(1, len(data)), len(data) - 1])
                readable = at + chance.choice([0, 50_000])
                self.client.send(data[:size], at, readable, chance.random() < 0.1)
                data = data[size:]
                at += 1000 if trickle else self._delay()
        if chance.random() < self._plan.cut:
            self.cuts += 1
            self.client.send(data[: chance.randrange(len(data))], at)
            self.client.reset(at)
        else:
            self.client.send(data, at)

    def _delay(self) -> int:
        chance = self._chance
        if chance.random() < 0.02:
            return chance.choice([SECOND // 2, 6 * SECOND])
        return chance.choice([0, 1, 1000, SECOND // 50])

    def mishap(self) -> None:
        """Something befalls the connection."""
        self.cuts += 1
        chance = self._chance
        match chance.randrange(5):
            case 0:
                self.client.reset()
            case 1:
                # Half of it: what the server still says is heard.
                self.client.close()
            case 2:
                self.open_up(chance.choice([0, 1, 7, 300]) if self.client.window == WINDOW else WINDOW)
            case 3:
                self.client.send(chance.randbytes(chance.randrange(1, 30)))
            case _:
                self.client.take()
                self.client.reset()

    def open_up(self, window: int) -> None:
        """So many bytes are kept from now on for who does not read."""
        if self.client.window != window:
            self.stalled = True
            self.client.window = window
            self._network.stir()


@cache
def _trusting() -> ssl.SSLContext:
    return trusting()


@cache
def encrypting() -> ssl.SSLContext:
    """A server's context. Its certificate, and what it signs, have always the same length."""
    key = Ed25519PrivateKey.generate()
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "dobon")])
    day = datetime.datetime(2020, 1, 1, tzinfo=datetime.UTC)
    builder = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
    builder = builder.serial_number(1).not_valid_before(day).not_valid_after(day.replace(year=2049))
    certificate = builder.sign(key, None)
    plain = serialization.NoEncryption()
    pem = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, plain)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    with tempfile.TemporaryDirectory(prefix="dobon") as folder:
        path = Path(folder) / "both.pem"
        path.write_bytes(pem + certificate.public_bytes(serialization.Encoding.PEM))
        context.load_cert_chain(path)
    return context
