/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Clusters for tests, without hosts: requests go through the families' own handlers, jobs through their own steps, and the test
 * plays the agents. A played agent reads its goal and reports what a real one would once everything has worked, by the same
 * functions of the database; who leads is decided here as Patroni would. So what is tested is everything but the hosts.
 */
#ifndef TEST_UNIT_CLUSTER_FIXTURE_H
#define TEST_UNIT_CLUSTER_FIXTURE_H

#include "store_fixture.h"

#include "api/api.h"
#include "api/validate.h"
#include "base/clock.h"
#include "base/json.h"
#include "family/families.h"
#include "job/cluster/cluster_jobs.h"
#include "job/fleet/fleet_update.h"
#include "job/kinds.h"
#include "job/run.h"
#include "store/update/update.h"

static struct store *store;
static struct api test_api;

/* ---- The fleet ---- */
enum { HOSTS_A = 5, HOSTS_B = 4, HOSTS = HOSTS_A + HOSTS_B };

static id
host_id(int number)
{
    return fixture_id(900000 + (uint32_t)number);
}

static void
add_addresses(int host)
{
    fixture_ask("INSERT INTO host_address (address, private_address, prefix, host_id) SELECT ('10.%d.0.' || n)::inet, "
                "('172.16.%d.' || n)::inet, 16, %s FROM generate_series(1, 9) n ON CONFLICT DO NOTHING",
                host + 1, host + 1, fixture_quote(host_id(host)));
}

static __attribute__((unused)) void
make_fleet(void)
{
    fixture_ask("INSERT INTO provider VALUES ('P')");
    fixture_ask("INSERT INTO region VALUES ('P', 'A'), ('P', 'B')");
    fixture_ask("INSERT INTO instance_size (name, cpus, memory_mb, disk_gb, max_connections, ordinal) VALUES "
                "('FLEX', 0.25, 256, 5, 50, 1), ('M10', 0.5, 1024, 10, 100, 2), ('M20', 1, 2048, 20, 200, 3), "
                "('M30', 4, 8192, 40, 400, 4)");
    fixture_ask(
        "INSERT INTO authority (id, purpose, certificate, key, not_after) VALUES (%s, 'FLEET', 'c', 'k', now() + interval '1y')",
        fixture_quote(fixture_id(800000)));
    for (int i = 0; i < HOSTS; i++) {
        fixture_ask(
            "INSERT INTO host (id, name, provider, region, zone, cpus, memory_mb, disk_gb, facts, last_seen_at) VALUES "
            "(%s, 'h%d', 'P', '%s', 'z%d', 4, 8192, 400, '{\"postgresVersions\": [\"17.6\"]}', now())",
            fixture_quote(host_id(i)), i, i < HOSTS_A ? "A" : "B", i % 3);
        add_addresses(i);
    }
}

/* Hosts that a test has lost or emptied. */
static __attribute__((unused)) void
bring_hosts_back(void)
{
    fixture_ask("UPDATE host SET state = 'ACTIVE'");
    for (int i = 0; i < HOSTS; i++)
        add_addresses(i);
}

/* ---- Played agents ---- */
/* One that servers have to load when they start. */
#define PLAYED_EXTENSION "17 pg_cron 1.6"
struct played_member {
    char id[ID_DIGITS + 1];
    char settings[256]; /* that need a restart, as they were when it started */
    char version[8];    /* of its server, since it started */
    bool is_up;
    int64_t nonce;
    int data, before;                /* which data it has: 0 is what it began with; -1: nothing is put aside */
    char restored_by[ID_DIGITS + 1]; /* the restore that replaced it */
};
struct played_cluster {
    char id[ID_DIGITS + 1], primary[ID_DIGITS + 1], standby[ID_DIGITS + 1]; /* the synchronous one */
};
static struct {
    struct played_member members[4096];
    struct played_cluster clusters[1024];
    size_t member_count, cluster_count;
    bool switched_over;                      /* hosts that have reported know nothing of it yet */
    bool refuses_switchover, hides_restarts; /* it is not said that a restart is pending */
    bool receives_nothing;                   /* repository hosts are there, and get no WAL */
    json_t *snapshots;                       /* that every seat reports; NULL: none */
    bool knows_no_snapshots;                 /* seats have just started: they report null */
    bool has_backups;                        /* each seat has one snapshot, whose id is the seat's */
    bool gate_fails, restore_fails;
    const char *download;  /* what a host says of one that it is to hand out; NULL: nothing */
    int restores;          /* so many members were restored */
    const char *installed; /* version on every host; NULL: 17.6 */
    bool does_not_start;   /* what is installed: a server that is restarted stays away */
} played;

