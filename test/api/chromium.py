# SPDX-License-Identifier: Apache-2.0
"""Debian's Chromium, driven through its own protocol over a pipe: pages, scripts in them, and an authenticator of its own that says yes."""
import contextlib
import json
import os
import shutil
import subprocess
import tempfile
import time

from node import PATIENCE

PROGRAM = "chromium"


class Chromium:
    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="reeve-chromium-")
        to_it, from_us = os.pipe()
        to_us, from_it = os.pipe()
        flags = ["--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--ignore-certificate-errors", "--remote-debugging-pipe",
                 "--user-data-dir=" + self.folder, "about:blank"]

        def place():  # it reads from 3 and writes to 4
            os.dup2(to_it, 103)
            os.dup2(from_it, 104)
            os.dup2(103, 3)
            os.dup2(104, 4)
        with open(os.path.join(self.folder, "stderr.log"), "wb") as log:
            self.process = subprocess.Popen([PROGRAM, *flags], preexec_fn=place, close_fds=False, stdout=log, stderr=log, start_new_session=True)  # noqa: PLW1509
        os.close(to_it)
        os.close(from_it)
        self.out, self.into, self.rest, self.number, self.session = from_us, to_us, b"", 0, None
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.ask("Page.enable")

    def ask(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.out, json.dumps(message).encode() + b"\0")
        while True:
            said = self._read()
            if said.get("id") == self.number:
                if "error" in said:
                    raise AssertionError("%s: %s" % (method, said["error"]))
                return said["result"]

    def _read(self):
        while b"\0" not in self.rest:
            piece = os.read(self.into, 65536)
            if not piece:
                raise AssertionError("the browser ended")
            self.rest += piece
        said, self.rest = self.rest.split(b"\0", 1)
        return json.loads(said)

    def open(self, url):
        self.ask("Page.setBypassCSP", enabled=True)
        self.ask("Page.navigate", url=url)
        deadline = time.monotonic() + 30 * PATIENCE
        while self.run("document.readyState + ' ' + location.origin") != "complete " + "/".join(url.split("/")[:3]):
            if time.monotonic() > deadline:
                raise AssertionError("the page does not load: " + str(self.run("document.readyState + ' ' + location.href")))
            time.sleep(0.1)

    def run(self, script):
        """The value of a script in the page; what it waits for is waited for."""
        result = self.ask("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True, userGesture=True)
        if "exceptionDetails" in result:
            raise AssertionError(result["exceptionDetails"].get("exception", {}).get("description", str(result["exceptionDetails"])))
        return result["result"].get("value")

    def add_authenticator(self):
        self.ask("WebAuthn.enable")
        return self.ask("WebAuthn.addVirtualAuthenticator", options={
            "protocol": "ctap2", "transport": "internal", "hasResidentKey": True, "hasUserVerification": True, "isUserVerified": True,
            "automaticPresenceSimulation": True})["authenticatorId"]

    def close(self):
        with contextlib.suppress(OSError, AssertionError):
            self.session = None
            self.ask("Browser.close")
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.out)
        os.close(self.into)
        shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
