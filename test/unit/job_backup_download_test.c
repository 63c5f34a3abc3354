/* SPDX-License-Identifier: Apache-2.0 */
/* Downloads of snapshots, from the request to the last word of the host, and who may fetch them. */
#include "backup_fixture.h"

#include "api/download.h"
#include "api/request.h"
#include "family/backup/backups.h"

#define WITH_BACKUPS \
    "{\"name\": \"orders\", \"backupEnabled\": true, \"replicationSpecs\": [{\"regionConfigs\": [" THREE_IN_A "]}]}"

static id organization; /* of the cluster */

static struct place
new_source(void)
{
    struct place place = new_place();
    fixture_ask("DELETE FROM restore_job");
    played.has_backups = true;
    played.download = NULL;
    add_repository(1, "A", "2.55.1");
    assert_asks(place, "createGroupCluster", "", WITH_BACKUPS, "OK");
    settle();
    organization = place.organization;
    return place;
}

static void
remove_all(struct place place)
{
    assert_asks(place, "deleteGroupCluster", "orders", NULL, "OK");
    settle();
    fixture_ask("DELETE FROM host WHERE purpose = 'REPOSITORY'");
}

static const char *
asks(struct place place, const char *more)
{
    char body[256];
    snprintf(body, sizeof(body), "{\"deliveryType\": \"download\", \"snapshotId\": \"%s\"%s}",
             fixture_ask("SELECT encode(id, 'hex') FROM snapshot ORDER BY id LIMIT 1"), more);
    return ask(place, "createGroupClusterBackupRestoreJob", "orders", body);
}

static void
sweep(void)
{
    static const struct job_environment environment;
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(FIXTURE_ARENA_BYTES);
    struct sweep_context context = { store, arena, &environment };
    error problem = backup_downloads_sweep.run(&context);
    if (problem != OK)
        fail_msg("%.*s", STR_ARG(problem->detail));
}

static void
host_says(const char *state)
{
    played.download = state;
    play_agents();
    sweep();
}

static const char *
says(const char *expression)
{
    return fixture_ask("SELECT %s FROM restore_job r LEFT JOIN download d ON d.restore_id = r.id", expression);
}

static const char *
used_gb(void)
{
    return fixture_ask("SELECT used_disk_gb FROM host WHERE purpose = 'REPOSITORY'");
}

static const char *
events(void)
{
    return fixture_ask(
        "SELECT coalesce(string_agg(replace(type, 'BACKUP_DOWNLOAD_', ''), ',' ORDER BY seq), '') FROM event "
        "WHERE org_id = %s AND type LIKE 'BACKUP_DOWNLOAD%%'",
        fixture_quote(organization));
}

static id
download_id(void)
{
    id download;
    assert_true(id_parse(str_from(fixture_ask("SELECT encode(id, 'hex') FROM restore_job")), &download));
    return download;
}

static const char *
cancel(struct place place)
{
    snprintf(third_parameter, sizeof(third_parameter), "%s", fixture_ask("SELECT encode(id, 'hex') FROM restore_job"));
    const char *outcome = ask(place, "cancelGroupClusterBackupRestoreJob", "orders", NULL);
    third_parameter[0] = '\0';
    return outcome;
}

/* What the path is answered with: where nginx goes, or the error's name. */
static const char *
fetch(const char *path)
{
    static char text[256];
    struct request *req = request_new(&test_api);
    req->may_block = true;
    req->path = str_from(path);
    assert_true(net_parse_address(STR("192.0.2.7"), &req->in.client));
    req->in.request_id = STR("r");
    error problem = download_answer(req);
    snprintf(text, sizeof(text), "%s", problem == OK ? req->out.inner.data : error_rows[problem->code].name);
    request_free(req);
    return text;
}

static const char *
own_path(void)
{
    static char path[256];
    struct request *req = request_new(&test_api);
    str address = download_address(req, download_id());
    assert_true(str_starts_with(address, STR("https://localhost/api/downloads/")));
    snprintf(path, sizeof(path), "%s", address.data + strlen("https://localhost"));
    request_free(req);
    return path;
}