static const char *
played_version(void)
{
    return played.installed != NULL ? played.installed : "17.6";
}

static struct played_member *
played_member(const char *digits)
{
    for (size_t i = 0; i < played.member_count; i++) {
        if (strcmp(played.members[i].id, digits) == 0)
            return &played.members[i];
    }
    assert_true(played.member_count < LENGTH(played.members));
    struct played_member *made = &played.members[played.member_count++];
    snprintf(made->id, sizeof(made->id), "%s", digits);
    made->before = -1;
    fixture_ask(
        "INSERT INTO certificate (serial, authority, kind, owner, not_after) VALUES ('%s', %s, 'MEMBER', '%s', now() + interval '1d') "
        "ON CONFLICT DO NOTHING",
        digits, fixture_quote(fixture_id(800000)), digits);
    return made;
}

static struct played_cluster *
played_cluster(const char *digits)
{
    for (size_t i = 0; i < played.cluster_count; i++) {
        if (strcmp(played.clusters[i].id, digits) == 0)
            return &played.clusters[i];
    }
    assert_true(played.cluster_count < LENGTH(played.clusters));
    struct played_cluster *made = &played.clusters[played.cluster_count++];
    snprintf(made->id, sizeof(made->id), "%s", digits);
    return made;
}

static const char *
text_of(const json_t *object, const char *name)
{
    return json_string_value(json_object_get(object, name));
}

static const json_t *
find_by_id(const json_t *list, const char *field, const char *value)
{
    size_t index;
    const json_t *item;
    json_array_foreach(list, index, item)
    {
        if (strcmp(text_of(item, field), value) == 0)
            return item;
    }
    return NULL;
}

/* What the member says about the restore that its cluster is told of. NULL: nothing. *ret_runs: whether its server does. */
static json_t *
play_restore(const json_t *restore, struct played_member *member, bool *ret_runs)
{
    const char *phase = text_of(restore, "phase"), *digits = text_of(restore, "id"), *state = "STOPPED";
    *ret_runs = true;
    if (!json_is_object(restore))
        return NULL;
    bool is_first = strcmp(text_of(restore, "first"), member->id) == 0;
    bool is_mine = strcmp(member->restored_by, digits) == 0;
    if (strcmp(phase, "STOP") == 0) {
        *ret_runs = false;
    } else if (strcmp(phase, "BUILD") == 0) {
        if (!is_mine) {
            member->before = member->data;
            member->data = ++played.restores;
            snprintf(member->restored_by, sizeof(member->restored_by), "%s", digits);
        }
        *ret_runs = !played.restore_fails;
        state = !played.restore_fails ? "RESTORED" : is_first ? "FAILED" : "RESTORING";
    } else if (strcmp(phase, "UNDO") == 0) {
        if (is_mine) {
            member->data = member->before;
            member->restored_by[0] = '\0';
        }
        state = "UNDONE";
    } else {
        member->before = -1;
        state = "CLEAN";
    }
    bool is_restored = strcmp(state, "RESTORED") == 0 && is_first;
    return json_pack("{s:s, s:s, s:s, s:s?, s:i, s:i, s:s?, s:s?}", "id", digits, "phase", phase, "state", state,
                     "problem", strcmp(state, "FAILED") == 0 ? "the backup is damaged" : NULL, "doneBytes", 1000,
                     "totalBytes", 4000, "reachedLsn", is_restored ? "0/4000150" : NULL, "reachedAt",
                     is_restored ? "2026-01-01T00:30:00Z" : NULL);
}

