# SPDX-License-Identifier: Apache-2.0
"""Root file systems that containers boot from: hosts of a fleet (Debian 13 with systemd, PostgreSQL, Patroni, etcd, pgBackRest), and
machines that packages are installed on.

Built once with mmdebstrap and kept outside the tree, under a name that holds the hash of the recipe: changing the recipe
makes a new image and leaves those that run from the old one alone. Containers mount it read-only below an overlay.
"""
import contextlib
import fcntl
import hashlib
import os
import shutil
import subprocess
import tempfile
import time

CACHE = os.environ.get("REEVE_CACHE", "/var/cache/reeve")

PACKAGES = [
    # a host
    "systemd", "systemd-sysv", "dbus", "iproute2", "procps", "ca-certificates",
    # what runs on it; Patroni's module for etcd imports python3-idna only when it meets TLS, so apt does not know
    "postgresql-17", "postgresql-17-pgaudit", "postgresql-17-hypopg", "postgresql-17-cron", "postgresql-17-partman", "postgresql-17-pgvector", "patroni", "python3-etcd",
    "python3-idna", "etcd-server", "etcd-client", "pgbackrest", "nginx-light", "pgbouncer", "haproxy",
    # what reeve-agent is linked against
    "libssl3t64", "libcurl4t64", "libjansson4", "libpq5", "libsystemd0", "nftables",
    # tunnels of peerings, where the kernel of this machine has no module for them
    "wireguard-tools", "wireguard-go",
    # what volumes of members are made with
    "e2fsprogs",
    # what is too large for everybody: PostGIS brings 96 packages and 210 MB along
    *os.environ.get("REEVE_HOST_PACKAGES", "").split(),
]

# Distribution units would work on their own while time is measured; on hosts some would take the ports, too.
MASKED = ["apt-daily.timer", "apt-daily-upgrade.timer", "dpkg-db-backup.timer", "e2scrub_all.timer", "fstrim.timer", "systemd-firstboot.service",
          "console-getty.service", "getty@.service"]
MASKED_ON_HOSTS = ["etcd.service", "nginx.service", "patroni.service", "postgresql.service", "pgbackrest.service", "pgbouncer.service", "pgbouncer.socket", "haproxy.service"]

# Half of the image by size, and never used: compiled queries, translations, manuals.
LEFT_OUT = ["/usr/lib/*/libLLVM*", "/usr/lib/postgresql/*/lib/llvmjit*", "/usr/lib/postgresql/*/lib/bitcode/*",
            "/usr/share/man/*", "/usr/share/doc/*", "/usr/share/locale/*", "/usr/share/i18n/*", "/usr/share/info/*"]

# Run by mmdebstrap with the new root as $1: before the packages are configured, and at the end.
ESSENTIAL_HOOK = r"""
mkdir -p "$1/etc/postgresql-common/createcluster.d"
echo 'create_main_cluster = false' > "$1/etc/postgresql-common/createcluster.d/reeve.conf"
"""
CUSTOMIZE_HOOK = r"""
for unit in %s; do ln -sf /dev/null "$1/etc/systemd/system/$unit"; done
: > "$1/etc/machine-id"
rm -f "$1/etc/hostname" "$1/etc/resolv.conf"
mkdir -p "$1/var/log/journal" "$1/etc/systemd/journald.conf.d" "$1/opt/reeve"
printf '[Journal]\nSystemMaxUse=64M\nRateLimitBurst=0\n' > "$1/etc/systemd/journald.conf.d/reeve.conf"
"""


# What `apt-get install` on the machine will fetch is fetched before, with apt's own lists beside it: the machine has no network. Nothing of
# it is installed. A file's date is then as good as any: apt would take lists of last year for out of date.
FETCH_HOOK = r"""
APT_CONFIG="$MMDEBSTRAP_APT_CONFIG" apt-get --yes --download-only --option APT::Install-Recommends=true install %s
"""


class Recipe:
    def __init__(self, name, suite, packages, masked=(), essential_hook=None, fetched=()):
        self.name, self.suite, self.packages = name, suite, packages
        self.hooks = ["--customize-hook=" + CUSTOMIZE_HOOK % " ".join([*MASKED, *masked])]
        if essential_hook:
            self.hooks.append("--essential-hook=" + essential_hook)
        if fetched:
            self.hooks += ["--customize-hook=" + FETCH_HOOK % " ".join(fetched), "--skip=cleanup/apt", "--dpkgopt=force-unsafe-io"]

    def path(self):
        recipe = repr((self.suite, self.packages, LEFT_OUT, self.hooks))
        return os.path.join(CACHE, "%s-image-%s" % (self.name, hashlib.sha256(recipe.encode()).hexdigest()[:12]))


HOST = Recipe("host", "trixie", PACKAGES, MASKED_ON_HOSTS, ESSENTIAL_HOOK)
# A control node before anything of Reeve is there: what `apt-get install` would fetch is in it, because the machine has no network.
SERVER = Recipe("server", "bookworm", [
    "systemd", "systemd-sysv", "dbus", "procps", "adduser", "postgresql", "redis-server", "nginx-light", "openssl", "curl", "jq", "ca-certificates",
    "libargon2-1", "libcurl4", "libhiredis0.14", "libjansson4", "libldap-2.5-0", "libpcre2-8-0", "libpq5", "libsystemd0", "postgresql-client"])
