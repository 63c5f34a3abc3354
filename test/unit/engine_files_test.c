/* SPDX-License-Identifier: Apache-2.0 */
/* The files that a member starts from. */
#include "check.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/unit_file.h"
#include "base/crypto/certificate.h"
#include "base/crypto/certificate_look.h"
#include "engine/postgres/audit.h"
#include "engine/postgres/backup/member_side.h"
#include "engine/postgres/postgres.h"

static struct goal_peer peers[] = {
    { .name = STR("s-shard-00-00"), .address = STR("10.0.1.1"), .host_address = STR("10.0.0.1") },
    { .name = STR("s-shard-00-01"), .address = STR("10.0.1.2"), .host_address = STR("10.0.0.1") },
};
static str networks[] = { STR("203.0.113.7"), STR("2001:db8::/32") };
static struct goal_user users[] = {
    { .name = STR("app"), .login = LOGIN_SCRAM },
    { .name = STR("CN=\"q\",O=x y"), .login = LOGIN_X509 },
    { .name = STR("CN=evil\nreeve_local root postgres"), .login = LOGIN_X509 },
};
static str etcd[] = { STR("https://10.0.0.9:2379"), STR("https://[2001:db8::9]:2379/") };
static struct wire_pair parameters[] = { { STR("max_connections"), STR("100") },
                                         { STR("hba_file"), STR("/etc/passwd") } };

struct fixture {
    struct arena *arena;
    char folder[64];
    struct goal goal;
    struct goal_cluster cluster;
    struct goal_member member;
    struct engine_member self;
};

static struct fixture
set_up(void)
{
    struct fixture f = { .arena = arena_new(1 << 24), .folder = "/tmp/reeve-engine-XXXXXX" };
    assert_non_null(mkdtemp(f.folder));
    f.goal = (struct goal){ .authority = STR("FLEET"), .etcd = { LENGTH(etcd), etcd } };
    f.cluster = (struct goal_cluster){ .scope = STR("abc123"),
                                       .major_version = STR("17"),
                                       .synchronous = true,
                                       .parameters = { LENGTH(parameters), parameters },
                                       .peers = { LENGTH(peers), peers },
                                       .access = { .networks = { LENGTH(networks), networks },
                                                   .authorities = STR("USERS"),
                                                   .users = { LENGTH(users), users } } };
    f.member = (struct goal_member){ .name = STR("s-shard-00-00"),
                                     .address = STR("10.0.1.1"),
                                     .prefix = 16,
                                     .port = 27017,
                                     .cpus = 0.25,
                                     .memory_mb = 256,
                                     .electable = true,
                                     .priority = 5 };
    return f;
}

static void
bind_fixture(struct fixture *f)
{
    f->self = (struct engine_member){ .arena = f->arena,
                                      .goal = &f->goal,
                                      .cluster = &f->cluster,
                                      .member = &f->member,
                                      .folder = str_from(f->folder),
                                      .user = STR("reeve-70001"),
                                      .owner = { getuid(), getgid() },
                                      .files = { getuid(), getgid() } };
    assert_true(disk_make_folder(member_path(&f->self, "tls").data, 0700, f->self.owner));
}

static void
tear_down(struct fixture *f)
{
    assert_true(disk_remove_tree(f->folder));
    assert_false(disk_exists(f->folder));
    arena_free(f->arena);
}

static str
content(struct fixture *f, const char *name)
{
    str text;
    assert_true(disk_read(f->arena, member_path(&f->self, name).data, 1 << 20, &text));
    return text;
}

static struct goal_backup_seat seats[] = {
    { .ordinal = 0, .name = STR("reeve-seat-5e01"), .host_address = STR("10.0.0.21") },
    { .ordinal = 1, .name = STR("reeve-seat-5e02"), .host_address = STR("2001:db8::21") },
};

