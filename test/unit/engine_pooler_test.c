/* SPDX-License-Identifier: Apache-2.0 */
/* What the agent writes for a member's pooler: who comes in, as whom, and what it may see. */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/disk.h"
#include "engine/postgres/pooler/pooler.h"
#include "engine/postgres/postgres.h"

static str networks[] = { STR("203.0.113.7"), STR("2001:db8::/32"), STR("10.0.0.0/8\nhost all all 0.0.0.0/0 trust"),
                          STR("all") };
static struct wire_pair parameters[] = { { STR("max_connections"), STR("100") } };

struct fixture {
    struct arena *arena;
    char folder[64];
    struct goal_cluster cluster;
    struct goal_member member;
    struct engine_member self;
};

static void
put(struct fixture *f, const char *name, const char *text)
{
    assert_true(disk_replace(member_path(&f->self, name).data, str_from(text), 0600, f->self.owner));
}

static void
set_up(struct fixture *f)
{
    *f = (struct fixture){ .arena = arena_new(1 << 24), .folder = "/tmp/reeve-pooler-XXXXXX" };
    assert_non_null(mkdtemp(f->folder));
    f->cluster = (struct goal_cluster){ .scope = STR("abc123"),
                                        .parameters = { LENGTH(parameters), parameters },
                                        .access.networks = { LENGTH(networks), networks },
                                        .pooling = { .mode = POOL_TRANSACTION, .port = 6432 } };
    f->member = (struct goal_member){ .name = STR("s-shard-00-00"), .address = STR("10.0.1.1"), .port = 27017 };
    f->self = (struct engine_member){ .arena = f->arena,
                                      .cluster = &f->cluster,
                                      .member = &f->member,
                                      .folder = str_from(f->folder),
                                      .user = STR("reeve-70001"),
                                      .owner = { getuid(), getgid() },
                                      .files = { getuid(), getgid() } };
    const char *const folders[] = { "tls", POOLER_FOLDER };
    for (size_t i = 0; i < LENGTH(folders); i++)
        assert_true(disk_make_folder(member_path(&f->self, folders[i]).data, 0700, f->self.owner));
    put(f, "tls/member.crt", "CERTIFICATE\n");
    put(f, "tls/member.key", "KEY\n");
}

static void
tear_down(struct fixture *f)
{
    assert_true(disk_remove_tree(f->folder));
    arena_free(f->arena);
}

static str
content(struct fixture *f, const char *name)
{
    str text, path = str_format(f->arena, POOLER_FOLDER "/%s", name);
    assert_true(disk_read(f->arena, member_path(&f->self, path.data).data, 1 << 20, &text));
    return text;
}

static bool
write_files(struct fixture *f)
{
    bool changed = false;
    assert_ptr_equal(pooler_write_files(&f->self, &changed), OK);
    return changed;
}

/* The whole line, and once: a setting that is there twice means the last one. */
static void
assert_setting(str ini, const char *line)
{
    char whole[256];
    snprintf(whole, sizeof(whole), "\n%s\n", line);
    const char *at = strstr(ini.data, whole);
    if (at == NULL)
        fail_msg("`%s` is not in\n%s", line, ini.data);
    snprintf(whole, sizeof(whole), "\n%.*s =", (int)strcspn(line, " "), line);
    assert_ptr_equal(strstr(ini.data, whole), at);
    assert_null(strstr(at + 1, whole));
}

static void
a_pooler_listens_at_the_members_address_and_connects_through_its_socket(void **state)
{
    (void)state;
    struct fixture f;
    set_up(&f);
    assert_true(write_files(&f));
    str ini = content(&f, "pgbouncer.ini");
    const char *const lines[] = {
        "listen_addr = 10.0.1.1",
        "listen_port = 6432",
        "unix_socket_mode = 0700",
        "pool_mode = transaction",
        "max_client_conn = 10000",
        "default_pool_size = 50",
        "max_db_connections = 50",
        "auth_type = hba",
        "auth_user = reeve_pooler",
        "auth_dbname = postgres",
        "auth_query = SELECT name, verifier FROM reeve_pooler.login($1)",
        "admin_users = reeve_agent",
        "stats_users =",
        "client_tls_sslmode = require",
    };
    for (size_t i = 0; i < LENGTH(lines); i++)
        assert_setting(ini, lines[i]);
    const char *const places[] = { "* = host=%s/run port=27017",
                                   "unix_socket_dir = %s/run",
                                   "auth_file = %s/pooler/users.txt",
                                   "auth_hba_file = %s/pooler/hba.conf",
                                   "auth_ident_file = %s/pooler/ident.conf",
                                   "client_tls_cert_file = %s/pooler/server.crt",
                                   "client_tls_key_file = %s/pooler/server.key" };
    for (size_t i = 0; i < LENGTH(places); i++) {
        const char *gap = strstr(places[i], "%s");
        assert_setting(ini, str_format(f.arena, "%.*s%s%s", (int)(gap - places[i]), places[i], f.folder, gap + 2).data);
    }
    assert_null(
        strstr(ini.data, "track_extra_parameters")); /* a client's search_path would apply to the question about it */
    assert_null(strstr(ini.data, "password"));
    tear_down(&f);
}

