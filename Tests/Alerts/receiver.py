"""Receives alerts and digests as their receivers do: webhooks, whose signatures standardwebhooks checks, and mail by aiosmtpd.

    receiver.py FOLDER SECRET

Prints `ready HTTP HTTPS SMTP`, the ports, and leaves the certificate of HTTPS and SMTP in FOLDER/certificate.pem. What it is sent
goes to FOLDER/received.ndjson, an object a line. The path of a webhook says what it is answered: /ok 204, /fail 500, /once 500 the
first time of an id, /redirect to /ok, /hold nothing at all. Mail to slow@ is accepted after 4 s, and mail to moved@ is forwarded.
"""
import asyncio
import email
import email.policy
import http.server
import json
import pathlib
import socket
import ssl
import struct
import subprocess
import sys
import threading
import time
import zlib

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult
from standardwebhooks.webhooks import Webhook, WebhookVerificationError

FOLDER = pathlib.Path(sys.argv[1])
CHECK = Webhook(sys.argv[2])
CERTIFICATE, KEY = FOLDER / "certificate.pem", FOLDER / "key.pem"
lock = threading.Lock()
seen = set()


def note(**what):
    with lock, open(FOLDER / "received.ndjson", "a") as file:
        file.write(json.dumps(what) + "\n")


class Hooks(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        note(path=self.path, method="GET")
        self.answer(204)

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        id = self.headers["webhook-id"]
        try:
            CHECK.verify(body, dict(self.headers))
            verified = True
        except WebhookVerificationError:
            verified = False
        with lock:
            is_first = id not in seen
            seen.add(id)
        note(path=self.path, method="POST", id=id, verified=verified, body=json.loads(body))
        if self.path == "/hold":
            time.sleep(30)
        elif self.path == "/redirect":
            self.answer(302, Location=f"http://127.0.0.1:{plain.server_port}/ok")
        else:
            self.answer(500 if self.path == "/fail" or self.path == "/once" and is_first else 204)

    def answer(self, status, **headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()

    def log_message(self, *arguments):
        pass


def picture(png):
    """Reads a PNG of true colour without filters: its size, and how many of its pixels have which colour, the most frequent first."""
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    chunks, start = {}, 8
    while start < len(png):
        length, kind = struct.unpack(">I4s", png[start:start + 8])
        data = png[start + 8:start + 8 + length]
        assert struct.unpack(">I", png[start + 8 + length:start + 12 + length])[0] == zlib.crc32(kind + data)
        chunks[kind] = chunks.get(kind, b"") + data
        start += 12 + length
    width, height, *rest = struct.unpack(">IIBBBBB", chunks[b"IHDR"])
    assert rest == [8, 2, 0, 0, 0] and chunks[b"IEND"] == b""
    rows = zlib.decompress(chunks[b"IDAT"])
    size = 1 + 3 * width
    assert len(rows) == size * height and not any(rows[::size])
    colours = {}
    for row in range(height):
        line = rows[row * size + 1:(row + 1) * size]
        for at in range(0, len(line), 3):
            colours[line[at:at + 3].hex()] = colours.get(line[at:at + 3].hex(), 0) + 1
    return {"width": width, "height": height, "colours": sorted(colours, key=colours.get, reverse=True)[:6]}


class Mails:
    async def handle_RCPT(self, server, session, envelope, address, options):
        envelope.rcpt_tos.append(address)
        return "251 User not local; will forward" if address.startswith("moved@") else "250 OK"

    async def handle_DATA(self, server, session, envelope):
        if envelope.rcpt_tos[0].startswith("slow@"):
            await asyncio.sleep(4)
        message = email.message_from_bytes(envelope.content, policy=email.policy.default)
        page = message.get_body(("html",))
        note(
            path="mail", id=message["Message-ID"], to=envelope.rcpt_tos, sender=envelope.mail_from, subject=message["Subject"],
            text=message.get_body(("plain",)).get_content(), html=page.get_content() if page else None,
            types=[part.get_content_type() for part in message.walk()], defects=[str(one) for part in message.walk() for one in part.defects],
            images=[{"id": part["Content-ID"], **picture(part.get_content())} for part in message.walk() if part.get_content_type() == "image/png"],
            tls=session.ssl is not None, authenticated=session.authenticated,
        )
        return "250 OK"


def authenticate(server, session, envelope, mechanism, data):
    return AuthResult(success=(data.login, data.password) == (b"notilog", b"sesame"), handled=False)


subprocess.run(
    ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost", "-addext",
     "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout", KEY, "-out", CERTIFICATE],
    check=True, capture_output=True,
)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(CERTIFICATE, KEY)
plain = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Hooks)
secure = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Hooks)
secure.socket = context.wrap_socket(secure.socket, server_side=True)
for server in (plain, secure):
    threading.Thread(target=server.serve_forever, daemon=True).start()
with socket.create_server(("127.0.0.1", 0)) as free:
    port = free.getsockname()[1]
mail = Controller(
    Mails(), hostname="127.0.0.1", port=port, tls_context=context, require_starttls=True, authenticator=authenticate, auth_required=True,
)
mail.start()
print("ready", plain.server_port, secure.server_port, port, flush=True)
sys.stdin.read()
