# SPDX-License-Identifier: Apache-2.0
"""A real server that speaks S3, for as long as a block takes."""
import contextlib
import json
import os
import socket
import subprocess
import tempfile

import node_packages
from client import wait_until
from node import free_port, make_certificate


def listens(port):
    with socket.socket() as tried:
        return tried.connect_ex(("127.0.0.1", port)) == 0


@contextlib.contextmanager
def object_server(keys, buckets):
    """A real server that speaks S3: its address, and whom to trust."""
    here = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "cluster/object_store")
    node_packages.install(here)
    with tempfile.TemporaryDirectory(prefix="reeve-objects.") as folder:
        certificate, key = make_certificate(folder)
        port = free_port()
        with open(folder + "/server.json", "w", encoding="utf-8") as file:
            json.dump({"address": "127.0.0.1", "port": port, "certificate": certificate, "key": key, "folder": folder + "/objects", "buckets": buckets, "keys": keys}, file)
        server = subprocess.Popen(["node", here + "/server.js", folder + "/server.json"], stdout=subprocess.DEVNULL)
        try:
            wait_until(lambda: listens(port), 30)
            with open(certificate, encoding="utf-8") as file:
                yield "https://localhost:%d" % port, file.read()
        finally:
            server.terminate()
            server.wait()
