/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

#include <stdio.h>
#include <time.h>

#include "base/json.h"
#include "wire/goal.h"
#include "wire/goal_diff.h"

enum { ARENA_BYTES = 256 * 1024 * 1024 };

#define CLUSTER                                                                                                                   \
    "{\"id\":\"0000000000000000000000c1\",\"projectId\":\"0000000000000000000000f1\",\"name\":\"orders\",\"scope\":\"k3x9aq\","   \
    "\"majorVersion\":\"17\",\"goalGeneration\":5,\"accessGeneration\":12,\"synchronous\":true,"                                  \
    "\"parameters\":{\"max_connections\":\"100\",\"shared_buffers\":\"32MB\"},"                                                   \
    "\"peers\":[{\"memberId\":\"0000000000000000000000a1\",\"name\":\"k3x9aq-shard-00-00\",\"address\":\"10.78.1.5\","            \
    "\"hostAddress\":\"10.78.0.11\"}],"                                                                                           \
    "\"access\":{\"networks\":[\"203.0.113.0/24\"],\"authorities\":\"\",\"ldap\":null,\"roles\":[],"                              \
    "\"users\":[{\"name\":\"app\\u00e9\\ud83d\\ude00\",\"login\":\"SCRAM\",\"verifier\":\"SCRAM-SHA-256$x\",\"validUntil\":null," \
    "\"roles\":[{\"role\":\"readWrite\",\"database\":\"shop\",\"collection\":\"orders\"}]}]}}"
#define MEMBER                                                                                                                       \
    "{\"id\":\"0000000000000000000000a1\",\"clusterId\":\"0000000000000000000000c1\",\"name\":\"k3x9aq-shard-00-00\",\"ordinal\":0," \
    "\"address\":\"10.78.1.5\",\"prefix\":16,\"port\":27017,\"desired\":\"RUNNING\",\"cpus\":0.5,\"memoryMb\":256,\"diskGb\":10,"    \
    "\"electable\":true,\"priority\":7,\"restartNonce\":0,\"names\":[\"a.example.test\",\"b.example.test\"]}"
#define TASK \
    "{\"id\":\"0000000000000000000000b1\",\"memberId\":\"0000000000000000000000a1\",\"kind\":\"SWITCHOVER\",\"parameters\":{\"a\":[1,{}]}}"
#define GOAL(clusters, members, tasks)                                                                              \
    "{\"version\":42,\"epoch\":3,\"hostId\":\"0000000000000000000000d1\",\"hostName\":\"h1\","                      \
    "\"etcd\":[\"https://10.78.0.2:2379\"],\"authority\":\"PEM\",\"clusters\":[" clusters "],\"members\":[" members \
    "],\"tasks\":[" tasks "],\"somethingNew\":{\"a\":[true,null,-1.5e3,\"x\"]}}"

static struct goal
parse(struct arena *arena, const char *text)
{
    struct goal goal;
    error why = goal_parse(arena, str_from(text), &goal);
    if (why != OK)
        fail_msg("refused: %s", why->detail.data);
    return goal;
}

static void
the_documented_example_is_read_whole(void **state)
{
    (void)state;
    struct arena *arena = arena_new(ARENA_BYTES);
    struct goal goal = parse(arena, GOAL(CLUSTER, MEMBER, TASK));
    assert_int_equal(goal.version, 42);
    assert_int_equal(goal.epoch, 3);
    assert_string_equal(goal.host_name.data, "h1");
    assert_int_equal(goal.etcd.count, 1);
    const struct goal_member *member = &goal.members.items[0];
    const struct goal_cluster *cluster = goal_find_cluster(&goal, member->cluster);
    assert_non_null(cluster);
    assert_string_equal(cluster->scope.data, "k3x9aq");
    assert_int_equal(cluster->parameters.count, 2);
    assert_string_equal(cluster->parameters.items[1].value.data, "32MB");
    assert_string_equal(cluster->peers.items[0].host_address.data, "10.78.0.11");
    const struct goal_user *user = &cluster->access.users.items[0];
    assert_string_equal(user->name.data, "app\xc3\xa9\xf0\x9f\x98\x80");
    assert_int_equal(user->login, LOGIN_SCRAM);
    assert_int_equal(user->valid_until.len, 0);
    assert_string_equal(user->roles.items[0].collection.data, "orders");
    assert_int_equal(member->desired, DESIRED_RUNNING);
    assert_true(member->cpus == 0.5);
    assert_true(member->electable && member->port == 27017 && member->prefix == 16 && member->priority == 7);
    assert_string_equal(member->names.items[1].data, "b.example.test");
    assert_int_equal(goal.tasks.items[0].kind, TASK_SWITCHOVER);
    assert_string_equal(goal.tasks.items[0].parameters.data, "{\"a\":[1,{}]}");
    assert_ptr_equal(goal_find_member(&goal, member->id), member);
    arena_free(arena);
}

static void
what_is_recorded_and_a_directory_are_read(void **state)
{
    (void)state;
    struct arena *arena = arena_new(ARENA_BYTES);
    static const char whole[] = GOAL(CLUSTER, MEMBER, TASK), from[] = "\"ldap\":null";
    const char *place = strstr(whole, from);
    str text =
        str_format(arena,
                   "%.*s\"audit\":{\"classes\":[\"READ\",\"DDL\"],\"users\":[\"app\"],\"logins\":true},"
                   "\"ldap\":{\"hostname\":\"2001:db8::5\",\"port\":636,\"base\":\"dc=org\",\"bindPassword\":\"x\"}%s",
                   (int)(place - whole), whole, place + strlen(from));
    struct goal goal = parse(arena, text.data), none = parse(arena, whole);
    const struct goal_access *access = &goal.clusters.items[0].access;
    assert_int_equal(access->audit.classes.count, 2);
    assert_string_equal(access->audit.users.items[0].data, "app");
    assert_true(access->audit.logins && !access->audit.catalog);
    assert_string_equal(access->ldap.hostname.data, "2001:db8::5");
    assert_string_equal(access->ldap.bind_password.data, "x");
    assert_int_equal(none.clusters.items[0].access.audit.classes.count, 0);
    assert_int_equal(none.clusters.items[0].access.ldap.hostname.len, 0);
    assert_false(wire_equal(&goal_cluster_shape, &goal.clusters.items[0], &none.clusters.items[0]));
    arena_free(arena);
}

