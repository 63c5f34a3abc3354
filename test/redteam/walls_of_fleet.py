# SPDX-License-Identifier: Apache-2.0
"""Walls of hosts, members, etcd, and of what agents may say. They are taken down on the running fleet."""
import contextlib
import json
import shutil
import time

import control
import hosts
import of_database
import process
import rig
import walls
from state import CLIENT, CONTROL, ETCD, NETWORK, wait_until
from tenant import psql
from walls import CodeWall, Wall
from walls_attacks import NO_RULES, ROWS
from walls_of_gate import WALLS as OF_GATE
from walls_of_pooler import WALLS as OF_POOLER
from walls_of_relay import WALLS as OF_RELAY

SIGNING = "src/base/crypto/certificate.c"
API = "api1"  # attacks of a hostile agent go there


# ---- Lines of a member's unit, one row of walls_attacks.py each ----
class UnitWall:
    def __init__(self, row):
        self.row, self.name, self.shown_by = row, "unit: " + row.name, ()
        self.how = row.before or "without %s" % ", ".join(row.without) + (" with %s" % ", ".join(row.also) if row.also else "")


UNITS = [UnitWall(row) for row in ROWS]


def show_unit(ground, wall):
    row, place = wall.row, ground.place
    try:
        if row.before:
            place.shell(row.before.format(own=place.own, own_user=place.own_user))
        got = place.from_unit([row], row.without, row.also, place.plain_process() if row.plain else None)
    finally:
        if row.before:
            place.walls_again()
    again = place.from_unit([row])
    return walls.Result(wall, 1, {row.name: got[row.name]} if got[row.name] else {}, [name for name, what in again.items() if what])


# ---- Files of the victim's member ----
@contextlib.contextmanager
def changed(ground, member, changes):
    """`changes` are (file below the member's folder, function from text to text). The agent, which would put it right, sleeps meanwhile."""
    fleet, folder = ground.fleet, "/var/lib/reeve/members/" + member.id
    shell = lambda command: hosts.run(fleet, member.host, "sh", "-c", command, timeout=60)  # noqa: E731
    shell("systemctl stop reeve-agent")
    before = {}
    try:
        for name, change in changes:
            path = hosts.folder(fleet, member.host, "root") + "%s/%s" % (folder, name)
            with open(path) as file:
                before[path] = file.read()
            with open(path, "w") as file:
                file.write(change(before[path]))
        shell("systemctl reload reeve-member-%s" % member.id)
        rig.superuser(fleet, member, "SELECT pg_reload_conf()")
        time.sleep(8)
        yield
    finally:
        for path, text in before.items():
            with open(path, "w") as file:
                file.write(text)
        rig.superuser(fleet, member, "SELECT pg_reload_conf()")
        shell("systemctl reload reeve-member-%s; systemctl start reeve-agent" % member.id)
        time.sleep(8)  # Patroni reads it in its next turn


def first_rule(line):
    return ("pg_hba.conf", lambda text: line + "\n" + text)


def fleet_authority(ground):
    with open(ground.fleet.path("tls/authority.pem")) as file:
        return file.read()


def trust_fleet_in_patroni(ground):
    def change(text):
        settings = json.loads(text)
        settings["restapi"]["cafile"] = settings["restapi"]["cafile"].rsplit("/", 1)[0] + "/red.crt"
        return json.dumps(settings)
    place = hosts.folder(ground.fleet, ground.target.host, "root") + "%s/tls/red.crt" % ground.place.folder
    with open(place, "w") as file:
        file.write(fleet_authority(ground))
    hosts.run(ground.fleet, ground.target.host, "chmod", "0644", "%s/tls/red.crt" % ground.place.folder)
    with changed(ground, ground.target, [("patroni.yml", change)]):
        yield
    hosts.run(ground.fleet, ground.target.host, "rm", "-f", "%s/tls/red.crt" % ground.place.folder)


