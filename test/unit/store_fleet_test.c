/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of the fleet in the database: where members are put, when goals move, and what a report may change. */
#include "open_store_fixture.h"

#include <pthread.h>
#include <time.h>

#include "base/json.h"
#include "store/fleet/host.h"
#include "store/listener.h"

enum { ORGANIZATION = 1000, PROJECT = 1001, OTHER = 2000, CLUSTER = 3000, HOSTS = 5000 };

static PGconn *tenant;
static struct arena *arena;

static void
begin_on(PGconn *pg, int organization)
{
    char digits[ID_DIGITS + 1], text[128];
    id_write(organization == 0 ? ID_NONE : fixture_id((uint32_t)organization), digits);
    snprintf(text, sizeof(text), "BEGIN; SET LOCAL reeve.organization = '%s'; SET LOCAL reeve.service = '%s'", digits,
             organization == 0 ? "on" : "off");
    fixture_ask_on(pg, text);
}

static PRINTF_LIKE(2, 3) const char *as(int organization, const char *format, ...)
{
    static char answer[256];
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    begin_on(tenant, organization);
    snprintf(answer, sizeof(answer), "%s", fixture_ask_on(tenant, text));
    fixture_ask_on(tenant, "COMMIT");
    return answer;
}

static const char *
cluster_quote(int number)
{
    return fixture_quote(fixture_id((uint32_t)(CLUSTER + number)));
}

static const char *
host_quote(int number)
{
    return fixture_quote(fixture_id((uint32_t)(HOSTS + number)));
}

static void
add_cluster(int number, int organization, int project)
{
    fixture_ask(
        "INSERT INTO cluster (id, org_id, project_id, name, set_name, major_version) VALUES (%s, %s, %s, 'c%d', lpad('%d', 6, 'a'), '17')",
        cluster_quote(number), fixture_quote(fixture_id((uint32_t)organization)),
        fixture_quote(fixture_id((uint32_t)project)), number, number);
}

/* Host `number` in zone `zone`, with so many addresses. */
static void
add_host(int number, const char *zone, int cpus, int addresses)
{
    fixture_ask("INSERT INTO host (id, name, provider, region, zone, cpus, memory_mb, disk_gb, address, last_seen_at) "
                "VALUES (%s, 'h%d', 'P', 'R', '%s', %d, 100000, 100000, '10.0.0.%d', now())",
                host_quote(number), number, zone, cpus, number);
    fixture_ask(
        "INSERT INTO host_address (address, prefix, host_id) SELECT '10.%d.0.1'::inet + i, 8, %s FROM generate_series(0, %d) i",
        number, host_quote(number), addresses - 1);
}

static void
clear(void)
{
    fixture_ask("DELETE FROM network_container");
    fixture_ask("UPDATE host_address SET member_id = NULL");
    fixture_ask("DELETE FROM dns_record");
    fixture_ask("DELETE FROM cluster_member");
    fixture_ask("DELETE FROM host_address");
    fixture_ask("DELETE FROM host");
    fixture_ask("DELETE FROM cluster");
    fixture_ask("DELETE FROM certificate");
    fixture_ask("DELETE FROM project_access");
}

static const char *
place(int organization, int cluster, int ordinal)
{
    return as(organization, "SELECT encode(member_place(%s, %d, 'P', 'R', 'S', 0, true, 7), 'hex')",
              cluster_quote(cluster), ordinal);
}

static int
version_of(int host)
{
    int64_t version = 0;
    assert_true(
        str_to_int(str_from(fixture_ask("SELECT version FROM host_goal_version WHERE host_id = %s", host_quote(host))),
                   0, INT32_MAX, &version));
    return (int)version;
}

static int
set_up(void **state)
{
    if (open_store(state) != 0)
        return -1;
    tenant = fixture_connect(fixture_dsn);
    fixture_ask_on(tenant, "SET ROLE reeve_tenant");
    arena = arena_new(FIXTURE_ARENA_BYTES);
    fixture_ask("INSERT INTO provider VALUES ('P')");
    fixture_ask("INSERT INTO region VALUES ('P', 'R'), ('P', 'EMPTY')");
    fixture_ask("INSERT INTO instance_size VALUES ('S', 1, 100, 10, 100, 1), ('BIG', 50, 100, 10, 100, 2)");
    fixture_add_organization(fixture_id(ORGANIZATION));
    fixture_add_organization(fixture_id(OTHER));
    fixture_add_project(fixture_id(PROJECT), fixture_id(ORGANIZATION));
    fixture_add_project(fixture_id(OTHER + 1), fixture_id(OTHER));
    return 0;
}

static int
tear_down(void **state)
{
    arena_free(arena);
    PQfinish(tenant);
    return close_store(state);
}

/* ---- Placing ---- */
static void
members_are_spread_over_zones_then_hosts(void **state)
{
    (void)state;
    clear();
    add_cluster(1, ORGANIZATION, PROJECT);
    add_host(1, "a", 10, 3), add_host(2, "a", 10, 3), add_host(3, "b", 10, 3), add_host(4, "c", 10, 3);
    for (int i = 0; i < 4; i++)
        assert_int_equal(strlen(place(ORGANIZATION, 1, i)), ID_DIGITS);
    assert_string_equal(
        fixture_ask(
            "SELECT count(DISTINCT h.zone) FROM cluster_member m JOIN host h ON h.id = m.host_id WHERE m.ordinal < 3"),
        "3");
    assert_string_equal(fixture_ask("SELECT count(DISTINCT host_id) FROM cluster_member"), "4");
    assert_string_equal(place(ORGANIZATION, 1, 4), ""); /* never two on one host */
    assert_string_equal(
        fixture_ask("SELECT bool_and(used_cpus = 1 AND used_memory_mb = 100 AND used_disk_gb = 10) FROM host"), "t");
    assert_string_equal(fixture_ask("SELECT count(*) FROM host_address WHERE member_id IS NOT NULL"), "4");
    assert_string_equal(fixture_ask("SELECT string_agg(DISTINCT desired, '') FROM cluster_member"), "PLANNED");
    assert_string_equal(fixture_ask("SELECT count(*) FROM project_access"), "1"); /* its names need a label */
}

static void
placing_again_is_the_same_member(void **state)
{
    (void)state;
    clear();
    add_cluster(1, ORGANIZATION, PROJECT);
    add_host(1, "a", 10, 3), add_host(2, "b", 10, 3);
    char first[ID_DIGITS + 1];
    snprintf(first, sizeof(first), "%s", place(ORGANIZATION, 1, 0));
    assert_string_equal(place(ORGANIZATION, 1, 0), first);
    assert_string_equal(fixture_ask("SELECT sum(used_cpus) FROM host"), "1");
}

static void
emptiest_host_comes_first_and_a_full_one_never(void **state)
{
    (void)state;
    clear();
    add_host(1, "a", 2, 9), add_host(2, "a", 4, 9), add_host(3, "a", 9, 0);
    for (int i = 1; i <= 7; i++)
        add_cluster(i, ORGANIZATION, PROJECT);
    for (int i = 1; i <= 6; i++)
        assert_int_equal(strlen(place(ORGANIZATION, i, 0)), ID_DIGITS);
    assert_string_equal(place(ORGANIZATION, 7, 0), ""); /* no processor is left, or no address */
    assert_string_equal(fixture_ask("SELECT string_agg(used_cpus::text, ',' ORDER BY name) FROM host"), "2,4,0");
    assert_string_equal(
        as(ORGANIZATION, "SELECT member_place(%s, 0, 'P', 'R', 'BIG', 0, true, 7) IS NULL", cluster_quote(7)), "t");
    assert_string_equal(
        as(ORGANIZATION, "SELECT member_place(%s, 0, 'P', 'R', 'NONE', 0, true, 7) IS NULL", cluster_quote(7)), "t");
    assert_string_equal(
        as(ORGANIZATION, "SELECT member_place(%s, 0, 'P', 'EMPTY', 'S', 0, true, 7) IS NULL", cluster_quote(7)), "t");
}

