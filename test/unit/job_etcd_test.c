/* SPDX-License-Identifier: Apache-2.0 */
/* A cluster's user in etcd reaches its own keys only (S3). Against a real etcd with certificates of the fleet's authority. */
#include "store_fixture.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>

#include "base/crypto/certificate.h"
#include "base/crypto/etcd_password.h"
#include "base/failpoint.h"
#include "base/json.h"
#include "base/net/post.h"
#include "fleet/authority.h"
#include "free_port.h"
#include "job/etcd/etcd_call.h"
#include "job/kinds.h"
#include "store/etcd/etcd.h"

enum { CLUSTER_A = 11, CLUSTER_B = 12 };

static struct fleet *fleet;
static struct arena *arena;
static struct authority authority;
static struct certificate nameless;
static str nameless_key;
static char folder[64], url[64];
static pid_t etcd;
static struct job_environment environment;

static void
write_file(const char *name, str text)
{
    char path[128];
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fwrite(text.data, 1, text.len, file);
    fclose(file);
}

static void
make_certificate(struct certificate_subject subject, str *ret_key, struct certificate *ret_made)
{
    str request;
    assert_true(certificate_key_new(arena, ret_key) && certificate_request_new(arena, *ret_key, STR("x"), &request) &&
                certificate_sign(arena, authority.certificate, authority.key, request, &subject, ret_made));
}

static void
start_etcd(int port, int peer_port)
{
    str addresses[] = { STR("127.0.0.1") }, key;
    struct certificate made;
    struct certificate_subject server = {
        .common_name = STR("etcd1"), .addresses = addresses, .address_count = 1, .lifetime_s = 3600
    };
    char data[128], client[64], peer[64], cluster[80], cert[128], key_file[128], ca[128];
    snprintf(folder, sizeof(folder), "/tmp/reeve-etcd-test.XXXXXX");
    assert_non_null(mkdtemp(folder));
    make_certificate(server, &key, &made);
    write_file("crt", made.pem), write_file("key", key), write_file("ca", authority.certificate);
    snprintf(data, sizeof(data), "%s/data", folder);
    snprintf(client, sizeof(client), "https://127.0.0.1:%d", port);
    snprintf(peer, sizeof(peer), "http://127.0.0.1:%d", peer_port);
    snprintf(cluster, sizeof(cluster), "e=%s", peer);
    snprintf(cert, sizeof(cert), "%s/crt", folder), snprintf(key_file, sizeof(key_file), "%s/key", folder),
        snprintf(ca, sizeof(ca), "%s/ca", folder);
    memcpy(url, client, sizeof(url));
    etcd = fork();
    if (etcd == 0) {
        int null = open("/dev/null", O_WRONLY);
        dup2(null, 1), dup2(null, 2);
        execlp("etcd", "etcd", "--name", "e", "--data-dir", data, "--listen-client-urls", client,
               "--advertise-client-urls", client, "--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer,
               "--initial-cluster", cluster, "--client-cert-auth", "--trusted-ca-file", ca, "--cert-file", cert,
               "--key-file", key_file, "--unsafe-no-fsync", "--bcrypt-cost", "4", NULL);
        execlp("etcd", "etcd", "--name", "e", "--data-dir", data, NULL);
        _exit(127);
    }
}

static int
set_up(void **state)
{
    bool created;
    if (fixture_set_up(state) != 0)
        return -1;
    json_init();
    arena = arena_new(FIXTURE_ARENA_BYTES);
    struct fleet_config config = { .store = fixture_config(), .domain = "db.example.test" };
    memset(config.master_key.bytes, 1, KEY_BYTES);
    fleet = fleet_new(&config);
    for (int i = 0; i < patient(500) && !store_status(fleet->store).reachable; i++)
        usleep(10000);
    environment = (struct job_environment){ .key = config.master_key, .call_etcd = etcd_call };
    assert_true(post_init());
    assert_ok(authority_create(fleet, arena, &created));
    assert_ok(authority_open(fleet, arena, &authority));
    make_certificate(
        (struct certificate_subject){ .organization = STR("reeve-etcd"), .lifetime_s = 3600, .use = USE_CLIENT },
        &nameless_key, &nameless);
    start_etcd(free_port(), free_port());
    return 0;
}

