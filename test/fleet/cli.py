# SPDX-License-Identifier: Apache-2.0
"""A fleet on one machine: real hosts with systemd, a real control plane, a network of their own. Needs root.

  fleet up [--hosts N] [--repositories N] [--relays N] [--regions N] [--zones N] [--build DIR | --packages DIR]
                             hosts for members h1, h2 …, repository hosts for their backups r1, r2 …,
                             and relay hosts for private endpoints x1, x2 …
  fleet down                 ends everything of it and removes its folder; also after a crash, or when `up` was killed
  fleet status               hosts and processes, a line each
  fleet env                  addresses, credentials and paths, as shell variables
  fleet exec HOST COMMAND…   on a host
  fleet client COMMAND…      on the machine of a client, whose resolver is the fleet's DNS
  fleet cut HOST [--only in|out]   its network goes silent, or one way of it    fleet heal HOST
  fleet kill HOST            power-off, without warning                         fleet boot HOST
  fleet stop PROCESS…        of the control side; `control` is all of Reeve     fleet start PROCESS…
  fleet image [--all]        builds the hosts' root file system if it is not there; also those of other machines

Every command takes --dir STATE (default: {folder}), which is what tells fleets apart.
"""
import argparse
import concurrent.futures
import os
import shlex
import shutil
import signal
import sys

import agents
import control
import control_node
import hosts
import image
import network
import packages
import process
import state
from state import CONTROL, Fleet, Problem


def up(arguments):
    if os.geteuid() != 0:
        raise Problem("a fleet makes network namespaces and mounts: run this as root")
    root_image = image.ensure(lambda sentence: print(sentence, file=sys.stderr, flush=True))
    build = os.path.join(arguments.dir, "programs") if arguments.packages else arguments.build
    fleet = Fleet.create(arguments.dir, build, arguments.hosts, arguments.regions, arguments.zones, arguments.packages,
                         arguments.repositories, arguments.relays)
    try:
        if fleet.packages:
            packages.take_programs(fleet.packages, fleet.build)
        bring_up(fleet, root_image, arguments.bare)
    except BaseException:
        if not arguments.keep:
            take_down(fleet.prefix, fleet.folder, keep_logs=True)
        raise
    return 0


def bring_up(fleet, root_image, bare):
    network.up(fleet)
    fleet.say("network of fleet %s: %d machines" % (fleet.id, len(network.machines(fleet))))
    with concurrent.futures.ThreadPoolExecutor() as pool:
        booting = pool.submit(boot_hosts, fleet, root_image)
        if fleet.packages and not bare:
            booting_node = pool.submit(control_node.boot, fleet, image.ensure(fleet.say, image.SERVER))
        if not bare:
            control.start_redis(fleet)
            control.start_postgres(fleet)
            for name in control.STORES:
                control.start_store(fleet, name)
            fleet.say("PostgreSQL, Redis and two stores of measurements")
            control.write_configuration(fleet)
            control.found_fleet(fleet)
            fleet.say("schema, authority, certificates")
            control.start_etcd(fleet)
            control.start_dns(fleet)
            if fleet.packages:
                booting_node.result()
            control.start_reeve(fleet)
            fleet.say("API, workers and DNS")
            control.describe_fleet(fleet)
            control.bootstrap_organization(fleet)
            control.wait_etcd(fleet)
            if control.has_groups(fleet):
                control.wait_etcd_locked(fleet)
            fleet.say("etcd; regions, sizes and the first organization")
        booting.result()
        fleet.say("%d hosts booted" % len(fleet.hosts))
        if not bare:
            list(pool.map(lambda name: agents.join(fleet, name), fleet.hosts))
            agents.wait_seen(fleet, fleet.hosts)
            fleet.say("agents joined and reported")


def boot_hosts(fleet, root_image):
    for name in fleet.hosts:
        hosts.create(fleet, name, root_image)
        agents.install(fleet, name)
        hosts.start(fleet, name)
    for name in fleet.hosts:
        hosts.wait_booted(fleet, name)


def take_down(prefix, folder, keep_logs=False):
    network.down(prefix)
    hosts.down(prefix)
    if keep_logs and os.path.isdir(os.path.join(folder, "log")):
        kept = folder.rstrip("/") + "-failed-log"
        shutil.rmtree(kept, ignore_errors=True)
        shutil.move(os.path.join(folder, "log"), kept)
        print("logs are kept in " + kept, file=sys.stderr)
    if os.path.isdir(folder):
        shutil.rmtree(folder)


def down(arguments):
    try:
        fleet = Fleet.load(arguments.dir)
    except Problem as nothing:
        print(nothing, file=sys.stderr)
        if os.path.isdir(arguments.dir) and not os.listdir(arguments.dir):
            os.rmdir(arguments.dir)  # of an `up` that was killed before it began
        return 0
    take_down(fleet.prefix, fleet.folder)
    return 0


def status(arguments):
    fleet = Fleet.load(arguments.dir)
    print("fleet %s in %s" % (fleet.id, fleet.folder))
    for name, host in fleet.hosts.items():
        cut = "  cut off" if network.is_cut(fleet, name) else ""
        where = host["address"], host["region"], host["zone"]
        print("  %-10s %-12s %-10s %-8s %s%s" % (name, *where, hosts.state(fleet, name), cut))
    for name in process.names(fleet):
        print("  %-10s %s" % (name, process.pid_of(fleet, name) or "stopped"))
    return 0