def trust_fleet_in_postgres(ground):
    authorities = rig.superuser(ground.fleet, ground.target, "SHOW ssl_ca_file")[0][0].rsplit(ground.target.id + "/", 1)[1]
    with changed(ground, ground.target, [(authorities, lambda text: text + fleet_authority(ground)),
                                         ("pg_ident.conf", lambda text: text + "\nreeve_member /^(.*)$ reeve_replicator\n")]):
        yield


def with_rule(line):
    def take_down(ground):
        with changed(ground, ground.target, [first_rule(line)]):
            yield
    return take_down


# ---- What tenants' users may do in their own cluster ----
LOCAL = "SET synchronous_commit = local; "  # replicas may be away for a moment


def with_sql(down, up, user=None):
    def take_down(ground):
        name = of_database.user_of(user) if user else ""
        rig.superuser(ground.fleet, ground.attacker, LOCAL + down.format(user=name))
        try:
            yield
        finally:
            rig.superuser(ground.fleet, ground.attacker, LOCAL + up.format(user=name))
    return take_down


def let_users_replicate(ground):
    user = of_database.user_of("read")
    rig.superuser(ground.fleet, ground.attacker, LOCAL + "ALTER ROLE %s REPLICATION" % user)
    with changed(ground, ground.attacker, [first_rule("hostssl replication,all %s 10.78.200.0/24 scram-sha-256" % user)]):
        yield
    rig.superuser(ground.fleet, ground.attacker, LOCAL + "ALTER ROLE %s NOREPLICATION" % user)


def allow_stranger(ground):
    tenant, block = ground.tenants["victim"], CLIENT["stranger"] + "/32"
    tenant.allow(block)
    wait_until(lambda: tenant.access_status(block) == "ACTIVE", "the stranger is on the list", 60)
    yield
    tenant.disallow(block)
    dsn = "host=%s port=5432 dbname=shop user=app password=%s sslmode=require connect_timeout=3" % (ground.target.address, tenant.secret)
    wait_until(lambda: psql(ground.fleet, dsn, "SELECT 1", client="stranger")[0] != 0, "the stranger is off it", 60)
    time.sleep(5)


# ---- The host ----
def no_rules(ground):
    ground.place.shell(NO_RULES)
    yield
    ground.place.walls_again()


# ---- etcd, the control database, names ----
def no_users_of_etcd(ground):
    name = next(iter(ETCD))
    control.etcdctl(ground.fleet, name, "auth", "disable")
    try:
        yield
    finally:
        control.etcdctl(ground.fleet, name, "auth", "enable", user=False)


def started_otherwise(name, change):
    """A process of the control side with other arguments."""
    def take_down(ground):
        fleet, known = ground.fleet, process.record(ground.fleet, name)
        again(fleet, name, known, change(known["arguments"]))
        try:
            yield
        finally:
            again(fleet, name, known, known["arguments"])
    return take_down


def again(fleet, name, known, arguments):
    process.stop(fleet, name, seconds=10)
    process.start(fleet, name, known["machine"], arguments, environment=known["environment"])
    time.sleep(3)


def trust_network(ground):
    path = ground.fleet.path("postgres/data/pg_hba.conf")
    with open(path) as file:
        before = file.read()
    for text in ("host all all %s trust\n" % NETWORK + before, before):
        with open(path, "w") as file:
            file.write(text)
        control.superuser(ground.fleet, "SELECT pg_reload_conf()")
        time.sleep(1)
        if text != before:
            yield


# ---- What agents may say: functions of the control database ----
def with_function(name, *replacements):
    def take_down(ground):
        source = control.superuser(ground.fleet, "SELECT encode(convert_to(pg_get_functiondef('%s'::regprocedure), 'UTF8'), 'hex')" % name)[0][0]
        source = changed_source = bytes.fromhex(source).decode()
        for text, instead in replacements:
            if text not in changed_source:
                raise RuntimeError("%s has changed: the wall's text is not in it any more" % name)
            changed_source = changed_source.replace(text, instead)
        control.superuser(ground.fleet, changed_source)
        try:
            yield
        finally:
            control.superuser(ground.fleet, source)
    return take_down


