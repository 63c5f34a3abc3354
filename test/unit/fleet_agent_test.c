/* SPDX-License-Identifier: Apache-2.0 */
/* What agents are answered, without a server around it: the authority, joining, certificates, reports and polls. */
#include "store_fixture.h"

#include "base/crypto/certificate.h"
#include "base/crypto/certificate_look.h"
#include "base/json.h"
#include "fleet/agent.h"
#include "fleet/authority.h"
#include "fleet/join.h"
#include "wire/patroni.h"

static const char *const etcd[] = { "https://e1:2379", "https://e2:2379" };
static struct fleet *fleet;
static struct agents *agents;
static struct arena *arena;
static str csr;

static struct fleet *
new_fleet(uint8_t key_byte)
{
    struct fleet_config config = {
        .store = fixture_config(), .domain = "db.example.test", .etcd = etcd, .etcd_count = 2
    };
    config.store.statement_timeout_ms = 20000;
    memset(config.master_key.bytes, key_byte, KEY_BYTES);
    struct fleet *made = fleet_new(&config);
    assert_non_null(made);
    for (int i = 0; i < 500 && !store_status(made->store).reachable; i++)
        usleep(10000);
    return made;
}

static int
set_up(void **state)
{
    if (fixture_set_up(state) != 0)
        return -1;
    json_init();
    arena = arena_new(FIXTURE_ARENA_BYTES);
    fleet = new_fleet(1);
    agents = agents_new(fleet, NULL, 0);
    assert_non_null(agents);
    str key;
    fixture_ask("INSERT INTO provider VALUES ('P')");
    fixture_ask("INSERT INTO region VALUES ('P', 'R')");
    return certificate_key_new(arena, &key) && certificate_request_new(arena, key, STR("x"), &csr) ? 0 : -1;
}

static int
tear_down(void **state)
{
    agents_free(agents);
    fleet_free(fleet);
    arena_free(arena);
    return fixture_tear_down(state);
}

struct answered {
    unsigned status;
    str body;
};

static struct request *
new_request(const char *method, str serial, const char *target)
{
    struct request *req = request_new(agents_api(agents));
    assert_non_null(req);
    req->in.method = str_from(method);
    req->in.target = str_from(target);
    req->in.serial = serial;
    req->in.client = net_from_v4((const uint8_t[]){ 10, 0, 0, 7 });
    return req;
}

static struct answered
ask(str serial, const char *path, json_t *body)
{
    struct request *req = new_request("POST", serial, path);
    req->in.body = body == NULL ? STR_EMPTY : json_text(req->arena, json_in(req->arena, body));
    api_handle(req);
    struct answered answered = { req->out.status, str_dup(arena, req->out.body) };
    request_free(req);
    return answered;
}

static error
make_token(const struct join_place *place, bool *ret_is_valid, str *ret_token)
{
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    TRY(tx_begin_service(fleet->store, arena, &tx));
    TRY(join_token_add(fleet, tx, place, 3600, ret_is_valid, ret_token));
    return *ret_is_valid ? tx_commit(tx) : OK;
}

static str
new_token_for(const char *host, enum host_purpose purpose)
{
    struct join_place place = { str_from(host), STR("P"), STR("R"), STR("a"), purpose };
    bool is_valid = false;
    str token = STR_EMPTY;
    assert_ok(make_token(&place, &is_valid, &token));
    assert_true(is_valid);
    return token;
}

static str
new_token(const char *host)
{
    return new_token_for(host, HOST_FOR_DATABASES);
}

static json_t *
join_body_without_patroni(str token)
{
    return json_pack("{s:s%, s:s%, s:{s:f, s:i, s:i}}", "token", token.data, token.len, "csr", csr.data, csr.len,
                     "facts", "cpus", 2.5, "memoryMb", 1024, "diskGb", 10);
}

static json_t *
join_body(str token)
{
    json_t *body = join_body_without_patroni(token);
    json_object_set_new(json_object_get(body, "facts"), "patroniVersion", json_string(PATRONI_LEAST));
    return body;
}

static str
field(struct answered answer, const char *name)
{
    return json_str(json_object_get(json_parse_own(arena, answer.body), name));
}