#define LOGS                                                                                                           \
    "\"logs\":{\"networks\":[\"10.0.0.0/8\"],\"authority\":\"PEM\",\"targets\":[{\"id\":\"0000000000000000000000e1\"," \
    "\"projectId\":\"0000000000000000000000f1\",\"form\":\"EVENTS\",\"url\":\"https://a.example/\",\"relayed\":false," \
    "\"headers\":{\"Authorization\":\"x\"},\"logs\":[\"POSTGRES\"]},{\"id\":\"0000000000000000000000e2\","             \
    "\"projectId\":\"0000000000000000000000f1\",\"form\":\"PIGEONS\",\"url\":\"https://b.example/\",\"logs\":[]}]},"

static void
where_logs_go_is_read_and_a_form_of_a_newer_control_plane_is_none(void **state)
{
    (void)state;
    struct arena *arena = arena_new(ARENA_BYTES);
    str whole = str_from(GOAL(CLUSTER, MEMBER, TASK));
    str text = str_format(arena, "{%s%s", LOGS, whole.data + 1);
    struct goal goal = parse(arena, text.data);
    assert_int_equal(goal.logs.targets.count, 2);
    assert_string_equal(goal.logs.authority.data, "PEM");
    assert_int_equal(goal.logs.targets.items[0].form, LOG_FORM_EVENTS);
    assert_string_equal(goal.logs.targets.items[0].headers.items[0].value.data, "x");
    assert_string_equal(goal.logs.targets.items[0].logs.items[0].data, "POSTGRES");
    assert_int_equal(goal.logs.targets.items[1].form, LOG_FORM_UNKNOWN);
    struct goal ignored;
    char *network = strstr(text.data, "10.0.0.0/8");
    network[0] = 'x';
    assert_true(goal_parse(arena, text, &ignored) != OK);
    assert_int_equal(parse(arena, whole.data).logs.targets.count, 0);
    arena_free(arena);
}

#define SEAT                                                                                                                                                                                                                     \
    "{\"id\":\"0000000000000000000000e5\",\"stanza\":\"k3x9aq-1\",\"clusterId\":\"0000000000000000000000c1\",\"scope\":\"k3x9aq\","                                                                                              \
    "\"majorVersion\":\"17\",\"ordinal\":0,\"desired\":\"RUNNING\",\"cipherPass\":\"secret\",\"clusterAuthority\":\"PEM\",\"store\":null,"                                                                                       \
    "\"members\":[{\"id\":\"0000000000000000000000a1\",\"name\":\"k3x9aq-shard-00-00\",\"address\":\"10.78.1.5\",\"port\":27017,"                                                                                                \
    "\"backupPort\":27018}],\"schedule\":{\"referenceHour\":3,\"referenceMinute\":17,\"windowDays\":2,"                                                                                                                          \
    "\"items\":[{\"id\":\"0000000000000000000000e6\",\"frequency\":\"hourly\",\"interval\":6,\"retentionUnit\":\"days\","                                                                                                        \
    "\"retentionValue\":2},{\"id\":\"0000000000000000000000ed\",\"frequency\":\"daily\",\"interval\":1,\"retentionUnit\":\"days\",\"retentionValue\":7,\"isLeftOut\":true}],\"isWalLeftOut\":true,\"extraDays\":{\"daily\":3}}," \
    "\"wanted\":[{\"snapshotId\":\"0000000000000000000000e7\",\"type\":\"FULL\",\"expiresAt\":\"2026-11-20T00:00:00Z\"}],"                                                                                                       \
    "\"protect\":[{\"snapshotId\":\"0000000000000000000000e8\",\"until\":\"2027-11-20T00:00:00Z\"}],"                                                                                                                            \
    "\"remove\":[{\"snapshotId\":\"0000000000000000000000e9\",\"label\":\"20261116-031700F_20261116-091700I\"}],"                                                                                                                \
    "\"drill\":{\"id\":\"0000000000000000000000ea\",\"limitSeconds\":600,\"assertionSeconds\":60,"                                                                                                                               \
    "\"assertions\":[{\"name\":\"n\",\"database\":\"shop\",\"sql\":\"SELECT true\"}]},"                                                                                                                                          \
    "\"export\":{\"id\":\"0000000000000000000000eb\",\"limitSeconds\":900,\"snapshotId\":\"0000000000000000000000e7\","                                                                                                          \
    "\"snapshotAt\":\"2026-11-17T08:00:00Z\",\"label\":\"20261117-080000F\",\"clusterName\":\"orders\","                                                                                                                         \
    "\"customData\":[{\"key\":\"ticket\",\"value\":\"4711\"}],\"serviceUrl\":\"https://objects.example.org\",\"bucket\":\"exports\","                                                                                            \
    "\"region\":\"us-east-1\",\"prefix\":\"exported_snapshots/a/b\",\"format\":\"CSV\",\"key\":\"k\",\"secretKey\":\"s\",\"networks\":[\"10.9.0.0/16\"]},"                                                                       \
    "\"download\":{\"id\":\"0000000000000000000000ec\",\"desired\":\"SERVED\",\"label\":\"20261116-031700F\",\"port\":27200,"                                                                                                    \
    "\"limitSeconds\":700}}"

