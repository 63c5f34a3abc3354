#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A key service of a customer: PyKMIP's server, with certificates of its own, in a folder. Keys are taken away and given back by its policy, which it reads while it runs.

Usage: key_service.py serve FOLDER ADDRESS PORT          until it is ended
       key_service.py key FOLDER ADDRESS PORT            makes a key and prints its name
       key_service.py around COMMAND…                    with one on this machine, in REEVE_TEST_KMIP: "ADDRESS PORT KEY FOLDER KEY-THAT-ONLY-ENCRYPTS"
"""
import contextlib
import json
import logging
import os
import socket
import subprocess
import sys
import tempfile
import time

POLICY = "customer"
LOOPBACK = "127.0.0.1"


# ---- Certificates ----
def _openssl(*words):
    subprocess.run(["openssl", *words], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def _sign(folder, name, subject, extensions):
    with open(os.path.join(folder, name + ".ext"), "w", encoding="utf-8") as out:
        out.write(extensions)
    at = lambda suffix: os.path.join(folder, name + suffix)  # noqa: E731
    _openssl("req", "-newkey", "rsa:2048", "-nodes", "-keyout", at(".key"), "-out", at(".csr"), "-subj", subject)
    _openssl("x509", "-req", "-in", at(".csr"), "-CA", os.path.join(folder, "ca.crt"), "-CAkey", os.path.join(folder, "ca.key"), "-CAcreateserial",
             "-days", "30", "-extfile", at(".ext"), "-out", at(".crt"))


def make(folder, address):
    """Authority, server and client, and a policy under which every client may use keys."""
    os.makedirs(os.path.join(folder, "policies"), exist_ok=True)
    if not os.path.exists(os.path.join(folder, "ca.crt")):
        _openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", os.path.join(folder, "ca.key"), "-out", os.path.join(folder, "ca.crt"),
                 "-days", "30", "-subj", "/CN=authority of a customer", "-addext", "basicConstraints=critical,CA:TRUE")
        _sign(folder, "server", "/CN=keys of a customer", "subjectAltName=IP:%s\nextendedKeyUsage=serverAuth\n" % address)
        _sign(folder, "client", "/CN=database", "extendedKeyUsage=clientAuth\n")
    permit(folder, True)


def permit(folder, is_permitted):
    """Whether keys may be used: the customer takes them away, and gives them back."""
    word = "ALLOW_ALL" if is_permitted else "DISALLOW_ALL"
    rights = {name: word for name in ("GET", "GET_ATTRIBUTES", "GET_ATTRIBUTE_LIST", "LOCATE", "DESTROY", "ACTIVATE", "REVOKE")}
    rights.update(GET=word, ACTIVATE="ALLOW_ALL", REVOKE="ALLOW_ALL", DESTROY="ALLOW_ALL")
    path = os.path.join(folder, "policies", POLICY + ".json")
    with open(path + ".new", "w", encoding="utf-8") as out:
        json.dump({POLICY: {"preset": {"SYMMETRIC_KEY": rights}}}, out)
    os.replace(path + ".new", path)


def pem(folder, name):
    with open(os.path.join(folder, name), encoding="utf-8") as file:
        return file.read()


# ---- The server ----
def serve(folder, address, port):
    from kmip.services.server import server  # pylint: disable=import-outside-toplevel
    config = os.path.join(folder, "server.conf")
    with open(config, "w", encoding="utf-8") as out:
        out.write("[server]\nhostname=%s\nport=%d\ncertificate_path=%s/server.crt\nkey_path=%s/server.key\nca_path=%s/ca.crt\nauth_suite=TLS1.2\n"
                  "policy_path=%s/policies\nenable_tls_client_auth=True\nlogging_level=INFO\ndatabase_path=%s/keys.db\n"
                  % (address, port, folder, folder, folder, folder, folder))
    logging.basicConfig(level=logging.INFO)
    with server.KmipServer(config_path=config, log_path=os.path.join(folder, "server.log"), live_policies=True) as one:
        one.serve()


def make_key(folder, address, port, is_one_way=False):
    from kmip import enums  # pylint: disable=import-outside-toplevel
    from kmip.pie import client, objects  # pylint: disable=import-outside-toplevel
    config = os.path.join(folder, "client.conf")
    with open(config, "w", encoding="utf-8") as out:
        out.write("[client]\n")
    with client.ProxyKmipClient(hostname=address, port=port, cert=folder + "/client.crt", key=folder + "/client.key", ca=folder + "/ca.crt",
                                ssl_version="PROTOCOL_TLSv1_2", config="client", config_file=config) as one:
        if is_one_way:  # it encrypts, and does not decrypt
            key = objects.SymmetricKey(enums.CryptographicAlgorithm.AES, 256, os.urandom(32), masks=[enums.CryptographicUsageMask.ENCRYPT])
            key.operation_policy_name = POLICY
            name = one.register(key)
        else:
            name = one.create(enums.CryptographicAlgorithm.AES, 256, operation_policy_name=POLICY,
                              cryptographic_usage_mask=[enums.CryptographicUsageMask.ENCRYPT, enums.CryptographicUsageMask.DECRYPT])
        one.activate(name)
    return name


def wait_for(address, port, process, seconds=30):
    until = time.monotonic() + seconds
    while time.monotonic() < until and process.poll() is None:
        with contextlib.suppress(OSError), socket.create_connection((address, port), 1):
            return
        time.sleep(0.1)
    raise SystemExit("the key service did not start")


def around(words):
    with tempfile.TemporaryDirectory() as folder, socket.socket() as free:
        free.bind((LOOPBACK, 0))
        port = free.getsockname()[1]
        free.close()
        make(folder, LOOPBACK)
        process = subprocess.Popen([sys.executable, __file__, "serve", folder, LOOPBACK, str(port)],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            wait_for(LOOPBACK, port, process)
            keys = make_key(folder, LOOPBACK, port), make_key(folder, LOOPBACK, port, True)
            return subprocess.run(words, check=False, env={**os.environ, "REEVE_TEST_KMIP": "%s %d %s %s %s" % (LOOPBACK, port, keys[0], folder, keys[1])}).returncode
        finally:
            process.terminate()
            process.wait()


def main():
    words = sys.argv[1:]
    if words[:1] == ["serve"]:
        serve(words[1], words[2], int(words[3]))
    elif words[:1] == ["key"]:
        print(make_key(words[1], words[2], int(words[3])))
    elif words[:1] == ["around"]:
        sys.exit(around(words[1:]))
    else:
        raise SystemExit(__doc__)


if __name__ == "__main__":
    main()