static void
add_container(int number, int organization, int project, const char *block)
{
    fixture_ask(
        "INSERT INTO network_container (id, org_id, project_id, provider, region, block) VALUES (%s, %s, %s, 'P', 'R', '%s')",
        cluster_quote(100 + number), fixture_quote(fixture_id((uint32_t)organization)),
        fixture_quote(fixture_id((uint32_t)project)), block);
}

static const char *
address_of(int cluster)
{
    return fixture_ask("SELECT host(a.address) FROM host_address a JOIN cluster_member m ON m.id = a.member_id "
                       "WHERE m.cluster_id = %s ORDER BY m.ordinal DESC LIMIT 1",
                       cluster_quote(cluster));
}

static void
members_get_addresses_of_their_projects_container_and_of_no_other(void **state)
{
    (void)state;
    clear();
    for (int i = 1; i <= 3; i++)
        add_cluster(i, ORGANIZATION, PROJECT);
    add_cluster(4, OTHER, OTHER + 1), add_cluster(5, OTHER, OTHER + 1);
    add_host(1, "a", 10, 3); /* 10.1.0.1 to 10.1.0.3 */
    add_host(2, "b", 20, 3); /* the emptier one, but nothing of it is in the container */
    add_container(1, ORGANIZATION, PROJECT, "10.1.0.2/31");
    assert_int_equal(strlen(place(ORGANIZATION, 1, 0)), ID_DIGITS);
    assert_string_equal(address_of(1), "10.1.0.2");
    assert_int_equal(strlen(place(ORGANIZATION, 2, 0)), ID_DIGITS);
    assert_string_equal(address_of(2), "10.1.0.3");
    assert_string_equal(place(ORGANIZATION, 3, 0), ""); /* four others are free, which are not in it */
    /* What is given back is still set aside: one of the others' clusters finds a single address on this host. */
    fixture_ask("UPDATE host SET state = 'DRAINING' WHERE id = %s", host_quote(2));
    as(ORGANIZATION, "SELECT member_release(id) FROM cluster_member WHERE cluster_id = %s", cluster_quote(1));
    assert_int_equal(strlen(place(OTHER, 4, 0)), ID_DIGITS);
    assert_string_equal(address_of(4), "10.1.0.1");
    assert_string_equal(place(OTHER, 5, 0), "");
    fixture_ask("DELETE FROM network_container");
    assert_int_equal(strlen(place(OTHER, 5, 0)), ID_DIGITS);
}

/* A member has two addresses when it is reached from outside, too. */
static void
container_is_about_private_addresses(void **state)
{
    (void)state;
    clear();
    add_cluster(1, ORGANIZATION, PROJECT);
    add_host(1, "a", 10, 3);
    fixture_ask("UPDATE host_address SET private_address = address + 65536");
    add_container(1, ORGANIZATION, PROJECT, "10.1.0.0/24");
    assert_string_equal(place(ORGANIZATION, 1, 0), "");
    fixture_ask("UPDATE network_container SET block = '10.2.0.0/24'");
    assert_int_equal(strlen(place(ORGANIZATION, 1, 0)), ID_DIGITS);
}

static const char *
obstacle(int organization, int project, const char *region, const char *block)
{
    return as(organization, "SELECT coalesce(container_obstacle(%s, 'P', '%s', '%s'), 'NONE')",
              fixture_quote(fixture_id((uint32_t)project)), region, block);
}

static void
container_needs_addresses_that_nobody_else_needs(void **state)
{
    (void)state;
    clear();
    add_cluster(1, OTHER, OTHER + 1);
    add_host(1, "a", 10, 6), add_host(2, "b", 1, 4); /* 10.1.0.1 to 10.1.0.6, 10.2.0.1 to 10.2.0.4 */
    assert_string_equal(obstacle(ORGANIZATION, PROJECT, "R", "10.1.0.4/30"), "NONE");
    assert_string_equal(obstacle(ORGANIZATION, PROJECT, "MOON", "10.1.0.4/30"), "REGION");
    assert_string_equal(obstacle(OTHER, PROJECT, "R", "10.1.0.4/30"), "REGION"); /* another organization's project */
    assert_string_equal(obstacle(ORGANIZATION, PROJECT, "R", "10.1.0.8/30"), "EMPTY");
    assert_string_equal(obstacle(ORGANIZATION, PROJECT, "EMPTY", "10.1.0.4/30"), "EMPTY");
    assert_string_equal(obstacle(ORGANIZATION, PROJECT, "R", "10.1.0.0/24"), "TOO_LARGE"); /* six of ten */
    add_container(2, OTHER, OTHER + 1, "10.2.0.0/30");                                /* one of four is left there */
    assert_string_equal(obstacle(ORGANIZATION, PROJECT, "R", "10.1.0.4/30"), "NONE"); /* three; four are left */
    assert_string_equal(obstacle(ORGANIZATION, PROJECT, "R", "10.1.0.0/29"), "TOO_LARGE");
    fixture_ask("UPDATE host SET region = 'EMPTY' WHERE id = %s", host_quote(2));
    assert_string_equal(obstacle(ORGANIZATION, PROJECT, "R", "10.0.0.0/14"), "ELSEWHERE");
    assert_int_equal(strlen(place(OTHER, 1, 0)), 0); /* its container has nothing in this region */
    fixture_ask("DELETE FROM network_container");
    assert_int_equal(strlen(place(OTHER, 1, 0)), ID_DIGITS); /* 10.1.0.1 */
    assert_string_equal(obstacle(ORGANIZATION, PROJECT, "R", "10.1.0.0/31"), "TAKEN");
    assert_string_equal(obstacle(OTHER, OTHER + 1, "R", "10.1.0.0/31"), "NONE"); /* its own */
}

static void
containers_of_all_projects_are_apart(void **state)
{
    (void)state;
    clear();
    add_container(1, ORGANIZATION, PROJECT, "10.1.0.0/24");
    PGconn *pg = fixture_connect(fixture_dsn);
    char text[512];
    snprintf(
        text, sizeof(text),
        "INSERT INTO network_container (id, org_id, project_id, provider, region, block) VALUES (%s, %s, %s, 'P', 'R', '10.1.0.128/25')",
        cluster_quote(102), fixture_quote(fixture_id(OTHER)), fixture_quote(fixture_id(OTHER + 1)));
    PGresult *result = PQexec(pg, text);
    assert_string_equal(PQresultErrorField(result, PG_DIAG_CONSTRAINT_NAME), "network_container_apart");
    PQclear(result);
    PQfinish(pg);
}

/* Only the own organization is told, and what is told stays true until its transaction ends. */
static void
container_is_held_by_members_of_its_project(void **state)
{
    (void)state;
    clear();
    add_cluster(1, ORGANIZATION, PROJECT);
    add_host(1, "a", 10, 3);
    add_container(1, ORGANIZATION, PROJECT, "10.1.0.0/24");
    assert_string_equal(as(ORGANIZATION, "SELECT container_is_held(%s)", cluster_quote(101)), "f");
    assert_int_equal(strlen(place(ORGANIZATION, 1, 0)), ID_DIGITS);
    assert_string_equal(as(ORGANIZATION, "SELECT container_is_held(%s)", cluster_quote(101)), "t");
    assert_string_equal(as(OTHER, "SELECT container_is_held(%s)", cluster_quote(101)), "f");
}