static str
goal_with_seats(struct arena *arena, const char *seats)
{
    str whole = str_from(GOAL(CLUSTER, MEMBER, TASK));
    return str_format(arena, "{\"seats\":[%s],%s", seats, whole.data + 1);
}

static void
seats_of_a_repository_host_are_read(void **state)
{
    (void)state;
    struct arena *arena = arena_new(ARENA_BYTES);
    struct goal goal = parse(arena, goal_with_seats(arena, SEAT).data);
    assert_int_equal(goal.seats.count, 1);
    const struct goal_seat *seat = &goal.seats.items[0];
    assert_ptr_equal(goal_find_seat(&goal, seat->id), seat);
    assert_string_equal(seat->stanza.data, "k3x9aq-1");
    assert_int_equal(seat->desired, SEAT_RUNNING);
    assert_int_equal(seat->store.endpoint.len, 0);
    assert_int_equal(seat->members.items[0].backup_port, 27018);
    assert_int_equal(seat->schedule.items.items[0].interval, 6);
    assert_int_equal(seat->schedule.extra_days.daily, 3);
    assert_false(seat->schedule.items.items[0].is_left_out);
    assert_true(seat->schedule.items.items[1].is_left_out);
    assert_true(seat->schedule.is_wal_left_out);
    assert_string_equal(seat->wanted.items[0].type.data, "FULL");
    assert_string_equal(seat->protect.items[0].until.data, "2027-11-20T00:00:00Z");
    assert_string_equal(seat->remove.items[0].label.data, "20261116-031700F_20261116-091700I");
    assert_true(id_is_there(seat->drill.id));
    assert_int_equal(seat->drill.limit_seconds, 600);
    assert_string_equal(seat->drill.assertions.items[0].sql.data, "SELECT true");
    assert_true(id_is_there(seat->export_job.id));
    assert_string_equal(seat->export_job.prefix.data, "exported_snapshots/a/b");
    assert_int_equal(seat->export_job.format, EXPORT_AS_CSV);
    assert_string_equal(seat->export_job.custom_data.items[0].value.data, "4711");
    assert_string_equal(seat->export_job.networks.items[0].data, "10.9.0.0/16");
    assert_true(id_is_there(seat->download.id));
    assert_int_equal(seat->download.desired, DOWNLOAD_SERVED);
    assert_int_equal(seat->download.port, 27200);
    assert_int_equal(parse(arena, GOAL(CLUSTER, MEMBER, TASK)).seats.count, 0);
    arena_free(arena);
}

static str
replaced(struct arena *arena, str text, const char *from, const char *to)
{
    const char *place = strstr(text.data, from);
    assert_non_null(place);
    return str_format(arena, "%.*s%s%s", (int)(place - text.data), text.data, to, place + strlen(from));
}

/* A tenant may have given a bucket such a name: one name that is odd is no reason for a host to take nothing from anybody. */
static void
names_with_two_dots_are_names(void **state)
{
    (void)state;
    struct arena *arena = arena_new(ARENA_BYTES);
    str seat = replaced(arena, STR(SEAT), "exported_snapshots/a/b", "exported..snapshots/.a/b..");
    seat = replaced(arena, seat, "\"bucket\":\"exports\"", "\"bucket\":\"a..b\"");
    struct goal goal = parse(arena, goal_with_seats(arena, seat.data).data);
    assert_string_equal(goal.seats.items[0].export_job.bucket.data, "a..b");
    arena_free(arena);
}

/* What is in a seat becomes lines of configuration and arguments of programs that run beside other tenants' backups. */
static void
seats_that_would_write_other_lines_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *from, *to, *where;
    } rows[] = {
        { "\"stanza\":\"k3x9aq-1\"", "\"stanza\":\"../other\"", "seats[0].stanza" },
        { "\"cipherPass\":\"secret\"", "\"cipherPass\":\"x\\nrepo1-path=/\"", "seats[0].cipherPass" },
        { "\"cipherPass\":\"secret\"", "\"cipherPass\":\"\"", "seats[0].cipherPass" },
        { "\"desired\":\"RUNNING\"", "\"desired\":\"STOPPED\"", "seats[0].desired" },
        { "\"address\":\"10.78.1.5\"", "\"address\":\"10.78.1\"", "seats[0].members" },
        { "\"type\":\"FULL\"", "\"type\":\"DIFF\"", "seats[0].wanted" },
        { "\"expiresAt\":\"2026-11-20T00:00:00Z\"", "\"expiresAt\":\"soon\"", "seats[0].wanted" },
        { "\"until\":\"2027-11-20T00:00:00Z\"", "\"until\":\"\"", "seats[0].protect" },
        { "20261116-031700F_20261116-091700I", "--repo1-path=/", "seats[0].remove" },
        { "\"limitSeconds\":600", "\"limitSeconds\":0", "seats[0].drill.limitSeconds" },
        { "\"assertionSeconds\":60", "\"assertionSeconds\":86400", "seats[0].drill.assertionSeconds" },
        { "\"sql\":\"SELECT true\"", "\"sql\":7", "seats[0].drill.assertions[0].sql" },
        { "\"label\":\"20261117-080000F\"", "\"label\":\"--repo1-path=/\"", "seats[0].export.label" },
        { "exported_snapshots/a/b", "exported_snapshots/../b", "seats[0].export" },
        { "exported_snapshots/a/b", "/exported_snapshots", "seats[0].export" },
        { "exported_snapshots/a/b", "..", "seats[0].export" },
        { "exported_snapshots/a/b", "a/./b", "seats[0].export" },
        { "exported_snapshots/a/b", "a//b", "seats[0].export" },
        { "exported_snapshots/a/b", "a?versions", "seats[0].export" },
        { "\"bucket\":\"exports\"", "\"bucket\":\"a%2fb\"", "seats[0].export" },
        { "\"region\":\"us-east-1\"", "\"region\":\"x\\ny\"", "seats[0].export" },
        { "\"secretKey\":\"s\"", "\"secretKey\":\"a\\nb\"", "seats[0].export" },
        { "10.9.0.0/16", "10.9.0.0/33", "seats[0].export.networks" },
        { "\"format\":\"CSV\"", "\"format\":\"XML\"", "seats[0].export.format" },
        { "\"desired\":\"SERVED\"", "\"desired\":\"RUNNING\"", "seats[0].download.desired" },
        { "\"label\":\"20261116-031700F\"", "\"label\":\"--repo1-path=/\"", "seats[0].download.label" },
        { "\"port\":27200", "\"port\":0", "seats[0].download.port" },
        { "\"store\":null",
          "\"store\":{\"endpoint\":\"s3\",\"bucket\":\"b\",\"region\":\"r\",\"key\":\"k\",\"secretKey\":\"a\\nb\"}",
          "seats[0].store" },
        { "\"id\":\"0000000000000000000000a1\",", "", "members[0].id" },
    };
    for (size_t i = 0; i < LENGTH(rows); i++) {
        struct arena *arena = arena_new(ARENA_BYTES);
        struct goal ignored;
        str seat = replaced(arena, STR(SEAT), rows[i].from, rows[i].to);
        error why = goal_parse(arena, goal_with_seats(arena, seat.data), &ignored);
        if (why == OK || strstr(why->detail.data, rows[i].where) == NULL)
            fail_msg("%s: %s", rows[i].to, why == OK ? "taken" : why->detail.data);
        arena_free(arena);
    }
    struct arena *arena = arena_new(ARENA_BYTES);
    struct goal ignored;
    assert_true(goal_parse(arena, goal_with_seats(arena, SEAT "," SEAT), &ignored) != OK);
    arena_free(arena);
}

