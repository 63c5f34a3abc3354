#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""script/release in a repository of its own: a dry run changes nothing, a release is one commit and a tag in which every place says the version,
and what must not be released is refused. Takes seconds; packages are not built.

    test/release/release_test.py
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "test", "api"))
sys.dont_write_bytecode = True
from suite import Suite  # noqa: E402

FILES = ["meson.build", "debian/changelog", "deploy/ansible/galaxy.yml", "CHANGELOG.md", "script/release"]


class Repository:
    def __init__(self, folder):
        self.folder = folder
        for path in FILES:
            os.makedirs(os.path.dirname(os.path.join(folder, path)), exist_ok=True)
            shutil.copy(os.path.join(ROOT, path), os.path.join(folder, path))
        self.git("init", "--quiet")
        self.commit("Begin")

    def git(self, *words):
        who = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org"]
        return subprocess.run(["git", *who, *words], cwd=self.folder, check=True, stdout=subprocess.PIPE, text=True).stdout

    def commit(self, message):
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", message)

    def read(self, path):
        with open(os.path.join(self.folder, path), encoding="utf-8") as file:
            return file.read()

    def write(self, path, text):
        with open(os.path.join(self.folder, path), "w", encoding="utf-8") as file:
            file.write(text)

    def release(self, *words):
        who = {"GIT_AUTHOR_NAME": "Ada", "GIT_AUTHOR_EMAIL": "ada@example.org", "GIT_COMMITTER_NAME": "Ada", "GIT_COMMITTER_EMAIL": "ada@example.org"}
        done = subprocess.run([sys.executable, "script/release", "--no-packages", "--date", "2026-12-01", *words], cwd=self.folder, env={**os.environ, **who},
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
        return done.returncode, done.stdout + done.stderr

    def state(self):
        return self.git("rev-parse", "HEAD"), self.git("status", "--porcelain"), self.git("tag")


def walk(suite, repository):
    start = repository.state()
    status, said = repository.release("--dry-run", "0.2.0")
    suite.check(status == 0 and "+## [0.2.0] - 2026-12-01" in said and "nothing was changed" in said, "a dry run: %s", said[-500:])
    suite.equal(repository.state(), start, "what a dry run leaves")
    for version, why in (("1.0.0", "0.MINOR.PATCH"), ("0.2", "0.MINOR.PATCH"), ("0.2.0-rc1", "0.MINOR.PATCH"), ("0.0.9", "not greater")):
        status, said = repository.release(version)
        suite.check(status == 1 and why in said, "%s is refused: %s", version, said)
    repository.write("stray", "x")
    status, said = repository.release("0.2.0")
    suite.check(status == 1 and "not committed" in said, "with something that is not committed: %s", said)
    os.remove(os.path.join(repository.folder, "stray"))
    suite.equal(repository.state(), start, "what refusals leave")

    status, said = repository.release("0.2.0")
    suite.equal((status, repository.git("status", "--porcelain")), (0, ""), "a release: " + said[-300:])
    suite.equal(repository.git("rev-list", "--count", "HEAD").strip(), "2", "commits")
    suite.check(re.search(r"version: '0\.2\.0'", repository.read("meson.build")) is not None, "meson.build")
    suite.check("\nversion: 0.2.0\n" in repository.read("deploy/ansible/galaxy.yml"), "galaxy.yml")
    parsed = subprocess.run(["dpkg-parsechangelog", "--show-field", "Version", "--file", os.path.join(repository.folder, "debian/changelog")], stdout=subprocess.PIPE, text=True, check=False)
    suite.equal(parsed.stdout.strip(), "0.2.0", "what Debian's tools read")
    changelog = repository.read("CHANGELOG.md")
    suite.check(re.search(r"## \[Unreleased\]\n\n## \[0\.2\.0\] - 2026-12-01\n", changelog) is not None, "CHANGELOG.md")
    message = repository.git("for-each-ref", "--format=%(contents)", "refs/tags/v0.2.0")
    suite.check("### Added" in message and message.startswith("Reeve 0.2.0"), "the tag has the notes: %s", message[:200])

    for version, why in (("0.2.0", "not greater"), ("0.3.0", "says nothing under Unreleased")):
        status, said = repository.release(version)
        suite.check(status == 1 and why in said, "%s after it: %s", version, said)
    repository.write("CHANGELOG.md", changelog.replace("## [Unreleased]\n", "## [Unreleased]\n\n### Fixed\n\n- One thing.\n", 1))
    repository.commit("Fix one thing")
    status, said = repository.release("0.2.1")
    suite.equal(status, 0, "the next one: " + said[-300:])
    suite.equal(repository.git("tag").split(), ["v0.2.0", "v0.2.1"], "tags")
    suite.equal(repository.git("for-each-ref", "--format=%(contents)", "refs/tags/v0.2.1").count("- "), 1, "its notes are its own only")


def main():
    suite = Suite("release")
    with tempfile.TemporaryDirectory(prefix="reeve-release.") as folder:
        walk(suite, Repository(folder))
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
