# SPDX-License-Identifier: Apache-2.0
"""A real mail server for tests, and what it took, by the address it was sent to."""
import email
import json
import re

from aiosmtpd.controller import Controller

from client import wait_until
from node import free_port


class Mailbox:
    """With `refuses` set, the server takes nothing, as one does that is being maintained."""

    def __init__(self):
        self.mails, self.refuses = [], False
        self.port = free_port()
        self.controller = Controller(self, hostname="127.0.0.1", port=self.port)
        self.controller.start()

    def close(self):
        self.controller.stop()

    @property
    def url(self):
        return "smtp://127.0.0.1:%d" % self.port

    async def handle_DATA(self, server, session, envelope):
        if self.refuses:
            return "451 later"
        self.mails.append((list(envelope.rcpt_tos), email.message_from_bytes(envelope.content)))
        return "250 taken"

    def texts(self, address):
        return [message.get_payload(decode=True).decode() for to, message in self.mails if to == [address]]

    def invitation(self, address, seconds=30):
        """What the newest mail to the address says is to be sent."""
        wait_until(lambda: self.texts(address), seconds)
        return json.loads(re.search(r"^\{.*\}$", self.texts(address)[-1], re.M).group())