static void
who_backs_a_cluster_up_is_read_and_wakes_its_members(void **state)
{
    (void)state;
    struct arena *arena = arena_new(ARENA_BYTES);
    static const char whole[] = GOAL(CLUSTER, MEMBER, TASK), from[] = "\"parameters\":{\"max";
    static const char backup[] =
        "\"backup\":{\"stanza\":\"k3x9aq-1\",\"seats\":[{\"id\":\"0000000000000000000000e5\",\"ordinal\":1,"
        "\"name\":\"reeve-seat-0000000000000000000000e5\",\"hostAddress\":\"10.78.0.21\"}]},";
    const char *place = strstr(whole, from);
    str text = str_format(arena, "%.*s%s%s", (int)(place - whole), whole, backup, place);
    struct goal goal = parse(arena, text.data), none = parse(arena, whole), ignored;
    struct goal_changes changes;
    assert_string_equal(goal.clusters.items[0].backup.seats.items[0].host_address.data, "10.78.0.21");
    assert_int_equal(goal.clusters.items[0].backup.seats.items[0].ordinal, 1);
    assert_int_equal(none.clusters.items[0].backup.stanza.len, 0);
    assert_ptr_equal(goal_diff(arena, &none, &goal, &changes), OK);
    assert_int_equal(changes.count, 1);
    assert_int_equal(changes.items[0].part, PART_CLUSTER);
    char *address = strstr(text.data, "10.78.0.21");
    address[0] = 'x';
    assert_true(goal_parse(arena, text, &ignored) != OK);
    arena_free(arena);
}

static void
a_seat_that_changed_is_a_change_of_its_own(void **state)
{
    (void)state;
    struct arena *arena = arena_new(ARENA_BYTES);
    str text = goal_with_seats(arena, SEAT);
    struct goal before = parse(arena, text.data), none = parse(arena, GOAL(CLUSTER, MEMBER, TASK));
    memcpy(strstr(text.data, "\"ordinal\":0,\"desired\""), "\"ordinal\":1", strlen("\"ordinal\":1"));
    struct goal after = parse(arena, text.data);
    struct goal_changes changes;
    assert_ptr_equal(goal_diff(arena, &before, &after, &changes), OK);
    assert_int_equal(changes.count, 1);
    assert_int_equal(changes.items[0].part, PART_SEAT);
    assert_int_equal(changes.items[0].kind, CHANGE_ALTERED);
    assert_ptr_equal(goal_diff(arena, &after, &none, &changes), OK);
    assert_int_equal(changes.items[0].kind, CHANGE_GONE);
    arena_free(arena);
}

#define GATE                                                                                                                   \
    "{\"id\":\"0000000000000000000000f1\",\"seatId\":\"0000000000000000000000e5\",\"clusterId\":\"0000000000000000000000c1\"," \
    "\"port\":27100,\"authority\":\"PEM\",\"clients\":[{\"name\":\"k3x9aq-shard-00-00\",\"address\":\"10.78.0.11\"}],\"last\":true}"