static void
silent_and_draining_hosts_are_avoided(void **state)
{
    (void)state;
    clear();
    add_host(1, "a", 10, 3), add_host(2, "b", 10, 3), add_host(3, "c", 10, 3);
    add_cluster(1, ORGANIZATION, PROJECT);
    fixture_ask("UPDATE host SET state = 'DRAINING' WHERE name = 'h1'");
    fixture_ask("UPDATE host SET last_seen_at = now() - interval '1 hour' WHERE name = 'h2'");
    place(ORGANIZATION, 1, 0), place(ORGANIZATION, 1, 1);
    assert_string_equal(
        fixture_ask(
            "SELECT string_agg(h.name, ',' ORDER BY m.ordinal) FROM cluster_member m JOIN host h ON h.id = m.host_id"),
        "h3,h2");
    assert_string_equal(place(ORGANIZATION, 1, 2), "");
}

static void
placing_and_releasing_are_for_the_own_organization(void **state)
{
    (void)state;
    clear();
    add_host(1, "a", 10, 3);
    add_cluster(1, ORGANIZATION, PROJECT);
    assert_string_equal(place(OTHER, 1, 0), "");
    assert_string_equal(fixture_ask("SELECT count(*) FROM cluster_member"), "0");
    char member[ID_DIGITS + 1];
    snprintf(member, sizeof(member), "%s", place(0, 1, 0)); /* the service may for all */
    assert_int_equal(strlen(member), ID_DIGITS);
    fixture_ask(
        "INSERT INTO authority (id, purpose, certificate, key, not_after) VALUES (%s, 'FLEET', '', '', now()) ON CONFLICT DO NOTHING",
        fixture_quote(fixture_id(1)));
    fixture_ask(
        "INSERT INTO certificate (serial, authority, kind, owner, not_after) VALUES ('1', %s, 'MEMBER', '%s', now())",
        fixture_quote(fixture_id(1)), member);
    assert_string_equal(as(OTHER, "SELECT member_release('\\x%s')", member), "f");
    assert_string_equal(as(OTHER, "SELECT cluster_touch(%s) IS NULL", cluster_quote(1)), "t");
    assert_string_equal(as(OTHER, "SELECT access_touch(%s) IS NULL", fixture_quote(fixture_id(PROJECT))), "t");
    assert_string_equal(fixture_ask("SELECT count(*) FROM cluster_member"), "1");
    assert_string_equal(as(ORGANIZATION, "SELECT member_release('\\x%s')", member), "t");
    assert_string_equal(as(ORGANIZATION, "SELECT member_release('\\x%s')", member), "f");
    assert_string_equal(fixture_ask("SELECT used_cpus || ',' || used_memory_mb || ',' || used_disk_gb FROM host"),
                        "0,0,0");
    assert_string_equal(fixture_ask("SELECT count(*) FROM host_address WHERE member_id IS NULL"), "3");
    assert_string_equal(fixture_ask("SELECT revoked_at IS NOT NULL FROM certificate"), "t");
}

/* Many at once, each with hosts of its own order: nobody waits in a circle, and the books are right afterwards. */
enum { PLACERS = 6, ROUNDS = 12, THREAD_CLUSTERS = 100 };

static void *
place_and_release(void *number)
{
    int cluster = THREAD_CLUSTERS + (int)(intptr_t)number;
    PGconn *pg = fixture_connect(fixture_dsn);
    char text[512];
    fixture_ask_on(pg, "SET ROLE reeve_tenant");
    for (int round = 0; round < ROUNDS; round++) {
        begin_on(pg, ORGANIZATION);
        for (int i = 0; i < 3; i++) {
            snprintf(text, sizeof(text), "SELECT member_place(%s, %d, 'P', 'R', 'S', 0, true, 7)",
                     cluster_quote(cluster), round * 3 + i);
            fixture_ask_on(pg, text);
        }
        snprintf(text, sizeof(text), "SELECT access_touch(%s)", fixture_quote(fixture_id(PROJECT)));
        fixture_ask_on(pg, text);
        fixture_ask_on(pg, "COMMIT");
        begin_on(pg, ORGANIZATION);
        snprintf(text, sizeof(text), "UPDATE cluster_member SET desired = 'RUNNING' WHERE cluster_id = %s",
                 cluster_quote(cluster));
        fixture_ask_on(pg, text);
        snprintf(text, sizeof(text), "SELECT cluster_touch(%s)", cluster_quote(cluster));
        fixture_ask_on(pg, text);
        snprintf(text, sizeof(text), "SELECT member_release(id) FROM cluster_member WHERE cluster_id = %s",
                 cluster_quote(cluster));
        fixture_ask_on(pg, text);
        fixture_ask_on(pg, "COMMIT");
    }
    PQfinish(pg);
    return NULL;
}

static void
concurrent_changes_do_not_wait_in_a_circle(void **state)
{
    (void)state;
    clear();
    pthread_t threads[PLACERS];
    for (int i = 1; i <= 5; i++)
        add_host(i, i % 2 == 0 ? "a" : "b", 100, 30);
    for (int i = 0; i < PLACERS; i++)
        add_cluster(THREAD_CLUSTERS + i, ORGANIZATION, PROJECT);
    for (intptr_t i = 0; i < PLACERS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, place_and_release, (void *)i), 0);
    for (int i = 0; i < PLACERS; i++)
        pthread_join(threads[i], NULL);
    assert_string_equal(fixture_ask("SELECT sum(used_cpus) || ',' || sum(used_disk_gb) FROM host"), "0,0");
    assert_string_equal(fixture_ask("SELECT count(*) FROM host_address WHERE member_id IS NOT NULL"), "0");
    assert_string_equal(fixture_ask("SELECT count(*) FROM goal_touch"), "0");
}

/* ---- Goals that move ---- */
static pthread_mutex_t heard_lock = PTHREAD_MUTEX_INITIALIZER;
static int heard_count;
static bool is_connected;

static void
on_notify(void *owner, str payload)
{
    (void)owner, (void)payload;
    pthread_mutex_lock(&heard_lock);
    heard_count++;
    pthread_mutex_unlock(&heard_lock);
}

static void
on_state(void *owner, bool connected)
{
    (void)owner;
    pthread_mutex_lock(&heard_lock);
    is_connected = connected;
    pthread_mutex_unlock(&heard_lock);
}

static int
wait_heard(int at_least)
{
    int count = 0;
    for (int i = 0; i < patient(500) && count < at_least; i++, usleep(10000)) {
        pthread_mutex_lock(&heard_lock);
        count = heard_count;
        pthread_mutex_unlock(&heard_lock);
    }
    return count;
}