static str
serial_of_newest(void)
{
    return str_dup(arena, str_from(fixture_ask("SELECT serial FROM certificate ORDER BY created_at DESC LIMIT 1")));
}

static void
nothing_works_before_there_is_an_authority(void **state)
{
    (void)state;
    struct authority authority;
    assert_fails(authority_open(fleet, arena, &authority), FLEET_NOT_READY);
    assert_int_equal(ask(STR_EMPTY, "/agent/v1/join", join_body(secret_new(arena, "join"))).status, 503);
}

static void
authority_is_made_once_and_its_key_is_sealed(void **state)
{
    (void)state;
    bool created = false;
    struct authority authority, again;
    assert_ok(authority_create(fleet, arena, &created));
    assert_true(created);
    assert_ok(authority_open(fleet, arena, &authority));
    assert_ok(authority_create(fleet, arena, &created));
    assert_false(created);
    assert_ok(authority_open(fleet, arena, &again));
    assert_true(str_eq(authority.certificate, again.certificate) && str_eq(authority.key, again.key));
    assert_string_equal(fixture_ask("SELECT position('PRIVATE'::bytea in key) FROM authority"), "0");
    /* Another deployment's key does not open it, nor does it open in another row. */
    struct fleet *other = new_fleet(2);
    assert_fails(authority_open(other, arena, &again), INTERNAL_ERROR);
    fleet_free(other);
    fixture_ask("UPDATE authority SET id = %s", fixture_quote(fixture_id(1)));
    assert_fails(authority_open(fleet, arena, &again), INTERNAL_ERROR);
    fixture_ask("UPDATE authority SET id = %s", fixture_quote(authority.id));
    assert_ok(authority_open(fleet, arena, &again));
}

static void
token_works_once(void **state)
{
    (void)state;
    str token = new_token("h1");
    struct join_place nowhere = { STR("h"), STR("P"), STR("NOWHERE"), STR("a") };
    bool is_valid = true;
    str none;
    assert_ok(make_token(&nowhere, &is_valid, &none));
    assert_false(is_valid);
    struct answered joined = ask(STR_EMPTY, "/agent/v1/join", join_body(token));
    assert_int_equal(joined.status, 201);
    assert_string_equal(str_dup(arena, field(joined, "hostName")).data, "h1");
    assert_string_equal(fixture_ask("SELECT cpus || ' ' || memory_mb || ' ' || host(address) FROM host"),
                        "2.500 1024 10.0.0.7");
    assert_string_equal(fixture_ask("SELECT kind || owner FROM certificate"),
                        str_format(arena, "HOST%.*s", STR_ARG(field(joined, "hostId"))).data);
    assert_int_equal(ask(STR_EMPTY, "/agent/v1/join", join_body(token)).status, 403);
    assert_string_equal(fixture_ask("SELECT count(*) || ' ' || max(epoch) FROM host"), "1 1");
}

/* A token that was refused for what its host lacks is still good when the host has it. */
static void
only_hosts_of_members_need_patroni(void **state)
{
    (void)state;
    str token = new_token("h5");
    struct answered refused = ask(STR_EMPTY, "/agent/v1/join", join_body_without_patroni(token));
    assert_int_equal(refused.status, 400);
    assert_non_null(strstr(str_dup(arena, refused.body).data, "facts.patroniVersion"));
    assert_int_equal(ask(STR_EMPTY, "/agent/v1/join", join_body(token)).status, 201);
    token = new_token_for("r1", HOST_FOR_BACKUPS);
    assert_int_equal(ask(STR_EMPTY, "/agent/v1/join", join_body_without_patroni(token)).status, 201);
}