static void
a_cluster_without_backups_has_nothing_of_them(void **state)
{
    (void)state;
    struct fixture f = set_up();
    bind_fixture(&f);
    bool changed = false;
    f.cluster.backup = (struct goal_backup){ STR("abc123-1"), { LENGTH(seats), seats } };
    for (int i = 0; i < 2; i++) { /* none in the goal; or one, but no authority of its own yet */
        f.cluster.backup.stanza = i == 0 ? STR_EMPTY : STR("abc123-1");
        assert_ptr_equal(hba_write(&f.self, &changed), OK);
        assert_ptr_equal(backup_write_files(&f.self, &changed), OK);
        assert_null(strstr(content(&f, "pg_hba.conf").data, "reeve_wal"));
        assert_null(strstr(content(&f, "pg_ident.conf").data, "reeve_seat"));
        assert_int_equal(backup_command(&f.self).len, 0);
        assert_false(disk_exists(member_path(&f.self, "pgbackrest.conf").data));
        json_t *dynamic = config_dynamic(&f.self);
        assert_null(json_object_get(dynamic, "slots"));
        assert_null(json_object_get(config_parameters(&f.self), "max_slot_wal_keep_size"));
    }
    tear_down(&f);
}

static void
support_staff_comes_from_its_own_address_only(void **state)
{
    (void)state;
    struct fixture f = set_up();
    bind_fixture(&f);
    bool changed = false;
    static struct goal_support_user one = {
        STR("reeve-support-1"), STR("x"), STR("2099-01-01T00:00:00Z"), STR("192.0.2.1/32"), { 0 }
    };
    static str own_networks[] = { STR("10.0.0.0/8") };
    f.cluster.access.networks = (struct wire_texts){ 1, own_networks };
    f.cluster.access.support = (struct goal_support_users){ 1, &one };
    f.cluster.pooling.mode = POOL_TRANSACTION;
    assert_ptr_equal(hba_write(&f.self, &changed), OK);
    str hba = content(&f, "pg_hba.conf");
    const char *own = strstr(hba.data, "hostssl all \"reeve-support-1\" 192.0.2.1/32 scram-sha-256\n"
                                       "host all \"reeve-support-1\" all reject\n");
    assert_non_null(own);
    assert_true(own < strstr(hba.data, "hostssl all all 10.0.0.0/8"));
    assert_null(strstr(hba.data, "hostssl all all 192.0.2.1")); /* it opens nothing to anybody else */
    f.self.is_closed = true;
    assert_ptr_equal(hba_write(&f.self, &changed), OK);
    assert_null(strstr(content(&f, "pg_hba.conf").data, "192.0.2.1"));
    tear_down(&f);
}

static void
seats_of_a_cluster_are_let_in_and_nobody_else_as_them(void **state)
{
    (void)state;
    struct fixture f = set_up();
    bind_fixture(&f);
    bool changed = false;
    f.cluster.backup = (struct goal_backup){ STR("abc123-1"), { LENGTH(seats), seats } };
    f.cluster.walls = WALLS_CLOSED;
    f.member.disk_gb = 10;
    assert_true(disk_replace(member_path(&f.self, CLUSTER_AUTHORITY).data, STR("CLUSTER"), 0600, f.self.owner));
    assert_ptr_equal(hba_write(&f.self, &changed), OK);
    /* Before the networks of tenants: whatever password they gave a role of that name is worth nothing. */
    assert_non_null(strstr(
        content(&f, "pg_hba.conf").data,
        "hostssl replication reeve_wal 10.0.0.21/32 cert map=reeve_seat\n"
        "hostssl postgres reeve_wal 10.0.0.21/32 cert map=reeve_seat\n"
        "hostssl replication reeve_wal 2001:db8::21/128 cert map=reeve_seat\n"
        "hostssl postgres reeve_wal 2001:db8::21/128 cert map=reeve_seat\n"
        "host all reeve_wal all reject\n"
        "host all postgres,reeve_replicator,reeve_rewinder,reeve_monitor,reeve_planner,reeve_pooler all reject\n"));
    assert_non_null(strstr(content(&f, "pg_ident.conf").data,
                           "\nreeve_seat reeve-seat-5e01 reeve_wal\nreeve_seat reeve-seat-5e02 reeve_wal\n"));
    assert_ptr_equal(backup_write_files(&f.self, &changed), OK);
    str config = content(&f, "pgbackrest.conf");
    assert_non_null(
        strstr(config.data, "\ntls-server-auth=reeve-seat-5e01=abc123-1\ntls-server-auth=reeve-seat-5e02=abc123-1\n"));
    assert_non_null(strstr(config.data, "/tls/cluster-authority.crt\n"));
    assert_null(strstr(config.data, "repo")); /* it has nothing with which a repository could be reached */
    assert_string_equal(json_text(f.arena, json_object_get(config_dynamic(&f.self), "slots")).data,
                        "{\"reeve_wal_0\":{\"type\":\"physical\"},\"reeve_wal_1\":{\"type\":\"physical\"}}");
    assert_string_equal(json_string_value(json_object_get(config_parameters(&f.self), "max_slot_wal_keep_size")),
                        "2048MB");
    f.cluster.backup.stanza = STR_EMPTY; /* and everything goes when the cluster has none any more */
    assert_ptr_equal(backup_write_files(&f.self, &changed), OK);
    assert_false(disk_exists(member_path(&f.self, "pgbackrest.conf").data));
    tear_down(&f);
}