static json_t *
play_member(const json_t *goal, const json_t *wants)
{
    const json_t *cluster = find_by_id(json_object_get(goal, "clusters"), "id", text_of(wants, "clusterId"));
    const json_t *parameters = json_object_get(cluster, "parameters");
    struct played_member *member = played_member(text_of(wants, "id"));
    struct played_cluster *set = played_cluster(text_of(wants, "clusterId"));
    const char *desired = text_of(wants, "desired"), *unit = "active", *role = "REPLICA", *running = "streaming";
    int64_t nonce = json_integer_value(json_object_get(wants, "restartNonce"));
    char settings[sizeof(member->settings)];
    const json_t *own = json_object_get(cluster, "analyticsParameters");
    bool has_own = json_is_true(json_object_get(wants, "analytics")) && json_object_size(own) > 0;
    snprintf(settings, sizeof(settings), "%s %s %s", text_of(parameters, "max_connections"),
             text_of(has_own ? own : parameters, "shared_buffers"), text_of(parameters, "max_worker_processes"));
    bool runs;
    const json_t *told = json_object_get(cluster, "restore");
    json_t *restore = play_restore(told, member, &runs);
    bool may_lead = restore == NULL || strcmp(text_of(told, "phase"), "CLEAN") == 0 ||
                    strcmp(text_of(told, "first"), member->id) == 0;
    if (restore != NULL && strcmp(text_of(told, "phase"), "STOP") == 0)
        set->primary[0] = set->standby[0] = '\0'; /* also those that were lost with their hosts */
    if (strcmp(desired, "RUNNING") != 0 || !runs) {
        member->is_up = false;
        if (strcmp(set->primary, member->id) == 0)
            set->primary[0] = '\0';
        if (strcmp(set->standby, member->id) == 0)
            set->standby[0] = '\0';
        unit = strcmp(desired, "REMOVED") == 0 ? "absent" : "inactive";
        role = "NONE";
        running = "stopped";
    } else {
        if (!member->is_up || member->nonce != nonce) {
            snprintf(member->settings, sizeof(member->settings), "%s", settings);
            snprintf(member->version, sizeof(member->version), "%s", played_version());
        }
        member->is_up = true;
        if (set->primary[0] == '\0' && may_lead && json_is_true(json_object_get(wants, "electable")))
            snprintf(set->primary, sizeof(set->primary), "%s", member->id);
        if (strcmp(set->primary, member->id) == 0) {
            role = "PRIMARY";
            running = "running";
        } else if (!json_is_true(json_object_get(wants, "electable"))) {
            if (strcmp(set->standby, member->id) == 0)
                set->standby[0] = '\0';
        } else {
            if (set->standby[0] == '\0' || strcmp(set->standby, set->primary) == 0)
                snprintf(set->standby, sizeof(set->standby), "%s", member->id);
            if (strcmp(set->standby, member->id) == 0)
                role = "SYNC_STANDBY";
        }
    }
    if (played.does_not_start && strcmp(member->version, played_version()) == 0) {
        role = "NONE";
        running = "start failed";
    }
    member->nonce = nonce;
    return json_pack("{s:s, s:s, s:s, s:s, s:i, s:i, s:s, s:O, s:O, s:I, s:b, s:o*}", "id", member->id, "unit", unit,
                     "role", role, "running", running, "timeline", 1, "lagBytes", 0, "version",
                     member->version[0] == '\0' ? "17.6" : member->version, "goalGeneration",
                     json_object_get(cluster, "goalGeneration"), "accessGeneration",
                     json_object_get(cluster, "accessGeneration"), "restartNonce", (json_int_t)nonce, "pendingRestart",
                     !played.hides_restarts && member->is_up && strcmp(member->settings, settings) != 0, "restore",
                     restore);
}

