/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The database is away. Every function that reads or writes by itself says so: none goes on with what it did not get. Once with no database at all,
 * and once with one whose only connection for transactions is taken, so that what is read first is there.
 */
#include "open_store_fixture.h"

#include "auth/keyring.h"
#include "job/alert/alert_raise.h"
#include "job/kinds.h"
#include "store/access/access.h"
#include "store/alert/alert.h"
#include "store/alert/alert_notification.h"
#include "store/backup/expiry.h"
#include "store/backup/seat.h"
#include "store/billing/billing.h"
#include "store/billing/payment.h"
#include "store/cluster/cluster.h"
#include "store/etcd/etcd.h"
#include "store/event/event_read.h"
#include "store/event/webhook.h"
#include "store/federation/federation.h"
#include "store/federation/identity_provider.h"
#include "store/fleet/fleet.h"
#include "store/fleet/host.h"
#include "store/idempotency.h"
#include "store/identity/invitation_mail.h"
#include "store/identity/member.h"
#include "store/offer/fleet_offer.h"
#include "store/operator/operator.h"
#include "store/operator/session.h"
#include "store/queue/job.h"
#include "store/resource.h"
#include "store/retention.h"
#include "store/session/session.h"

enum { WAIT_MS = 20 };

static struct store *away, *taken;
static struct tx *the_only_one;
static struct arena *arena;
static const id one = { { 1 }, true };

static int
set_up(void **state)
{
    if (open_store(state) != 0)
        return -1;
    struct store_config config = fixture_config();
    config.pool_wait_ms = WAIT_MS;
    config.max_transactions = 1;
    taken = fixture_store(&config);
    config.dsn = "host=127.0.0.1 port=1 user=reeve dbname=none";
    away = store_new(&config);
    arena = arena_new(FIXTURE_ARENA_BYTES);
    assert_ok(tx_begin_service(taken, arena, &the_only_one));
    return away == NULL || arena == NULL ? -1 : 0;
}

static int
tear_down(void **state)
{
    tx_cleanup(&the_only_one);
    store_free(taken);
    store_free(away);
    arena_free(arena);
    return close_store(state);
}

