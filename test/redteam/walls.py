# SPDX-License-Identifier: Apache-2.0
"""Each wall is taken down once, and an attack that it holds has to come through: so it is a real one. Then it is put up, and holds again.

A wall is a row: its name (as attacks have it), how it is taken down, and which of its attacks are tried then (those whose name contains one of `shown_by`:
with a wall down, some attacks would break what others need). Rows are in walls_of_node.py and walls_of_fleet.py. Walls that are compiled in are replacements
of text in a scratch copy of the tree, which is built with that one wall missing."""
import contextlib
import filecmp
import os
import shutil
import subprocess
import tempfile

import rows

MOST = 200  # attacks that are tried at a wall that is down


class Wall:
    def __init__(self, name, how, take_down, shown_by=()):
        """`take_down(ground)` is a context: the wall is up again behind it."""
        self.name, self.how, self.take_down, self.shown_by = name, how, contextlib.contextmanager(take_down), shown_by


class CodeWall:
    """`patches` are (file, text as it is, text without the wall)."""

    def __init__(self, name, how, patches, shown_by=()):
        self.name, self.how, self.patches, self.shown_by = name, how, patches, shown_by


def chosen(wall, attacks, target=""):
    words = [word.format(target=target) if "{target}" in word else word for word in wall.shown_by]
    mine = [one for one in attacks if one.wall == wall.name and (not words or any(word in one.name for word in words))]
    return mine[::max(1, len(mine) // MOST)]


class Result:
    """What was seen at one wall."""

    def __init__(self, wall, tried, through, leaks=()):
        self.name, self.how, self.tried, self.leaks = wall.name, wall.how, tried, list(leaks)
        real = sorted(((name, got) for name, got in through.items() if "could not be tried" not in got), key=lambda pair: not pair[1].startswith("2"))
        self.through, self.example = len(real), "%s: %s" % real[0] if real else "nothing came through: %s" % list(through.items())[:2]
        if "PRIVATE KEY" in self.example:  # of a fleet that is gone, and still nothing to write down
            self.example = self.example.partition("-----BEGIN")[0] + "a private key"

    @classmethod
    def of_record(cls, record):
        made = cls.__new__(cls)
        made.__dict__.update(record)
        return made

    @property
    def is_shown(self):
        return self.through > 0 and not self.leaks

    def line(self):
        state = "shown" if self.is_shown else "NOT SHOWN"
        return "  %s: %s (%d of %d): %s%s" % (state, self.name, self.through, self.tried, self.example[:160], "; it did not hold again: %s" % self.leaks if self.leaks else "")


def run(attacks):
    return {one.name: got for one, got in rows.run_all(attacks).items()}


def tried_again(ground):
    for session in getattr(ground, "sessions", ()):
        session.results = None


def show(wall, ground, attacks):
    mine = chosen(wall, attacks, ground.target.name if hasattr(ground, "target") else "")
    through, leaks = {}, []
    tried_again(ground)
    try:
        with wall.take_down(ground):
            ground.without = wall.name
            through = run(mine)
    except Exception as broken:
        leaks.append("it could not be taken down or put up: %s" % str(broken)[-300:])
    ground.without = None
    tried_again(ground)
    return Result(wall, len(mine), through, leaks + list(run(mine)))


# ---- Walls that are compiled in ----
def copy_changed(source, target):
    if not os.path.exists(target) or not filecmp.cmp(source, target, shallow=False):
        shutil.copy(source, target)


class Scratch:
    """A copy of the tree, built; one wall at a time is missing from it."""

    def __init__(self):
        self.is_kept = os.environ.get("REEVE_SCRATCH")  # for whoever tries a new row again and again
        self.folder = self.is_kept or tempfile.mkdtemp(prefix="reeve-walls.")
        self.build = os.path.join(self.folder, "build")
        listed = subprocess.run(["git", "-C", rows.ROOT, "ls-files"], check=True, capture_output=True, text=True).stdout.split("\n")
        for name in filter(None, listed):
            if not name.startswith(("docs/", "test/")) or name.endswith("meson.build"):
                os.makedirs(os.path.dirname(os.path.join(self.folder, name)), exist_ok=True)
                copy_changed(os.path.join(rows.ROOT, name), os.path.join(self.folder, name))
        if not os.path.exists(self.build + "/build.ninja"):
            self.do("meson", "setup", self.build, self.folder, "-Dtests=false", "-Dwerror=false")
        self.make()

    def do(self, *words):
        # Compiled in another folder, it is the same: what the cache of the compiler has counts.
        done = subprocess.run(words, capture_output=True, text=True, check=False, cwd=self.folder, env={**os.environ, "CCACHE_NOHASHDIR": "true"})
        if done.returncode != 0:
            raise RuntimeError("%s: %s" % (" ".join(words[:3]), (done.stdout + done.stderr)[-3000:]))

    def make(self):
        self.do("ninja", "-C", self.build)

    @contextlib.contextmanager
    def without(self, wall):
        before = {}
        try:
            for file, text, instead in wall.patches:
                path = os.path.join(self.folder, file)
                with open(path) as source:
                    content = source.read()
                if text not in content:
                    raise RuntimeError("%s has changed: the wall's text is not in it any more" % file)
                before.setdefault(path, content)
                with open(path, "w") as source:
                    source.write(content.replace(text, instead, 1))
            self.make()
            yield self.build
        finally:
            for path, content in before.items():
                with open(path, "w") as source:
                    source.write(content)

    def close(self):
        if not self.is_kept:
            shutil.rmtree(self.folder, ignore_errors=True)