def environment(arguments):
    fleet = Fleet.load(arguments.dir)
    values = {"REEVE_FLEET": fleet.folder, "REEVE_FLEET_ID": fleet.id, "REEVE_CA": fleet.path("tls/authority.pem"),
              "REEVE_URL": "https://%s:%d" % (CONTROL["control1"], control.API_PORT),
              "REEVE_URL_2": "https://%s:%d" % (CONTROL["control2"], control.API_PORT),
              "REEVE_OPERATOR_URL": "http://%s:%d" % (CONTROL["control1"], control.OPERATOR_PORT),
              "REEVE_CONFIG": control.conf(fleet), "REEVE_HOSTS": " ".join(fleet.hosts), "REEVE_REGIONS": " ".join(fleet.regions)}
    names = {"orgId": "REEVE_ORG_ID", "clientId": "REEVE_CLIENT_ID", "clientSecret": "REEVE_CLIENT_SECRET",
             "publicKey": "REEVE_PUBLIC_KEY", "privateKey": "REEVE_PRIVATE_KEY"}
    values.update({names[key]: value for key, value in fleet.record.get("credentials", {}).items() if key in names})
    for name, value in values.items():
        print("%s=%s" % (name, shlex.quote(value)))
    return 0


def execute(arguments):
    fleet = Fleet.load(arguments.dir)
    fleet.host(arguments.host)
    command = hosts.command(fleet, arguments.host, arguments.command)
    os.execvp(command[0], command)


def client(arguments):
    command = network.client_command(Fleet.load(arguments.dir), arguments.command)
    os.execvp(command[0], command)


def on_host(action):
    def run(arguments):
        fleet = Fleet.load(arguments.dir)
        fleet.host(arguments.host)
        action(fleet, arguments.host)
        return 0
    return run


def cut(arguments):
    fleet = Fleet.load(arguments.dir)
    fleet.host(arguments.host)
    network.cut(fleet, arguments.host, arguments.only)
    return 0


def boot(fleet, name):
    hosts.start(fleet, name)
    hosts.wait_booted(fleet, name)


def chosen(names):
    return control.REEVE if names == ["control"] else names


def stop(arguments):
    fleet = Fleet.load(arguments.dir)
    for name in chosen(arguments.process):
        process.stop(fleet, name)
    return 0


def start(arguments):
    fleet = Fleet.load(arguments.dir)
    for name in chosen(arguments.process):
        process.again(fleet, name)
    return 0


def parse(words):
    parser = argparse.ArgumentParser(prog="fleet", formatter_class=argparse.RawDescriptionHelpFormatter,
                                     description=__doc__.format(folder=state.DEFAULT_FOLDER))
    commands = parser.add_subparsers(dest="word", required=True, metavar="COMMAND")

    def command(word, function, *positional, rest=None):
        one = commands.add_parser(word)
        one.set_defaults(run=function)
        one.add_argument("--dir", default=os.environ.get("REEVE_FLEET", state.DEFAULT_FOLDER))
        for name in positional:
            one.add_argument(name)
        if rest:
            one.add_argument(rest[0], nargs=rest[1])
        return one

    one = command("up", up)
    one.add_argument("--hosts", type=int, default=3)
    one.add_argument("--repositories", type=int, default=0, help="hosts that keep backups, in the regions in turn")
    one.add_argument("--relays", type=int, default=0, help="hosts that private endpoints lead through, in the regions in turn")
    one.add_argument("--regions", type=int, default=2)
    one.add_argument("--zones", type=int, default=3)
    one.add_argument("--build", default=os.path.join(state.ROOT, os.environ.get("REEVE_BUILD", "build")))
    one.add_argument("--packages", default=os.environ.get("REEVE_PACKAGES"), help="programs of the packages in this folder")
    one.add_argument("--bare", action="store_true", help="only network and hosts")
    one.add_argument("--keep", action="store_true", help="when it fails, leave everything as it is")
    command("down", down)
    command("status", status)
    command("env", environment)
    command("exec", execute, "host", rest=("command", argparse.REMAINDER))
    command("client", client, rest=("command", argparse.REMAINDER))
    one = command("cut", cut, "host")
    one.add_argument("--only", choices=("in", "out"))
    command("heal", on_host(network.heal), "host")
    command("kill", on_host(hosts.kill), "host")
    command("boot", on_host(boot), "host")
    command("stop", stop, rest=("process", "+"))
    command("start", start, rest=("process", "+"))
    one = commands.add_parser("image")
    one.add_argument("--all", action="store_true", help="also those of machines that packages are installed on")
    one.set_defaults(run=lambda arguments: [print(image.ensure(recipe=recipe)) for recipe in (image.ALL if arguments.all else [image.HOST])] and 0)
    return parser.parse_args(words)


def main():
    # As an exception, so that what was begun is taken down.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    arguments = parse(sys.argv[1:])
    try:
        return arguments.run(arguments)
    except Problem as problem:
        print("fleet: %s" % problem, file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
