# SPDX-License-Identifier: Apache-2.0
"""What a browser and an authenticator do with a passkey (Web Authentication), without either: a key of its own, real signatures. A test changes
one thing of it."""
import base64
import hashlib
import json
import secrets
import struct

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec


def b64(raw):
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


class Passkey:
    def __init__(self, origin, rp_id="localhost"):
        self.origin, self.rp_id = origin, rp_id
        self.key, self.credential, self.counter = ec.generate_private_key(ec.SECP256R1()), secrets.token_bytes(32), 0

    def public_key(self):
        return b64(self.key.public_key().public_bytes(serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo))

    def _said(self, kind, challenge, wrong):
        client = {"type": wrong.get("type", kind), "challenge": wrong.get("said", challenge), "origin": wrong.get("origin", self.origin),
                  "crossOrigin": wrong.get("crossOrigin", False)}
        data = hashlib.sha256(wrong.get("rp_id", self.rp_id).encode()).digest() + struct.pack(
            ">BI", wrong.get("flags", 0x05), wrong.get("counter", self.counter))
        return json.dumps(client, separators=(",", ":")).encode(), data

    def register(self, challenge, **wrong):
        client, data = self._said("webauthn.create", challenge, wrong)
        return {"challenge": challenge, "clientData": b64(client), "authenticatorData": b64(data)}

    def sign(self, challenge, **wrong):
        self.counter += 1
        client, data = self._said("webauthn.get", challenge, wrong)
        signature = wrong.get("key", self.key).sign(data + hashlib.sha256(client).digest(), ec.ECDSA(hashes.SHA256()))
        if wrong.get("spoilt"):
            signature = signature[:-1] + bytes([signature[-1] ^ 1])
        return {"challenge": challenge, "credentialId": b64(wrong.get("credential", self.credential)), "clientData": b64(client),
                "authenticatorData": b64(data), "signature": b64(signature)}