static json_t *
play_task(const json_t *goal, const json_t *task)
{
    if (strcmp(text_of(task, "kind"), "SWITCHOVER") == 0) {
        if (played.refuses_switchover)
            return json_pack("{s:s, s:s, s:s}", "id", text_of(task, "id"), "outcome", "FAILED", "detail",
                             "it does not want to");
        const json_t *member = find_by_id(json_object_get(goal, "members"), "id", text_of(task, "memberId"));
        struct played_cluster *set = played_cluster(text_of(member, "clusterId"));
        if (set->standby[0] == '\0' || strcmp(set->standby, set->primary) == 0)
            return json_pack("{s:s, s:s, s:s}", "id", text_of(task, "id"), "outcome", "FAILED", "detail",
                             "nobody is synchronous");
        if (strcmp(set->primary, text_of(task, "memberId")) == 0) {
            /* Patroni stops it and starts it again as a replica, with what is installed now. */
            snprintf(played_member(set->primary)->version, sizeof(played.members[0].version), "%s", played_version());
            snprintf(set->primary, sizeof(set->primary), "%s", set->standby);
        }
        played.switched_over = true;
    }
    return json_pack("{s:s, s:s, s:s}", "id", text_of(task, "id"), "outcome", "DONE", "detail", "");
}

static json_t *
play_gate(const json_t *wants)
{
    return played.gate_fails ? json_pack("{s:s, s:s, s:s}", "id", text_of(wants, "id"), "state", "FAILED", "problem",
                                         "its disk is gone")
                             : json_pack("{s:s, s:s, s:s, s:s}", "id", text_of(wants, "id"), "state", "OPEN",
                                         "servedLsn", "0/5000000", "servedAt", "2026-01-01T01:00:00Z");
}

static json_t *
played_snapshots(const json_t *seat)
{
    if (played.knows_no_snapshots)
        return json_null();
    if (played.snapshots != NULL)
        return json_incref(played.snapshots);
    if (!played.has_backups)
        return json_array();
    return json_pack("[{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:i, s:i}]", "id", text_of(seat, "id"), "state",
                     "COMPLETED", "label", "20260101-000000F", "type", "FULL", "frequency", "daily", "createdAt",
                     "2026-01-01T00:00:00Z", "finishedAt", "2026-01-01T00:01:00Z", "startLsn", "0/4000000", "stopLsn",
                     "0/4000100", "sizeBytes", 4000, "deltaBytes", 1000);
}

static json_t *
play_download(const json_t *wants)
{
    if (!json_is_object(wants))
        return json_null();
    bool is_removed = strcmp(text_of(wants, "desired"), "REMOVED") == 0;
    if (!is_removed && played.download == NULL)
        return json_null();
    const char *state = is_removed ? "ABSENT" : played.download;
    bool is_ready = strcmp(state, "READY") == 0;
    return json_pack("{s:s, s:s, s:s?, s:I, s:s?}", "id", text_of(wants, "id"), "state", state, "problem",
                     strcmp(state, "FAILED") == 0 ? "There is no room." : NULL, "bytes", (json_int_t)77, "sha256",
                     is_ready ? "ab" : NULL);
}

static json_t *
play_seat(const json_t *wants)
{
    const char *desired = text_of(wants, "desired");
    bool receives = strcmp(desired, "RUNNING") == 0 && !played.receives_nothing &&
                    json_array_size(json_object_get(wants, "members")) > 0;
    json_t *spans = json_array();
    if (receives)
        json_array_append_new(spans, json_pack("{s:i, s:s, s:s, s:i, s:i, s:s, s:s}", "ordinal", 0, "fromLsn",
                                               "0/1000000", "toLsn", "0/5000000", "fromTimeline", 1, "toTimeline", 1,
                                               "fromAt", "2026-01-01T00:00:00Z", "toAt", "2026-01-01T01:00:00Z"));
    return json_pack("{s:s, s:s, s:s?, s:i, s:i, s:o, s:o, s:o}", "id", text_of(wants, "id"), "unit",
                     strcmp(desired, "REMOVED") == 0 ? "absent"
                     : receives                      ? "active"
                                                     : "inactive",
                     "receivedLsn", receives ? "0/5000000" : NULL, "timeline", 1, "lagMs", 5, "spans", spans,
                     "snapshots", played_snapshots(wants), "download",
                     play_download(json_object_get(wants, "download")));
}