static int
tear_down(void **state)
{
    char command[96];
    kill(etcd, SIGKILL);
    waitpid(etcd, NULL, 0);
    snprintf(command, sizeof(command), "rm -rf %s", folder);
    assert_int_equal(system(command), 0);
    fleet_free(fleet);
    arena_free(arena);
    return fixture_tear_down(state);
}

/* Etcd's own word when it refuses, or empty. */
static str
ask_with(const struct certificate *certificate, str key, str token, const char *path, json_t *body, json_t **ret_answer)
{
    struct etcd_request request = {
        .url = str_format(arena, "%s%s", url, path),
        .authority = authority.certificate,
        .certificate = certificate->pem,
        .key = key,
        .token = token,
        .body = json_text(arena, json_in(arena, body)),
    };
    str answer, why = STR_EMPTY;
    int status = 0;
    for (int i = 0; i < patient(300) && status == 0; i++) {
        status = etcd_call(arena, &request, &answer, &why);
        if (status == 0)
            usleep(100000);
    }
    if (status == 0)
        fail_msg("%s", why.data);
    json_t *said = json_parse_own(arena, answer);
    if (ret_answer != NULL)
        *ret_answer = said;
    if (status == 200)
        return STR_EMPTY;
    return json_is_object(said) ? str_dup(arena, json_str(json_object_get(said, "error"))) : str_dup(arena, answer);
}

static str
ask(str token, const char *path, json_t *body, json_t **ret_answer)
{
    return ask_with(&nameless, nameless_key, token, path, body, ret_answer);
}

static json_t *
key_body(const char *key, const char *value)
{
    json_t *body = json_pack("{s:s}", "key", str_base64(arena, key, strlen(key)).data);
    if (value != NULL)
        json_object_set_new(body, "value", json_string(str_base64(arena, value, strlen(value)).data));
    return body;
}

static void
add_cluster(int n, const char *scope)
{
    fixture_ask(
        "INSERT INTO cluster (id, org_id, project_id, name, set_name, major_version, etcd_group) VALUES (%s, %s, %s, '%s', '%s', '17', 'g')",
        fixture_quote(fixture_id(n)), fixture_quote(fixture_id(1)), fixture_quote(fixture_id(2)), scope, scope);
}

static error
make_scope(int n, bool *ret_is_done)
{
    struct job job = { .organization = fixture_id(1) };
    struct job_context context = { .store = fleet->store, .arena = arena, .job = &job, .environment = &environment };
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    str why = STR_EMPTY;
    TRY(tx_begin(fleet->store, arena, fixture_id(1), &tx));
    context.tx = tx;
    TRY(etcd_make_scope(&context, fixture_id(n), ret_is_done, &why));
    if (!*ret_is_done)
        print_message("%.*s\n", STR_ARG(why));
    return tx_commit(tx);
}

static str
token_of(int n)
{
    struct etcd_place place;
    bool found;
    str password;
    json_t *answer;
    assert_ok(store_etcd_of_cluster(fleet->store, arena, fixture_id(n), &found, &place));
    assert_true(found && etcd_password_of_cluster_open(arena, &fleet->etcd_key, fixture_id(n), place.sealed_password,
                                                       &password));
    assert_int_equal(password.len, 64);
    assert_int_equal(ask(STR_EMPTY, "/v3/auth/authenticate",
                         json_pack("{s:s, s:s}", "name", place.user.data, "password", str_dup(arena, password).data),
                         &answer)
                         .len,
                     0);
    return str_dup(arena, json_str(json_object_get(answer, "token")));
}