static void
slots_of_seats_that_are_gone_are_dropped_and_those_of_others_stay(void **state)
{
    (void)state;
    struct arena *arena = arena_new(1 << 20);
    json_t *have =
        json_in(arena, json_pack("{s:{s:{}, s:{}, s:{}}}", "slots", "reeve_wal_0", "reeve_wal_1", "tenants"));
    json_t *want = json_in(arena, json_pack("{s:{s:{}}}", "slots", "reeve_wal_0")),
           *none = json_in(arena, json_object());
    json_t *patch = json_in(arena, json_object());
    backup_drop_slots(have, want, patch);
    assert_string_equal(json_text(arena, patch).data, "{\"slots\":{\"reeve_wal_1\":null}}");
    patch = json_in(arena, json_object());
    backup_drop_slots(have, none, patch);
    assert_string_equal(json_text(arena, patch).data, "{\"slots\":{\"reeve_wal_0\":null,\"reeve_wal_1\":null}}");
    patch = json_in(arena, json_object());
    backup_drop_slots(none, none, patch);
    assert_int_equal(json_object_size(patch), 0);
    arena_free(arena);
}

static void
who_may_connect_is_in_the_right_order(void **state)
{
    (void)state;
    struct fixture f = set_up();
    bind_fixture(&f);
    bool changed = false;
    assert_ptr_equal(hba_write(&f.self, &changed), OK);
    assert_true(changed);
    assert_string_equal(
        content(&f, "pg_hba.conf").data,
        "# Written by reeve-agent, which overwrites whatever is changed here.\n"
        "local all postgres peer map=reeve_local\n"
        "local replication reeve_replicator peer map=reeve_local\n"
        "local all reeve_monitor peer map=reeve_local\n"
        "local all reeve_planner peer map=reeve_local\n"
        "local all all reject\n"
        "hostssl replication reeve_replicator 10.0.1.1/32 cert map=reeve_member\n"
        "hostssl all reeve_replicator,reeve_rewinder 10.0.1.1/32 cert map=reeve_member\n"
        "hostssl replication reeve_replicator 10.0.0.1/32 cert map=reeve_member\n"
        "hostssl all reeve_replicator,reeve_rewinder 10.0.0.1/32 cert map=reeve_member\n"
        "hostssl replication reeve_replicator 10.0.1.2/32 cert map=reeve_member\n"
        "hostssl all reeve_replicator,reeve_rewinder 10.0.1.2/32 cert map=reeve_member\n"
        "host all postgres,reeve_replicator,reeve_rewinder,reeve_monitor,reeve_planner,reeve_pooler all reject\n"
        "host replication all all reject\n"
        "hostssl all +reeve_x509 203.0.113.7/32 cert clientname=DN map=reeve_user\n"
        "hostssl all +reeve_ldap 203.0.113.7/32 reject\n"
        "hostssl all all 203.0.113.7/32 scram-sha-256\n"
        "hostssl all +reeve_x509 2001:db8::/32 cert clientname=DN map=reeve_user\n"
        "hostssl all +reeve_ldap 2001:db8::/32 reject\n"
        "hostssl all all 2001:db8::/32 scram-sha-256\n"
        "host all all all reject\n");
    /* A name with a line of its own in it is not there at all. */
    str ident = content(&f, "pg_ident.conf");
    assert_non_null(strstr(
        ident.data,
        "\nreeve_local root postgres\nreeve_local root reeve_monitor\nreeve_local root reeve_planner\nreeve_local reeve-70001 postgres\n"));
    assert_null(strstr(ident.data, "reeve_local postgres"));
    assert_non_null(strstr(ident.data, "\nreeve_user \"CN=\"\"q\"\",O=x y\" \"CN=\"\"q\"\",O=x y\"\n"));
    assert_null(strstr(ident.data, "evil"));
    assert_string_equal(content(&f, "tls/authorities.crt").data, "FLEET\nUSERS");
    changed = false;
    assert_ptr_equal(hba_write(&f.self, &changed), OK);
    assert_false(changed);
    tear_down(&f);
}