static void
joining_again_ends_the_old_certificate(void **state)
{
    (void)state;
    assert_int_equal(ask(STR_EMPTY, "/agent/v1/join", join_body(new_token("h2"))).status, 201);
    str old = serial_of_newest();
    json_t *report = json_pack("{s:i, s:i}", "epoch", 1, "version", 1);
    assert_int_equal(ask(old, "/agent/v1/report", json_incref(report)).status, 200);
    assert_int_equal(ask(STR_EMPTY, "/agent/v1/join", join_body(new_token("h2"))).status, 201);
    str fresh = serial_of_newest();
    assert_int_equal(ask(old, "/agent/v1/report", json_incref(report)).status, 409);
    assert_int_equal(ask(fresh, "/agent/v1/report", json_incref(report)).status, 409);
    json_object_set_new(report, "epoch", json_integer(2));
    assert_int_equal(ask(old, "/agent/v1/report", json_incref(report)).status, 403);
    assert_int_equal(ask(fresh, "/agent/v1/report", report).status, 200);
    assert_int_equal(ask(STR("0123"), "/agent/v1/report", json_object()).status, 403);
    assert_int_equal(ask(STR_EMPTY, "/agent/v1/report", json_object()).status, 401);
    assert_int_equal(ask(fresh, "/agent/v1/certificate", json_pack("{s:s%}", "csr", csr.data, csr.len)).status, 200);
    assert_int_equal(ask(fresh, "/agent/v1/certificate", json_object()).status, 400);
    assert_int_equal(ask(fresh, "/agent/v1/members/000000000000000000000000/certificate",
                         json_pack("{s:s%}", "csr", csr.data, csr.len))
                         .status,
                     404);
    assert_int_equal(ask(fresh, "/agent/v1/other", NULL).status, 404);
    fixture_ask("UPDATE certificate SET not_after = now() WHERE serial = '%s'", fresh.data);
    assert_int_equal(ask(fresh, "/agent/v1/report", json_pack("{s:i, s:i}", "epoch", 2, "version", 1)).status, 403);
}

/* What is answered in the event loop. */
static enum error_code
refusal_of(struct request *req)
{
    assert_int_equal(api_advance(req, false), API_ANSWERED);
    assert_true(req->failed != OK);
    enum error_code code = req->failed->code;
    request_free(req);
    return code;
}

static void
poll_waits_until_its_goal_moves(void **state)
{
    (void)state;
    assert_int_equal(ask(STR_EMPTY, "/agent/v1/join", join_body(new_token("h3"))).status, 201);
    str serial = serial_of_newest();
    struct request *req = new_request("GET", serial, "/agent/v1/goal?after=1&epoch=1&new=x");
    struct host_known known;
    bool is_new = true;
    assert_int_equal(api_advance(req, false), API_NEEDS_NEWS);
    assert_ok(store_host_by_serial(fleet->store, arena, serial, &known));
    assert_ok(agent_poll_judge(req, &known, &is_new));
    assert_false(is_new);
    fixture_ask("SELECT goal_touch_hosts(ARRAY[id::bytea]) FROM host WHERE name = 'h3'");
    assert_ok(store_host_by_serial(fleet->store, arena, serial, &known));
    assert_ok(agent_poll_judge(req, &known, &is_new));
    assert_true(is_new);
    api_handle(req);
    assert_int_equal(req->out.status, 200);
    json_t *goal = json_parse_own(arena, req->out.body);
    assert_int_equal(json_integer_value(json_object_get(goal, "version")), 2);
    assert_int_equal(json_array_size(json_object_get(goal, "etcd")), 2);
    request_free(req);
    static const char *const wrong[] = {
        "", "?after=1", "?epoch=1", "?after=&epoch=1", "?after=-1&epoch=1", "?after=1&epoch=x"
    };
    for (size_t i = 0; i < LENGTH(wrong); i++) {
        str target = str_format(arena, "/agent/v1/goal%s", wrong[i]);
        assert_int_equal(refusal_of(new_request("GET", serial, target.data)), INVALID_QUERY_PARAMETER);
    }
    assert_int_equal(refusal_of(new_request("GET", STR_EMPTY, "/agent/v1/goal?after=1&epoch=1")), CERTIFICATE_REQUIRED);
    assert_int_equal(refusal_of(new_request("PUT", serial, "/agent/v1/goal?after=1&epoch=1")), METHOD_NOT_ALLOWED);
}