/* ---- Tests ---- */
static void
a_snapshot_is_made_and_fetched_and_goes(void **state)
{
    (void)state;
    struct place place = new_source();
    char before[16], path[256];
    snprintf(before, sizeof(before), "%s", used_gb());
    assert_string_equal(asks(place, ""), "OK");
    assert_string_equal(says("r.state || ' ' || r.delivery || ' ' || d.reserved_gb || ' ' || d.port"),
                        "RUNNING DOWNLOAD 2 27200");
    assert_int_equal(atoi(used_gb()), atoi(before) + 2);
    snprintf(path, sizeof(path), "%s", own_path());
    host_says("RUNNING");
    assert_string_equal(fetch(path), "DOWNLOAD_NOT_READY");
    assert_string_equal(asks(place, ""), "DOWNLOAD_UNFINISHED");
    host_says("READY");
    assert_string_equal(
        says("r.state || ' ' || d.file_bytes || ' ' || d.sha256 || ' ' || (d.expires_at - now() BETWEEN "
             "interval '23 hours' AND interval '24 hours')"),
        "DONE 77 ab true");
    assert_string_equal(events(), "REQUESTED,READY");
    assert_non_null(strstr(fetch(path), "/reeve-download/10.9.0.1:27200/"));
    assert_non_null(strstr(fetch(path), "/reeve-download/10.9.0.1:27200/"));
    assert_string_equal(events(), "REQUESTED,READY,FETCHED");
    /* Its time is over. */
    fixture_ask("UPDATE download SET expires_at = now()");
    assert_string_equal(fetch(path), "DOWNLOAD_EXPIRED");
    sweep();
    assert_string_equal(says("r.state || ' ' || (d.ended_at IS NOT NULL) || ' ' || (d.released_at IS NULL)"),
                        "DONE true true");
    assert_int_equal(atoi(used_gb()), atoi(before) + 2);
    play_agents(); /* the host has removed it */
    assert_string_equal(says("(d.released_at IS NOT NULL)::text"), "true");
    assert_string_equal(used_gb(), before);
    assert_string_equal(
        fixture_ask("SELECT host_seats_goal(%s)::text LIKE '%%download%%'", fixture_quote(host_id(REPOSITORY + 1))),
        "f");
    assert_string_equal(fetch(path), "DOWNLOAD_EXPIRED");
    remove_all(place);
}

static void
what_cannot_be_made_says_why_and_gives_its_room_back(void **state)
{
    (void)state;
    struct place place = new_source();
    char before[16];
    snprintf(before, sizeof(before), "%s", used_gb());
    assert_string_equal(asks(place, ", \"targetClusterName\": \"orders\""), "INVALID_ATTRIBUTE_VALUE");
    assert_string_equal(asks(place, ", \"latest\": true"), "INVALID_ATTRIBUTE_VALUE");
    fixture_ask("UPDATE host SET disk_gb = used_disk_gb + 1 WHERE purpose = 'REPOSITORY'");
    assert_string_equal(asks(place, ""), "NO_DOWNLOAD_CAPACITY");
    assert_string_equal(fixture_ask("SELECT count(*) FROM restore_job"), "0");
    fixture_ask("UPDATE host SET disk_gb = 100 WHERE purpose = 'REPOSITORY'");
    assert_string_equal(asks(place, ""), "OK");
    host_says("FAILED");
    assert_string_equal(says("r.state || ': ' || r.problem"), "FAILED: There is no room.");
    assert_string_equal(events(), "REQUESTED,FAILED");
    assert_string_equal(fetch(own_path()), "DOWNLOAD_EXPIRED");
    play_agents();
    assert_string_equal(used_gb(), before);
    /* Another one can be asked for now, and one that nobody makes is given up. */
    fixture_ask("DELETE FROM restore_job");
    assert_string_equal(asks(place, ""), "OK");
    fixture_ask("UPDATE restore_job SET created_at = now() - interval '14 hours'");
    sweep();
    assert_string_equal(says("r.state || ': ' || r.problem"), "FAILED: The repository host did not make it in time.");
    play_agents();
    assert_string_equal(used_gb(), before);
    remove_all(place);
}