static void
gates_are_read_and_each_is_a_change_of_its_own(void **state)
{
    (void)state;
    struct arena *arena = arena_new(ARENA_BYTES);
    static const char whole[] = GOAL(CLUSTER, MEMBER, TASK);
    str text = str_format(arena, "{\"gates\":[%s],%s", GATE, whole + 1);
    struct goal goal = parse(arena, text.data), none = parse(arena, whole), ignored;
    struct goal_changes changes;
    const struct goal_gate *gate = &goal.gates.items[0];
    assert_int_equal(goal.gates.count, 1);
    assert_ptr_equal(goal_find_gate(&goal, gate->id), gate);
    assert_true(gate->last && gate->port == 27100);
    assert_string_equal(gate->clients.items[0].name.data, "k3x9aq-shard-00-00");
    assert_ptr_equal(goal_diff(arena, &none, &goal, &changes), OK);
    assert_int_equal(changes.count, 1);
    assert_int_equal(changes.items[0].part, PART_GATE);
    assert_int_equal(changes.items[0].kind, CHANGE_ADDED);
    assert_true(goal_parse(arena, str_format(arena, "{\"gates\":[%s,%s],%s", GATE, GATE, whole + 1), &ignored) != OK);
    memcpy(strstr(text.data, "k3x9aq-shard-00-00"), "=", 1);
    assert_true(goal_parse(arena, text, &ignored) != OK);
    arena_free(arena);
}

#define RESTORE                                                                                                       \
    "\"restore\":{\"id\":\"0000000000000000000000f1\",\"phase\":\"BUILD\",\"first\":\"0000000000000000000000a1\","    \
    "\"stanza\":\"k3x9aq-1\",\"majorVersion\":\"17\","                                                                \
    "\"gate\":{\"address\":\"10.78.0.21\",\"port\":27100,\"name\":\"reeve-gate-0000000000000000000000f1\"},"          \
    "\"point\":{\"kind\":\"TIME\",\"label\":\"20261116-031700F\",\"time\":\"2026-11-15T19:43:17.120Z\",\"lsn\":null," \
    "\"endLsn\":\"0/6000148\"}},"

/* The example, whose cluster has `part` as well. */
static str
goal_with_cluster_part(struct arena *arena, const char *part)
{
    static const char whole[] = GOAL(CLUSTER, MEMBER, TASK), from[] = "\"parameters\":{\"max";
    const char *place = strstr(whole, from);
    return str_format(arena, "%.*s%s%s", (int)(place - whole), whole, part, place);
}

/* Two goals without a restore once differed in every cluster, because a missing identifier equals nothing. */
static void
what_is_restored_is_read_and_none_is_no_change(void **state)
{
    (void)state;
    struct arena *arena = arena_new(ARENA_BYTES);
    struct goal goal = parse(arena, goal_with_cluster_part(arena, RESTORE).data),
                none = parse(arena, GOAL(CLUSTER, MEMBER, TASK)),
                null = parse(arena, goal_with_cluster_part(arena, "\"restore\":null,").data);
    const struct goal_restore *restore = &goal.clusters.items[0].restore;
    struct goal_changes changes;
    assert_true(id_is_there(restore->id) && !id_is_there(none.clusters.items[0].restore.id));
    assert_int_equal(restore->phase, RESTORE_BUILD);
    assert_int_equal(restore->point.kind, POINT_TIME);
    assert_int_equal(restore->point.timeline, 0);
    assert_string_equal(restore->point.end_lsn.data, "0/6000148");
    assert_string_equal(restore->gate.address.data, "10.78.0.21");
    assert_ptr_equal(goal_diff(arena, &none, &null, &changes), OK);
    assert_int_equal(changes.count, 0);
    assert_ptr_equal(goal_diff(arena, &goal, &goal, &changes), OK);
    assert_int_equal(changes.count, 0);
    assert_ptr_equal(goal_diff(arena, &none, &goal, &changes), OK);
    assert_int_equal(changes.count, 1);
    assert_int_equal(changes.items[0].part, PART_CLUSTER);
    arena_free(arena);
}

static void
restores_that_would_write_other_lines_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *from, *to, *where;
    } rows[] = {
        { "\"phase\":\"BUILD\"", "\"phase\":\"DROP\"", "restore.phase" },
        { "\"kind\":\"TIME\"", "\"kind\":\"SOON\"", "restore.point.kind" },
        { "\"kind\":\"TIME\"", "\"kind\":\"LATEST\"", "restore.point.time" },
        { "\"kind\":\"TIME\"", "\"kind\":\"LSN\"", "restore.point.time" },
        { "2026-11-15T19:43:17.120Z", "x' --repo1-path=/", "restore.point.time" },
        { "\"lsn\":null", "\"lsn\":\"0/5000148\"", "restore.point.lsn" },
        { "\"kind\":\"TIME\",\"label\":\"20261116-031700F\",\"time\":\"2026-11-15T19:43:17.120Z\",\"lsn\":null",
          "\"kind\":\"LSN\",\"label\":\"20261116-031700F\",\"lsn\":\"0/x\"", "restore.point.lsn" },
        { "0/6000148", "0/x", "restore.point.endLsn" },
        { "20261116-031700F", "-x", "restore.point.label" },
        { "\"stanza\":\"k3x9aq-1\"", "\"stanza\":\"../x\"", "restore.stanza" },
        { "10.78.0.21", "10.78.0", "restore.gate" },
        { "\"name\":\"reeve-gate", "\"name\":\"\\nreeve-gate", "restore.gate" },
    };
    static const char whole[] = RESTORE;
    for (size_t i = 0; i < LENGTH(rows); i++) {
        struct arena *arena = arena_new(ARENA_BYTES);
        struct goal ignored;
        const char *place = strstr(whole, rows[i].from);
        assert_non_null(place);
        str part = str_format(arena, "%.*s%s%s", (int)(place - whole), whole, rows[i].to, place + strlen(rows[i].from));
        error why = goal_parse(arena, goal_with_cluster_part(arena, part.data), &ignored);
        if (why == OK || strstr(why->detail.data, rows[i].where) == NULL)
            fail_msg("%s: %s", rows[i].to, why == OK ? "taken" : why->detail.data);
        arena_free(arena);
    }
}