static void
users_of_a_directory_are_asked_about_there(void **state)
{
    (void)state;
    struct fixture f = set_up();
    bind_fixture(&f);
    bool changed = false;
    struct stat file;
    f.cluster.access.ldap = (struct goal_ldap){ .hostname = STR("2001:db8::5"),
                                                .port = 636,
                                                .authority = STR("DIRECTORY"),
                                                .base = STR("dc=\"x\""),
                                                .filter = STR("(uid=$username)"),
                                                .bind_name = STR("cn=reeve"),
                                                .bind_password = STR("a \"b\" #c") };
    assert_ptr_equal(hba_write(&f.self, &changed), OK);
    str hba = content(&f, "pg_hba.conf");
    assert_non_null(strstr(hba.data,
                           "\nhostssl all +reeve_ldap 203.0.113.7/32 ldap ldapserver=\"[2001:db8::5]\" ldapport=636 "
                           "ldapscheme=ldaps ldapbasedn=\"dc=\"\"x\"\"\" ldapsearchfilter=\"(uid=$username)\" "
                           "ldapbinddn=\"cn=reeve\" @ldap-secret.conf\n"));
    assert_null(strstr(hba.data, "#c")); /* the line that matches is logged when a login fails */
    assert_non_null(strstr(content(&f, "ldap-secret.conf").data, "\nldapbindpasswd=\"a \"\"b\"\" #c\"\n"));
    assert_int_equal(stat(member_path(&f.self, "ldap-secret.conf").data, &file), 0);
    assert_int_equal(file.st_mode & 0777, 0640); /* root's, and the member's group reads it */
    assert_string_equal(content(&f, "tls/directory.crt").data, "DIRECTORY");
    assert_non_null(strstr(content(&f, ".ldaprc").data, "/tls/directory.crt\nTLS_REQCERT demand\n"));
    f.cluster.access.ldap = (struct goal_ldap){
        .hostname = STR("d.example.org"), .port = 389, .prefix = STR("uid="), .suffix = STR(",dc=org")
    };
    assert_ptr_equal(hba_write(&f.self, &changed), OK);
    assert_non_null(strstr(content(&f, "pg_hba.conf").data, " ldap ldapserver=\"d.example.org\" ldapport=389 ldaptls=1 "
                                                            "ldapprefix=\"uid=\" ldapsuffix=\",dc=org\"\n"));
    assert_null(strstr(content(&f, "ldap-secret.conf").data, "#c"));
    tear_down(&f);
}

static const char *
parameter(struct fixture *f, const char *name)
{
    return json_string_value(json_object_get(config_parameters(&f->self), name));
}

static void
what_is_recorded_is_a_parameter_unless_somebody_is_named(void **state)
{
    (void)state;
    struct fixture f = set_up();
    bind_fixture(&f);
    static str classes[] = { STR("READ"), STR("DDL") }, names[] = { STR("app") };
    assert_string_equal(parameter(&f, "pgaudit.log"), "none");
    assert_string_equal(parameter(&f, "log_connections"), "on"); /* of everybody, for the access history */
    assert_string_equal(parameter(&f, "log_disconnections"), "off");
    f.cluster.access.audit = (struct goal_audit){ .classes = { LENGTH(classes), classes }, .logins = true };
    assert_string_equal(parameter(&f, "pgaudit.log"), "read,ddl");
    assert_string_equal(parameter(&f, "pgaudit.log_catalog"), "off");
    assert_string_equal(parameter(&f, "pgaudit.log_parameter"), "off");
    assert_string_equal(parameter(&f, "log_connections"), "on");
    assert_string_equal(parameter(&f, "log_disconnections"), "on");
    f.cluster.access.audit.catalog = f.cluster.access.audit.parameters = true;
    assert_string_equal(parameter(&f, "pgaudit.log_catalog"), "on");
    assert_string_equal(parameter(&f, "pgaudit.log_parameter"), "on");
    f.cluster.access.audit.users = (struct wire_texts){ LENGTH(names), names };
    assert_string_equal(parameter(&f, "pgaudit.log"), "none");
    f.cluster.access.audit.users.count = 0;
    f.cluster.access.audit.databases = (struct wire_texts){ LENGTH(names), names };
    assert_string_equal(parameter(&f, "pgaudit.log"), "none");
    tear_down(&f);
}