static void
group_is_locked_when_nobody_works_without_a_user(void **state)
{
    (void)state;
    struct etcd_group_draft draft = { STR("g"), str_format(arena, "[\"%s\"]", url), STR("[]"), 2, STR_EMPTY };
    struct sweep_context sweep = { fleet->store, arena, &environment };
    bool added, is_done;
    assert_true(etcd_password_of_root_new(arena, &fleet->etcd_key, draft.name, &draft.sealed_root));
    {
        struct tx *tx CLEANUP(tx_cleanup) = NULL;
        assert_ok(tx_begin_service(fleet->store, arena, &tx));
        assert_ok(store_etcd_group_add(tx, &draft, &added));
        assert_ok(tx_commit(tx));
    }
    assert_true(added);
    add_cluster(CLUSTER_A, "aaaaaa"), add_cluster(CLUSTER_B, "bbbbbb");
    /* Somebody else's key: they would be locked out. */
    assert_int_equal(ask(STR_EMPTY, "/v3/kv/put", key_body("/service/db", "x"), NULL).len, 0);
    assert_ok(etcd_groups_sweep.run(&sweep));
    assert_string_equal(fixture_ask("SELECT auth FROM etcd_group WHERE name = 'g'"), "PREPARED");
    assert_non_null(strstr(fixture_ask("SELECT waits_for FROM etcd_group WHERE name = 'g'"), "keys of somebody else"));
    assert_int_equal(ask(STR_EMPTY, "/v3/kv/deleterange", key_body("/service/db", NULL), NULL).len, 0);
    /* A user while it is not locked yet, and twice: a step that is run again. */
    assert_ok(make_scope(CLUSTER_A, &is_done));
    assert_true(is_done);
    fixture_ask("UPDATE cluster SET etcd_user = NULL, etcd_password = NULL WHERE set_name = 'aaaaaa'");
    assert_ok(make_scope(CLUSTER_A, &is_done));
    assert_true(is_done);
    assert_ok(etcd_groups_sweep.run(&sweep));
    assert_string_equal(fixture_ask("SELECT auth || coalesce(waits_for, '') FROM etcd_group WHERE name = 'g'"), "ON");
    /* The word about it was lost. */
    fixture_ask("UPDATE etcd_group SET auth = 'PREPARED' WHERE name = 'g'");
    assert_ok(etcd_groups_sweep.run(&sweep));
    assert_string_equal(fixture_ask("SELECT auth FROM etcd_group WHERE name = 'g'"), "ON");
    assert_ok(make_scope(CLUSTER_B, &is_done));
    assert_true(is_done);
}

static void
user_of_one_cluster_reaches_no_other(void **state)
{
    (void)state;
    str a = token_of(CLUSTER_A), b = token_of(CLUSTER_B);
    json_t *answer;
    assert_int_equal(ask(a, "/v3/kv/put", key_body("/reeve/aaaaaa/config", "{}"), NULL).len, 0);
    assert_int_equal(ask(b, "/v3/lease/grant", json_pack("{s:i}", "TTL", 60), &answer).len, 0);
    str lease = str_dup(arena, json_str(json_object_get(answer, "ID")));
    json_t *leader = key_body("/reeve/bbbbbb/leader", "b1");
    json_object_set_new(leader, "lease", json_string(lease.data));
    assert_int_equal(ask(b, "/v3/kv/put", leader, NULL).len, 0);
    static const char *const foreign[] = {
        "/reeve/bbbbbb/config", "/reeve/bbbbbb/leader", "/reeve/", "/reeve/aaaaab/config", "/", "x"
    };
    static const char *const denied = "permission denied";
    for (size_t i = 0; i < LENGTH(foreign); i++) {
        assert_non_null(strstr(ask(a, "/v3/kv/put", key_body(foreign[i], "x"), NULL).data, denied));
        assert_non_null(strstr(ask(a, "/v3/kv/range", key_body(foreign[i], NULL), NULL).data, denied));
        assert_non_null(strstr(ask(a, "/v3/kv/deleterange", key_body(foreign[i], NULL), NULL).data, denied));
        assert_true(ask(STR_EMPTY, "/v3/kv/put", key_body(foreign[i], "x"), NULL).len > 0);
    }
    assert_non_null(strstr(ask(a, "/v3/lease/revoke", json_pack("{s:s}", "ID", lease.data), NULL).data, denied));
    /* Nor does it become more than it is. */
    assert_non_null(strstr(
        ask(a, "/v3/auth/user/add", json_pack("{s:s, s:s}", "name", "evil", "password", "x"), NULL).data, denied));
    assert_non_null(strstr(
        ask(a, "/v3/auth/user/grant", json_pack("{s:s, s:s}", "user", "reeve-aaaaaa", "role", "root"), NULL).data,
        denied));
    assert_non_null(strstr(
        ask(a, "/v3/auth/user/changepw", json_pack("{s:s, s:s}", "name", "reeve-bbbbbb", "password", "x"), NULL).data,
        denied));
    assert_non_null(strstr(ask(a, "/v3/auth/disable", json_object(), NULL).data, denied));
}