def everything_for_hostile(ground):
    """An agent that was told so would make other hosts' members, too."""
    host = ground.hostile
    hosts.run(ground.fleet, host.own.host, "systemctl", "stop", "reeve-agent")
    try:
        yield from with_function("host_goal(bytea, text, json)", ("m.host_id = p_host AND ", "(m.host_id = p_host OR p_host = decode('%s', 'hex')) AND " % host.host_id))(ground)
    finally:
        hosts.run(ground.fleet, host.own.host, "systemctl", "start", "reeve-agent")


LIVE = [
    Wall("users of etcd", "etcdctl auth disable", no_users_of_etcd, ("etcd certificate: get ", "logged in: get ")),
    Wall("Patroni trusts its own cluster only", "the fleet's authority in restapi.cafile of a member", trust_fleet_in_patroni,
         ("Patroni, etcd certificate: GET", "Patroni, host certificate: GET", "Patroni, a service's certificate: GET")),
    Wall("members trust their own cluster only", "the fleet's authority in ssl_ca_file and everybody's name in pg_ident.conf", trust_fleet_in_postgres, ("PostgreSQL, ",)),
    Wall("members let nobody in without a password", "`host all all all trust` as the first rule", with_rule("host all,replication all all trust"), ("at {target} from a client", "at {target} from a stranger", "password at {target}")),
    Wall("members speak TLS only", "`host all all all scram-sha-256` as the first rule", with_rule("host all all all scram-sha-256"), ("at {target} without TLS",)),
    Wall("members let only listed networks in", "the stranger's network is put on the access list", allow_stranger, ("at {target} from a stranger",)),
    Wall("a tenant's users are what their roles say", "ALTER ROLE … SUPERUSER", with_sql("ALTER ROLE {user} SUPERUSER", "ALTER ROLE {user} NOSUPERUSER", "read"), ("read: ",)),
    Wall("nobody is let into templates", "GRANT CONNECT ON DATABASE template1 TO PUBLIC", with_sql("GRANT CONNECT ON DATABASE template1 TO PUBLIC", "REVOKE ALL ON DATABASE template1 FROM PUBLIC"), ("read: ",)),
    Wall("nothing is made in the superuser's database", "GRANT TEMPORARY ON DATABASE postgres TO PUBLIC",
         with_sql("GRANT TEMPORARY ON DATABASE postgres TO PUBLIC", "REVOKE TEMPORARY ON DATABASE postgres FROM PUBLIC"), ("read: ",)),
    Wall("members let only members replicate", "ALTER ROLE … REPLICATION, and a rule for it", let_users_replicate, ("read: ",)),
    Wall("rules of the host's network", NO_RULES, no_rules),
    Wall("metadata of the cloud is not for members", NO_RULES, no_rules),
    Wall("etcd wants certificates of the fleet", "etcd1 without --client-cert-auth and --trusted-ca-file",
         started_otherwise("etcd1", lambda words: [one for one in words if not one.startswith(("--client-cert-auth", "--trusted-ca-file"))]),
         ("etcd etcd1",)),
    Wall("the control database lets its own node in", "`host all all %s trust` in its pg_hba.conf" % NETWORK, trust_network),
    Wall("names are told one by one", "PowerDNS with allow-axfr-ips", started_otherwise("pdns", lambda words: [*words, "--disable-axfr=no", "--allow-axfr-ips=0.0.0.0/0"])),
    Wall("hosts report about their own members only", "host_report() without `host_id = p_host`",
         with_function("host_report(bytea, bigint, jsonb)", (" AND m.host_id = p_host", ""), (" AND t.host_id = p_host", ""))),
    Wall("one host's word about a version restarts nobody", "versions_differ() is always false",
         with_function("versions_differ(int, int)", ("p_least <> p_most", "false"))),
    Wall("hosts report about their own seats only", "host_report_seats() without `host_id = p_host`",
         with_function("host_report_seats(bytea, jsonb)", (" AND t.host_id = p_host", ""))),
    Wall("hosts report about their own drills only", "host_report_drills() without `host_id = p_host`",
         with_function("host_report_drills(bytea, jsonb)", (" AND t.host_id = p_host", ""))),
    Wall("hosts report about their own exports only", "host_report_exports() without `host_id = p_host`",
         with_function("host_report_exports(bytea, jsonb)", (" AND t.host_id = p_host", ""))),
    Wall("hosts report about their own peerings only", "host_report_peerings() without `p_host = ANY (peer_hosts(n))`",
         with_function("host_report_peerings(bytea, jsonb)", (" AND p_host = ANY (peer_hosts(n))", ""))),
    Wall("hosts advise about their own members only", "advice_store() without `host_id = p_host`",
         with_function("advice_store(bytea, bytea, jsonb)", (" AND m.host_id = p_host", ""))),
    Wall("statements are planned without any rights", "the role that plans reads all data",
         with_sql("DO $$ BEGIN IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'reeve_planner') THEN CREATE ROLE reeve_planner LOGIN NOINHERIT; END IF; END $$; "
                  "GRANT pg_read_all_data TO reeve_planner WITH INHERIT TRUE", "REVOKE pg_read_all_data FROM reeve_planner")),
    Wall("only repository hosts say that they keep the control plane's database", "host_report_own() without `purpose = 'REPOSITORY'`",
         with_function("host_report_own(bytea, jsonb)", (" AND h.purpose = 'REPOSITORY'", ""))),
    *OF_GATE,
    *OF_POOLER, *OF_RELAY,
    Wall("goals have a host's own members only", "host_goal() without `host_id = p_host`, for the hostile host, whose own agent sleeps meanwhile", everything_for_hostile),
]