static void
a_host_without_the_library_starts_servers_without_it(void **state)
{
    (void)state;
    struct fixture f = set_up();
    bind_fixture(&f);
    assert_ptr_equal(audit_check_installed(&f.self), OK); /* nobody asks for it */
    static struct wire_pair asked[] = { { STR("shared_preload_libraries"), STR("pgaudit") } };
    f.cluster.parameters = (struct wire_pairs){ LENGTH(asked), asked };
    f.cluster.major_version = STR("no-such-version");
    error why = audit_check_installed(&f.self);
    assert_ptr_not_equal(why, OK);
    assert_non_null(strstr(why->detail.data, "/usr/lib/postgresql/no-such-version/lib/pgaudit.so"));
    tear_down(&f);
}

/* An agent that is upgraded must not have a server wait for a restart: what is loaded is the goal's to say. */
static void
an_agent_loads_nothing_that_the_goal_does_not_name(void **state)
{
    (void)state;
    struct fixture f = set_up();
    bind_fixture(&f);
    assert_null(parameter(&f, "shared_preload_libraries"));
    assert_null(parameter(&f, "pg_stat_statements.track_utility"));
    static struct wire_pair asked[] = { { STR("shared_preload_libraries"), STR("pgaudit") } };
    f.cluster.parameters = (struct wire_pairs){ LENGTH(asked), asked };
    assert_string_equal(parameter(&f, "shared_preload_libraries"), "pgaudit");
    assert_null(parameter(&f, "pg_stat_statements.track_utility"));
    asked[0].value = STR("pgaudit,pg_stat_statements");
    assert_string_equal(parameter(&f, "shared_preload_libraries"), "pgaudit,pg_stat_statements");
    assert_string_equal(parameter(&f, "pg_stat_statements.track_utility"), "off");
    /* What this host does not have is not loaded here: a server that cannot load it does not start. */
    f.cluster.major_version = STR("no-such-version");
    assert_string_equal(json_string_value(json_object_get(config_parameters_here(&f.self), "shared_preload_libraries")),
                        "");
    tear_down(&f);
}

static void
the_shared_configuration_has_what_the_goal_says(void **state)
{
    (void)state;
    struct fixture f = set_up();
    bind_fixture(&f);
    json_t *dynamic = config_dynamic(&f.self);
    json_t *got = json_object_get(json_object_get(dynamic, "postgresql"), "parameters");
    assert_string_equal(json_string_value(json_object_get(got, "max_connections")), "100");
    assert_string_equal(json_string_value(json_object_get(got, "wal_level")), "replica");
    assert_null(json_object_get(got, "hba_file")); /* no goal says where the host's files are */
    assert_true(json_is_true(json_object_get(dynamic, "synchronous_mode")));
    assert_true(json_is_true(json_object_get(dynamic, "failsafe_mode")));
    assert_int_equal(json_integer_value(json_object_get(dynamic, "ttl")), 20);
    tear_down(&f);
}

/* S3: a running fleet's etcd gets users only when Patroni understands both ways in which etcd says that it has none yet, or some now. */
static void
patroni_is_started_with_corrections(void **state)
{
    (void)state;
    struct fixture f = set_up();
    bind_fixture(&f);
    str text;
    assert_ptr_equal(start_write(&f.self), OK);
    assert_true(disk_read(f.arena, member_path(&f.self, START_FILE).data, 65536, &text));
    assert_non_null(strstr(text.data, "data['message']"));
    str command = str_format(f.arena, "/usr/bin/env --ignore-signal=HUP /usr/bin/python3 -I %s %s",
                             member_path(&f.self, "start.py").data, member_path(&f.self, "patroni.yml").data);
    assert_string_equal(start_command(&f.self).data, command.data);
    tear_down(&f);
}