static void
goals_move_once_a_transaction_and_are_told(void **state)
{
    (void)state;
    clear();
    add_host(1, "a", 10, 3), add_host(2, "b", 10, 3), add_host(3, "c", 10, 3);
    add_cluster(1, ORGANIZATION, PROJECT);
    place(ORGANIZATION, 1, 0), place(ORGANIZATION, 1, 1);
    assert_int_equal(version_of(1) + version_of(2) + version_of(3), 3); /* PLANNED is nobody's goal */
    struct listener *listener = listener_new(fixture_dsn, GOAL_CHANNEL, on_notify, on_state, NULL);
    for (bool connected = false; !connected; usleep(10000)) {
        pthread_mutex_lock(&heard_lock);
        connected = is_connected;
        pthread_mutex_unlock(&heard_lock);
    }
    heard_count = 0;
    begin_on(tenant, ORGANIZATION);
    fixture_ask_on(tenant, "UPDATE cluster_member SET desired = 'RUNNING'");
    for (int i = 0; i < 3; i++) {
        char text[128];
        snprintf(text, sizeof(text), "SELECT cluster_touch(%s), access_touch(%s)", cluster_quote(1),
                 fixture_quote(fixture_id(PROJECT)));
        fixture_ask_on(tenant, text);
    }
    assert_int_equal(version_of(1) + version_of(2) + version_of(3), 3); /* not before it commits */
    fixture_ask_on(tenant, "COMMIT");
    assert_int_equal(version_of(1) + version_of(2) + version_of(3), 5);
    assert_string_equal(fixture_ask("SELECT goal_generation FROM cluster"), "4");
    assert_int_equal(wait_heard(2), 2);
    /* A task and its outcome, a member that goes. */
    int before = version_of(1) + version_of(2);
    fixture_ask(
        "INSERT INTO host_task (id, org_id, host_id, member_id, kind) SELECT %s, org_id, host_id, id, 'K' FROM cluster_member LIMIT 1",
        fixture_quote(fixture_id(1)));
    assert_int_equal(version_of(1) + version_of(2), before + 1);
    assert_string_equal(as(ORGANIZATION, "SELECT member_release(id) FROM cluster_member WHERE ordinal = 1"), "t");
    assert_int_equal(version_of(1) + version_of(2), before + 3); /* the other one has a peer less */
    /* What is rolled back is not told. */
    before = wait_heard(3);
    begin_on(tenant, ORGANIZATION);
    char text[128];
    snprintf(text, sizeof(text), "SELECT cluster_touch(%s)", cluster_quote(1));
    fixture_ask_on(tenant, text);
    fixture_ask_on(tenant, "ROLLBACK");
    usleep(200000);
    listener_free(listener);
    assert_string_equal(fixture_ask("SELECT count(*) FROM goal_touch"), "0");
}

/* ---- The goal itself ---- */
static json_t *
goal_of(int host)
{
    str text;
    assert_ok(store_host_goal(store, arena, fixture_id((uint32_t)(HOSTS + host)), STR("db.example.test"),
                              STR("[\"https://e:1\"]"), &text));
    json_t *goal = json_parse_own(arena, text);
    assert_non_null(goal);
    return goal;
}

static void
add_resource(const char *kind, int number, const char *document)
{
    fixture_ask("INSERT INTO resource (scope, kind, id, name, org_id, document) VALUES (%s, '%s', %s, 'n%d', %s, '%s')",
                fixture_quote(fixture_id(PROJECT)), kind, fixture_quote(fixture_id((uint32_t)(9000 + number))), number,
                fixture_quote(fixture_id(ORGANIZATION)), document);
}

static str
text_at(json_t *value, const char *path)
{
    str rest = str_from(path);
    while (rest.len > 0) {
        str step = str_cut(&rest, '/');
        int64_t index;
        value = str_to_int(step, 0, 1000, &index) ? json_array_get(value, (size_t)index)
                                                  : json_object_get(value, str_dup(arena, step).data);
    }
    return json_is_string(value) ? json_str(value) : value == NULL ? STR("(nothing)") : json_text(arena, value);
}
#define assert_at(value, path, expected) assert_string_equal(str_dup(arena, text_at((value), (path))).data, (expected))

static void
goal_says_what_the_contract_says(void **state)
{
    (void)state;
    clear();
    add_host(1, "a", 10, 3), add_host(2, "b", 10, 3);
    add_cluster(1, ORGANIZATION, PROJECT);
    place(ORGANIZATION, 1, 0), place(ORGANIZATION, 1, 1);
    json_t *goal = goal_of(1);
    assert_at(goal, "members", "[]");
    assert_at(goal, "clusters", "[]");
    add_resource(
        "databaseUser", 1,
        "{\"username\":\"app\",\"verifier\":\"SCRAM\",\"deleteAfterDate\":\"2027-01-01T00:00:00Z\",\"roles\":[{\"roleName\":"
        "\"readWrite\",\"databaseName\":\"shop\",\"collectionName\":\"orders\"}],\"scopes\":[{\"name\":\"c1\",\"type\":\"CLUSTER\"}]}");
    add_resource("databaseUser", 2, "{\"username\":\"elsewhere\",\"scopes\":[{\"name\":\"c2\",\"type\":\"CLUSTER\"}]}");
    add_resource("databaseUser", 3, "{\"username\":\"CN=ci\",\"x509Type\":\"MANAGED\"}");
    add_resource(
        "customRole", 4,
        "{\"roleName\":\"auditor\",\"actions\":[{\"action\":\"FIND\",\"resources\":[{\"db\":\"shop\",\"collection\":\"\"}]}],"
        "\"inheritedRoles\":[{\"role\":\"read\",\"db\":\"shop\"}]}");
    add_resource("accessListEntry", 5, "{\"cidrBlock\":\"203.0.113.0/24\"}");
    add_resource("accessListEntry", 6, "{\"ipAddress\":\"2001:db8::1\"}");
    fixture_ask("UPDATE project_access SET generation = 12, hash = 'p4ss1'");
    fixture_ask("UPDATE cluster_member SET desired = CASE WHEN ordinal = 0 THEN 'RUNNING' ELSE 'STOPPED' END");
    goal = goal_of(1);
    assert_at(goal, "hostName", "h1");
    assert_at(goal, "etcd/0", "https://e:1");
    assert_at(goal, "clusters/0/name", "c1");
    assert_at(goal, "clusters/0/accessGeneration", "12");
    assert_at(goal, "clusters/0/synchronous", "true");
    assert_at(goal, "clusters/0/peers/1/name", "aaaaa1-shard-00-01");
    assert_at(goal, "clusters/0/peers/1/address", "10.2.0.1");
    assert_at(goal, "clusters/0/peers/1/hostAddress", "10.0.0.2");
    assert_at(goal, "clusters/0/access/networks", "[\"203.0.113.0/24\",\"2001:db8::1/128\"]");
    assert_at(
        goal, "clusters/0/access/users/0",
        "{\"name\":\"app\",\"login\":\"SCRAM\",\"verifier\":\"SCRAM\",\"validUntil\":\"2027-01-01T00:00:00Z\",\"roles\":[{\"role\":"
        "\"readWrite\",\"database\":\"shop\",\"collection\":\"orders\"}]}");
    assert_at(goal, "clusters/0/access/users/1/login", "X509");
    assert_at(goal, "clusters/0/access/users/2", "(nothing)");
    assert_at(
        goal, "clusters/0/access/roles/0",
        "{\"name\":\"auditor\",\"privileges\":[{\"action\":\"FIND\",\"database\":\"shop\",\"collection\":\"\"}],\"inherits\":[{\"role\":"
        "\"read\",\"database\":\"shop\"}]}");
    assert_at(goal, "members/0/desired", "RUNNING");
    assert_at(goal, "members/0/address", "10.1.0.1");
    assert_at(goal, "members/0/prefix", "8");
    assert_at(
        goal, "members/0/names",
        "[\"aaaaa1-shard-00-00.p4ss1.db.example.test\",\"aaaaa1-shard-00-00-pri.p4ss1.db.example.test\",\"aaaaa1.p4ss1.db.example.test\"]");
    assert_at(goal, "members/1", "(nothing)");
    fixture_ask("DELETE FROM resource");
    /* A host that is gone has no goal. */
    str text;
    assert_ok(store_host_goal(store, arena, fixture_id(1), STR("d"), STR("[]"), &text));
    assert_int_equal(text.len, 0);
}

/* ---- Reports ---- */
static enum report_outcome
report(int host, int64_t epoch, const char *format, ...)
{
    char text[2048];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    struct tx *tx = NULL;
    enum report_outcome outcome;
    assert_ok(tx_begin_service(store, arena, &tx));
    assert_ok(store_host_report(tx, fixture_id((uint32_t)(HOSTS + host)), epoch, str_from(text), &outcome));
    assert_ok(tx_commit(tx));
    return outcome;
}