/* A certificate with a name is no login, whatever the name. */
static void
names_in_certificates_are_no_logins(void **state)
{
    (void)state;
    static const char *const names[] = { "root", "reeve-bbbbbb", "bbbbbb-shard-00-00" };
    for (size_t i = 0; i < LENGTH(names); i++) {
        struct certificate made;
        str key;
        make_certificate((struct certificate_subject){ .common_name = str_from(names[i]), .lifetime_s = 3600 }, &key,
                         &made);
        assert_true(ask_with(&made, key, STR_EMPTY, "/v3/kv/put", key_body("/reeve/bbbbbb/config", "x"), NULL).len > 0);
    }
}

static error
remove_scope(int n, bool *ret_is_mine, bool *ret_is_done)
{
    struct job job = { .organization = fixture_id(1) };
    struct job_context context = { .store = fleet->store, .arena = arena, .job = &job, .environment = &environment };
    str why;
    return etcd_remove_scope(&context, fixture_id(n), ret_is_mine, ret_is_done, &why);
}

static void
what_is_deleted_leaves_nothing(void **state)
{
    (void)state;
    bool is_mine, is_done;
    json_t *answer;
    str b = token_of(CLUSTER_B);
    for (int i = 0; i < 2; i++) { /* a step that is run again */
        assert_ok(remove_scope(CLUSTER_A, &is_mine, &is_done));
        assert_true(is_mine && is_done);
    }
    assert_int_equal(ask(b, "/v3/kv/range", key_body("/reeve/bbbbbb/leader", NULL), &answer).len, 0);
    assert_string_equal(json_str(json_object_get(answer, "count")).data, "1");
    assert_true(
        ask(STR_EMPTY, "/v3/auth/authenticate", json_pack("{s:s, s:s}", "name", "reeve-aaaaaa", "password", "x"), NULL)
            .len > 0);
}

/* ---- Workers that are killed at every word with etcd (S3) ---- */
static error
forget_scope(int n, bool *ret_is_done)
{
    bool is_mine;
    return remove_scope(n, &is_mine, ret_is_done);
}

/* Each of these workers is a fork with threads of its own, which the thread sanitizer takes only when it is told. */
const char *__tsan_default_options(void);
const char *
__tsan_default_options(void)
{
    return "die_after_fork=0";
}