/* Of a function that was called with a store that cannot serve it. */
#define SAYS(code_of_it, call)                                           \
    do {                                                                 \
        error said = (call);                                             \
        if (said == OK || said->code != (code_of_it))                    \
            fail_msg("%s\n    does not say that it did nothing", #call); \
    } while (0)
#define IS_AWAY(call) SAYS(DATABASE_UNAVAILABLE, call)

/* ---- No database ---- */

static void
what_is_due_is_not_nothing(void **state)
{
    (void)state;
    size_t count;
    IS_AWAY(store_access_expired(away, arena, (struct access_expired[ACCESS_EXPIRED_MAX]){ 0 }, &count));
    IS_AWAY(store_alert_due(away, arena, (struct alert_place[ALERT_DUE_MAX]){ 0 }, &count));
    IS_AWAY(store_alert_closing(away, arena, (struct alert_closing[ALERT_CLOSING_MAX]){ 0 }, &count));
    IS_AWAY(store_notification_due(away, arena, (struct notification_place[NOTIFICATION_DUE_MAX]){ 0 }, &count));
    IS_AWAY(store_backup_unprotected(away, arena, (struct backup_project[BACKUP_PROJECTS_MAX]){ 0 }, &count));
    IS_AWAY(store_backup_schedules_walk(away, arena, ID_NONE, (struct walked_schedule[BACKUP_WALK_MAX]){ 0 }, &count));
    IS_AWAY(store_billing_due(away, arena, ID_NONE, (id[BILLING_DUE_MAX]){ 0 }, &count));
    IS_AWAY(store_payment_due(away, arena, ID_NONE, 30, (id[PAYMENT_DUE_MAX]){ 0 }, &count));
    IS_AWAY(store_outages_expired(away, arena, (struct part_place[PART_PLACES_MAX]){ 0 }, &count));
    IS_AWAY(store_webhook_due(away, arena, (struct webhook_place[WEBHOOK_DUE_MAX]){ 0 }, &count));
    IS_AWAY(store_identity_provider_due(away, arena, (struct identity_provider_place[IDENTITY_PROVIDER_DUE_MAX]){ 0 },
                                        &count));
    IS_AWAY(store_invitation_mails_due(away, arena, (struct invitation_place[INVITATION_MAILS_MAX]){ 0 }, &count));
    IS_AWAY(store_job_due(away, arena, STR("{a}"), true, (struct job_place[JOB_DUE_MAX]){ 0 }, &count));
    IS_AWAY(store_job_of_subject(away, arena, STR("{a}"), one, &(struct job_place){ 0 }, &count));
    IS_AWAY(store_etcd_without_user(away, arena, &count, (id[ETCD_CLUSTERS_MAX]){ 0 }, (id[ETCD_CLUSTERS_MAX]){ 0 }));
}

static void
what_is_asked_for_is_not_missing(void **state)
{
    (void)state;
    const uint8_t mac[32] = { 0 };
    struct etcd_place *places;
    struct fleet_offer *offer;
    struct rows rows;
    const json_t *found_rows;
    size_t count;
    bool found;
    str text, other;
    id found_id, other_id;
    IS_AWAY(store_alert_recipients(away, arena, one, &(struct recipients_wanted){ .project = one },
                                   (str[RECIPIENTS_MAX]){ 0 }, &count));
    IS_AWAY(store_organization_locked(away, arena, &text));
    IS_AWAY(store_payment_owner(away, arena, one, &found_id));
    IS_AWAY(store_payment_unpaid(away, arena, 30, &text));
    IS_AWAY(store_etcd_of_cluster(away, arena, one, &found, &(struct etcd_place){ 0 }));
    IS_AWAY(store_etcd_groups(away, arena, &count, &places));
    IS_AWAY(
        store_event_list(away, arena, &(struct event_filter){ .scope = one, .limit = 1 }, &(struct event_page){ 0 }));
    IS_AWAY(store_federation_issuer(away, arena, STR("https://issuer"), &found_rows));
    IS_AWAY(store_federation_sign_in(away, arena, one, STR("a@b.example"), STR("[]"), 0, &(struct federated_place){ 0 },
                                     1, &count));
    IS_AWAY(store_federation_list(away, arena, &text));
    IS_AWAY(store_federation_of(away, arena, one, &found_id));
    IS_AWAY(store_federation_exists(away, arena, one, &found));
    IS_AWAY(store_fleet_authority(away, arena, &(struct authority_row){ 0 }));
    IS_AWAY(store_fleet_list(away, arena, SQL_HOST_LIST, STR_EMPTY, &text));
    IS_AWAY(store_host_by_serial(away, arena, STR("1"), &(struct host_known){ 0 }));
    IS_AWAY(store_host_goal(away, arena, one, STR("d"), STR("[]"), &text));
    IS_AWAY(store_host_seat(away, arena, one, one, &(struct host_seat){ 0 }));
    IS_AWAY(store_host_log_targets(away, arena, one, &text));
    IS_AWAY(store_host_member_names(away, arena, one, one, STR("d"), &(struct member_names){ 0 }));
    IS_AWAY(store_invitation_list_all(away, arena, &text));
    IS_AWAY(store_session_touch(away, arena, one));
    IS_AWAY(store_session_list(away, arena, one, one, &text));
    IS_AWAY(store_federation_providers_of(away, arena, STR("a@b"), ID_NONE, &found_rows));
    IS_AWAY(store_federation_provider(away, arena, one, &found_rows));
    IS_AWAY(store_federation_answer_refused(away, arena, &(struct refused_answer){ .provider = one }));
    IS_AWAY(store_device_claim(away, arena, one, one, &(struct device_claim){ 0 }));
    IS_AWAY(store_device_fate(away, arena, STR("c"), STR("d"), &(enum device_fate){ 0 }));
    IS_AWAY(store_passkey_find(away, arena, STR("c"), &(struct passkey_row){ 0 }));
    IS_AWAY(store_enrolment_find(away, arena, STR("m"), &(struct enrolment){ 0 }));
    IS_AWAY(store_invitation_sealed_token(away, arena, one, &found, &text, &other));
    IS_AWAY(store_invitation_by_token(away, arena, mac, STR("u"), &found, &found_id, &other_id));
    IS_AWAY(store_invitation_for_person(away, arena, one, STR("u"), &found, &found_id));
    IS_AWAY(store_fleet_offer(away, arena, &offer));
    IS_AWAY(store_operator_list(away, arena, &text));
    IS_AWAY(store_operator_session_load(away, arena, one, &(struct operator_session_row){ 0 }));
    IS_AWAY(store_operator_session_list(away, arena, one, &text));
    IS_AWAY(store_operator_passkey_find(away, arena, STR("c"), &(struct passkey_row){ 0 }));
    IS_AWAY(store_operator_enrolment_find(away, arena, STR("m"), &found_id, &text));
    IS_AWAY(store_operator_by_hash(away, arena, STR("h"), &(struct operator_row){ 0 }));
    IS_AWAY(store_limit_owner(away, arena, STR("ip"), one, &found, &found_id));
    IS_AWAY(store_job_list(away, arena, &(struct job_filter){ .limit = 1 }, &rows));
    IS_AWAY(store_job_get(away, arena, one, &(struct job_record){ 0 }));
    IS_AWAY(store_job_counts(away, arena, &rows));
    IS_AWAY(store_sweep_list(away, arena, &rows));
    IS_AWAY(store_idempotency_find_outside(away, arena, one, STR("k"), &(struct idempotency_record){ 0 }));
    IS_AWAY(store_resource_read(away, arena, one, STR("kind"), STR("n"), &text));
}

/* ---- Nothing can be written. Called for both stores: each has its own word for it. ---- */

static void
tell_late(void *context, const struct job_late *late)
{
    (void)context, (void)late;
}

static void
nothing_is_written(struct store *none, enum error_code word)
{
    struct tx *tx = NULL;
    struct webhook_claim webhook = { .place = { one, one } };
    struct notification_claim notification = { .at = { { one, one }, one, one } };
    struct identity_provider_claim provider = { .place = { one, one } };
    struct invitation_mail mail = { .at = { one, one } };
    struct job job = { .id = one, .organization = one };
    struct job_place place = { .organization = one, .job = one, .kind = STR("a"), .step = STR("b") };
    struct access_expired expired = { .organization = one, .project = one, .kind = STR("databaseUser") };
    int64_t number;
    int deleted;
    bool did;
    SAYS(word, store_access_expire(none, arena, &expired, EVENT_DATABASE_USER_EXPIRED, &did));
    SAYS(word, store_notification_claim(none, arena, notification.at, 1, 1, &did, &notification));
    SAYS(word, store_notification_sent(none, arena, &notification, 200, 0));
    SAYS(word, store_notification_failed(none, arena, &notification, 500, STR("why"), 1, NOTIFICATION_AGAIN));
    SAYS(word, alert_raise(none, arena, (struct alert_place){ one, one }, &did));
    SAYS(word, store_snapshots_expire(none, arena, 1, &deleted));
    SAYS(word, store_snapshot_copies_release(none, arena, 1, &deleted));
    SAYS(word, store_snapshots_prune(none, arena, 1, &deleted));
    SAYS(word, store_price_list_set(none, arena, STR("[]"), &number));
    SAYS(word, store_cost_report_prune(none, arena, &deleted));
    SAYS(word, store_webhook_claim(none, arena, webhook.place, 1, 1, &did, &webhook));
    SAYS(word, store_webhook_delivered(none, arena, &webhook, 1, 200, 1, &did));
    SAYS(word, store_webhook_failed(none, arena, &webhook, 500, STR("why"), 1, 1));
    SAYS(word, store_webhook_release(none, arena, &webhook));
    SAYS(word, store_federation_signed_in(
                   none, arena, &(struct federated_news){ .place = { .organization = one }, .provider = one }));
    SAYS(word, store_federation_want_keys(none, arena, one, one, 1));
    SAYS(word, store_identity_provider_claim(none, arena, provider.place, &did, &provider));
    SAYS(word, store_identity_provider_fetched(none, arena, &provider, STR("[]"), STR_EMPTY, 1));
    SAYS(word, store_identity_provider_not_fetched(none, arena, &provider, STR("why")));
    SAYS(word, store_invitation_mail_claim(none, arena, mail.at, 1, &did, &mail));
    SAYS(word, store_invitation_mailed(none, arena, &mail));
    SAYS(word, store_invitation_not_mailed(none, arena, &mail, STR("why"), 1));
    SAYS(word, store_job_begin(none, arena, one, &tx));
    SAYS(word, store_job_begin(none, arena, ID_NONE, &tx));
    SAYS(word,
         store_job_claim(none, arena, &place, false, STR("w"), &(struct job_pace){ .lease_ms = 1 }, 1, &did, &job));
    SAYS(word, store_job_error(none, arena, &job, STR("w"), STR("why")));
    SAYS(word, store_job_prune(none, arena, 1, 1, &deleted));
    SAYS(word, store_sweep_claim(none, arena, STR("s"), 1, 1, STR("w"), &did, &number));
    SAYS(word, store_sweep_end(none, arena, STR("s"), 1, STR_EMPTY));
    for (size_t i = 0; i < RETENTION_COUNT; i++)
        SAYS(word, store_retention_prune(none, arena, &retention_rows[i], 1, 1, &number));
}

static void
without_a_database_nothing_is_written(void **state)
{
    (void)state;
    nothing_is_written(away, DATABASE_UNAVAILABLE);
    IS_AWAY(
        store_job_mark_late(away, arena, STR("w"), tell_late, NULL)); /* reads first, and stops when nothing is late */
}

static void
without_a_connection_nothing_is_written(void **state)
{
    (void)state;
    nothing_is_written(taken, OVERLOADED);
}

/* ---- Keys ---- */

static void
keys_are_not_replaced(void **state)
{
    (void)state;
    enum { ATTACKS = 100 };
    int reads = 0;
    struct keyring *keyring = keyring_new(away, &(struct key){ 0 });
    assert_non_null(keyring);
    IS_AWAY(keyring_load(keyring, arena));
    IS_AWAY(keyring_rotate(keyring, arena));
    assert_false(keyring_is_loaded(keyring));
    for (int i = 0; i < ATTACKS; i++)
        reads += keyring_load_sparingly(keyring, arena) != OK;
    assert_in_range(reads, 1, ATTACKS / 2);
    keyring_free(keyring);
}

/* ---- Whoever sweeps is told, and sweeps again ---- */

static void
sweeps_say_so(void **state)
{
    (void)state;
    char prices[] = "/tmp/reeve-prices-XXXXXX";
    int file = mkstemp(prices), silent = 0;
    assert_true(file >= 0);
    close(file);
    struct job_environment environment = { .domain = "d",
                                           .retention_days = 30,
                                           .payment_due_days = 30,
                                           .price_file = prices,
                                           .fetch_document = poster_fetch };
    for (size_t i = 0; all_sweeps[i] != NULL; i++) {
        error said = all_sweeps[i]->run(&(struct sweep_context){ away, arena, &environment });
        if (said == OK || said->code != DATABASE_UNAVAILABLE) {
            print_message("The sweep %s does not say that there is no database.\n", all_sweeps[i]->name);
            silent++;
        }
    }
    unlink(prices);
    assert_int_equal(silent, 0);
}

/* What is due can be read, and not be done. */
static void
sweeps_with_work_say_so(void **state)
{
    (void)state;
    struct job_environment environment = { .domain = "d", .retention_days = 30 };
    id organization = fixture_id(1), project = fixture_id(2);
    fixture_add_organization(organization);
    fixture_add_project(project, organization);
    fixture_ask(
        "INSERT INTO alert (id, org_id, project_id, config_id, event_id, event_type, severity, status, lasts, created_at, updated_at, "
        "close_at) VALUES (%s, %s, %s, %s, %s, 'T', 'INFO', 'OPEN', false, now(), now(), now() - interval '1 minute')",
        fixture_quote(one), fixture_quote(organization), fixture_quote(project), fixture_quote(one),
        fixture_quote(one));
    SAYS(OVERLOADED, past_alerts_sweep.run(&(struct sweep_context){ taken, arena, &environment }));
    assert_string_equal(fixture_ask("SELECT status FROM alert"), "OPEN");
    assert_ok(past_alerts_sweep.run(&(struct sweep_context){ store, arena, &environment }));
    assert_string_equal(fixture_ask("SELECT status FROM alert"), "CLOSED");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_due_is_not_nothing),
        cmocka_unit_test(what_is_asked_for_is_not_missing),
        cmocka_unit_test(without_a_database_nothing_is_written),
        cmocka_unit_test(without_a_connection_nothing_is_written),
        cmocka_unit_test(keys_are_not_replaced),
        cmocka_unit_test(sweeps_say_so),
        cmocka_unit_test(sweeps_with_work_say_so),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