static void
report_changes_only_what_is_its_own(void **state)
{
    (void)state;
    clear();
    add_host(1, "a", 10, 3), add_host(2, "b", 10, 3);
    add_cluster(1, ORGANIZATION, PROJECT);
    char first[ID_DIGITS + 1], second[ID_DIGITS + 1];
    snprintf(first, sizeof(first), "%s", place(ORGANIZATION, 1, 0));
    snprintf(second, sizeof(second), "%s", place(ORGANIZATION, 1, 1));
    const char *format =
        "{\"version\":%d,\"facts\":{\"cpus\":4,\"strays\":[\"x.service\"]},\"tasks\":[],\"members\":[{\"id\":\"%s\",\"unit\":\"active\","
        "\"role\":\"PRIMARY\",\"running\":\"running\",\"timeline\":1,\"lagBytes\":5,\"version\":\"17.6\",\"goalGeneration\":%d,"
        "\"accessGeneration\":1,\"restartNonce\":7,\"pendingRestart\":true,\"problem\":null}]}";
    assert_int_equal(report(1, 1, format, 1, first, 1), REPORT_TAKEN);
    assert_string_equal(
        fixture_ask(
            "SELECT unit || role || running || timeline || lag_bytes || version || applied_goal || applied_access || "
            "applied_restart || pending_restart FROM cluster_member WHERE ordinal = 0"),
        "activePRIMARYrunning1517.6110true");
    assert_string_equal(fixture_ask("SELECT facts::text FROM host WHERE name = 'h1'"),
                        "{\"cpus\": 4, \"strays\": [\"x.service\"]}");
    assert_string_equal(fixture_ask("SELECT cpus FROM host WHERE name = 'h1'"), "10"); /* the operator's number stays */
    assert_int_equal(report(1, 1, format, 99, second, 1), REPORT_FOREIGN);
    assert_string_equal(fixture_ask("SELECT unit FROM cluster_member WHERE ordinal = 1"), "unknown");
    assert_string_equal(
        fixture_ask("SELECT seen_version = version FROM host JOIN host_goal_version ON host_id = id WHERE name = 'h1'"),
        "t");
    /* Epochs. */
    assert_int_equal(report(1, 2, format, 1, first, 1), REPORT_STALE);
    fixture_ask("UPDATE host SET epoch = 5 WHERE name = 'h1'");
    assert_int_equal(report(1, 1, format, 1, first, 1), REPORT_STALE);
    fixture_ask("UPDATE host SET state = 'REMOVED' WHERE name = 'h1'");
    assert_int_equal(report(1, 5, format, 1, first, 1), REPORT_STALE);
    assert_int_equal(report(77, 1, format, 1, first, 1), REPORT_STALE); /* nobody */
}

/* ---- Names ---- */
static void
names_are_seen_by_their_reader_and_nothing_else_is(void **state)
{
    (void)state;
    clear();
    add_cluster(1, ORGANIZATION, PROJECT);
    fixture_ask(
        "INSERT INTO dns_zone VALUES (1, 'db.example.test', '{ns1.example.test,ns2.example.test}', 'hostmaster.example.test') "
        "ON CONFLICT DO NOTHING");
    fixture_ask(
        "INSERT INTO dns_record (name, type, content, org_id, cluster_id) VALUES ('aaaaa1-shard-00-00.p4ss1.db.example.test', 'A', '10.0.0.1', %s, %s), "
        "('_postgresql._tcp.aaaaa1.p4ss1.db.example.test', 'SRV', '0 5 27017 aaaaa1-shard-00-00.p4ss1.db.example.test', %s, %s)",
        fixture_quote(fixture_id(ORGANIZATION)), cluster_quote(1), fixture_quote(fixture_id(ORGANIZATION)),
        cluster_quote(1));
    PGconn *dns = fixture_connect(fixture_super_dsn);
    fixture_ask_on(dns, "SET SESSION AUTHORIZATION reeve_dns"); /* as it logs in: its schema is found by its name */
    assert_string_equal(
        fixture_ask_on(
            dns, "SELECT content FROM records WHERE name = 'aaaaa1-shard-00-00.p4ss1.db.example.test' AND type = 'A'"),
        "10.0.0.1");
    assert_string_equal(fixture_ask_on(dns, "SELECT prio || '|' || content FROM records WHERE type = 'SRV'"),
                        "0|5 27017 aaaaa1-shard-00-00.p4ss1.db.example.test");
    assert_string_equal(
        fixture_ask_on(
            dns, "SELECT split_part(content, ' ', 1) FROM records WHERE type = 'SOA' AND name = 'db.example.test'"),
        "ns1.example.test");
    assert_string_equal(fixture_ask_on(dns, "SELECT count(*) FROM records WHERE type = 'NS'"), "2");
    assert_string_equal(
        fixture_ask_on(dns, "SELECT count(*) > 0 FROM records WHERE name = 'p4ss1.db.example.test' AND type IS NULL"),
        "t");
    assert_string_equal(fixture_ask_on(dns, "SELECT count(*) > 0 FROM records WHERE name = 'example.test'"), "f");
    PGresult *result = PQexec(dns, "SELECT * FROM public.dns_record");
    assert_string_equal(PQresultErrorField(result, PG_DIAG_SQLSTATE), "42501");
    PQclear(result);
    PQfinish(dns);
}

/* The same answers for everybody else, and the own ones again without the mode. Members with one address keep theirs. */
static void
private_ip_mode_changes_what_names_of_its_project_lead_to(void **state)
{
    (void)state;
    clear();
    add_cluster(1, ORGANIZATION, PROJECT);
    add_cluster(2, OTHER, OTHER + 1);
    fixture_ask(
        "INSERT INTO dns_record (name, type, content, org_id, cluster_id) SELECT r.name || '.p.d', r.type, r.content, c.org_id, c.id FROM cluster c, LATERAL (VALUES "
        "(set_name || '-shard-00-00', 'A', '198.51.100.1'), (set_name || '-shard-00-00-pri', 'A', '10.0.0.1'), "
        "(set_name || '-shard-00-01', 'A', '198.51.100.2'), (set_name || '-shard-00-01-pri', 'AAAA', 'fd00::2'), "
        "(set_name || '-shard-00-02', 'A', '198.51.100.3')) r (name, type, content)");
    static const struct {
        const char *change, *first, *second;
    } steps[] = {
        { "SELECT 1", "A198.51.100.1 A198.51.100.2 A198.51.100.3", "A198.51.100.1 A198.51.100.2 A198.51.100.3" },
        { "INSERT INTO resource (scope, kind, id, name, org_id, document) SELECT project_id, 'privateIpMode', id, '', org_id, '{\"enabled\": true}' FROM cluster WHERE set_name = 'aaaaa1'",
          "A10.0.0.1 AAAAfd00::2 A198.51.100.3", "A198.51.100.1 A198.51.100.2 A198.51.100.3" },
        { "UPDATE resource SET document = '{\"enabled\": false}' WHERE kind = 'privateIpMode'",
          "A198.51.100.1 A198.51.100.2 A198.51.100.3", "A198.51.100.1 A198.51.100.2 A198.51.100.3" },
    };
    for (size_t i = 0; i < LENGTH(steps); i++) {
        fixture_ask("%s", steps[i].change);
        for (int cluster = 1; cluster <= 2; cluster++) {
            assert_string_equal(
                fixture_ask(
                    "SELECT string_agg(type || content, ' ' ORDER BY name) FROM reeve_dns.records WHERE name ~ '^aaaaa%d-shard-00-0.\\.p\\.d'",
                    cluster),
                cluster == 1 ? steps[i].first : steps[i].second);
            assert_string_equal(
                fixture_ask(
                    "SELECT string_agg(type || content, ' ' ORDER BY name) FROM reeve_dns.records WHERE name ~ '^aaaaa%d-.*-pri'",
                    cluster),
                "A10.0.0.1 AAAAfd00::2");
        }
    }
    fixture_ask("DELETE FROM resource WHERE kind = 'privateIpMode'");
}