CODE = [
    CodeWall("a log is found in the project that asks", "log_homes.sql does not compare the project",
             [("src/store/log/sql/log_homes.sql", "WHERE c.project_id = :project AND", "WHERE :project::bytea IS NOT NULL AND")]),
    CodeWall("hosts are known by certificates of hosts", "host_by_serial.sql takes a member's certificate for its host's",
             [("src/store/fleet/sql/host_by_serial.sql", "JOIN host h ON h.id = decode(c.owner, 'hex')",
               "JOIN host h ON h.id = decode(c.owner, 'hex') OR h.id = (SELECT m.host_id FROM cluster_member m WHERE encode(m.id, 'hex') = c.owner)"),
              ("src/store/fleet/sql/host_by_serial.sql", " AND c.kind = 'HOST'", "")], ("agents' listener, cluster certificate: GET", "agents' listener, member certificate: GET", "agents' listener, etcd certificate: GET")),
    CodeWall("hosts get certificates of their own members only", "host_member_names.sql does not compare the host",
             [("src/store/fleet/sql/host_member_names.sql", "WHERE m.host_id = :host AND m.id", "WHERE :host::bytea IS NOT NULL AND m.id")]),
    CodeWall("hosts get certificates of their own seats only", "host_seat_find.sql does not compare the host",
             [("src/store/backup/sql/host_seat_find.sql", "WHERE t.host_id = :host AND t.id", "WHERE :host::bytea IS NOT NULL AND t.id")]),
    CodeWall("hosts send points of their own members only", "monitor_owner_list.sql does not compare the host",
             [("src/store/monitor/sql/monitor_owner_list.sql", "WHERE m.host_id = :host AND", "WHERE :host::bytea IS NOT NULL AND")]),
    CodeWall("a name is one label", "names are written as they are", [("src/monitor/line.c", "        buf_add_percent_encoded(out, line->name);", "        buf_add(out, line->name);")],
             ("hostile agent, ",)),
    CodeWall("servers are found in their own project", "the servers of all projects are found in each",
             [("src/store/monitor/sql/process_get.sql", "FROM project_processes(:project) p", "FROM project o CROSS JOIN LATERAL project_processes(o.id) p"),
              ("src/store/monitor/sql/process_get.sql", "WHERE c.project_id = :project AND", "WHERE :project::bytea IS NOT NULL AND")]),
    CodeWall("a table has one name", "names of tables are taken as they come", [("src/fleet/points.c", "    if (line->scope != METRIC_TABLE)\n        return true;", "    if (line->name.len > 0)\n        return true;")],
             ("hostile agent, ",)),
    CodeWall("tables are found in their own project", "the servers and clusters of all projects are found in each",
             [("src/store/monitor/sql/table_view_of_process.sql", "FROM project_processes(:project) p", "FROM project o CROSS JOIN LATERAL project_processes(o.id) p"),
              ("src/store/monitor/sql/table_view_of_process.sql", "WHERE c.project_id = :project AND", "WHERE :project::bytea IS NOT NULL AND"),
              ("src/store/monitor/sql/table_view_of_cluster.sql", "LEFT JOIN project_processes(:project) p ON", "LEFT JOIN LATERAL project_processes(c.project_id) p ON"),
              ("src/store/monitor/sql/table_view_of_cluster.sql", "WHERE c.project_id = :project AND", "WHERE :project::bytea IS NOT NULL AND"),
              ("src/store/monitor/sql/pinned_tables_get.sql", "WHERE c.project_id = :project AND", "WHERE :project::bytea IS NOT NULL AND")]),
    CodeWall("agents of an older epoch are refused", "judge_host() does not look at the epoch",
             [("src/fleet/agent.c", "    else if (epoch >= 0 && epoch < known->epoch)", "    else if (false)"), ("src/fleet/agent.c", "    else if (epoch > known->epoch)", "    else if (false)")],
             ("goal: ",)),
    CodeWall("what a certificate says is decided by who signs it", "certificate_sign() takes the subject of the request",
             [(SIGNING, "/* `issuer` is NULL when it signs itself. */", "static X509_NAME *asked;\n"), (SIGNING, "!set_subject(made, subject)", "!(asked != NULL ? X509_set_subject_name(made, asked) == 1 : set_subject(made, subject))"),
              (SIGNING, "    return make(arena, authority, authority_key, key, subject, ret_certificate);",
               "    asked = X509_REQ_get_subject_name(request);\n    bool made = make(arena, authority, authority_key, key, subject, ret_certificate);\n    asked = NULL;\n    return made;")]),
    CodeWall("hosts join with a token that was made for them", "join_token_take.sql takes any token for one that waits, whatever its form",
             [("src/fleet/join.c", "    if (secret_is_well_formed(token, TOKEN_KIND))", "    if (true)"), ("src/store/fleet/sql/join_token_take.sql", "WHERE hash = :hash FOR UPDATE", "WHERE :hash::bytea IS NOT NULL AND used_at IS NULL FOR UPDATE")]),
]