/* Replaces the first `from` of the example; the result must be refused, and say where. */
static void
must_refuse(const char *from, const char *to, const char *where)
{
    struct arena *arena = arena_new(ARENA_BYTES);
    static const char whole[] = GOAL(CLUSTER, MEMBER, TASK);
    const char *place = strstr(whole, from);
    struct goal goal;
    assert_non_null(place);
    str text = str_format(arena, "%.*s%s%s", (int)(place - whole), whole, to, place + strlen(from));
    error why = goal_parse(arena, text, &goal);
    if (why == OK)
        fail_msg("taken: %s instead of %s", to, from);
    if (strstr(why->detail.data, where) == NULL)
        fail_msg("%s instead of %s: %s", to, from, why->detail.data);
    arena_free(arena);
}

static void
what_is_wrong_is_refused_and_named(void **state)
{
    (void)state;
    static const struct {
        const char *from, *to, *where;
    } rows[] = {
        { "\"port\":27017", "\"port\":\"27017\"", "members[0].port" },
        { "\"port\":27017", "\"port\":0", "members[0].port" },
        { "\"port\":27017", "\"port\":65536", "members[0].port" },
        { "\"port\":27017", "\"port\":1e3", "members[0].port" },
        { "\"port\":27017", "\"port\":027", "members[0].port" },
        { "\"port\":27017", "\"port\":27017,\"port\":1", "members[0].port" },
        { "\"port\":27017", "\"port\":null", "members[0].port" },
        { "\"port\":27017,", "", "members[0].port" },
        { "\"cpus\":0.5", "\"cpus\":-1", "members[0].cpus" },
        { "\"cpus\":0.5", "\"cpus\":1e999", "members[0].cpus" },
        { "\"cpus\":0.5", "\"cpus\":.5", "members[0].cpus" },
        { "\"cpus\":0.5", "\"cpus\":0.", "point" },
        { "\"desired\":\"RUNNING\"", "\"desired\":\"PLANNED\"", "members[0].desired" },
        { "\"address\":\"10.78.1.5\",\"prefix\"", "\"address\":\"10.78.1\",\"prefix\"", "members[0].address" },
        { "\"name\":\"k3x9aq-shard-00-00\",\"ordinal\"", "\"name\":\"a b\",\"ordinal\"", "members[0].name" },
        { "\"name\":\"k3x9aq-shard-00-00\",\"ordinal\"", "\"name\":\"../x\",\"ordinal\"", "members[0].name" },
        { "a.example.test", "a\\nb", "members[0].names" },
        { "\"scope\":\"k3x9aq\"", "\"scope\":\"a/b\"", "clusters[0].scope" },
        { "203.0.113.0/24", "203.0.113.1/24", "networks" },
        { "203.0.113.0/24", "0.0.0.0/0 trust", "networks" },
        { "\"login\":\"SCRAM\"", "\"login\":\"MD5\"", "users" },
        { "\"ldap\":null", "\"ldap\":{\"hostname\":\"a b\",\"port\":636}", "access.ldap" },
        { "\"ldap\":null", "\"ldap\":{\"hostname\":\"d\",\"port\":636,\"base\":\"x\\nhost all all all trust\"}",
          "access.ldap" },
        { "\"ldap\":null", "\"ldap\":{\"hostname\":\"d\",\"port\":636,\"bindPassword\":\"x\\r\"}", "access.ldap" },
        { "\"ldap\":null", "\"ldap\":{\"hostname\":\"d\"}", "ldap.port" },
        { "\"ldap\":null", "\"audit\":{\"classes\":[\"a'b\"]}", "access.audit.classes" },
        { "\"ldap\":null", "\"audit\":{\"users\":[]}", "audit.classes" },
        { "\"clusterId\":\"0000000000000000000000c1\"", "\"clusterId\":\"0000000000000000000000c2\"",
          "members[0].clusterId" },
        { "\"hostId\":\"0000000000000000000000d1\"", "\"hostId\":\"d1\"", "hostId" },
        { "\"version\":42", "\"version\":-1", "version" },
        { "\"version\":42", "\"version\":92233720368547758080", "version" },
        { "\"version\":42", "\"version\":4.5", "version" },
        { "\"electable\":true", "\"electable\":1", "members[0].electable" },
        { "\"names\":[", "\"names\":{", "members[0].names" },
        { "\"max_connections\":\"100\"", "\"max_connections\":100", "parameters" },
        { "\\ud83d\\ude00", "\\ud83d", "escape" },
        { "\\ud83d\\ude00", "\\ude00", "escape" },
        { "\\ud83d\\ude00", "\\u0000", "escape" },
        { "\\ud83d\\ude00", "\\x41", "escape" },
        { "\\ud83d\\ude00", "\x01", "control" },
        { "\\ud83d\\ude00", "\xff", "UTF-8" },
        { "{\"a\":[true", "{\"a\":[tru", "value" },
        { "null,-1.5e3", "null,,-1.5e3", "value" },
        { ",\"epoch\"", "\"epoch\"", "comma" },
    };
    for (size_t i = 0; i < LENGTH(rows); i++)
        must_refuse(rows[i].from, rows[i].to, rows[i].where);
}

static void
members_that_are_there_twice_are_refused(void **state)
{
    (void)state;
    struct arena *arena = arena_new(ARENA_BYTES);
    struct goal goal;
    assert_true(goal_parse(arena, STR(GOAL(CLUSTER, MEMBER "," MEMBER, "")), &goal) != OK);
    assert_true(goal_parse(arena, STR(GOAL(CLUSTER "," CLUSTER, MEMBER, "")), &goal) != OK);
    assert_true(goal_parse(arena, STR(GOAL(CLUSTER, MEMBER, TASK "," TASK)), &goal) != OK);
    arena_free(arena);
}