/* One host reads its goal and reports once. */
static void
play_host(id host)
{
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(FIXTURE_ARENA_BYTES);
    char ask[512];
    snprintf(ask, sizeof(ask), "SELECT host_goal(%s, 'example.test', '[]')", fixture_quote(host));
    PGresult *result = PQexec(fixture_owner, ask);
    if (PQresultStatus(result) != PGRES_TUPLES_OK)
        fail_msg("%s", PQerrorMessage(fixture_owner));
    json_t *goal = json_parse_own(arena, str_dup(arena, str_from(PQgetvalue(result, 0, 0))));
    PQclear(result);
    assert_non_null(goal);
    json_t *members = json_array(), *tasks = json_array(), *seats = json_array(), *gates = json_array();
    const json_t *item;
    size_t index;
    json_array_foreach(json_object_get(goal, "tasks"), index, item) json_array_append_new(tasks, play_task(goal, item));
    json_array_foreach(json_object_get(goal, "members"), index, item)
        json_array_append_new(members, play_member(goal, item));
    json_array_foreach(json_object_get(goal, "seats"), index, item) json_array_append_new(seats, play_seat(item));
    json_array_foreach(json_object_get(goal, "gates"), index, item) json_array_append_new(gates, play_gate(item));
    json_t *report =
        json_in(arena, json_pack("{s:O, s:{s:[s], s:s, s:[s]}, s:o, s:o, s:o, s:o}", "version",
                                 json_object_get(goal, "version"), "facts", "postgresVersions", played_version(),
                                 "pgbackrestVersion", "2.55.1", "extensions", PLAYED_EXTENSION, "members", members,
                                 "tasks", tasks, "seats", seats, "gates", gates));
    char host_text[40];
    snprintf(host_text, sizeof(host_text), "\\x");
    id_write(host, host_text + 2);
    const char *values[] = { host_text, json_text(arena, report).data };
    result = PQexecParams(fixture_owner, "SELECT host_report($1::bytea, 1, $2::jsonb)", 2, NULL, values, NULL, NULL, 0);
    if (PQresultStatus(result) != PGRES_TUPLES_OK || strcmp(PQgetvalue(result, 0, 0), "OK") != 0)
        fail_msg("report: %s%s", PQerrorMessage(fixture_owner), PQntuples(result) > 0 ? PQgetvalue(result, 0, 0) : "");
    PQclear(result);
}

/* Those that take part; a host that was given up says nothing any more. */
static __attribute__((unused)) void
play_agents(void)
{
    PGresult *hosts =
        PQexec(fixture_owner, "SELECT encode(h.id, 'hex') FROM host h WHERE h.state <> 'REMOVED' AND EXISTS "
                              "(SELECT FROM cluster_member m WHERE m.host_id = h.id UNION ALL "
                              "SELECT FROM stanza_seat t WHERE t.host_id = h.id) ORDER BY h.id");
    fixture_ask("SET reeve.service = 'on'");
    do {
        played.switched_over = false;
        for (int i = 0; i < PQntuples(hosts); i++) {
            id host;
            assert_true(id_parse(str_from(PQgetvalue(hosts, i, 0)), &host));
            play_host(host);
        }
    } while (played.switched_over);
    PQclear(hosts);
}

/* ---- Requests: the handler of an operation, in a transaction as the pipeline opens it ---- */
struct place {
    id organization, project;
};

static __attribute__((unused)) struct place
new_place(void)
{
    static uint32_t base = 1000;
    base += 10;
    struct place place = { fixture_id(base), fixture_id(base + 1) };
    fixture_add_organization(place.organization);
    fixture_add_project(place.project, place.organization);
    return place;
}

static const struct endpoint *
endpoint_of(const char *operation)
{
    for (const struct family *const *family = all_families; *family != NULL; family++) {
        for (size_t i = 0; i < (*family)->count; i++) {
            if (strcmp((*family)->endpoints[i].operation, operation) == 0)
                return &(*family)->endpoints[i];
        }
    }
    fail_msg("there is no operation %s", operation);
    return NULL;
}

/* OK, or the name of the error. `name` is the second parameter of the path, or the second and those behind it with slashes between them; else the third, where
 * there is one, is this. */
