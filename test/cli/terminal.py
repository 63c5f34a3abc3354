# SPDX-License-Identifier: Apache-2.0
"""`reeve` in a pseudo-terminal, and in a pipe."""
import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import termios
import time

PATIENCE = float(os.environ.get("REEVE_PATIENCE", "1"))  # so many times as long may everything take
HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
CODES = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
# A sanitizer's own exit status, which is none of reeve's.
SANITIZERS = {"ASAN_OPTIONS": "exitcode=99", "UBSAN_OPTIONS": "halt_on_error=1:exitcode=99"}


def plain(text):
    """Without colours and movements of the cursor, ends of lines as in a file."""
    return CODES.sub("", text).replace("\r\n", "\n").replace("\r", "")


class Ended:
    """What a run left behind."""

    def __init__(self, status, out, err=""):
        self.status, self.out, self.err = status, out, err

    def __repr__(self):
        return "<%d %r %r>" % (self.status, self.out[-600:], self.err[-600:])


class Reeve:
    """One user: a home and a file of profiles of their own."""

    def __init__(self, build, home):
        self.program = os.path.join(ROOT, build, "reeve")
        self.home = home
        os.makedirs(home, exist_ok=True)

    def environment(self, **more):
        kept = {name: os.environ[name] for name in ("PATH", "LANG", "TMPDIR") if name in os.environ}
        return {**kept, **SANITIZERS, "HOME": self.home, "TERM": "xterm-256color", **more}

    def pipe(self, *words, stdin=b"", cwd=None, timeout=60, **environment):
        """Standard output as bytes, standard error as text."""
        done = subprocess.run([self.program, *words], input=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=cwd or self.home,
                              env=self.environment(**environment), timeout=timeout * PATIENCE, check=False)
        return Ended(done.returncode, done.stdout, done.stderr.decode("utf-8", "replace"))

    def terminal(self, *words, **more):
        with Terminal(self, *words, **more) as terminal:
            return terminal.wait()


class Terminal:
    """A run with a terminal as standard input, output and error; keys can be pressed in it."""

    def __init__(self, reeve, *words, columns=100, timeout=60, cwd=None, **environment):
        self.deadline, self.raw = time.monotonic() + timeout * PATIENCE, ""
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
        # `setsid --ctty` becomes the program, with this terminal as the one whose Ctrl-C reaches it.
        self.process = subprocess.Popen(["setsid", "--ctty", reeve.program, *words], stdin=slave, stdout=slave, stderr=slave,
                                        cwd=cwd or reeve.home, env=reeve.environment(**environment))
        os.close(slave)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        os.close(self.master)

    def read(self):
        """What there is now; False at the end."""
        running = self.process.poll() is None  # asked first: what it wrote before its end is there then
        if not select.select([self.master], [], [], 0.05)[0]:
            return running
        try:
            piece = os.read(self.master, 65536)
        except OSError:  # the other side is closed
            return False
        self.raw += piece.decode("utf-8", "replace")
        return bool(piece)

    def until(self, text):
        """Reads until the text is there, however coloured; whether it came."""
        while text not in plain(self.raw):
            if time.monotonic() > self.deadline or not self.read():
                return text in plain(self.raw)
        return True

    def press(self, keys):
        os.write(self.master, keys.encode())

    def wait(self):
        while self.read():
            if time.monotonic() > self.deadline:
                self.process.kill()
                self.process.wait()
                return Ended(-1, "took too long: " + self.raw)
        return Ended(self.process.wait(10), self.raw)