#define KINDS_OF_STRINGS \
    "SELECT string_agg(k, ' ' ORDER BY k) FROM cluster, jsonb_object_keys(cluster_connection_strings(id)) k WHERE set_name = 'aaaaa%d'"

/* Strings with private names are for the project that asked for them, and say the same as the others; so do those for reading. */
static void
strings_follow_what_a_project_asked_for(void **state)
{
    (void)state;
    clear();
    add_cluster(1, ORGANIZATION, PROJECT);
    add_cluster(2, OTHER, OTHER + 1);
    fixture_ask("UPDATE cluster SET host_label = 'read-write-aaaaa1', pooling = true WHERE set_name = 'aaaaa1'");
    fixture_ask(
        "INSERT INTO dns_record (name, type, content, org_id, cluster_id) SELECT r.name || '.p.d', r.type, r.content, c.org_id, c.id FROM cluster c, LATERAL (VALUES "
        "(member_name(set_name, host_label, 0), 'A', '198.51.100.1'), (member_name(set_name, host_label, 0) || '-pri', 'A', '10.0.0.1'), "
        "('_postgresql._tcp.' || coalesce(host_label, set_name) || '-pri', 'SRV', '0 0 1 x')) r (name, type, content)");
    const char *usual = "drivers privateEndpoint readOnly readOnlyDrivers standard";
    assert_string_equal(fixture_ask(KINDS_OF_STRINGS, 2), usual);
    assert_string_equal(fixture_ask(KINDS_OF_STRINGS, 1),
                        "drivers pooled pooledDrivers privateEndpoint readOnly readOnlyDrivers standard");
    fixture_ask(
        "INSERT INTO resource (scope, kind, id, name, org_id, document) SELECT project_id, 'customDns', id, '', org_id, '{\"enabled\": true}' FROM cluster WHERE set_name = 'aaaaa1'");
    assert_string_equal(fixture_ask(KINDS_OF_STRINGS, 2), usual);
    assert_string_equal(
        fixture_ask(KINDS_OF_STRINGS, 1),
        "drivers pooled pooledDrivers private privateDrivers privateEndpoint privatePooled privatePooledDrivers privateReadOnly privateReadOnlyDrivers privateSrv "
        "readOnly readOnlyDrivers standard");
    static const struct {
        const char *path, *text;
    } rows[] = {
        { "readOnly",
          "postgresql://<DB_USER>:<DB_PASSWORD>@read-write-aaaaa1-1.p.d:27017/postgres?target_session_attrs=prefer-standby&sslmode=verify-full" },
        { "privateReadOnly",
          "postgresql://<DB_USER>:<DB_PASSWORD>@read-write-aaaaa1-1-pri.p.d:27017/postgres?target_session_attrs=prefer-standby&sslmode=verify-full" },
        { "readOnlyDrivers,jdbc",
          "jdbc:postgresql://read-write-aaaaa1-1.p.d:27017/postgres?user=<DB_USER>&password=<DB_PASSWORD>&targetServerType=preferSecondary&" },
        { "readOnlyDrivers,npgsql",
          "Host=read-write-aaaaa1-1.p.d:27017;Database=postgres;Username=<DB_USER>;Password=<DB_PASSWORD>;Target Session Attributes=prefer-standby;" },
        { "private",
          "postgresql://<DB_USER>:<DB_PASSWORD>@read-write-aaaaa1-1-pri.p.d:27017/postgres?target_session_attrs=read-write&sslmode=verify-full" },
    };
    for (size_t i = 0; i < LENGTH(rows); i++)
        assert_string_equal(
            fixture_ask(
                "SELECT left(cluster_connection_strings(id) #>> '{%s}', %zu) FROM cluster WHERE set_name = 'aaaaa1'",
                rows[i].path, strlen(rows[i].text)),
            rows[i].text);
    /* Members for analytics are in strings of their own, and in no other. */
    char others[512];
    snprintf(others, sizeof(others), "%s", fixture_ask(KINDS_OF_STRINGS, 1));
    add_host(1, "a", 10, 4);
    as(ORGANIZATION, "SELECT encode(member_place(%s, 1, 'P', 'R', 'S', 0, false, 0, true), 'hex')", cluster_quote(1));
    assert_string_equal(fixture_ask(KINDS_OF_STRINGS, 1), others); /* it has no names yet */
    fixture_ask(
        "INSERT INTO dns_record (name, type, content, org_id, cluster_id) SELECT member_name(set_name, host_label, 1) || suffix || '.p.d', 'A', address, org_id, id "
        "FROM cluster, (VALUES ('', '198.51.100.2'), ('-pri', '10.0.0.2')) v (suffix, address) WHERE set_name = 'aaaaa1'");
    assert_string_equal(
        fixture_ask(
            "SELECT string_agg(k, ' ' ORDER BY k) FROM cluster c, jsonb_each_text(cluster_connection_strings(id)) s (k, v) WHERE set_name = 'aaaaa1' AND v LIKE '%%aaaaa1-2%%'"),
        "analytics analyticsDrivers privateAnalytics privateAnalyticsDrivers");
    static const struct {
        const char *path, *text;
    } analytics[] = {
        { "analytics",
          "postgresql://<DB_USER>:<DB_PASSWORD>@read-write-aaaaa1-2.p.d:27017/postgres?target_session_attrs=standby&sslmode=verify-full" },
        { "privateAnalytics",
          "postgresql://<DB_USER>:<DB_PASSWORD>@read-write-aaaaa1-2-pri.p.d:27017/postgres?target_session_attrs=standby&sslmode=verify-full" },
        { "analyticsDrivers,jdbc",
          "jdbc:postgresql://read-write-aaaaa1-2.p.d:27017/postgres?user=<DB_USER>&password=<DB_PASSWORD>&targetServerType=secondary&" },
    };
    for (size_t i = 0; i < LENGTH(analytics); i++)
        assert_string_equal(
            fixture_ask(
                "SELECT left(cluster_connection_strings(id) #>> '{%s}', %zu) FROM cluster WHERE set_name = 'aaaaa1'",
                analytics[i].path, strlen(analytics[i].text)),
            analytics[i].text);
    fixture_ask("UPDATE resource SET document = '{\"enabled\": false}' WHERE kind = 'customDns'");
    assert_string_equal(
        fixture_ask(
            "SELECT count(*) FROM cluster, jsonb_object_keys(cluster_connection_strings(id)) k WHERE k ~ '^private' AND k <> 'privateEndpoint'"),
        "0");
    fixture_ask("DELETE FROM resource WHERE kind = 'customDns'");
}

/* Of a statement; empty: it was carried out. */
static const char *
sqlstate_of(const char *statement)
{
    static char code[8];
    PGconn *connection = fixture_connect(fixture_super_dsn);
    PGresult *result = PQexec(connection, statement);
    const char *said = PQresultErrorField(result, PG_DIAG_SQLSTATE);
    snprintf(code, sizeof(code), "%s", said == NULL ? "" : said);
    PQclear(result);
    PQfinish(connection);
    return code;
}