static char third_parameter[ID_DIGITS + 1], last_detail[512];
static __attribute__((unused)) const char *
ask(struct place place, const char *operation, const char *name, const char *body)
{
    static const struct principal caller = { .kind = PRINCIPAL_PERSON, .name = { "test", 4 } };
    struct request *req = request_new(&test_api);
    assert_non_null(req);
    req->endpoint = endpoint_of(operation);
    req->caller = &caller;
    req->organization = place.organization;
    req->project = place.project;
    req->path_values[0] = id_text(req->arena, place.project);
    str names = str_from(name);
    req->path_count = 1;
    do
        req->path_values[req->path_count++] = str_dup(req->arena, str_cut(&names, '/'));
    while (names.len > 0);
    if (third_parameter[0] != '\0')
        req->path_values[req->path_count++] = str_from(third_parameter);
    req->in.request_id = STR("r");
    error problem = OK;
    if (req->endpoint->request != NULL) {
        problem = json_parse(req->arena, str_from(body), &req->body);
        if (problem == OK)
            problem = validate_body(req->arena, req->endpoint->request,
                                    req->endpoint->method == POST ? VALIDATE_CREATE : VALIDATE_UPDATE, req->body);
    }
    if (problem == OK)
        problem = tx_begin(store, req->arena, place.organization, &req->tx);
    if (problem == OK)
        problem = req->endpoint->run(req);
    if (problem == OK)
        problem = tx_commit(req->tx);
    const char *outcome = problem == OK ? "OK" : error_rows[problem->code].name;
    snprintf(last_detail, sizeof(last_detail), "%.*s", problem == OK ? 0 : (int)problem->detail.len,
             problem == OK ? "" : problem->detail.data);
    if (problem != OK && problem->code == INTERNAL_ERROR)
        print_message("%.*s\n", STR_ARG(problem->detail));
    request_free(req);
    return outcome;
}

/* ---- Jobs: as far as they go, one after another ---- */
static __attribute__((unused)) struct job_runner
runner(void)
{
    struct job_runner made = {
        .store = store,
        .kinds = all_job_kinds,
        .environment = { .domain = "example.test", .key = { { 3, 1, 4 } } },
        .pace = { .lease_ms = 100, .backoff = { 1, 2 } },
        .wait = { 2, 2 },
        .worker = "test",
    };
    return made;
}

/* One turn of every job that may run. False when none is left. */
static __attribute__((unused)) bool
run_jobs_once(struct job_runner *worker)
{
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(FIXTURE_ARENA_BYTES);
    struct job_place due[JOB_DUE_MAX];
    struct buf kinds = buf_in(arena, 4096);
    size_t count = 0;
    for (const struct job_kind *const *kind = all_job_kinds; *kind != NULL; kind++)
        buf_format(&kinds, "%s%s", kind == all_job_kinds ? "{" : ",", (*kind)->name);
    buf_add_char(&kinds, '}');
    assert_ok(store_job_due(store, arena, buf_str(&kinds), true, due, &count));
    for (size_t i = 0; i < count; i++)
        job_run(worker, &due[i], true);
    return strcmp(fixture_ask("SELECT EXISTS (SELECT FROM job WHERE finished_at IS NULL)"), "t") == 0;
}

/* Until nothing is left to do; the agents play along. */
static __attribute__((unused)) void
settle_for(int64_t most_ms)
{
    struct job_runner worker = runner();
    for (int64_t until = clock_steady_ms() + patient(most_ms); run_jobs_once(&worker); play_agents()) {
        if (clock_steady_ms() > until)
            fail_msg("%s", fixture_ask(
                               "SELECT kind || ' ' || step || ' ' || state || ': ' || coalesce(waits_for, '') FROM job "
                               "WHERE finished_at IS NULL ORDER BY seq LIMIT 1"));
    }
    play_agents();
}

static __attribute__((unused)) void
settle(void)
{
    settle_for(60000);
}

/* ---- Documents ---- */
static __attribute__((unused)) const char *
document(const char *name, const char *regions)
{
    static char text[2048];
    snprintf(text, sizeof(text), "{%s%s%s\"replicationSpecs\": [{\"regionConfigs\": [%s]}]}",
             name == NULL ? "" : "\"name\": \"", name == NULL ? "" : name, name == NULL ? "" : "\", ", regions);
    return text;
}
#define REGION(region, size, count)                                                                            \
    "{\"providerName\": \"P\", \"regionName\": \"" region "\", \"electableSpecs\": {\"instanceSize\": \"" size \
    "\", \"nodeCount\": " #count "}}"
