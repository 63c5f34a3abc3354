#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""deploy/container/Containerfile, built with buildah where there is no container engine, and the programs in the images are run.

    test/package/container_test.py --packages FOLDER --base TARBALL [server] [cli]      needs root and buildah; takes some minutes

The base is a tarball of Debian 12 (mmdebstrap bookworm base.tar) in place of the one of a registry. The image of a host is not tried here: it needs an
engine that starts systemd as the first process of a container.
"""
import argparse
import glob
import os
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "test", "api"))
sys.dont_write_bytecode = True
from suite import Suite  # noqa: E402

# What each image must answer, as the user that it names.
ANSWERS = {"server": [(["reeved", "--version"], "0."), (["reeve", "--version"], "reeve 0."), (["id", "-un"], "reeve"), (["reeved", "openapi"], '"openapi"'),
                      (["sh", "-c", "ls /packages 2>&1 | head -1; test -e /etc/reeve/key || echo no key"], "no key")],
           "cli": [(["reeve", "--version"], "reeve 0."), (["psql", "--version"], "psql"), (["id", "-un"], "nobody")]}


class Builder:
    def __init__(self, folder):
        self.store = ["--root", os.path.join(folder, "root"), "--runroot", os.path.join(folder, "run"), "--storage-driver", "vfs"]

    def run(self, *words):
        return subprocess.run(["buildah", *self.store, *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)

    def must(self, *words):
        done = self.run(*words)
        if done.returncode != 0:
            sys.exit("buildah %s: %s" % (words[0], done.stdout[-3000:]))
        return done.stdout.strip()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--packages", required=True)
    parser.add_argument("--base", required=True)
    parser.add_argument("targets", nargs="*")
    arguments = parser.parse_args()
    suite, folder = Suite("container"), tempfile.mkdtemp(prefix="reeve-container.")
    try:
        builder, context = Builder(folder), os.path.join(folder, "context")
        shutil.copytree(os.path.join(ROOT, "deploy", "container"), context, ignore=shutil.ignore_patterns("packages"))
        os.makedirs(os.path.join(context, "packages"))
        for name in glob.glob(os.path.join(arguments.packages, "*.deb")):
            shutil.copy(name, os.path.join(context, "packages"))
        base = builder.must("from", "scratch")
        builder.must("add", "--quiet", base, arguments.base, "/")
        builder.must("commit", "--quiet", base, "localhost/base")
        for target in arguments.targets or list(ANSWERS):
            began = time.monotonic()
            built = builder.run("bud", "--isolation", "chroot", "--network", "host", "--target", target, "--build-arg", "SERVER_BASE=localhost/base",
                                "--build-arg", "HOST_BASE=localhost/base", "--tag", "localhost/reeve-" + target, context)
            if not suite.check(built.returncode == 0, "%s is built: %s", target, built.stdout[-2000:]):
                continue
            container = builder.must("from", "localhost/reeve-" + target)
            size = builder.must("images", "--format", "{{.Size}}", "localhost/reeve-" + target)
            suite.say("%s: %.0f s, %s" % (target, time.monotonic() - began, size))
            for words, wanted in ANSWERS[target]:
                done = builder.run("run", "--isolation", "chroot", container, "--", *words)
                suite.check(done.returncode == 0 and wanted in done.stdout, "%s in %s: %s %s", words, target, done.returncode, done.stdout[-300:])
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
