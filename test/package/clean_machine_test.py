#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The first minute, where nothing of ours is installed: a Debian with only what is essential to it, and in it, on a copy of this tree,
script/bootstrap, make, and some unit tests. Finding B1: bootstrap failed on every fresh machine, and a machine that has the packages
cannot see that.

  test/package/clean_machine_test.py [12] [13]          these releases of Debian (default: both); needs root
  test/package/clean_machine_test.py --break-bootstrap  B1's line is put back, and bootstrap has to fail

The bare root is kept in REEVE_CACHE under the checksum of its recipe and of the release's package lists, and so are packages that were
once fetched. That apt finds, chooses and installs them is from nothing each time.
"""
import argparse
import fcntl
import hashlib
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
for folder in ("api", "fleet"):
    sys.path.insert(0, os.path.join(ROOT, "test", folder))
import image  # noqa: E402
from patience import PATIENCE  # noqa: E402
from suite import Suite, ends_on_signal  # noqa: E402

RELEASES = {"12": "bookworm", "13": "trixie"}
# One of each kind: nothing but C, OpenSSL, PostgreSQL, Redis, the catalog.
UNIT_TESTS = ["base_json_test", "base_crypto_test", "store_migrate_test", "limit_take_test", "api_catalog_test"]
# The line of script/bootstrap that finding B1 is about, as it is and as it was.
MENDED = '''if [[ $(apt-cache policy "$name" 2>/dev/null) =~ Candidate:\\ [^\\(] ]]; then'''
BROKEN = '''if apt-cache show "$name" 2>/dev/null | grep -q '^Package:'; then'''

# Nobody reads these there. dpkg would wait for the disk after every file: what is thrown away need not survive a power cut.
DPKG_OPTIONS = ["path-exclude=/usr/share/man/*", "path-exclude=/usr/share/locale/*", "path-exclude=/usr/share/doc/*", "force-unsafe-io"]


def list_checksum(source):
    """Of the signed list of what a release holds; None when it is not to be had. It is fetched as apt fetches: through its proxies."""
    address, release, _ = source
    with tempfile.TemporaryDirectory() as scratch:
        file = os.path.join(scratch, "InRelease")
        done = subprocess.run(["/usr/lib/apt/apt-helper", "download-file", "%sdists/%s/InRelease" % (address, release), file],
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            return None
        with open(file, "rb") as content:
            return hashlib.sha256(content.read()).hexdigest()


def bare_root(suite, sources, checksum):
    """A tar file of the root. It is made of the release alone: updates come to it, as to any machine, with the first `apt-get update`."""
    lines = ["deb %s %s %s" % source for source in sources]
    command = ["mmdebstrap", "--mode=root", "--variant=minbase", "--format=tar", *("--dpkgopt=" + option for option in DPKG_OPTIONS),
               "--customize-hook=echo '%s' > \"$1/etc/apt/sources.list\"" % "\n".join(lines), suite]
    name = "clean-%s-" % suite
    file = os.path.join(image.CACHE, name + hashlib.sha256(repr((command, checksum)).encode()).hexdigest()[:12] + ".tar")
    with image.lock():
        if not os.path.exists(file):
            with tempfile.TemporaryDirectory(prefix="building.", dir=image.CACHE) as scratch:
                building = os.path.join(scratch, "root.tar")
                done = subprocess.run([*command, building, lines[0]], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                      stderr=subprocess.STDOUT, text=True, check=False)
                if done.returncode != 0:
                    raise RuntimeError("mmdebstrap failed:\n" + done.stdout)
                os.rename(building, file)
            for old in os.listdir(image.CACHE):
                if old.startswith(name) and old.endswith(".tar") and old != os.path.basename(file):
                    os.unlink(os.path.join(image.CACHE, old))
    return file


def copy_tree(target):
    """What a clone of this tree would hold, with what is not committed yet."""
    listing = subprocess.run(["git", "-C", ROOT, "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                             stdout=subprocess.PIPE, check=True).stdout
    present = b"".join(name + b"\0" for name in listing.split(b"\0") if name and os.path.lexists(os.path.join(os.fsencode(ROOT), name)))
    packed = subprocess.run(["tar", "-C", ROOT, "--create", "--null", "--files-from=-"], input=present, stdout=subprocess.PIPE, check=True).stdout
    os.mkdir(target)
    subprocess.run(["tar", "-C", target, "--extract", "--no-same-owner"], input=packed, check=True)


class CleanMachine:
    """The root, unpacked; packages that were fetched before are where apt looks for them."""

    def __init__(self, suite, tar):
        self.suite, self.tar = suite, tar

    def __enter__(self):
        self.folder = tempfile.mkdtemp(prefix="reeve-clean-")
        self.root = os.path.join(self.folder, "root")
        os.mkdir(self.root)
        subprocess.run(["tar", "-C", self.root, "--extract", "--numeric-owner", "--xattrs", "--xattrs-include=*", "--file", self.tar], check=True)
        copy_tree(os.path.join(self.root, "reeve"))
        self.packages = os.path.join(image.CACHE, "clean-%s-packages" % self.suite)
        os.makedirs(os.path.join(self.packages, "partial"), exist_ok=True)
        # apt would refuse when another one works there.
        self.turn = open(self.packages + ".lock", "w")  # noqa: SIM115
        fcntl.flock(self.turn, fcntl.LOCK_EX)
        return self

    def __exit__(self, *_):
        self.turn.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def run(self, command):
        """(exit status, output, seconds, seconds of processors). With this machine's network; all that it started ends with it."""
        began, used = time.monotonic(), processor_seconds()
        nspawn = ["systemd-nspawn", "--quiet", "--directory=" + self.root, "--machine=reeve-clean-%d" % os.getpid(), "--register=no", "--keep-unit",
                  "--link-journal=no", "--console=pipe", "--resolv-conf=copy-host", "--timezone=off", "--as-pid2", "--chdir=/reeve",
                  "--bind=%s:/var/cache/apt/archives" % self.packages, "bash", "-c", command]
        done = subprocess.run(nspawn, env={"PATH": os.environ["PATH"], "SYSTEMD_NSPAWN_UNIFIED_HIERARCHY": "1", "LANG": "C.UTF-8"},
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", check=False)
        return done.returncode, done.stdout, time.monotonic() - began, processor_seconds() - used

    def break_bootstrap(self):
        file = os.path.join(self.root, "reeve/script/bootstrap")
        with open(file, encoding="utf-8") as script:
            text = script.read()
        assert text.count(MENDED) == 1, "script/bootstrap has changed: this test no longer knows the line of B1"
        with open(file, "w", encoding="utf-8") as script:
            script.write(text.replace(MENDED, BROKEN))


def processor_seconds():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def first_minute(suite, machine, label, is_ours):
    """The commands of README.md, in their order; the next one has no meaning when one has failed. Of the release that this machine has, the same compiler has built
    everything already: what is to be seen is whether bootstrap brought all that it needs, so only programs and these tests are built."""
    names = " ".join(UNIT_TESTS)
    programs = "meson setup build && ninja -C build reeved reeve reeve-agent src/http/ngx_http_reeve_module.so %s" % " ".join("test/unit/" + name for name in UNIT_TESTS)
    steps = [
        ("script/bootstrap", "script/bootstrap"),
        ("script/bootstrap a second time finds nothing to do", "script/bootstrap --check"),
        ("programs", programs) if is_ours else ("make", "make"),
        ("unit tests", "script/with-services meson test -C build --no-rebuild --print-errorlogs --timeout-multiplier %g %s" % (PATIENCE, names)),
    ]
    for name, command in steps:
        status, output, seconds, used = machine.run(command)
        suite.say("%s: %s: %.0f s, %.0f s of processors" % (label, name, seconds, used))
        if not suite.check(status == 0, "%s: %s ended with %d:\n%s", label, name, status, output[-6000:]):
            return
    # What can no longer be fetched is not kept for ever.
    machine.run("apt-get autoclean")


def broken(suite, machine, label):
    machine.break_bootstrap()
    status, output, seconds, _ = machine.run("script/bootstrap")
    said = next((line for line in output.splitlines() if "no package source has" in line), "")
    suite.say("%s: bootstrap with B1's line ended with %d after %.0f s: %s" % (label, status, seconds, said))
    suite.check(status != 0 and said, "%s: bootstrap did not fail as in B1, though its line is back:\n%s", label, output[-3000:])


def not_run(reason):
    print("not run: " + reason)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("releases", nargs="*", metavar="RELEASE", help="12 or 13")
    parser.add_argument("--break-bootstrap", action="store_true", help="put B1's line back and expect the failure")
    arguments = parser.parse_args()
    if unknown := set(arguments.releases) - set(RELEASES):
        parser.error("no such release: " + ", ".join(sorted(unknown)))
    if os.geteuid() != 0:
        return not_run("a clean machine needs root")
    if missing := [tool for tool in ("mmdebstrap", "systemd-nspawn") if shutil.which(tool) is None]:
        return not_run("there is no " + " and no ".join(missing))
    ends_on_signal()
    suite = Suite("clean machine")
    for release in arguments.releases or RELEASES:
        name, label = RELEASES[release], "Debian " + release
        sources = image.sources(name)
        checksum = list_checksum(sources[0])
        if checksum is None and name != image.own_sources()[0][1]:
            not_run("where this machine's packages come from there is no " + label)
            continue
        # Some mirrors have no updates of a release that is too new or too old.
        sources = [source for source in sources if source is sources[0] or list_checksum(source)]
        began = time.monotonic()
        tar = bare_root(name, sources, checksum)
        with CleanMachine(name, tar) as machine:
            suite.say("%s: bare, with %s: %.0f s" % (label, ", ".join(source[1] for source in sources), time.monotonic() - began))
            if arguments.break_bootstrap:
                broken(suite, machine, label)
            else:
                first_minute(suite, machine, label, name == image.own_sources()[0][1])
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