/* What a tenant would have to get into a row to have names of others, or none that is valid. */
static void
labels_of_clusters_end_with_what_is_theirs_alone(void **state)
{
    (void)state;
    clear();
    add_cluster(1, ORGANIZATION, PROJECT);
    static const char *const wrong[] = {
        "orders",        "orders-1",        "ns1",        "aaaaa2",
        "orders-aaaaa2", "ordersaaaaa1",    "aaaaa1-1",   "_acme-challenge",
        "-aaaaa1",       "a--aaaaa1",       "xn--aaaaa1", "Orders-aaaaa1",
        "a.b-aaaaa1",    "*-aaaaa1",        "",           "orders-aaaaa1\n",
        "a_b-aaaaa1",    "orders-aaaaa1-1", "aaaaa1-",    "abcdefghijklmnopqrstuvwxy-aaaaa1", /* one letter too many */
    };
    static const char *const right[] = { "aaaaa1", "orders-aaaaa1", "a-b-aaaaa1", "abcdefghijklmnopqrstuvwx-aaaaa1" };
    for (size_t i = 0; i < LENGTH(wrong) + LENGTH(right); i++) {
        bool is_right = i >= LENGTH(wrong);
        const char *label = is_right ? right[i - LENGTH(wrong)] : wrong[i];
        char text[256];
        snprintf(text, sizeof(text), "UPDATE cluster SET host_label = '%s'", label);
        assert_string_equal(sqlstate_of(text), is_right ? "" : "23514");
    }
    assert_string_equal(sqlstate_of("UPDATE cluster SET port = 6432"), "23514"); /* the pooler's */
    assert_string_equal(sqlstate_of("UPDATE cluster SET port = 432"), "23514");
}

/* Whoever writes them: a worker of the version before does not know the names of newer clusters. */
static void
clusters_have_records_of_their_own_names_only(void **state)
{
    (void)state;
    clear();
    add_cluster(1, ORGANIZATION, PROJECT);
    add_cluster(2, ORGANIZATION, PROJECT);
    fixture_ask("UPDATE cluster SET host_label = 'orders-aaaaa2', port = 5432 WHERE set_name = 'aaaaa2'");
    static const struct {
        int cluster;
        const char *name, *type;
        bool is_own;
    } rows[] = {
        { 1, "aaaaa1-shard-00-00.p4ss1.db.example.test", "A", true },
        { 1, "aaaaa1-shard-00-00-pri.p4ss1.db.example.test", "AAAA", true },
        { 1, "_postgresql._tcp.aaaaa1.p4ss1.db.example.test", "SRV", true },
        { 1, "_postgresql._tcp.aaaaa1-pri.p4ss1.db.example.test", "SRV", true },
        { 1, "aaaaa1-1.p4ss1.db.example.test", "A", false },
        { 2, "orders-aaaaa2-1.p4ss1.db.example.test", "A", true },
        { 2, "orders-aaaaa2-12-pri.p4ss1.db.example.test", "A", true },
        { 2, "_postgresql._tcp.orders-aaaaa2.p4ss1.db.example.test", "SRV", true },
        { 2, "aaaaa2-shard-00-00.p4ss1.db.example.test", "A", false },
        { 2, "_postgresql._tcp.aaaaa2.p4ss1.db.example.test", "SRV", false },
        { 2, "aaaaa1-shard-00-00.p4ss1.db.example.test", "A", false },
        { 2, "orders-aaaaa1-1.p4ss1.db.example.test", "A", false },
        { 2, "x.orders-aaaaa2-1.p4ss1.db.example.test", "A", false },
        { 2, "ns1.db.example.test", "A", false },
        { 2, "db.example.test", "TXT", false },
        { 2, "_acme-challenge.orders-aaaaa2.p4ss1.db.example.test", "TXT", false },
    };
    for (size_t i = 0; i < LENGTH(rows); i++) {
        char text[512];
        snprintf(text, sizeof(text),
                 "INSERT INTO dns_record (name, type, content, org_id, cluster_id) VALUES ('%s', '%s', 'x', %s, %s)",
                 rows[i].name, rows[i].type, fixture_quote(fixture_id(ORGANIZATION)), cluster_quote(rows[i].cluster));
        if (strcmp(sqlstate_of(text), rows[i].is_own ? "" : "23514") != 0)
            fail_msg("%s of cluster %d", rows[i].name, rows[i].cluster);
    }
}

/* Strings, processes, names in certificates and goals: each is what the row says, and functions of the version before say the same. */
static void
clusters_keep_the_names_and_ports_that_they_were_made_with(void **state)
{
    (void)state;
    clear();
    add_cluster(1, ORGANIZATION, PROJECT);
    add_cluster(2, ORGANIZATION, PROJECT);
    fixture_ask(
        "UPDATE cluster SET host_label = 'orders-aaaaa2', port = 5433, pooler_port = 6433 WHERE set_name = 'aaaaa2'");
    fixture_ask("UPDATE cluster SET pooling = true");
    static const struct {
        const char *question, *was, *is;
    } rows[] = {
        { "member_name(c.set_name, c.host_label, 0)", "aaaaa1-shard-00-00", "orders-aaaaa2-1" },
        { "member_name(c.set_name, 11)", "aaaaa1-shard-00-11", "orders-aaaaa2-12" },
        { "array_to_string(member_host_names(c.set_name, 1, 'p', 'd'), ' ')",
          "aaaaa1-shard-00-01.p.d aaaaa1-shard-00-01-pri.p.d aaaaa1.p.d",
          "orders-aaaaa2-2.p.d orders-aaaaa2-2-pri.p.d orders-aaaaa2.p.d" },
        { "c.port || ' ' || c.pooler_port", "27017 6432", "5433 6433" },
        { "left(cluster_connection_strings(c.id) ->> 'standard', 62)",
          "postgresql://<DB_USER>:<DB_PASSWORD>@aaaaa1-shard-00-00.p.d:27",
          "postgresql://<DB_USER>:<DB_PASSWORD>@orders-aaaaa2-1.p.d:5433/" },
        { "substring(cluster_connection_strings(c.id) ->> 'standard' FROM '.p.d:([0-9]+)/')", "27017", "5433" },
        { "substring(cluster_connection_strings(c.id) ->> 'pooled' FROM '.p.d:([0-9]+)/')", "6432", "6433" },
        { "pooling_document(c.id)::json ->> 'port'", "6432", "6433" },
    };
    fixture_ask(
        "INSERT INTO dns_record (name, type, content, org_id, cluster_id) SELECT member_name(set_name, host_label, 0) || '.p.d', 'A', "
        "'10.0.0.1', org_id, id FROM cluster");
    for (size_t i = 0; i < LENGTH(rows); i++) {
        assert_string_equal(fixture_ask("SELECT %s FROM cluster c WHERE set_name = 'aaaaa1'", rows[i].question),
                            rows[i].was);
        assert_string_equal(fixture_ask("SELECT %s FROM cluster c WHERE set_name = 'aaaaa2'", rows[i].question),
                            rows[i].is);
    }
}