#define THREE_IN_A REGION("A", "M10", 3)

static __attribute__((unused)) void
assert_asks(struct place place, const char *operation, const char *name, const char *body, const char *expected)
{
    assert_string_equal(ask(place, operation, name, body), expected);
}

static __attribute__((unused)) int
count(const char *query)
{
    int64_t number = -1;
    assert_true(str_to_int(str_from(fixture_ask("%s", query)), 0, INT32_MAX, &number));
    return (int)number;
}

static __attribute__((unused)) int
events_of(struct place place, const char *type)
{
    int64_t number = -1;
    assert_true(str_to_int(str_from(fixture_ask("SELECT count(*) FROM event WHERE project_id = %s AND type = '%s'",
                                                fixture_quote(place.project), type)),
                           0, INT32_MAX, &number));
    return (int)number;
}

/* The host of the project's primary takes no new members, and its own must leave. */
static __attribute__((unused)) id
drain_host_of_primary(struct place place)
{
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(FIXTURE_ARENA_BYTES);
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    id host, job;
    const char *text =
        fixture_ask("SELECT encode(m.host_id, 'hex') FROM cluster_member m JOIN cluster c ON c.id = m.cluster_id "
                    "WHERE c.project_id = %s AND m.role = 'PRIMARY'",
                    fixture_quote(place.project));
    assert_true(id_parse(str_from(text), &host));
    fixture_ask("UPDATE host SET state = 'DRAINING' WHERE id = %s", fixture_quote(host));
    assert_ok(tx_begin_service(store, arena, &tx));
    assert_ok(job_add(tx, &host_drain_job, (struct job_draft){ .subject = host, .subject_name = STR("h") }, &job));
    assert_ok(tx_commit(tx));
    return host;
}

/* Hosts have a newer version, and an operator starts a rollout; what came of it, and its id. */
static __attribute__((unused)) enum update_begun
start_rollout(const char *version, const char *wish, id *ret_update)
{
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(FIXTURE_ARENA_BYTES);
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    enum update_begun begun;
    id job;
    str word;
    played.installed = version;
    play_agents();
    *ret_update = id_new(1);
    assert_ok(tx_begin_service(store, arena, &tx));
    assert_ok(store_update_begin(tx, *ret_update, STR("ada"), str_from(wish), &begun, &word));
    if (begun != UPDATE_BEGUN)
        return begun;
    assert_ok(
        job_add(tx, &fleet_update_job, (struct job_draft){ .subject = *ret_update, .subject_name = STR("u") }, &job));
    assert_ok(store_update_set_job(tx, *ret_update, job));
    assert_ok(tx_commit(tx));
    return begun;
}

/* ---- What must be true when nothing is under way ---- */
static __attribute__((unused)) const char *
of_cluster(struct place place, const char *name, const char *expression)
{
    return fixture_ask("SELECT %s FROM resource r JOIN cluster c ON c.id = r.id WHERE r.scope = %s AND r.name = '%s'",
                       expression, fixture_quote(place.project), name);
}