static void
deep_nesting_ends_at_32_levels_also_where_nobody_looks(void **state)
{
    (void)state;
    for (int depth = 31; depth <= 33; depth++) {
        struct arena *arena = arena_new(ARENA_BYTES);
        struct buf text = buf_in(arena, 1 << 16);
        struct goal goal;
        buf_add_text(
            &text,
            "{\"version\":1,\"epoch\":1,\"hostId\":\"0000000000000000000000d1\",\"etcd\":[],\"authority\":\"\",\"clusters\":[],"
            "\"members\":[],\"x\":");
        for (int i = 1; i < depth; i++)
            buf_add_char(&text, '[');
        for (int i = 1; i < depth; i++)
            buf_add_char(&text, ']');
        buf_add_char(&text, '}');
        assert_int_equal(goal_parse(arena, buf_str(&text), &goal) == OK, depth <= 32);
        arena_free(arena);
    }
}

/* Every document that is cut short, and every one with a byte changed: refused or read, never a crash. */
static void
damaged_documents_do_no_harm(void **state)
{
    (void)state;
    static const char whole[] = GOAL(CLUSTER, MEMBER, TASK);
    char text[sizeof(whole)];
    for (size_t length = 0; length < sizeof(whole) - 1; length++) {
        struct arena *arena = arena_new(ARENA_BYTES);
        struct goal goal;
        assert_true(goal_parse(arena, (str){ whole, length }, &goal) != OK);
        arena_free(arena);
    }
    for (size_t i = 0; i < sizeof(whole) - 1; i++) {
        for (const char *c = "\"{}[],:\\0x\xc3\x01"; *c != '\0'; c++) {
            struct arena *arena = arena_new(ARENA_BYTES);
            struct goal goal;
            memcpy(text, whole, sizeof(whole));
            text[i] = *c;
            error ignored = goal_parse(arena, str_from(text), &goal);
            (void)ignored;
            arena_free(arena);
        }
    }
}

static void
differences_are_found_by_part(void **state)
{
    (void)state;
    struct arena *arena = arena_new(ARENA_BYTES);
    struct goal_changes changes;
    struct goal empty = parse(arena, GOAL(CLUSTER, "", "")), full = parse(arena, GOAL(CLUSTER, MEMBER, TASK)),
                again = parse(arena, GOAL(CLUSTER, MEMBER, TASK));
    assert_ptr_equal(goal_diff(arena, NULL, &full, &changes), OK);
    assert_int_equal(changes.count, 3);
    assert_true(changes.everything);
    assert_ptr_equal(goal_diff(arena, &full, &again, &changes), OK);
    assert_int_equal(changes.count, 0);
    assert_false(changes.everything);
    assert_ptr_equal(goal_diff(arena, &full, &empty, &changes), OK);
    assert_int_equal(changes.count, 2);
    assert_int_equal(changes.items[0].part, PART_MEMBER);
    assert_int_equal(changes.items[0].kind, CHANGE_GONE);
    assert_int_equal(changes.items[1].part, PART_TASK);
    again.members.items[0].names.items[1] = STR("c.example.test");
    assert_ptr_equal(goal_diff(arena, &full, &again, &changes), OK);
    assert_int_equal(changes.count, 1);
    assert_int_equal(changes.items[0].kind, CHANGE_ALTERED);
    assert_true(id_eq(changes.items[0].id, full.members.items[0].id));
    again = parse(arena, GOAL(CLUSTER, MEMBER, TASK));
    again.clusters.items[0].access.users.items[0].roles.items[0].role = STR("read");
    assert_ptr_equal(goal_diff(arena, &full, &again, &changes), OK);
    assert_int_equal(changes.count, 1);
    assert_int_equal(changes.items[0].part, PART_CLUSTER);
    again = parse(arena, GOAL(CLUSTER, MEMBER, TASK));
    again.etcd.items[0] = STR("https://10.0.0.1:2379");
    assert_ptr_equal(goal_diff(arena, &full, &again, &changes), OK);
    assert_true(changes.everything);
    again = parse(arena, GOAL(CLUSTER, MEMBER, TASK));
    again.etcd.count--;
    assert_ptr_equal(goal_diff(arena, &full, &again, &changes), OK);
    assert_true(changes.everything);
    again = parse(arena, GOAL(CLUSTER, MEMBER, TASK));
    again.authority = STR("another authority");
    assert_ptr_equal(goal_diff(arena, &full, &again, &changes), OK);
    assert_true(changes.everything);
    arena_free(arena);
}

/* ---- Speed ---- */
static str
large_document(struct arena *arena, int count)
{
    struct buf text = buf_in(arena, 16 * 1024 * 1024);
    buf_add_text(
        &text,
        "{\"version\":42,\"epoch\":3,\"hostId\":\"0000000000000000000000d1\",\"hostName\":\"h1\",\"etcd\":[\"https://10.78.0.2:2379\"],"
        "\"authority\":\"PEM\",\"clusters\":[");
    for (int i = 0; i < count; i++)
        buf_format(
            &text,
            "%s{\"id\":\"%024x\",\"projectId\":\"0000000000000000000000f1\",\"name\":\"orders\",\"scope\":\"k3x9aq\",\"majorVersion\":\"17\","
            "\"goalGeneration\":5,\"accessGeneration\":12,\"synchronous\":true,\"parameters\":{\"max_connections\":\"100\"},"
            "\"peers\":[{\"memberId\":\"%024x\",\"name\":\"k3x9aq-shard-00-00\",\"address\":\"10.78.1.5\",\"hostAddress\":\"10.78.0.11\"}],"
            "\"access\":{\"networks\":[\"203.0.113.0/24\"],\"authorities\":\"\",\"users\":[{\"name\":\"app\",\"login\":\"SCRAM\","
            "\"verifier\":\"SCRAM-SHA-256$4096:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\",\"roles\":[{\"role\":\"read\",\"database\":\"shop\"}]}],"
            "\"roles\":[],\"ldap\":null}}",
            i == 0 ? "" : ",", 0x10000 + i, 0x20000 + i);
    buf_add_text(&text, "],\"members\":[");
    for (int i = 0; i < count; i++)
        buf_format(
            &text,
            "%s{\"id\":\"%024x\",\"clusterId\":\"%024x\",\"name\":\"k3x9aq-shard-00-00\",\"ordinal\":0,\"address\":\"10.78.1.5\",\"prefix\":16,"
            "\"port\":27017,\"desired\":\"RUNNING\",\"cpus\":0.5,\"memoryMb\":256,\"diskGb\":10,\"electable\":true,\"priority\":7,"
            "\"restartNonce\":0,\"names\":[\"k3x9aq-shard-00-00.p4ss1.example.test\",\"k3x9aq-shard-00-00-pri.p4ss1.example.test\"]}",
            i == 0 ? "" : ",", 0x20000 + i, 0x10000 + i);
    buf_add_text(&text, "],\"tasks\":[]}");
    return buf_str(&text);
}