# The same for docs/install-three-nodes.md: Debian 13, with ssh between machines.
BARE_NODE = Recipe("bare-node", "trixie", ["systemd", "systemd-sysv", "dbus", "iproute2", "procps", "ca-certificates", "openssh-server"], fetched=[
    "postgresql", "patroni", "python3-etcd", "python3-idna", "etcd-server", "etcd-client", "redis-server", "haproxy", "keepalived", "nftables",
    "openssl", "curl", "jq", "adduser", "nginx-light", "libargon2-1", "libcurl4t64", "libhiredis1.1.0", "libjansson4", "libldap2", "libpcre2-8-0",
    "libpq5", "libsystemd0", "postgresql-client"])
# Machines with nothing on them but Debian, for those who begin with packages: a control node or somebody's own, and a host. Perl, Python
# and the like are on every Debian that its installer has made. Libraries that take long to unpack or to compile are there, too: what is
# tried is Reeve's packages, and that they bring along what they need.
BARE = ["systemd", "systemd-sysv", "dbus", "iproute2", "procps", "ca-certificates", "adduser", "e2fsprogs", "locales", "logrotate", "netbase", "openssl", "perl",
        "python3", "readline-common", "ucf", "xz-utils"]
BARE_CONTROL = Recipe("bare-control", "bookworm", [*BARE, "libllvm14", "libicu72", "sysstat"], fetched=[
    "postgresql", "redis-server", "etcd-server", "etcd-client", "pdns-server", "pdns-backend-pgsql", "nginx-light", "adduser", "openssl", "postgresql-client",
    "libargon2-1", "libcurl4", "libhiredis0.14", "libjansson4", "libldap-2.5-0", "libpcre2-8-0", "libpq5", "libsystemd0"])
BARE_HOST = Recipe("bare-host", "trixie", [
    *BARE, "libllvm19", "libicu76", "sysstat", "python3-bcrypt", "python3-chardet", "python3-consul", "python3-cryptography", "python3-dateutil",
    "python3-dnspython", "python3-httpx", "python3-prettytable", "python3-psutil", "python3-psycopg2", "python3-pygments", "python3-requests", "python3-rich",
    "python3-yaml", "python3-ydiff"], fetched=[
    "postgresql-17", "postgresql-17-pgaudit", "postgresql-17-hypopg", "patroni", "pgbackrest", "pgbouncer", "python3-etcd", "python3-idna", "libssl3t64", "libcurl4t64", "libjansson4", "libpq5", "libsystemd0", "nftables", "e2fsprogs"])

# An object store with Object Lock, for tests: what is in the registries of this machine has none. Run in its own root, with this machine's network of the moment.
OBJECTS = Recipe("objects", "trixie", ["python3-moto", "python3-flask", "python3-flask-cors"])

# Those that script/ci needs.
ALL = [HOST, SERVER, BARE_CONTROL, BARE_HOST]


def path():
    return HOST.path()


def own_sources():
    """Where this machine's own apt gets Debian from: (address, release, component), that of the release itself first."""
    command = ["apt-get", "indextargets", "--format", "$(ORIGIN) $(REPO_URI) $(RELEASE) $(COMPONENT)", "Created-By: Packages", "Origin: Debian"]
    targets = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    sources = [tuple(line.split()[1:]) for line in targets.splitlines() if line.split()[3:] == ["main"]]
    if not any("-" not in release for _, release, _ in sources):
        raise RuntimeError("apt on this machine has no source of Debian's main packages")
    return sorted(sources, key=lambda source: "-" in source[1])


def sources(suite):
    """The same for another Debian, with its updates and security updates where this machine has its own."""
    own = own_sources()
    return [(address, release.replace(own[0][1], suite, 1), component) for address, release, component in own]


def mirror():
    return own_sources()[0][0]


def build(recipe, target):
    command = ["mmdebstrap", "--mode=root", "--variant=minbase", "--format=directory", "--include=" + ",".join(recipe.packages), *recipe.hooks]
    command += ["--dpkgopt=path-exclude=" + pattern for pattern in LEFT_OUT]
    log = target + ".log"
    with open(log, "w") as output:
        result = subprocess.run(command + [recipe.suite, target, mirror()], stdin=subprocess.DEVNULL, stdout=output, stderr=output,
                                check=False)
    if result.returncode != 0:
        raise RuntimeError("mmdebstrap failed; see " + log)


@contextlib.contextmanager
def lock():
    """Two fleets that start at once build one image."""
    os.makedirs(CACHE, exist_ok=True)
    with open(os.path.join(CACHE, "lock"), "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def ensure(say=print, recipe=HOST):
    """The image's path; builds it when it is not there. CACHE/host-image always names the last one."""
    image = recipe.path()
    with lock():
        if not os.path.isdir(image):
            say("building the %s image: about two minutes, once" % recipe.name)
            began = time.monotonic()
            folder = tempfile.mkdtemp(prefix="building.", dir=CACHE)
            try:
                building = os.path.join(folder, "root")
                build(recipe, building)
                os.chmod(building, 0o755)
                os.rename(building, image)
            finally:
                if os.path.isdir(image):
                    shutil.rmtree(folder)
            say("image %s: %.0f s" % (os.path.basename(image), time.monotonic() - began))
        link = os.path.join(CACHE, recipe.name + "-image")
        with contextlib.suppress(FileNotFoundError):
            os.unlink(link)
        os.symlink(os.path.basename(image), link)
    return image


if __name__ == "__main__":
    print(ensure())