static void
it_is_withdrawn_and_goes_with_its_snapshot(void **state)
{
    (void)state;
    struct place place = new_source(), stranger = new_place();
    char before[16], path[256];
    snprintf(before, sizeof(before), "%s", used_gb());
    assert_string_equal(asks(stranger, ""), "RESOURCE_NOT_FOUND");
    assert_string_equal(asks(place, ""), "OK");
    host_says("READY");
    snprintf(path, sizeof(path), "%s", own_path());
    assert_string_equal(cancel(stranger), "RESOURCE_NOT_FOUND");
    assert_string_equal(cancel(place), "OK");
    assert_string_equal(fetch(path), "DOWNLOAD_EXPIRED");
    assert_string_equal(says("r.state || ' ' || (r.cancelled_at IS NOT NULL)"), "CANCELLED true");
    assert_string_equal(cancel(place), "OK"); /* as before */
    assert_string_equal(events(), "REQUESTED,READY,CANCELLED");
    play_agents();
    assert_string_equal(used_gb(), before);
    /* Deleted, and no worker has come yet. */
    fixture_ask("DELETE FROM restore_job");
    assert_string_equal(asks(place, ""), "OK");
    host_says("READY");
    snprintf(path, sizeof(path), "%s", own_path());
    fixture_ask("UPDATE snapshot SET hidden_at = now()");
    assert_string_equal(fetch(path), "DOWNLOAD_EXPIRED");
    sweep();
    play_agents();
    assert_string_equal(used_gb(), before);
    remove_all(place);
}

static void
a_seat_that_goes_takes_it_along(void **state)
{
    (void)state;
    struct place place = new_source();
    assert_string_equal(asks(place, ""), "OK");
    host_says("READY");
    remove_all(place);
    assert_string_equal(says("(d.released_at IS NULL)::text"), "true");
    sweep();
    assert_string_equal(says("(d.released_at IS NOT NULL)::text"), "true");
}

/* A host is believed about its own downloads only. */
static void
another_host_changes_nothing(void **state)
{
    (void)state;
    struct place place = new_source();
    add_repository(2, "B", "2.55.1");
    assert_string_equal(asks(place, ""), "OK");
    const char *report = "jsonb_build_array(jsonb_build_object('id', encode(d.seat_id, 'hex'), 'download', "
                         "jsonb_build_object('id', encode(d.restore_id, 'hex'), 'state', '%s', 'bytes', 1)))";
    char said[512];
    snprintf(said, sizeof(said), report, "READY");
    fixture_ask("SELECT host_report_downloads(%s, %s) FROM download d", fixture_quote(host_id(REPOSITORY + 2)), said);
    assert_string_equal(says("r.state"), "RUNNING");
    host_says("READY");
    assert_string_equal(cancel(place), "OK");
    snprintf(said, sizeof(said), report, "ABSENT");
    fixture_ask(
        "SELECT host_report(%s, 1, jsonb_build_object('version', 1, 'facts', '{}'::jsonb, 'members', '[]'::jsonb, "
        "'tasks', '[]'::jsonb, 'gates', '[]'::jsonb, 'seats', %s)) FROM download d",
        fixture_quote(host_id(REPOSITORY + 2)), said);
    assert_string_equal(says("(d.released_at IS NULL)::text"), "true");
    play_agents();
    remove_all(place);
}

static void
only_the_address_itself_opens(void **state)
{
    (void)state;
    struct place place = new_source();
    char path[256], wrong[512];
    assert_string_equal(asks(place, ""), "OK");
    host_says("READY");
    snprintf(path, sizeof(path), "%s", own_path());
    char *token = strstr(path, "reeve_dl_");
    assert_non_null(token);
    for (size_t at = 0; path[at] != '\0'; at++) { /* every character of it counts */
        if (at < strlen(DOWNLOADS_PATH))
            continue;
        snprintf(wrong, sizeof(wrong), "%s", path);
        wrong[at] = wrong[at] == 'x' ? 'y' : 'x';
        assert_string_not_equal(fetch(wrong), "DOWNLOAD_EXPIRED");
        assert_null(strstr(fetch(wrong), "/reeve-download/"));
    }
    snprintf(wrong, sizeof(wrong), "%s/../x", path);
    assert_null(strstr(fetch(wrong), "/reeve-download/"));
    assert_null(strstr(fetch(DOWNLOADS_PATH), "/reeve-download/"));
    assert_non_null(strstr(fetch(path), "/reeve-download/")); /* whoever guessed beside them keeps nobody out */
    assert_string_equal(cancel(place), "OK");
    play_agents();
    remove_all(place);
}

