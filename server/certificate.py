"""A server's TLS certificate: made on the first start, kept with the data, known by its fingerprint.

Nobody vouches for it. Clients remember the fingerprint from the first time and refuse another one later, so
it has to stay the same: the two files belong in every backup of the data.
"""

from __future__ import annotations

import datetime
import os
import shutil
import ssl
import subprocess
import tempfile
from hashlib import sha256
from pathlib import Path
from typing import Final, NamedTuple

from protocol.trouble import Translate, system_reason

from .tls_stream import prepare

KEY: Final = "tls-key.pem"
CERTIFICATE: Final = "tls-certificate.pem"
DAYS: Final = 3650


class NoCertificate(Exception):
    """There is no certificate to be had; the text is one sentence for people."""


class Identity(NamedTuple):
    """What a server proves itself with."""

    context: ssl.SSLContext
    fingerprint: str
    """SHA-256 of the certificate in hex."""


def identity(folder: Path, _: Translate) -> Identity:
    """The certificate in this folder, made now if there is none. Raises NoCertificate."""
    key, certificate = folder / KEY, folder / CERTIFICATE
    try:
        if not (key.exists() and certificate.exists()):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            _make(folder, _)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        prepare(context)
        context.load_cert_chain(certificate, key)
        return Identity(context, fingerprint_of(certificate.read_text("ascii")))
    except (ssl.SSLError, ValueError):
        said = _("{certificate} and {key} are no certificate and its key: put them back, or remove both.")
        raise NoCertificate(said.format(certificate=certificate, key=key)) from None
    except OSError as error:
        said = _("The certificate can't be kept in {folder}: {reason}.")
        raise NoCertificate(said.format(folder=folder, reason=system_reason(error, _))) from None


def fingerprint_of(pem: str) -> str:
    """SHA-256 of the first certificate in a text, in hex. Raises ValueError if there is none."""
    end = "-----END CERTIFICATE-----"
    return sha256(ssl.PEM_cert_to_DER_cert(pem.partition(end)[0] + end)).hexdigest()


def _make(folder: Path, _: Translate) -> None:
    """Both files, each whole or not there, and the key never readable by others."""
    with tempfile.TemporaryDirectory(dir=folder) as name:
        made = Path(name)
        try:
            _make_by_library(made)
        except ImportError:
            _make_by_program(made, _)
        (made / KEY).chmod(0o600)
        os.replace(made / KEY, folder / KEY)
        os.replace(made / CERTIFICATE, folder / CERTIFICATE)


def _make_by_library(folder: Path) -> None:
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "dobon")])
    now = datetime.datetime.now(datetime.UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=DAYS))
        .sign(key, hashes.SHA256())
    )
    (folder / KEY).write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
    )
    (folder / CERTIFICATE).write_bytes(certificate.public_bytes(serialization.Encoding.PEM))


def _make_by_program(folder: Path, _: Translate) -> None:
    program = shutil.which("openssl")
    if program is None:
        raise NoCertificate(
            _("TLS needs Python's cryptography (pip install 'dobon[tls]') or the program openssl.")
        )
    kind = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-sha256")
    files = ("-keyout", str(folder / KEY), "-out", str(folder / CERTIFICATE))
    command = [program, "req", "-x509", *kind, "-days", str(DAYS), "-subj", "/CN=dobon", *files]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines() or ["?"]
        raise NoCertificate(_("openssl made no certificate: {reason}").format(reason=said[-1]))