/* Programs before 17 know only one way, and would refuse to begin with another. */
static void
new_data_is_synced_as_the_version_can(void **state)
{
    (void)state;
    struct fixture f = set_up();
    bind_fixture(&f);
    static const struct {
        const char *major;
        bool knows;
    } rows[] = { { "16", false }, { "17", true }, { "18", true } };
    for (size_t i = 0; i < LENGTH(rows); i++) {
        f.cluster.major_version = str_from(rows[i].major);
        json_t *config = config_whole(&f.self);
        str copies = json_text(f.arena, json_object_get(json_object_get(config, "postgresql"), "basebackup"));
        str begins = json_text(f.arena, json_object_get(json_object_get(config, "bootstrap"), "initdb"));
        assert_int_equal(strstr(copies.data, "\"sync-method\":\"syncfs\"") != NULL, rows[i].knows);
        assert_int_equal(strstr(begins.data, "\"sync-method\":\"syncfs\"") != NULL, rows[i].knows);
        assert_non_null(strstr(copies.data, "\"checkpoint\":\"fast\""));
        assert_non_null(strstr(begins.data, "\"data-checksums\""));
    }
    tear_down(&f);
}

/* Only where it has one: elsewhere WAL stays with the data, as it was. And never more WAL is kept than the volume holds. */
static void
wal_goes_to_its_own_volume(void **state)
{
    (void)state;
    struct fixture f = set_up();
    bind_fixture(&f);
    for (int has = 0; has < 2; has++) {
        f.self.has_volumes = has;
        json_t *config = config_whole(&f.self);
        const json_t *postgresql = json_object_get(config, "postgresql");
        const char *texts[] = {
            json_text(f.arena, json_object_get(postgresql, "basebackup")).data,
            json_text(f.arena, json_object_get(json_object_get(config, "bootstrap"), "initdb")).data,
        };
        for (size_t i = 0; i < LENGTH(texts); i++)
            assert_int_equal(strstr(texts[i], "/wal/pg_wal\"") != NULL, has);
        assert_int_equal(json_object_get(json_object_get(postgresql, "parameters"), "max_slot_wal_keep_size") != NULL,
                         has);
    }
    tear_down(&f);
}

static void
a_unit_says_its_limits_and_its_address(void **state)
{
    (void)state;
    struct fixture f = set_up();
    struct unit_wish wish = { .member = &f.member,
                              .user = STR("reeve-70001"),
                              .scope = STR("abc123"),
                              .folder = STR("/var/lib/reeve/members/x"),
                              .command = STR("/usr/bin/patroni /x"),
                              .agent = STR("/usr/bin/reeve-agent"),
                              .peers = STR("10.0.1.2"),
                              .etcd_ports = STR_EMPTY };
    str text = unit_text(f.arena, &wish);
    static const char *const lines[] = { "\nMemoryMax=256M\n",
                                         "\nCPUQuota=25%\n",
                                         "\nExecStartPre=+/usr/bin/reeve-agent prepare --folder "
                                         "/var/lib/reeve/members/x --user reeve-70001 --address 10.0.1.1/16 "
                                         "--port 27017 --peers 10.0.1.2\n",
                                         "\nExecStart=/usr/bin/patroni /x\n",
                                         "\nType=exec\n",
                                         "\nRequiresMountsFor=/var/lib/reeve/members/x /var/lib/reeve/members/x/wal\n",
                                         "\nUser=reeve-70001\nGroup=reeve-70001\n",
                                         "\nRestart=always\n",
                                         "\nWantedBy=multi-user.target\n",
                                         "\nBindPaths=/var/lib/reeve/members/x\n" };
    for (size_t i = 0; i < LENGTH(lines); i++) {
        if (strstr(text.data, lines[i]) == NULL)
            fail_msg("missing:%s", lines[i]);
    }
    assert_false(unit_is_shared(text));
    assert_true(unit_is_shared(STR("[Service]\nUser=postgres\nGroup=postgres\n")));
    assert_null(strchr(text.data, '%') == NULL ? NULL : strstr(text.data, "%s"));
    bind_fixture(&f);
    tear_down(&f);
}