static void
the_address_is_shown_to_those_who_may_ask_for_it(void **state)
{
    (void)state;
    static const char done[] =
        "{\"id\": \"65a1b2c3d4e5f60718293a4b\", \"deliveryType\": \"download\", \"state\": \"DONE\", \"expired\": false}";
    static const struct {
        role_set roles;
        const char *document;
        bool is_shown;
    } rows[] = {
        { PROJECT_BACKUP_EXPORT_OPERATOR, done, true },
        { PROJECT_BACKUP_RECOVERY_OPERATOR, done, true },
        { PROJECT_READ_ONLY, done, false },
        { PROJECT_OWNER - 1,
          "{\"id\": \"65a1b2c3d4e5f60718293a4b\", \"deliveryType\": \"automated\", \"state\": \"DONE\"}", false },
        { PROJECT_BACKUP_EXPORT_OPERATOR,
          "{\"id\": \"65a1b2c3d4e5f60718293a4b\", \"deliveryType\": \"download\", \"state\": \"RUNNING\", \"expired\": false}",
          false },
        { PROJECT_BACKUP_EXPORT_OPERATOR,
          "{\"id\": \"65a1b2c3d4e5f60718293a4b\", \"deliveryType\": \"download\", \"state\": \"DONE\", \"expired\": true}",
          false },
        { PROJECT_BACKUP_EXPORT_OPERATOR,
          "{\"id\": \"65a1b2c3d4e5f60718293a4b\", \"deliveryType\": \"DOWNLOAD\", \"status\": \"COMPLETED\", "
          "\"expirationDate\": \"2099-01-01T00:00:00Z\"}",
          true },
        { PROJECT_READ_ONLY,
          "{\"id\": \"65a1b2c3d4e5f60718293a4b\", \"deliveryType\": \"DOWNLOAD\", \"status\": \"COMPLETED\", "
          "\"expirationDate\": \"2099-01-01T00:00:00Z\"}",
          false },
        { PROJECT_BACKUP_EXPORT_OPERATOR,
          "{\"id\": \"65a1b2c3d4e5f60718293a4b\", \"deliveryType\": \"DOWNLOAD\", \"status\": \"COMPLETED\", "
          "\"expirationDate\": \"2009-01-01T00:00:00Z\"}",
          false },
    };
    for (size_t i = 0; i < LENGTH(rows); i++) {
        struct request *req = request_new(&test_api);
        req->roles = rows[i].roles;
        str shown = download_show(req, str_from(rows[i].document));
        assert_true((strstr(shown.data, "reeve_dl_") != NULL) == rows[i].is_shown);
        request_free(req);
    }
}

/* Flex clusters have no backups yet, so one that has is made by hand. */
static void
flex_clusters_are_asked_in_their_own_form(void **state)
{
    (void)state;
    struct place place = new_source();
    char body[128];
    fixture_ask("UPDATE resource SET kind = 'flexCluster' WHERE kind = 'cluster' AND name = 'orders'");
    snprintf(body, sizeof(body), "{\"snapshotId\": \"%s\"}",
             fixture_ask("SELECT encode(id, 'hex') FROM snapshot ORDER BY id LIMIT 1"));
    assert_asks(place, "downloadGroupFlexClusterBackup", "orders", body, "OK");
    assert_asks(place, "downloadGroupFlexClusterBackup", "orders", body, "DOWNLOAD_UNFINISHED");
    assert_asks(place, "downloadGroupFlexClusterBackup", "nobody", body, "RESOURCE_NOT_FOUND");
    host_says("READY");
    assert_non_null(
        strstr(fixture_ask("SELECT restore_json(r, 'flex') FROM restore_job r"), "\"deliveryType\": \"DOWNLOAD\""));
    assert_non_null(strstr(fetch(own_path()), "/reeve-download/"));
    fixture_ask("UPDATE resource SET kind = 'cluster' WHERE kind = 'flexCluster' AND name = 'orders'");
    assert_string_equal(cancel(place), "OK");
    play_agents();
    remove_all(place);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_snapshot_is_made_and_fetched_and_goes),
        cmocka_unit_test(what_cannot_be_made_says_why_and_gives_its_room_back),
        cmocka_unit_test(it_is_withdrawn_and_goes_with_its_snapshot),
        cmocka_unit_test(a_seat_that_goes_takes_it_along),
        cmocka_unit_test(another_host_changes_nothing),
        cmocka_unit_test(only_the_address_itself_opens),
        cmocka_unit_test(the_address_is_shown_to_those_who_may_ask_for_it),
        cmocka_unit_test(flex_clusters_are_asked_in_their_own_form),
    };
    return cmocka_run_group_tests(tests, backup_set_up, backup_tear_down);
}