/* ---- Size ---- */
static double
cpu_seconds(const char *backend)
{
    char path[64], line[1024];
    long user = 0, kernel = 0;
    snprintf(path, sizeof(path), "/proc/%s/stat", backend);
    FILE *file = fopen(path, "re");
    if (file == NULL || fgets(line, sizeof(line), file) == NULL)
        fail_msg("%s cannot be read", path);
    (void)fclose(file);
    if (sscanf(strrchr(line, ')') + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %ld %ld", &user, &kernel) != 2)
        fail_msg("%s looks different here", path);
    return (double)(user + kernel) / (double)sysconf(_SC_CLK_TCK);
}

/* Of so many goals of the first host, in seconds of a processor: the machine may be busy with other tests. */
static double
cost_of_goals(PGconn *reader, const char *backend, int times, const char *members)
{
    double before = cpu_seconds(backend);
    for (int i = 0; i < times; i++)
        assert_string_equal(
            fixture_ask_on(
                reader, "SELECT json_array_length(host_goal('\\x660000000000000000000001', 'd', '[]') -> 'members')"),
            members);
    return cpu_seconds(backend) - before;
}

static void
goal_of_four_times_as_many_members_takes_not_much_more_than_four_times_as_long(void **state)
{
    (void)state;
    clear();
    fixture_ask(
        "INSERT INTO host (id, name, provider, region, zone, cpus, memory_mb, disk_gb, address) SELECT decode('66' || lpad(to_hex(n), 22, "
        "'0'), 'hex'), 'b' || n, 'P', 'R', 'z' || n, 100000, 1000000, 1000000, '10.0.0.1'::inet + n FROM generate_series(1, 2) n");
    fixture_ask(
        "INSERT INTO host_address (address, prefix, host_id) SELECT host(h.address + 1000 * n + 70000 * ascii(right(h.name, 1)))::inet, 8, h.id "
        "FROM host h, generate_series(1, 1000) n");
    fixture_ask(
        "INSERT INTO project (id, org_id, name) SELECT decode('67' || lpad(to_hex(n), 22, '0'), 'hex'), %s, 'p' || n FROM "
        "generate_series(1, 1000) n",
        fixture_quote(fixture_id(ORGANIZATION)));
    fixture_ask(
        "INSERT INTO cluster (id, org_id, project_id, name, set_name, major_version) SELECT decode('68' || lpad(to_hex(n), 22, '0'), "
        "'hex'), %s, decode('67' || lpad(to_hex(n), 22, '0'), 'hex'), 'c', lpad(to_hex(n), 6, '0'), '17' FROM generate_series(1, 1000) n",
        fixture_quote(fixture_id(ORGANIZATION)));
    fixture_ask(
        "INSERT INTO resource (scope, kind, id, name, org_id, document) SELECT p.id, k.kind, decode(lpad(to_hex(i), 24, '0'), 'hex'), "
        "'n' || i, p.org_id, jsonb_build_object('username', 'u' || i, 'cidrBlock', '10.0.0.0/8', 'roleName', 'r') FROM project p, "
        "unnest('{databaseUser,accessListEntry,customRole}'::text[]) k(kind), generate_series(1, 3) i WHERE p.name LIKE 'p%%'");
    begin_on(fixture_owner, 0);
    fixture_ask("SELECT count(member_place(id, o, 'P', 'R', 'S', 1, true, 7)) FROM cluster, generate_series(0, 1) o");
    fixture_ask("UPDATE cluster_member SET desired = 'RUNNING'");
    fixture_ask("COMMIT");
    fixture_ask("ANALYZE cluster, cluster_member, host_address, resource, project_access");
    assert_string_equal(
        fixture_ask("SELECT count(*) FROM cluster_member WHERE host_id = '\\x660000000000000000000001'"), "1000");
    PGconn *reader = fixture_connect(fixture_dsn);
    fixture_ask_on(reader, "SET ROLE reeve_reader");
    char backend[32];
    snprintf(backend, sizeof(backend), "%s", fixture_ask_on(reader, "SELECT pg_backend_pid()"));
    cost_of_goals(reader, backend, 1, "1000"); /* plans are made */
    double whole = cost_of_goals(reader, backend, 1, "1000");
    fixture_ask(
        "UPDATE host_address SET member_id = NULL WHERE member_id IN (SELECT id FROM cluster_member WHERE cluster_id > "
        "'\\x6800000000000000000000fa')");
    fixture_ask("DELETE FROM cluster_member WHERE cluster_id > '\\x6800000000000000000000fa'");
    double quarter = cost_of_goals(reader, backend, 4, "250") / 4;
    print_message("goal of 1,000 members: %.2f s of a processor, of 250: %.3f s\n", whole, quarter);
    assert_true(whole < 8 * quarter);
    PQfinish(reader);
}

/* S3: no member may refuse another while a cluster moves over, so the next phase begins when every one has reached the last. */
static void
walls_go_up_when_every_member_is_ready(void **state)
{
    (void)state;
    clear();
    add_host(1, "a", 10, 3), add_host(2, "b", 10, 3);
    add_cluster(1, ORGANIZATION, PROJECT);
    place(ORGANIZATION, 1, 0), place(ORGANIZATION, 1, 1);
    fixture_ask("UPDATE cluster_member SET desired = 'RUNNING', reported_at = now()");
    static const struct {
        const char *first, *second; /* what the agents of the two hosts say; NULL: agents from before */
        const char *phase;
    } rows[] = {
        { NULL, NULL, "PREPARE" },          { "PREPARE", NULL, "PREPARE" },    { "PREPARE", "", "PREPARE" },
        { "PREPARE", "PREPARE", "CHANGE" }, { "CHANGE", "PREPARE", "CHANGE" }, { "CHANGE", "CHANGE", "CLOSED" },
        { "CLOSED", "CHANGE", "CLOSED" },   { "CLOSED", "CLOSED", "CLOSED" },  { "CLOSED", NULL, "PREPARE" },
    };
    for (size_t i = 0; i < LENGTH(rows); i++) {
        const char *said[] = { rows[i].first, rows[i].second };
        for (int ordinal = 0; ordinal < 2; ordinal++) {
            if (said[ordinal] == NULL)
                fixture_ask(
                    "UPDATE host h SET facts = '{}' FROM cluster_member m WHERE m.host_id = h.id AND m.ordinal = %d",
                    ordinal);
            else
                fixture_ask(
                    "UPDATE host h SET facts = jsonb_build_object('walls', jsonb_build_array(encode(m.id, 'hex') || '=%s')) "
                    "FROM cluster_member m WHERE m.host_id = h.id AND m.ordinal = %d",
                    said[ordinal], ordinal);
        }
        const char *phase = fixture_ask("SELECT coalesce((SELECT phase FROM cluster_walls), 'PREPARE')");
        if (strcmp(phase, rows[i].phase) != 0)
            fail_msg("row %zu: %s", i, phase);
    }
    /* Agents that know it, and nothing that ran before: closed from the beginning. */
    fixture_ask("UPDATE host SET facts = '{\"walls\": []}'");
    add_cluster(2, ORGANIZATION, PROJECT);
    place(ORGANIZATION, 2, 0), place(ORGANIZATION, 2, 1);
    assert_string_equal(
        fixture_ask(
            "SELECT w.phase FROM cluster_walls w JOIN cluster_member m USING (cluster_id) WHERE m.reported_at IS NULL LIMIT 1"),
        "CLOSED");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(members_are_spread_over_zones_then_hosts),
        cmocka_unit_test(placing_again_is_the_same_member),
        cmocka_unit_test(emptiest_host_comes_first_and_a_full_one_never),
        cmocka_unit_test(members_get_addresses_of_their_projects_container_and_of_no_other),
        cmocka_unit_test(container_is_about_private_addresses),
        cmocka_unit_test(container_needs_addresses_that_nobody_else_needs),
        cmocka_unit_test(containers_of_all_projects_are_apart),
        cmocka_unit_test(container_is_held_by_members_of_its_project),
        cmocka_unit_test(silent_and_draining_hosts_are_avoided),
        cmocka_unit_test(placing_and_releasing_are_for_the_own_organization),
        cmocka_unit_test(concurrent_changes_do_not_wait_in_a_circle),
        cmocka_unit_test(goals_move_once_a_transaction_and_are_told),
        cmocka_unit_test(goal_says_what_the_contract_says),
        cmocka_unit_test(report_changes_only_what_is_its_own),
        cmocka_unit_test(names_are_seen_by_their_reader_and_nothing_else_is),
        cmocka_unit_test(private_ip_mode_changes_what_names_of_its_project_lead_to),
        cmocka_unit_test(strings_follow_what_a_project_asked_for),
        cmocka_unit_test(labels_of_clusters_end_with_what_is_theirs_alone),
        cmocka_unit_test(clusters_have_records_of_their_own_names_only),
        cmocka_unit_test(clusters_keep_the_names_and_ports_that_they_were_made_with),
        cmocka_unit_test(goal_of_four_times_as_many_members_takes_not_much_more_than_four_times_as_long),
        cmocka_unit_test(walls_go_up_when_every_member_is_ready),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