/* ---- base/disk and base/crypto_csr, which these files stand on ---- */
static void
files_are_replaced_whole(void **state)
{
    (void)state;
    struct fixture f = set_up();
    bind_fixture(&f);
    struct stat status;
    str path = member_path(&f.self, "file"), text;
    bool changed = false;
    assert_true(disk_replace(path.data, STR("one"), 0600, f.self.owner));
    assert_int_equal(stat(path.data, &status), 0);
    assert_int_equal(status.st_mode & 07777, 0600);
    assert_true(disk_keep(f.arena, path.data, STR("one"), 0600, f.self.owner, &changed));
    assert_false(changed);
    assert_true(disk_keep(f.arena, path.data, STR("one"), 0640, f.self.owner, &changed));
    assert_true(changed);
    assert_true(disk_read(f.arena, path.data, 3, &text) && str_is(text, "one"));
    assert_false(disk_read(f.arena, path.data, 2, &text));
    assert_false(disk_replace("/proc/reeve-no-such/file", STR("x"), 0600, f.self.owner));
    /* What a link points to stays. */
    char outside[sizeof(f.folder) + 8]; /* outlives the arena */
    snprintf(outside, sizeof(outside), "%s-outside", f.folder);
    assert_true(disk_make_folder(outside, 0700, f.self.owner));
    assert_int_equal(symlink(outside, member_path(&f.self, "link").data), 0);
    tear_down(&f);
    assert_true(disk_exists(outside));
    assert_int_equal(rmdir(outside), 0);
}

static void
requests_are_signed_by_their_key(void **state)
{
    (void)state;
    struct arena *arena = arena_new(1 << 22);
    str key, other, request;
    struct certificate_facts facts;
    assert_true(certificate_key_new(arena, &key) && certificate_key_new(arena, &other) && !str_eq(key, other));
    assert_true(certificate_request_new(arena, key, STR("k3x9aq-shard-00-00"), &request));
    assert_non_null(strstr(request.data, "-----BEGIN CERTIFICATE REQUEST-----"));
    assert_non_null(strstr(key.data, "-----BEGIN PRIVATE KEY-----"));
    assert_false(certificate_request_new(arena, STR("no key"), STR("x"), &request));
    assert_false(certificate_read(request, &facts));
    assert_false(certificate_is_of(STR("junk"), key));
    assert_false(certificate_is_for(STR_EMPTY, STR("x")));
    arena_free(arena);
}

/* S3: which certificate members show each other, and whom they believe, in each phase. */
static void
closed_cluster_believes_only_its_own_members(void **state)
{
    (void)state;
    struct fixture f = set_up();
    bind_fixture(&f);
    static const struct {
        enum goal_walls walls;
        const char *authorities;
    } rows[] = { { WALLS_NONE, "FLEET\nUSERS" },
                 { WALLS_PREPARE, "FLEET\nCLUSTER\nUSERS" },
                 { WALLS_CHANGE, "FLEET\nCLUSTER\nUSERS" },
                 { WALLS_CLOSED, "CLUSTER\nUSERS" } };
    bool changed;
    assert_true(disk_replace(member_path(&f.self, CLUSTER_AUTHORITY).data, STR("CLUSTER"), 0600, f.self.owner));
    for (size_t i = 0; i < LENGTH(rows); i++) {
        f.cluster.walls = rows[i].walls;
        assert_ptr_equal(hba_write(&f.self, &changed), OK);
        assert_string_equal(content(&f, "tls/authorities.crt").data, rows[i].authorities);
    }
    tear_down(&f);
}

int
main(void)
{
    json_init();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cluster_without_backups_has_nothing_of_them),
        cmocka_unit_test(support_staff_comes_from_its_own_address_only),
        cmocka_unit_test(seats_of_a_cluster_are_let_in_and_nobody_else_as_them),
        cmocka_unit_test(slots_of_seats_that_are_gone_are_dropped_and_those_of_others_stay),
        cmocka_unit_test(who_may_connect_is_in_the_right_order),
        cmocka_unit_test(users_of_a_directory_are_asked_about_there),
        cmocka_unit_test(what_is_recorded_is_a_parameter_unless_somebody_is_named),
        cmocka_unit_test(a_host_without_the_library_starts_servers_without_it),
        cmocka_unit_test(an_agent_loads_nothing_that_the_goal_does_not_name),
        cmocka_unit_test(the_shared_configuration_has_what_the_goal_says),
        cmocka_unit_test(patroni_is_started_with_corrections),
        cmocka_unit_test(new_data_is_synced_as_the_version_can),
        cmocka_unit_test(wal_goes_to_its_own_volume),
        cmocka_unit_test(a_unit_says_its_limits_and_its_address),
        cmocka_unit_test(files_are_replaced_whole),
        cmocka_unit_test(requests_are_signed_by_their_key),
        cmocka_unit_test(closed_cluster_believes_only_its_own_members),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