static double
cpu_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

/* The shortest of some tries to read a goal of so many members and to compare it with the one before. */
static double
read_and_compare_ms(int count)
{
    struct arena *own = arena_new(ARENA_BYTES);
    str text = large_document(own, count);
    double best = 1e9;
    for (int i = 0; i < 15; i++) {
        struct arena *arena = arena_new(ARENA_BYTES);
        struct goal before, after;
        struct goal_changes changes;
        assert_ptr_equal(goal_parse(arena, text, &before), OK);
        double began = cpu_ms();
        assert_ptr_equal(goal_parse(arena, text, &after), OK);
        assert_ptr_equal(goal_diff(arena, &before, &after, &changes), OK);
        double took = cpu_ms() - began;
        assert_int_equal(changes.count, 0);
        assert_int_equal(after.members.count, count);
        best = took < best ? took : best;
        arena_free(arena);
    }
    arena_free(own);
    return best;
}

/* Four times as many take four times as long, and not sixteen. (Nobody is promised milliseconds: machines differ.) */
static void
the_time_grows_with_the_members_only(void **state)
{
    (void)state;
    double few = read_and_compare_ms(250), many = read_and_compare_ms(1000);
    printf("bench: a goal of 1000 clusters and members is read and compared in %.1f ms, of 250 in %.1f ms\n", many,
           few);
    assert_true(many < 8 * few);
}

/* Else a tenant could keep a host from being told anything. */
static void
a_key_service_that_cannot_be_asked_is_none(void **state)
{
    (void)state;
    static const struct {
        const char *keys;
        bool is_there;
    } tries[] = {
        { "{\"hostname\":\"keys.example.org\",\"port\":5696,\"keyIdentifier\":\"k\",\"networks\":[\"10.0.0.0/8\"]}",
          true },
        { "{\"hostname\":\"2001:db8::1\",\"port\":5696,\"keyIdentifier\":\"k\"}", true },
        { "{\"hostname\":\"a.b:c\",\"port\":5696,\"keyIdentifier\":\"k\"}", false },
        { "{\"hostname\":\"keys.example.org/x\",\"port\":5696,\"keyIdentifier\":\"k\"}", false },
        { "{\"hostname\":\"keys.example.org\",\"port\":null,\"keyIdentifier\":\"k\"}", false },
        { "{\"hostname\":\"keys.example.org\",\"port\":5696}", false },
        { "{\"hostname\":\"keys.example.org\",\"port\":5696,\"keyIdentifier\":\"k\\nrefused\"}", false },
        { "{}", false },
        { "null", false },
    };
    for (size_t i = 0; i < LENGTH(tries); i++) {
        struct arena *arena CLEANUP(arena_cleanup) = arena_new(ARENA_BYTES);
        str cluster = str_format(arena, "%.*s,\"keys\":%s}", (int)(strlen(CLUSTER) - 1), CLUSTER, tries[i].keys);
        str text = str_format(arena, GOAL("%s", MEMBER, ""), cluster.data);
        struct goal goal = parse(arena, text.data);
        assert_int_equal(goal.clusters.items[0].keys.hostname.len > 0, tries[i].is_there);
    }
}

int
main(void)
{
    json_init();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_key_service_that_cannot_be_asked_is_none),
        cmocka_unit_test(the_documented_example_is_read_whole),
        cmocka_unit_test(what_is_recorded_and_a_directory_are_read),
        cmocka_unit_test(where_logs_go_is_read_and_a_form_of_a_newer_control_plane_is_none),
        cmocka_unit_test(seats_of_a_repository_host_are_read),
        cmocka_unit_test(names_with_two_dots_are_names),
        cmocka_unit_test(seats_that_would_write_other_lines_are_refused),
        cmocka_unit_test(who_backs_a_cluster_up_is_read_and_wakes_its_members),
        cmocka_unit_test(a_seat_that_changed_is_a_change_of_its_own),
        cmocka_unit_test(gates_are_read_and_each_is_a_change_of_its_own),
        cmocka_unit_test(what_is_restored_is_read_and_none_is_no_change),
        cmocka_unit_test(restores_that_would_write_other_lines_are_refused),
        cmocka_unit_test(what_is_wrong_is_refused_and_named),
        cmocka_unit_test(members_that_are_there_twice_are_refused),
        cmocka_unit_test(deep_nesting_ends_at_32_levels_also_where_nobody_looks),
        cmocka_unit_test(damaged_documents_do_no_harm),
        cmocka_unit_test(differences_are_found_by_part),
        cmocka_unit_test(the_time_grows_with_the_members_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