/* Each is a sentence about what should not be, and a statement that finds it. */
static const struct {
    const char *wrong, *query;
} orphans[] = {
    { "capacity that no member and no seat has",
      "SELECT h.name FROM host h LEFT JOIN cluster_member m ON m.host_id = h.id GROUP BY h.id "
      "HAVING h.used_cpus <> coalesce(sum(m.cpus), 0) OR h.used_memory_mb <> coalesce(sum(m.memory_mb), 0) "
      "OR h.used_disk_gb <> coalesce(sum(m.disk_gb), 0) + (SELECT coalesce(sum(t.reserved_gb), 0) FROM stanza_seat t WHERE t.host_id = h.id)" },
    { "a history or a seat that should be gone, or belongs to no open one",
      "SELECT s.name FROM backup_stanza s LEFT JOIN stanza_seat t ON t.stanza_id = s.id WHERE s.state = 'REMOVING' OR t.id IS NULL "
      "OR (t.desired = 'RUNNING' AND s.state <> 'OPEN') "
      "OR (s.state = 'OPEN' AND NOT EXISTS (SELECT FROM stanza_seat e WHERE e.stanza_id = s.id AND e.desired = 'RUNNING'))" },
    { "a cluster that should have backups and has none, or the other way round",
      "SELECT r.name FROM resource r WHERE r.kind = 'cluster' AND coalesce((r.document -> 'backupEnabled')::boolean, false) <> "
      "EXISTS (SELECT FROM backup_stanza s WHERE s.cluster_id = r.id AND s.state = 'OPEN')" },
    { "an address that no member has, or a member without one",
      "SELECT 'x' WHERE (SELECT count(*) FROM host_address WHERE member_id IS NOT NULL) <> (SELECT count(*) FROM cluster_member)" },
    { "a certificate in force of a member that is gone",
      "SELECT c.owner FROM certificate c WHERE c.kind = 'MEMBER' AND c.revoked_at IS NULL "
      "AND NOT EXISTS (SELECT FROM cluster_member m WHERE encode(m.id, 'hex') = c.owner)" },
    { "a name that leads to nobody",
      "SELECT d.name FROM dns_record d WHERE d.type = 'A' AND NOT EXISTS (SELECT FROM host_address a "
      "WHERE a.member_id IS NOT NULL AND (host(a.address) = d.content OR host(a.private_address) = d.content))" },
    { "a service that leads to a name which is not there",
      "SELECT d.content FROM dns_record d WHERE d.type = 'SRV' AND NOT EXISTS (SELECT FROM dns_record n "
      "WHERE n.type = 'A' AND n.name = split_part(d.content, ' ', 4))" },
    { "a member without a name",
      "SELECT encode(m.id, 'hex') FROM cluster_member m JOIN host_address a ON a.member_id = m.id WHERE NOT EXISTS "
      "(SELECT FROM dns_record d WHERE d.content = host(a.address)) OR NOT EXISTS (SELECT FROM dns_record d WHERE d.content = "
      "host(a.private_address))" },
    { "a member that only is planned, or should be gone",
      "SELECT encode(id, 'hex') FROM cluster_member WHERE desired IN ('PLANNED', 'REMOVED')" },
    { "a task that nobody waits for", "SELECT kind FROM host_task WHERE outcome IS NULL" },
    { "a cluster without a document, or the other way round",
      "SELECT 'x' FROM cluster c FULL JOIN (SELECT id FROM resource WHERE kind IN ('cluster', 'flexCluster')) r ON r.id = c.id "
      "WHERE c.id IS NULL OR r.id IS NULL" },
    { "a cluster that is not idle",
      "SELECT name || ' ' || state FROM resource WHERE kind IN ('cluster', 'flexCluster') AND state <> 'IDLE'" },
    { "a generation that was never reached",
      "SELECT name FROM resource WHERE kind IN ('cluster', 'flexCluster') AND observed_generation <> generation" },
    { "two members of a cluster on one host",
      "SELECT 'x' FROM cluster_member GROUP BY cluster_id, host_id HAVING count(*) > 1" },
};

static __attribute__((unused)) void
assert_no_orphans(const char *after)
{
    for (size_t i = 0; i < LENGTH(orphans); i++) {
        const char *found = fixture_ask("%s", orphans[i].query);
        if (found[0] != '\0')
            fail_msg("after %s there is %s: %s", after, orphans[i].wrong, found);
    }
}

static __attribute__((unused)) int
cluster_set_up(void **state)
{
    if (fixture_set_up(state) != 0)
        return -1;
    json_init();
    struct store_config config = fixture_config();
    config.pool_wait_ms = 5000;
    config.statement_timeout_ms = 10000;
    store = fixture_store(&config);
    test_api = (struct api){ .store = store, .base_url = STR("https://localhost") };
    make_fleet();
    return 0;
}

static __attribute__((unused)) int
cluster_tear_down(void **state)
{
    store_free(store);
    return fixture_tear_down(state);
}

#endif