def waiting_token(fleet):
    """Of which no attacker knows, for a host that is not there."""
    host = next(iter(fleet.hosts.values()))
    control.reeved(fleet, "fleet", "token", "--host", "red", "--provider", host["provider"], "--region", host["region"], "--zone", host["zone"], "--json")


SESSION, LOGINS = "src/engine/postgres/session.c", "src/agent/log/logins.c"
NO_UNDO = ("src/engine/postgres/sql/settings_undo.sql", "WHERE source IN ('database', 'user', 'database user')", "WHERE false AND source IN ('database', 'user', 'database user')")
AGENT = [
    CodeWall("the door to logs is for services", "whoever has any certificate of the fleet comes in",
             [("src/agent/log/log_show.c", "tls_peer_is_of(guest.tls, LOG_DOOR_ORGANIZATION)", "guest.tls != NULL")]),
    CodeWall("what a client is called is no attempt of another", "a message that says so is believed, whatever its process wrote before it",
             [(LOGINS, "attempt->refused_number > 0 && attempt->refused_number <= attempt->in_number;", "false;")]),
    CodeWall("whoever was let in is told to be in", "an error of a session counts like a refusal",
             [(LOGINS, "        head->phase.len == 0 || str_is(head->phase, \"initializing\") || str_is(head->phase, \"authentication\");", "        !is_startup;"),
              (LOGINS, "attempt->refused_number > 0 && attempt->refused_number <= attempt->in_number;", "attempt->refused_number > 0;")]),
    CodeWall("the agent's session is its own", "the agent's session takes over the search path of the database", [(SESSION, '    "-c search_path=pg_catalog "\n', ""), NO_UNDO]),
    CodeWall("extensions are made among the superuser's objects only", "extension_create.sql does not look at who owns the schema, and what the extension needs",
             [("src/engine/postgres/sql/extension/extension_create.sql", "AND nspowner <> 10 LOOP", "AND false LOOP"),
              ("src/engine/postgres/sql/extension/extension_create.sql", " WHERE e.extname = r.name AND e.extowner = 10 AND n.nspname IN ('reeve_extensions', 'pg_catalog'))", " WHERE e.extname = r.name)")],
             ("the schema is the owner's", "the owner's by now")),
    CodeWall("what extensions consist of is not granted", "group_grant.sql lets those who may create something do so in every schema",
             [("src/engine/postgres/sql/roles/group_grant.sql", "p.word = 'CREATE' AND (n.nspowner", "false AND (n.nspowner")], ("beside it",)),
    CodeWall("users who go lose their login first", "the agent clears away first, in transactions that may be read-only",
             [("src/engine/postgres/sql/roles/user_shut_out.sql", "DO $$ BEGIN EXECUTE format('ALTER ROLE %I NOLOGIN PASSWORD NULL', current_setting('reeve.role')); END $$", "SELECT 1"),
              (SESSION, "-c default_transaction_read_only=off ", ""), NO_UNDO], ("read-only",)),
]