static void
names_of_reeve_are_refused_before_anybody_is_asked_for_a_password(void **state)
{
    (void)state;
    struct fixture f;
    set_up(&f);
    assert_true(write_files(&f));
    /* A network with a line of its own in it, and one that is no network, are not there at all. */
    assert_string_equal(
        content(&f, "hba.conf").data,
        "# Written by reeve-agent, which overwrites whatever is changed here.\n"
        "local pgbouncer reeve_agent peer map=reeve_agent\n"
        "local all all reject\n"
        "host pgbouncer all 0.0.0.0/0 reject\n"
        "host all postgres,reeve_replicator,reeve_rewinder,reeve_wal,reeve_monitor,reeve_planner,reeve_pooler,reeve_agent 0.0.0.0/0 reject\n"
        "host pgbouncer all ::/0 reject\n"
        "host all postgres,reeve_replicator,reeve_rewinder,reeve_wal,reeve_monitor,reeve_planner,reeve_pooler,reeve_agent ::/0 reject\n"
        "hostssl all all 203.0.113.7/32 scram-sha-256\n"
        "hostssl all all 2001:db8::/32 scram-sha-256\n");
    f.cluster.access.networks.count = 0;
    assert_true(write_files(&f));
    assert_null(strstr(content(&f, "hba.conf").data, "scram"));
    tear_down(&f);
}

static void
a_pooler_knows_no_password_and_the_console_is_for_root(void **state)
{
    (void)state;
    struct fixture f;
    set_up(&f);
    assert_true(write_files(&f));
    assert_string_equal(content(&f, "users.txt").data, "\"reeve_agent\" \"\"\n");
    assert_string_equal(content(&f, "ident.conf").data,
                        "# Written by reeve-agent, which overwrites whatever is changed here.\n"
                        "reeve_agent root reeve_agent\n");
    tear_down(&f);
}

static void
it_shows_the_members_certificate_and_others_cannot_read_its_files(void **state)
{
    (void)state;
    struct fixture f;
    set_up(&f);
    assert_true(write_files(&f));
    assert_string_equal(content(&f, "server.crt").data, "CERTIFICATE\n");
    assert_string_equal(content(&f, "server.key").data, "KEY\n");
    const char *const names[] = { "pgbouncer.ini", "hba.conf", "ident.conf", "users.txt", "server.crt", "server.key" };
    for (size_t i = 0; i < LENGTH(names); i++) {
        struct stat status;
        str path = str_format(f.arena, "%s/" POOLER_FOLDER "/%s", f.folder, names[i]);
        assert_int_equal(stat(path.data, &status), 0);
        assert_int_equal(status.st_mode & 07777, 0640);
    }
    assert_false(write_files(&f));
    put(&f, "tls/member.crt", "RENEWED\n");
    assert_true(write_files(&f));
    assert_string_equal(content(&f, "server.crt").data, "RENEWED\n");
    tear_down(&f);
}

static void
the_mode_and_the_number_of_sessions_are_the_clusters(void **state)
{
    (void)state;
    struct fixture f;
    set_up(&f);
    static const struct {
        const char *connections, *pool;
    } rows[] = { { "400", "default_pool_size = 200" },
                 { "25", "default_pool_size = 12" },
                 { "6", "default_pool_size = 5" },
                 { "many", "default_pool_size = 50" } };
    f.cluster.pooling.mode = POOL_SESSION;
    for (size_t i = 0; i < LENGTH(rows); i++) {
        struct wire_pair pair = { STR("max_connections"), str_from(rows[i].connections) };
        f.cluster.parameters = (struct wire_pairs){ 1, &pair };
        (void)write_files(&f);
        assert_setting(content(&f, "pgbouncer.ini"), rows[i].pool);
        assert_setting(content(&f, "pgbouncer.ini"), "pool_mode = session");
    }
    tear_down(&f);
}

static void
a_cluster_without_pooling_has_none_of_it(void **state)
{
    (void)state;
    struct fixture f;
    set_up(&f);
    for (int i = 0; i < 3; i++) {
        f.cluster.pooling.mode = i == 0 ? POOL_OFF : POOL_TRANSACTION;
        f.self.is_shared = i == 1;
        f.self.is_closed = i == 2;
        assert_false(pooler_is_on(&f.self));
        assert_false(write_files(&f));
        assert_false(disk_exists(member_path(&f.self, POOLER_FOLDER "/pgbouncer.ini").data));
        assert_int_equal(pooler_command(&f.self).len, 0);
    }
    f.self.is_closed = false;
    assert_string_equal(pooler_command(&f.self).data,
                        str_format(f.arena, "/usr/sbin/pgbouncer -q %s/pooler/pgbouncer.ini", f.folder).data);
    tear_down(&f);
}

static void
a_client_stays_while_its_address_is_on_the_list(void **state)
{
    (void)state;
    const struct goal_access access = { .networks = { LENGTH(networks), networks } };
    static const struct {
        const char *address;
        bool is_in;
    } rows[] = { { "203.0.113.7", true },
                 { "203.0.113.8", false },
                 { "2001:db8::5", true },
                 { "2001:db9::5", false },
                 { "10.1.2.3", false },
                 { "unix", false },
                 { "", false } };
    for (size_t i = 0; i < LENGTH(rows); i++)
        assert_int_equal(pooler_lets_in(&access, str_from(rows[i].address)), rows[i].is_in);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pooler_listens_at_the_members_address_and_connects_through_its_socket),
        cmocka_unit_test(names_of_reeve_are_refused_before_anybody_is_asked_for_a_password),
        cmocka_unit_test(a_pooler_knows_no_password_and_the_console_is_for_root),
        cmocka_unit_test(it_shows_the_members_certificate_and_others_cannot_read_its_files),
        cmocka_unit_test(the_mode_and_the_number_of_sessions_are_the_clusters),
        cmocka_unit_test(a_cluster_without_pooling_has_none_of_it),
        cmocka_unit_test(a_client_stays_while_its_address_is_on_the_list),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