/* S3: a member has one for each purpose, and what its cluster's authority signs is nobody else's. */
static void
certificate_of_a_member_says_what_it_is_for(void **state)
{
    (void)state;
    assert_int_equal(ask(STR_EMPTY, "/agent/v1/join", join_body(new_token("h4"))).status, 201);
    str serial = serial_of_newest();
    struct authority authority;
    assert_ok(authority_open(fleet, arena, &authority));
    fixture_ask("INSERT INTO instance_size VALUES ('S', 1, 1, 1, 1, 1) ON CONFLICT DO NOTHING");
    static const char *const scopes[] = { "aaaaaa", "bbbbbb" };
    str signers[LENGTH(scopes)];
    for (size_t i = 0; i < LENGTH(scopes); i++) {
        int n = 50 + (int)i;
        fixture_ask("INSERT INTO project_access (project_id, org_id, hash) VALUES (%s, %s, 'hash%zu')",
                    fixture_quote(fixture_id(n)), fixture_quote(fixture_id(1)), i);
        fixture_ask(
            "INSERT INTO cluster (id, org_id, project_id, name, set_name, major_version) VALUES (%s, %s, %s, 'c', '%s', '17')",
            fixture_quote(fixture_id(n)), fixture_quote(fixture_id(1)), fixture_quote(fixture_id(n)), scopes[i]);
        fixture_ask(
            "INSERT INTO cluster_member (id, org_id, cluster_id, host_id, ordinal, desired, size, cpus, memory_mb, disk_gb) "
            "SELECT %s, %s, %s, id, 0, 'RUNNING', 'S', 1, 1, 1 FROM host WHERE name = 'h4'",
            fixture_quote(fixture_id(n)), fixture_quote(fixture_id(1)), fixture_quote(fixture_id(n)));
        fixture_ask(
            "INSERT INTO host_address (address, prefix, host_id, member_id) SELECT '10.0.9.%d', 24, id, %s FROM host WHERE name = 'h4'",
            n, fixture_quote(fixture_id(n)));
        str path = str_format(arena, "/agent/v1/members/%s/certificate", id_text(arena, fixture_id(n)).data);
        static const char *const purposes[] = { "SERVER", "ETCD", "CLUSTER", "CLUSTER", "ROOT" };
        struct answered answers[LENGTH(purposes)];
        for (size_t p = 0; p < LENGTH(purposes); p++)
            answers[p] =
                ask(serial, path.data, json_pack("{s:s%, s:s}", "csr", csr.data, csr.len, "purpose", purposes[p]));
        assert_int_equal(answers[4].status, 400);
        assert_true(str_eq(field(answers[0], "authority"), authority.certificate));
        assert_true(str_eq(field(answers[1], "authority"), authority.certificate));
        assert_false(certificate_is_clients(field(answers[0], "certificate")));
        assert_true(certificate_is_clients(field(answers[1], "certificate")));
        assert_false(str_eq(field(answers[2], "authority"), authority.certificate));
        assert_true(str_eq(field(answers[2], "authority"), field(answers[3], "authority"))); /* made once */
        signers[i] = field(answers[2], "authority");
        /* None of them is a host's. */
        assert_int_equal(
            ask(serial_of_newest(), "/agent/v1/report", json_pack("{s:i, s:i}", "epoch", 1, "version", 1)).status, 403);
    }
    assert_false(str_eq(signers[0], signers[1]));
    /* Everything of it goes with the cluster. */
    fixture_ask("UPDATE host_address SET member_id = NULL WHERE member_id IS NOT NULL");
    fixture_ask("DELETE FROM cluster_member WHERE cluster_id = %s", fixture_quote(fixture_id(50)));
    fixture_ask("DELETE FROM cluster WHERE id = %s", fixture_quote(fixture_id(50)));
    assert_string_equal(fixture_ask("SELECT count(*) FROM authority WHERE purpose = 'CLUSTER'"), "1");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_works_before_there_is_an_authority),
        cmocka_unit_test(authority_is_made_once_and_its_key_is_sealed),
        cmocka_unit_test(token_works_once),
        cmocka_unit_test(only_hosts_of_members_need_patroni),
        cmocka_unit_test(joining_again_ends_the_old_certificate),
        cmocka_unit_test(poll_waits_until_its_goal_moves),
        cmocka_unit_test(certificate_of_a_member_says_what_it_is_for),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