@contextlib.contextmanager
def other_agent(ground, scratch, wall):
    """The wall, taken down by an agent from another build on the primary's host."""
    def take_down(ground):
        host, drop_in = ground.attacker.host, "/run/systemd/system/reeve-agent.service.d"
        with scratch.without(wall) as build:
            target = hosts.folder(ground.fleet, host, "root") + "/usr/local/sbin/reeve-agent-red"
            shutil.copy(build + "/reeve-agent", target)
            hosts.run(ground.fleet, host, "sh", "-c", "mkdir -p {0}; printf '[Service]\\nExecStart=\\nExecStart=/usr/local/sbin/reeve-agent-red run\\n' > {0}/red.conf; systemctl daemon-reload; "
                      "systemctl restart reeve-agent".format(drop_in))
            try:
                time.sleep(5)
                yield
            finally:
                hosts.run(ground.fleet, host, "sh", "-c", "rm -r {0}; systemctl daemon-reload; systemctl restart reeve-agent".format(drop_in))
                time.sleep(5)
    yield Wall(wall.name, wall.how, take_down, wall.shown_by)


@contextlib.contextmanager
def other_api(ground, scratch, wall):
    """The wall, taken down by running one node of the API from another build."""
    def take_down(ground):
        with scratch.without(wall) as build:
            known = process.record(ground.fleet, API)
            try:
                again(ground.fleet, API, known, [build + "/reeved", *known["arguments"][1:]])
                wait_until(lambda: control.listens(ground.fleet, "control", CONTROL["control1"], control.AGENT_PORT), "the other API listens", 30)
                waiting_token(ground.fleet)
                yield
            finally:
                again(ground.fleet, API, known, known["arguments"])
                control.superuser(ground.fleet, "DELETE FROM join_token WHERE used_at IS NULL")
                if control.superuser(ground.fleet, "SELECT 1 FROM host WHERE name = 'red' AND state <> 'REMOVED'"):
                    control.reeved(ground.fleet, "fleet", "host", "remove", "red")
                wait_until(lambda: control.listens(ground.fleet, "control", CONTROL["control1"], control.AGENT_PORT), "the API listens", 30)
    yield Wall(wall.name, wall.how, take_down, wall.shown_by)