/* A worker of its own; false when it came to its end without reaching the place that often. */
static bool
dies(error (*step)(int n, bool *ret_is_done), const char *place, int times)
{
    int status;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        char value[64];
        bool is_done = false;
        struct fleet_config config = { .store = fixture_config(), .domain = "db.example.test" };
        config.master_key = environment.key;
        snprintf(value, sizeof(value), "etcd:ask:%s=kill@%d", place, times);
        fleet = fleet_new(&config); /* connections are the parent's */
        for (int i = 0; i < patient(500) && !store_status(fleet->store).reachable; i++)
            usleep(10000);
        _exit(failpoint_init(value, stderr) && step(CLUSTER_A, &is_done) == OK && is_done ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    if (WIFEXITED(status))
        assert_int_equal(WEXITSTATUS(status), 0);
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
}

/* Names of users, or of roles, as root sees them: "root reeve-bbbbbb". */
static const char *
known(const char *kind, const char *list)
{
    struct etcd_place *groups;
    size_t count;
    str password = STR_EMPTY;
    json_t *answer, *one;
    struct buf out = buf_in(arena, 1024);
    size_t i;
    assert_ok(store_etcd_groups(fleet->store, arena, &count, &groups));
    for (i = 0; i < count; i++) {
        if (str_is(groups[i].group, "g"))
            assert_true(
                etcd_password_of_root_open(arena, &fleet->etcd_key, groups[i].group, groups[i].sealed_root, &password));
    }
    assert_int_equal(ask(STR_EMPTY, "/v3/auth/authenticate",
                         json_pack("{s:s, s:s}", "name", "root", "password", str_dup(arena, password).data), &answer)
                         .len,
                     0);
    str token = str_dup(arena, json_str(json_object_get(answer, "token")));
    assert_int_equal(ask(token, str_format(arena, "/v3/auth/%s/list", kind).data, json_object(), &answer).len, 0);
    json_array_foreach(json_object_get(answer, list), i, one)
        buf_format(&out, "%s%s", out.len > 0 ? " " : "", json_string_value(one));
    return buf_str(&out).data;
}

static void
killed_worker_leaves_no_user_behind(void **state)
{
    (void)state;
    static const char *const places[] = { "before", "after" };
    int kills = 0;
    bool is_done;
    for (size_t i = 0; i < LENGTH(places); i++) {
        for (int times = 1;; times++, kills++) {
            fixture_ask("UPDATE cluster SET etcd_user = NULL, etcd_password = NULL WHERE set_name = 'aaaaaa'");
            if (!dies(make_scope, places[i], times))
                break;
            assert_string_equal(fixture_ask("SELECT etcd_user IS NULL FROM cluster WHERE set_name = 'aaaaaa'"), "t");
            assert_ok(make_scope(CLUSTER_A, &is_done));
            assert_true(is_done);
            str a = token_of(CLUSTER_A); /* the password that is kept is the one that is set */
            assert_int_equal(ask(a, "/v3/kv/put", key_body("/reeve/aaaaaa/config", "{}"), NULL).len, 0);
            assert_string_equal(known("user", "users"), "reeve-aaaaaa reeve-bbbbbb root");
            assert_string_equal(known("role", "roles"), "reeve-aaaaaa reeve-bbbbbb root");
        }
        for (int times = 1; dies(forget_scope, places[i], times); times++, kills++) {
            assert_ok(forget_scope(CLUSTER_A, &is_done));
            assert_true(is_done);
            assert_string_equal(known("user", "users"), "reeve-bbbbbb root");
            assert_string_equal(known("role", "roles"), "reeve-bbbbbb root");
            fixture_ask("UPDATE cluster SET etcd_user = NULL, etcd_password = NULL WHERE set_name = 'aaaaaa'");
            assert_ok(make_scope(CLUSTER_A, &is_done));
        }
    }
    print_message("%d kills\n", kills);
    assert_true(kills >= 18); /* logging in and five words for a user, three to forget it, before and after each */
}

/* ---- What etcd refuses ---- */
static const char *refused_path;

/* As somebody who is not logged in, at one path: a real etcd refuses that, and not because it was done before. */
static int
call_without_login(struct arena *own, const struct etcd_request *request, str *ret_answer, str *ret_why)
{
    struct etcd_request changed = *request;
    if (strstr(request->url.data, refused_path) != NULL)
        changed.token = STR_EMPTY;
    return etcd_call(own, &changed, ret_answer, ret_why);
}

static void
nothing_is_done_that_etcd_refuses(void **state)
{
    (void)state;
    static const struct {
        const char *path;
        error (*step)(int n, bool *ret_is_done);
    } rows[] = {
        { "/v3/auth/role/add", make_scope },
        { "/v3/auth/role/grant", make_scope },
        { "/v3/auth/user/add", make_scope },
        { "/v3/auth/user/grant", make_scope },
        /* from here on the user is there, and gets another password */
        { "/v3/auth/user/changepw", make_scope },
        { "/v3/auth/user/delete", forget_scope },
        { "/v3/auth/role/delete", forget_scope },
        { "/v3/kv/deleterange", forget_scope },
    };
    bool is_done;
    for (size_t i = 0; i < LENGTH(rows); i++) {
        fixture_ask("UPDATE cluster SET etcd_user = NULL, etcd_password = NULL WHERE set_name = 'aaaaaa'");
        refused_path = rows[i].path;
        environment.call_etcd = call_without_login;
        assert_ok(rows[i].step(CLUSTER_A, &is_done));
        environment.call_etcd = etcd_call;
        if (is_done)
            fail_msg("%s was refused, and taken for done", rows[i].path);
    }
    assert_ok(make_scope(CLUSTER_A, &is_done));
    assert_true(is_done);
}

/* A group takes what it has room for, of its own regions; DRAINING none. */
static void
cluster_is_bound_to_a_group_with_room(void **state)
{
    (void)state;
    fixture_ask(
        "INSERT INTO etcd_group (name, endpoints, regions, capacity) VALUES ('west', '{https://w}', '{P/W}', 1)");
    fixture_ask(
        "INSERT INTO cluster (id, org_id, project_id, name, set_name, major_version) VALUES (%s, %s, %s, 'c', 'cccccc', '17'), (%s, %s, %s, 'd', 'dddddd', '17')",
        fixture_quote(fixture_id(13)), fixture_quote(fixture_id(1)), fixture_quote(fixture_id(2)),
        fixture_quote(fixture_id(14)), fixture_quote(fixture_id(1)), fixture_quote(fixture_id(2)));
    static const struct {
        int cluster;
        const char *region, *before, *bound, *group;
    } rows[] = {
        { 13, "W", "SELECT", "t", "west" },
        { 14, "W", "SELECT", "t", "default" }, /* west is full, g too */
        { 14, "W", "UPDATE etcd_group SET state = 'DRAINING' WHERE name = 'default'", "f", "default" },
        { 14, "W", "UPDATE etcd_group SET capacity = 2 WHERE name = 'west'", "t", "west" },
        { 14, "E", "UPDATE etcd_group SET state = 'ACTIVE' WHERE name = 'default'", "t", "default" },
    };
    for (size_t i = 0; i < LENGTH(rows); i++) {
        struct tx *tx CLEANUP(tx_cleanup) = NULL;
        bool bound;
        fixture_ask("%s", rows[i].before);
        assert_ok(tx_begin(fleet->store, arena, fixture_id(1), &tx));
        assert_ok(store_cluster_etcd_bind(tx, fixture_id(rows[i].cluster), STR("P"), str_from(rows[i].region), &bound));
        assert_ok(tx_commit(tx));
        assert_string_equal(bound ? "t" : "f", rows[i].bound);
        assert_string_equal(
            fixture_ask("SELECT etcd_group FROM cluster WHERE id = %s", fixture_quote(fixture_id(rows[i].cluster))),
            rows[i].group);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(group_is_locked_when_nobody_works_without_a_user),
        cmocka_unit_test(user_of_one_cluster_reaches_no_other),
        cmocka_unit_test(names_in_certificates_are_no_logins),
        cmocka_unit_test(what_is_deleted_leaves_nothing),
        cmocka_unit_test(killed_worker_leaves_no_user_behind),
        cmocka_unit_test(nothing_is_done_that_etcd_refuses),
        cmocka_unit_test(cluster_is_bound_to_a_group_with_room),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
