/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every lock with two transactions: a first one holds it, and a rival is seen to wait for the first, or to go on without what is held. A
 * row that commits says what must be true afterwards. Whoever adds a lock to an SQL file adds a row here; a test looks for the words.
 */
#include "world_fixture.h"

#include "base/clock.h"

enum outcome { WAITS, GOES_ON };

/*
 * A call is a statement with its arguments, as in calls.txt, or else SQL. `says`: what the rival hears in the end, which is the first value
 * of its first row, or how many rows it changed, or the sentence of its error; NULL: that does not matter. With `ended` both commit, and
 * that query must answer "t". `meanwhile` is asked while the rival waits, NOWAIT; it must work, or when it begins with "!" it must not: so
 * one sees in which order locks are taken.
 */
struct lock_row {
    const char *file, *first, *rival /* NULL: the same */;
    enum outcome outcome;
    const char *says, *ended;
    const char *before;       /* is committed first */
    const char *before_rival; /* is committed when the first one holds its lock */
    const char *meanwhile;
};

/* Of two ids, which is locked first. */
#define LOWER(a, b)             "least(" a ", " b ")"
#define HIGHER(a, b)            "greatest(" a ", " b ")"
#define LOCK(table, column, id) "SELECT 1 FROM " table " WHERE " column " = " id " FOR UPDATE"
/* Those that lock several rows do it in the order of their ids: behind the higher one they have the lower one, and not the other way round. */
#define IN_ORDER(name, table, column, a, b, call)                                                                   \
    { name, LOCK(table, column, HIGHER(a, b)), call, .meanwhile = "!" LOCK(table, column, LOWER(a, b)) " NOWAIT" }, \
    {                                                                                                               \
        name, LOCK(table, column, LOWER(a, b)), call, .meanwhile = LOCK(table, column, HIGHER(a, b)) " NOWAIT"      \
    }

#define P2 "id('alfa2 project')"
#define CLAIM_JOB \
    "job_claim(job => x('job due'), step => 'plan', has_news => false, lease_ms => 1000, deadline_s => 60, backoff_first_ms => 100, backoff_most_ms => 1000, worker => 'w')"
#define SCALES_ORDERS "INSERT INTO cluster_scaling (cluster_id, is_on) VALUES (x('orders'), true)"
#define SCALING_CLAIM \
    "scaling_claim(now_ms => 1577836860000, before_ms => 1577836800000, clusters => ARRAY[hex(x('orders'))])"
#define MEMBER "x('second member0')"
#define BOB    "t('bob')"
#define SEAT_SAYS(what)                                                                                                \
    "host_report_take(host => id('r1'), epoch => 1, report => jsonb_build_object('version', 1, 'facts', '{}'::jsonb, " \
    "'members', '[]'::jsonb, 'tasks', '[]'::jsonb, 'seats', jsonb_build_array(jsonb_build_object('id', "               \
    "hex(x('orders seat1')), 'unit', 'active', " what "))))"
#define SPAN_TO(lsn)                                                                                               \
    SEAT_SAYS(                                                                                                     \
        "'snapshots', '[]'::jsonb, 'spans', jsonb_build_array(jsonb_build_object('ordinal', 7, 'fromLsn', '0/1', " \
        "'toLsn', '" lsn "', 'fromTimeline', 1, 'toTimeline', 1, 'fromAt', '2020-01-01T00:00:00Z', 'toAt', "       \
        "'2020-01-01T00:00:00Z'))")
#define COPY_IS(state)                                                                                                  \
    SEAT_SAYS(                                                                                                          \
        "'spans', '[]'::jsonb, 'snapshots', jsonb_build_array(jsonb_build_object('id', hex(id('n9')), 'state', '" state \
        "', 'label', 'L', 'needs', '[]'::jsonb, 'policyItems', '[]'::jsonb))")
#define MEMBER_IS(state)                                                                                               \
    "host_report_take(host => id('h1'), epoch => 1, report => jsonb_build_object('version', 1, 'facts', '{}'::jsonb, " \
    "'tasks', '[]'::jsonb, 'seats', '[]'::jsonb, 'members', jsonb_build_array(jsonb_build_object('id', "               \
    "hex(x('orders member0')), 'unit', 'active', 'role', 'NONE', 'running', 'stopped', 'goalGeneration', 1, "          \
    "'accessGeneration', 1, 'restartNonce', 0, 'pendingRestart', false, 'restore', jsonb_build_object('id', "          \
    "hex(x('orders restore running')), 'state', '" state "')))))"
#define PEERING_IS(state)                                                                                              \
    "host_report_take(host => id('h1'), epoch => 1, report => jsonb_build_object('version', 1, 'facts', '{}'::jsonb, " \
    "'members', '[]'::jsonb, 'tasks', '[]'::jsonb, 'peerings', jsonb_build_array(jsonb_build_object('id', "            \
    "hex(x('peer')), 'state', '" state "', 'publicKey', 'k'))))"
#define OWN_LAG(lag)                                                                                                   \
    "host_report_take(host => id('r1'), epoch => 1, report => jsonb_build_object('version', 1, 'facts', '{}'::jsonb, " \
    "'members', '[]'::jsonb, 'tasks', '[]'::jsonb, 'ownDatabase', jsonb_build_object('unit', 'active', 'lagMs', " lag  \
    ")))"
#define ADD_RESTORE(name)                                                                                               \
    "restore_add(restore => id('" name                                                                                  \
    "'), cluster => x('orders'), point => 'LATEST', snapshot => NULL, moment_ms => "                                    \
    "NULL, lsn => NULL, seat => x('orders seat1'), label => 'L', timeline => NULL, is_last => true, target_project => " \
    "p(), target => id('nowhere'), target_name => 'copy')"
#define PLACE_DOWNLOAD(name)                                                                                    \
    "download_place(restore => id('" name "'), cluster => x('orders'), seat => x('orders seat1'), snapshot => " \
    "x('orders snapshot shown'), label => 'L', reserved_gb => 1)"
#define ADVICE                                                                                                         \
    "advice_store(host => id('h1'), member => x('orders member0'), document => jsonb_build_object('at', "              \
    "1600000000000, 'missing', '', 'slow', '[]'::jsonb, 'shapes', jsonb_build_array(jsonb_build_object('hash', "       \
    "'EEEEEEEEEEEEEEEE', 'database', 'shop', 'text', 'SELECT ?', 'command', 'SELECT', 'table', '', 'calls', 3, 'ms', " \
    "1, 'rows', 3, 'bytes', 0))))"
#define PRICES(more)                                                                                                \
    "price_list_set(items => '[{\"id\": \"MEMBER_M10\", \"description\": \"A member.\", \"microcents\": 6000000}, " \
    "{\"id\": \"DISK_GB\", \"description\": \"Disk.\", \"microcents\": 100000}, "                                   \
    "{\"id\": \"" more "\", \"description\": \"New.\", \"microcents\": 5}]')"

// clang-format off
static const struct lock_row rows[] = {
    /* ---- Rows that are held for a change ---- */
    { "alert_ending", "alert_ending(config => x('config'), cluster => 'orders')", "alert_lock(alert => x('alert'))" },
    IN_ORDER("alert_ending_of_config", "alert", "id", "x('alert')", "x('alert other')", "alert_ending_of_config(config => x('config'), limit => 10)"),
    { "alert_ending_of_config", "alert_ending_of_config(config => x('config'), limit => 10)", "alert_lock(alert => x('alert other'))" },
    { "alert_lock", "alert_lock(alert => x('alert'))" },
    { "backup_schedule_add", "SELECT backup_schedule_add(o(), p(), id('new'), 'n', now())" },
    IN_ORDER("backup_schedule_list", "resource", "id", "x('orders schedule')", "x('second schedule')", "backup_schedule_list()"),
    { "backup_stanza_lock", "backup_stanza_lock(cluster => x('orders'))" },
    { "cluster_lock", "cluster_lock(kinds => '{cluster}', name => 'orders', cluster => NULL)" },
    { "cluster_part_lock", "cluster_part_lock(kind => 'outageSimulation', name => 'orders')" },
    { "connected_organization_lock", "connected_organization_lock()" },
    { "container_lock", "container_lock(container => x('container'))" },
    { "credential_lock", "credential_lock(credential => t('key'), kind => 'api_key', project => NULL)" },
    { "snapshot_lock", "snapshot_lock(kind => 'cluster', name => 'orders', snapshot => x('orders snapshot shown'), form => 'backup')" },
    { "federation_lock", "federation_lock()", LOCK("organization", "id", "o()") },
    { "federation_lock", "federation_lock()", LOCK("federation", "id", "t('federation')") },
    { "identity_provider_lock", "identity_provider_lock(provider => t('provider'))" },
    { "job_hold", "job_hold(job => x('job held'), epoch => 7)" },
    { "organization_lock", "organization_lock()" },
    { "organization_lock", "organization_lock()", "project_add(project => id('n1'), name => 'n', settings => '{}')", GOES_ON },
    { "organization_lock_against_additions", "organization_lock_against_additions()", "project_add(project => id('n1'), name => 'n', settings => '{}')" },
    { "organization_lock_credentials", "organization_lock_credentials()", "credential_lock(credential => t('key'), kind => 'api_key', project => NULL)" },
    IN_ORDER("organization_lock_credentials", "principal", "id", "t('key')", "t('account')", "organization_lock_credentials()"),
    IN_ORDER("project_credentials_touch", "principal", "id", "t('key')", "t('account')", "project_credentials_touch()"),
    { "pinned_tables_lock", "pinned_tables_lock(cluster_name => 'orders')" },
    { "pooling_lock", "pooling_lock(cluster_name => 'orders')" },
    { "project_lock", "project_lock()" },
    { "project_lock", "project_lock()", "principal_role_grant_add(principal => " BOB ", role => 'GROUP_OWNER')", GOES_ON },
    { "project_lock_against_additions", "project_lock_against_additions()", "principal_role_grant_add(principal => " BOB ", role => 'GROUP_OWNER')" },
    { "project_lock_all", "project_lock_all(projects => list(p(), " P2 "))", "project_lock(project => " P2 ")" },
    IN_ORDER("project_lock_all", "project", "id", "p()", P2, "project_lock_all(projects => list(p(), " P2 "))"),
    { "restore_lock", "restore_lock(restore => x('orders restore running'))" },
    { "provider_is_as_seen",
      "session_add(session => id('n9'), person => t('ada'), mac => '\\x01', pepper_version => 1, address => 'a', browser => 'b', is_verified => true, provider => t('provider'), epoch => 5)",
      "identity_provider_forget_keys(provider => t('provider'))" },
    { "resource_lock", "resource_lock(scope => p(), kind => 'thing', name => 'orders')" },
    { "resource_lock_single", "resource_lock_single(kind => 'thing')" },
    { "role_mapping_lock", "role_mapping_lock(mapping => t('mapping'))" },
    { "team_lock", "team_lock(team => t('team'))" },
    { "team_lock_all", "team_lock_all(entries => teams(t('team'), t('team other')))", "team_lock(team => t('team'))" },
    IN_ORDER("team_lock_all", "team", "id", "t('team')", "t('team other')", "team_lock_all(entries => teams(t('team'), t('team other')))"),
    { "team_person_find", "team_person_find(person => id('both'), username => NULL)", .outcome = GOES_ON },
    { "team_person_find", "team_person_find(person => id('both'), username => NULL)", "member_grants_remove(member => id('both'))" },
    { "webhook_count", "webhook_count()" },
    { "webhook_lock", "webhook_lock(webhook => t('hook'))" },

    /* ---- What one takes and others leave alone ---- */
    { "alert_cursor_lock", "alert_cursor_lock()", .outcome = GOES_ON, .says = "" },
    { "alert_notification_claim", "alert_notification_claim(notification => x('alert note'), lease_s => 30, retry_ms => 5000)", .outcome = GOES_ON, .says = "" },
    { "idempotency_lock", "idempotency_lock(principal => t('account'), key => 'k')", .outcome = GOES_ON, .says = "f" },
    { "idempotency_prune", "idempotency_prune(limit => 10)", .outcome = GOES_ON, .says = "0" },
    { "invitation_mail_claim", "invitation_mail_claim(invitation => t('invitation'), lease_ms => 5000)", .outcome = GOES_ON, .says = "" },
    { "job_claim", CLAIM_JOB, .outcome = GOES_ON, .says = "" },
    { "job_mark_late", "job_mark_late(job => x('job held'))", .outcome = GOES_ON, .says = "" },
    { "snapshot_expire", "snapshot_expire(limit => 100)", .outcome = GOES_ON, .says = "0" },
    { "monitor_late_take", "monitor_late_take(limit => 10)", .outcome = GOES_ON, .says = "", .before = "INSERT INTO monitor_late VALUES (x('orders member0'), '2020-01-01 10:00Z', now() - interval '5 minutes')" },
    /* Two projects of one organization: who comes second sees what the first has taken. */
    { "directory_sync_lock", "directory_sync_lock(project => p())", "directory_sync_lock(project => " P2 ")", .before = "INSERT INTO directory_sync (org_id, project_id) VALUES (o(), p()), (o(), " P2 ") ON CONFLICT DO NOTHING" },
    { "directory_sync_claim", "directory_sync_claim(project => p(), lease_s => 30, retry_ms => 5000)", .outcome = GOES_ON, .says = "", .before = "INSERT INTO directory_sync (org_id, project_id, next_try_at, lease_epoch) VALUES (o(), p(), now() - interval '1 minute', 6) ON CONFLICT (project_id) DO UPDATE SET next_try_at = excluded.next_try_at, lease_until = NULL" },
    { "key_service_claim", "key_service_claim(project => p(), lease_s => 30)", .says = "", .ended = "SELECT lease_until > now() FROM key_service_ask WHERE project_id = p()" },
    { "measurement_push_claim", "measurement_push_claim(integration => id('push1'), lease_s => 30, retry_ms => 5000)", .outcome = GOES_ON, .says = "", .before = "INSERT INTO measurement_push (integration_id, project_id, next_try_at, lease_epoch) VALUES (id('push1'), p(), now() - interval '1 minute', 6)" },
    { "webhook_claim", "webhook_claim(webhook => t('hook'), lease_s => 30, retry_ms => 5000)", .outcome = GOES_ON, .says = "" },

    /* ---- What is looked at again after the wait ---- */
    { "job_cancel", "job_retry(job => x('job failed'))", "job_cancel(job => x('job failed'))", .says = "",
      .ended = "SELECT state = 'QUEUED' FROM job WHERE id = x('job failed')" },
    { "job_retry", "job_cancel(job => id('alfa2 job failed'))", "job_retry(job => id('alfa2 job failed'))", .says = "",
      .ended = "SELECT state = 'CANCELLED' FROM job WHERE id = id('alfa2 job failed')" },
    /* Two workers find out that it has had no primary for long enough: one of them tells. */
    { "primary_watch_begin", "primary_watch_begin(cluster => x('orders'))", .says = "",
      .before = "INSERT INTO cluster_watch (cluster_id, no_primary_since) VALUES (x('orders'), now() - interval '1 minute')",
      .ended = "SELECT is_told FROM cluster_watch WHERE cluster_id = x('orders')" },
    /* Two workers look at what is due: one of them takes it. */
    { "scaling_claim", SCALING_CLAIM, .outcome = GOES_ON, .says = NULL,
      .before = SCALES_ORDERS, .ended = "SELECT looked_at = to_timestamp(1577836860) FROM cluster_scaling WHERE cluster_id = x('orders')" },
    /* Two changes of one cluster cannot both be first; a row is made once. */
    { "scaling_follow", "scaling_follow(cluster => x('orders'), is_on => true)", .says = "0",
      .ended = "SELECT count(*) = 1 FROM cluster_scaling WHERE cluster_id = x('orders') AND is_on" },
    { "join_token_take", "join_token_take(hash => '\\x01')", .says = "t", .ended = "SELECT used_at IS NOT NULL FROM join_token WHERE hash = '\\x01'" },
    { "invoice_line_is_final", "UPDATE invoice SET status = 'CLOSED', subtotal_cents = 1, closed_at = now() WHERE id = id('bravo invoice pending')",
      "UPDATE invoice_line SET seconds = 1 WHERE invoice_id = id('bravo invoice pending')", .says = "a closed invoice cannot be changed",
      .ended = "SELECT min(seconds) > 1 FROM invoice_line WHERE invoice_id = id('bravo invoice pending')" },
    /* The invoice comes first, the spans behind it. */
    { "billing_step", LOCK("invoice", "id", "t('invoice pending')"), "billing_step(id => o(), spans => 100)",
      .meanwhile = "SELECT 1 FROM usage_span WHERE org_id = o() FOR UPDATE NOWAIT" },
    { "billing_step", "billing_step(id => o(), spans => 100)", .says = "CLOSED", /* eight members of a size and ten GB for two hours, once */
      .ended = "SELECT sum(seconds) = 8 * 11 * 7200 FROM invoice_line WHERE invoice_id = t('invoice pending') AND day = '2020-02-29'" },
    /* What was billed is over, whatever the clock says. */
    { "usage_becomes", "billing_step(id => o(), spans => 100)", "cluster_member_want(member => " MEMBER ", desired => 'STOPPED', electable => true, priority => 7)", .says = "1",
      .before = "UPDATE test.clock SET at = '2020-03-11 09:10:00+00'", .before_rival = "UPDATE test.clock SET at = '2020-03-10 23:30:00+00'",
      .ended = "SELECT ended_at = '2020-03-11 09:00:00+00' AND billed_until = ended_at FROM usage_span WHERE member_id = " MEMBER " AND unit = 'MEMBER'" },

    /* ---- Everybody in turn ---- */
    { "job_lock_subject", "job_lock_subject(subject => x('orders'))" },
    { "member_lock", "member_lock(member => id('both'))" },
    /* Two people who invite somebody again whose invitation has expired: one of them does. */
    { "member_lock", "invitation_renew(invitation => t('invitation expired'), mac => sha256('1'), pepper_version => 2, inviter_name => 'one', days => 30, sealed_token => '\\x01')", "invitation_renew(invitation => t('invitation expired'), mac => sha256('2'), pepper_version => 2, inviter_name => 'two', days => 30, sealed_token => '\\x01')", .says = "",
      .ended = "SELECT inviter_name = 'one' FROM invitation WHERE id = t('invitation expired')" },
    { "fleet_update_begin", "LOCK TABLE fleet_update IN SHARE ROW EXCLUSIVE MODE", "fleet_update_begin(update => id('u'), operator_name => 'ada', wish => '{}')" },
    { "fleet_update_decide", "LOCK TABLE fleet_update IN SHARE ROW EXCLUSIVE MODE", "fleet_update_decide(update => id('u'), goes_on => true, skip_failed => false)" },
    { "fleet_update_advance", LOCK("fleet_update", "id", "id('u')"), "fleet_update_advance(update => id('u'), is_canary => true, kind => 'k', first_step => 's', step_count => 1)",
      .before = "INSERT INTO fleet_update (id, state, at_a_time, patience_s, created_by) VALUES (id('u'), 'STOPPED', 2, 300, 'ada')" },
    { "fleet_update_gate", LOCK("fleet_update", "id", "id('u')"), "fleet_update_gate(update => id('u'), cluster => x('orders'), may_begin => true)",
      .before = "INSERT INTO fleet_update (id, state, at_a_time, patience_s, created_by) VALUES (id('u'), 'STOPPED', 2, 300, 'ada') ON CONFLICT DO NOTHING" },
    { "placement_lock", "SELECT placement_lock()" },
    { "fleet_figures_take", "fleet_figures_take()" },
    { "cluster_bind_etcd", "SELECT placement_lock()", "cluster_etcd_bind(cluster => x('orders'), provider => 'P', region => 'B')" },
    { "container_is_held", "SELECT placement_lock()", "SELECT container_is_held(x('container'))" },
    { "container_obstacle", "SELECT placement_lock()", "container_obstacle(provider => 'P', region => 'A', block => '172.1.0.0/16')" },
    { "peer_lock", "peer_lock(peer => x('peer'))", "peer_lock(peer => x('peer'))" },
    { "peer_sweep", LOCK("network_peer", "id", "x('peer other')"), "peer_sweep(peer => x('peer other'))", .says = "f" },
    { "peer_sweep", "DELETE FROM network_peer_gateway WHERE peer_id = x('peer other') AND host_id = id('h2'); SELECT peer_sweep(x('peer other'))",
      "DELETE FROM network_peer_gateway WHERE peer_id = x('peer other') AND host_id = id('h1'); SELECT peer_sweep(x('peer other'))",
      .before = "INSERT INTO network_peer_gateway (peer_id, host_id, state) VALUES (x('peer other'), id('h1'), 'WAITING')", .ended = "SELECT count(*) = 0 FROM network_peer WHERE id = x('peer other')" },
    { "private_endpoint_service_lock", "private_endpoint_service_lock(id => x('service A'), provider => 'P')", "private_endpoint_service_lock(id => x('service A'), provider => 'P')" },
    { "private_endpoint_ports_keep", LOCK("private_endpoint_service", "id", "x('service A')"), "SELECT private_endpoint_ports_keep(p())" },
    { "address_peered", "SELECT placement_lock()", "address_peered(first => '192.168.7.9', count => 1)", .says = "192.168.7.0/24" },
    { "peer_obstacle", "SELECT placement_lock()", "peer_obstacle(container => x('container'), peer => id('new'), blocks => '192.168.70.0/24', endpoint_address => '')" },
    { "private_endpoint_service_add", "SELECT placement_lock()", "private_endpoint_service_add(id => id('n9'), provider => 'P', region => 'A', regions => '[]')", .before = "DELETE FROM private_endpoint_service WHERE project_id = p()" },
    { "member_place", "SELECT placement_lock()", "cluster_member_place(cluster => x('orders'), ordinal => 2, provider => 'P', region => 'B', size => 'M10', disk_gb => 0, electable => true, priority => 5, analytics => false)" },
    { "member_release", "SELECT placement_lock()", "cluster_member_release(member => x('orders member0'))" },
    { "member_resize", "SELECT placement_lock()", "cluster_member_resize(member => x('orders member0'), size => 'M20', disk_gb => 20)" },
    { "member_release", LOCK("cluster_member", "id", "x('orders member0')"), "cluster_member_release(member => x('orders member0'))",
      .meanwhile = LOCK("host", "id", "id('h1')") " NOWAIT" },
    { "member_resize", LOCK("cluster_member", "id", "x('orders member0')"), "cluster_member_resize(member => x('orders member0'), size => 'M20', disk_gb => 20)",
      .meanwhile = LOCK("host", "id", "id('h1')") " NOWAIT" },
    { "seat_place", "SELECT placement_lock()", "seat_place(stanza => x('orders stanza2'), provider => 'P', region => 'A', reserved_gb => 1)" },
    { "restore_gate_open", "SELECT placement_lock()", "restore_gate_open(restore => x('orders restore running'))", .before = "UPDATE restore_job SET gate_port = NULL WHERE id = x('orders restore running')" },
    { "seat_copy_place", "SELECT placement_lock()", "seat_copy_place(stanza => x('orders stanza2'), provider => 'P', region => 'B', reserved_gb => 1)" },
    { "seat_copy_end", "SELECT placement_lock()", "seat_copy_end(stanza => x('orders stanza2'), provider => 'P', region => 'B', is_removed => false)" },
    { "seat_copies_complete", "SELECT placement_lock()", "seat_copies_complete()" },
    { "seat_shrink", "SELECT placement_lock()", "seat_shrink(stanza => x('orders stanza1'))" },
    { "host_drop_seats", "SELECT placement_lock()", "host_drop_seats(host => id('r1'))" },
    { "host_move_seats", "SELECT placement_lock()", "host_move_seats(host => id('r1'))" },
    { "download_place", "SELECT placement_lock()", PLACE_DOWNLOAD("d1") },
    { "download_release", "SELECT placement_lock()", "SELECT download_release(x('orders restore over'))" },
    { "seat_release", "SELECT placement_lock()", "SELECT seat_release(x('orders seat0'))" },
    { "seat_release", LOCK("stanza_seat", "id", "x('orders seat0')"), "SELECT seat_release(x('orders seat0'))", .before = "UPDATE stanza_seat SET desired = 'REMOVED' WHERE id = x('orders seat0')",
      .meanwhile = LOCK("host", "id", "id('r1')") " NOWAIT" },
    IN_ORDER("goal_moves", "host_goal_version", "host_id", "id('h1')", "id('h2')", "SELECT cluster_touch(x('orders')); SET CONSTRAINTS ALL IMMEDIATE"),
    { "price_list_set", PRICES("ONE"), PRICES("TWO"), .ended = "SELECT string_agg(id, ' ' ORDER BY id COLLATE \"C\") = 'DISK_GB MEMBER_M10 TWO' FROM sku WHERE offered" },
    { "list_change", "resource_add(scope => p(), kind => 'thing', id => id('n1'), name => 'n1', document => '{}', generation => 5)", "resource_add(scope => p(), kind => 'thing', id => id('n2'), name => 'n2', document => '{}', generation => 5)",
      .ended = "SELECT total = 4 AND total = (SELECT count(*) FROM resource r WHERE r.scope = p() AND r.kind = 'thing') FROM list_counter WHERE scope = p() AND kind = 'thing'" },

    /* ---- Two that add the same: the second finds it there ---- */
    { "alert_metric_add", "alert_metric_add(alert => id('measured1'), config => x('config'), member => x('orders member0'), severity => 'WARNING', cluster => 'orders', status => 'OPEN', process => 'a:1', metric => 'M', value => '1', units => 'RAW')",
      "alert_metric_add(alert => id('measured2'), config => x('config'), member => x('orders member0'), severity => 'WARNING', cluster => 'orders', status => 'OPEN', process => 'a:1', metric => 'M', value => '1', units => 'RAW')", .says = "", .ended = "SELECT count(*) = 1 FROM alert WHERE metric = 'M'" },
    { "advice_store", ADVICE, .says = "OK", .before = "DELETE FROM member_advice WHERE member_id = x('orders member0')",
      .ended = "SELECT sum(calls) = 3 FROM query_cost WHERE hash = 'EEEEEEEEEEEEEEEE'" },
    { "alert_add", "alert_add(alert => id('n1'), config => x('config'), event => id('n1'), event_type => 'T1', severity => 'WARNING', cluster => 'third', status => 'OPEN', lasts => true, open_s => 60, event_count => 3, created_ms => 0)",
      "alert_add(alert => id('n2'), config => x('config'), event => id('n2'), event_type => 'T1', severity => 'WARNING', cluster => 'third', status => 'OPEN', lasts => true, open_s => 60, event_count => 3, created_ms => 0)", .says = "", .ended = "SELECT count(*) = 1 FROM alert WHERE cluster = 'third'" },
    { "alert_cursor_take", "alert_cursor_take()", "alert_cursor_lock()", GOES_ON, .says = "" },
    { "alert_notification_add", "alert_notification_add(id => id('n1'), alert => x('alert'), notifier => id('pager'), about => 'CLOSED', delay_min => 5, number => 1)",
      "alert_notification_add(id => id('n2'), alert => x('alert'), notifier => id('pager'), about => 'CLOSED', delay_min => 5, number => 1)", .says = "0", .ended = "SELECT count(*) = 1 FROM alert_notification WHERE id IN (id('n1'), id('n2'))" },
    { "auth_data_key_create", "auth_data_key_create(version => 9, sealed => '\\x01')", "auth_data_key_create(version => 9, sealed => '\\x02')", .says = "0", .ended = "SELECT sealed = '\\x01' FROM data_key WHERE org_id = o() AND version = 9" },
    { "auth_signing_key_add", "auth_signing_key_add(key_id => 9, sealed => '\\x01')", "auth_signing_key_add(key_id => 9, sealed => '\\x02')", .says = "0", .ended = "SELECT sealed = '\\x01' FROM signing_key WHERE id = 9" },
    { "auth_token_revoke", "auth_token_revoke(principal => t('account'), fingerprint => '\\x99', expires_at_s => 1600000000)", .says = "0", .ended = "SELECT count(*) = 1 FROM revoked_token WHERE fingerprint = '\\x99'" },
    { "download_place", PLACE_DOWNLOAD("d1"), PLACE_DOWNLOAD("d2"), .says = "BUSY",
      .ended = "SELECT count(*) = 1 FROM download WHERE seat_id = x('orders seat1') AND released_at IS NULL" },
    { "drill_add", "drill_add(stanza => x('orders stanza2'), drill => id('n1'))", "drill_add(stanza => x('orders stanza2'), drill => id('n2'))", .says = "", .before = "DELETE FROM drill WHERE id = x('orders drill queued')",
      .ended = "SELECT count(*) = 1 FROM drill WHERE stanza_id = x('orders stanza2') AND finished_at IS NULL" },
    { "export_add", "export_add(export => id('n1'), bucket => x('orders bucket'), snapshot => x('orders snapshot shown'), asked_s => 1, custom_data => '[]', format => 'DUMP')",
      "export_add(export => id('n2'), bucket => x('orders bucket'), snapshot => x('orders snapshot shown'), asked_s => 1, custom_data => '[]', format => 'DUMP')", .says = "",
      .before = "DELETE FROM export_job WHERE id = x('orders export queued')", .ended = "SELECT count(*) = 1 FROM export_job WHERE stanza_id = x('orders stanza2') AND finished_at IS NULL" },
    { "export_queue", "export_queue(asked_s => 1, limit => 10)", .says = "",
      .before = "UPDATE resource SET document = document || jsonb_build_object('autoExportEnabled', true, 'exportSince', '2020-01-01T00:00:00Z', 'export', "
                "jsonb_build_object('exportBucketId', hex(x('orders bucket')), 'frequencyType', 'daily')) WHERE id = x('orders schedule')",
      .ended = "SELECT count(*) = 2 AND count(DISTINCT snapshot_id) = 2 FROM export_job WHERE origin = 'SCHEDULED'" },
    { "drill_queue", "drill_queue(limit => 10)", .says = "",
      .before = "UPDATE backup_stanza SET created_at = now() - interval '8 days' WHERE id = x('second stanza2'); DELETE FROM drill WHERE stanza_id = x('second stanza2')",
      .ended = "SELECT count(*) = 1 FROM drill WHERE stanza_id = x('second stanza2') AND finished_at IS NULL" },
    { "stanza_add", "stanza_add(cluster => x('bare'), stanza => id('n1'), cipher => '\\x01')", "stanza_add(cluster => x('bare'), stanza => id('n2'), cipher => '\\x02')", .says = "",
      .ended = "SELECT count(*) = 1 FROM backup_stanza WHERE cluster_id = x('bare')" },
    { "backup_schedule_add", "SELECT backup_schedule_add(o(), p(), id('n3'), 'n', now())", .ended = "SELECT count(*) = 1 FROM resource WHERE kind = 'backupSchedule' AND name = hex(id('n3'))" },
    { "host_report_spans", SPAN_TO("0/2"), SPAN_TO("0/3"), .says = "OK", .ended = "SELECT count(*) = 1 AND max(to_lsn) = '0/3' FROM wal_span WHERE ordinal = 7" },
    { "host_report_peerings", PEERING_IS("WAITING"), PEERING_IS("OPEN"), .says = "OK",
      .before = "DELETE FROM network_peer_gateway; UPDATE network_container SET block = (SELECT network(set_masklen(pool_private(a), 32)) FROM host_address a WHERE a.member_id = x('orders member0')) WHERE id = x('container')",
      .ended = "SELECT count(*) = 1 AND max(state) = 'OPEN' FROM network_peer_gateway WHERE peer_id = x('peer')" },
    { "host_report_own", OWN_LAG("1"), OWN_LAG("2"), .says = "OK", .ended = "SELECT count(*) = 1 AND max(lag_ms) = 2 FROM own_backup" },
    { "host_report_restores", MEMBER_IS("RESTORING"), MEMBER_IS("RESTORED"), .before = "DELETE FROM restore_member", .says = "OK",
      .ended = "SELECT state = 'RESTORED' FROM restore_member WHERE restore_id = x('orders restore running')" },
    { "restore_add", ADD_RESTORE("n1"), ADD_RESTORE("n2"), .says = "0", .ended = "SELECT count(*) = 1 FROM restore_job WHERE target_id = id('nowhere')" },
    { "host_report_copies", COPY_IS("IN_PROGRESS"), COPY_IS("COMPLETED"), .says = "OK",
      .ended = "SELECT state = 'COMPLETED' FROM snapshot WHERE id = id('n9')" },
    { "cluster_authority_add", "cluster_authority_add(cluster => x('bare'), id => id('n1'), certificate => 'c', sealed_key => '\\x01', not_after_ms => 0)", "cluster_authority_add(cluster => x('bare'), id => id('n2'), certificate => 'c', sealed_key => '\\x01', not_after_ms => 0)", .says = "0",
      .ended = "SELECT count(*) = 1 FROM authority WHERE cluster_id = x('bare')" },
    { "cluster_part_put", "cluster_part_put(kind => 'outageSimulation', part => id('n3'), name => 'third', document => '{}', state => 'A')", "cluster_part_put(kind => 'outageSimulation', part => id('n4'), name => 'third', document => '{}', state => 'B')", .says = "1",
      .ended = "SELECT id = id('n3') AND state = 'B' AND generation = 2 FROM resource WHERE scope = p() AND kind = 'outageSimulation' AND name = 'third'" },
    { "cluster_walls_settle", "SELECT cluster_walls_settle(ARRAY[x('orders')])", .before = "DELETE FROM cluster_walls WHERE cluster_id = x('orders')", .ended = "SELECT count(*) = 1 FROM cluster_walls WHERE cluster_id = x('orders')" },
    { "dns_record_add", "dns_record_add(cluster => x('orders'), name => '6d8fb2-shard-00-09', type => 'A', content => '10.0.0.1')", .says = "0", .ended = "SELECT count(*) = 1 FROM dns_record WHERE name = '6d8fb2-shard-00-09'" },
    { "dns_zone_set", "dns_zone_set(name => 'a.test', nameservers => '{ns}', contact => 'c')", "dns_zone_set(name => 'b.test', nameservers => '{ns}', contact => 'c')", .ended = "SELECT name = 'b.test' FROM dns_zone" },
    { "etcd_group_add", "etcd_group_add(name => 'g9', endpoints => '[]', regions => '[]', capacity => 1, sealed_root => '\\x01')", "etcd_group_add(name => 'g9', endpoints => '[]', regions => '[]', capacity => 2, sealed_root => '\\x01')", .says = "", .ended = "SELECT capacity = 1 FROM etcd_group WHERE name = 'g9'" },
    { "event_take_place", "event_take_place()", .says = "12", .ended = "SELECT c.seq = 12 AND n.seq = 6 FROM event_chain c, event_count_of_project n WHERE c.org_id = o() AND n.project_id = p()" },
    { "federated_member_put", "federated_member_put(person => " BOB ", provider => t('provider'), groups => '[\"g1\"]', issued_s => 1600000000)", "federated_member_put(person => " BOB ", provider => t('provider'), groups => '[\"g2\"]', issued_s => 1500000000)", .says = "0",
      .ended = "SELECT external_groups = '{g1}' FROM federated_member WHERE org_id = o() AND person_id = " BOB },
    { "federation_follows", "organization_add(organization => id('o1'), name => 'n', federation => id('f1'), access_list_required => true, settings => '{}')", "organization_add(organization => id('o2'), name => 'n', federation => id('f1'), access_list_required => true, settings => '{}')", .ended = "SELECT count(*) = 1 FROM federation WHERE id = id('f1')" },
    { "host_address_add", "host_address_add(host_name => 'h1', first => '10.200.0.1', private_first => NULL, prefix => 24, count => 1)", "host_address_add(host_name => 'h2', first => '10.200.0.1', private_first => NULL, prefix => 24, count => 1)", .says = "0", .ended = "SELECT host_id = id('h1') FROM host_address WHERE address = '10.200.0.1'" },
    { "host_join", "host_join(id => id('j1'), host_name => 'h77', provider => 'P', region => 'A', zone => 'z', cpus => 4, memory_mb => 8192, disk_gb => 100, address => '10.0.9.1', facts => '{}', purpose => 'DATABASE', object_store => '')", "host_join(id => id('j2'), host_name => 'h77', provider => 'P', region => 'A', zone => 'z', cpus => 4, memory_mb => 8192, disk_gb => 100, address => '10.0.9.1', facts => '{}', purpose => 'DATABASE', object_store => '')",
      .ended = "SELECT id = id('j1') AND epoch = 2 FROM host WHERE name = 'h77'" },
    { "idempotency_add", "idempotency_add(principal => t('account'), key => 'race', request_hash => '\\x01', status => 201, answer => '\\x01')", "idempotency_add(principal => t('account'), key => 'race', request_hash => '\\x01', status => 201, answer => '\\x02')", .ended = "SELECT answer = '\\x02' FROM idempotency WHERE key = 'race'" },
    { "instance_seen", "instance_seen(kind => 'API', name => 'n1/1', address => 'n1:1', is_encrypted => true, version => '2')", .says = "0", .ended = "SELECT count(*) = 1 FROM instance WHERE name = 'n1/1'" },
    { "instance_size_set", "instance_size_set(name => 'M50', cpus => 1, memory_mb => 1, disk_gb => 1, max_connections => 1, ordinal => 1)", "instance_size_set(name => 'M50', cpus => 2, memory_mb => 2, disk_gb => 2, max_connections => 2, ordinal => 2)", .ended = "SELECT cpus = 2 FROM instance_size WHERE name = 'M50'" },
    { "invitation_count_take", "invitation_count_take(most => 5)", .says = "", .ended = "SELECT n = 5 FROM invitation_count WHERE org_id = o()" },
    { "invitation_role_add", "invitation_role_add(member => t('invitation'), project => NULL, role => 'ORG_BILLING')", .ended = "SELECT count(*) = 1 FROM invitation_role WHERE role = 'ORG_BILLING'" },
    { "member_name_put", "member_name_put(person => " BOB ", first => 'A', last => 'A', country => '')", "member_name_put(person => " BOB ", first => 'B', last => 'B', country => '')", .ended = "SELECT first_name = 'B' FROM member_name WHERE org_id = o() AND person_id = " BOB },
    { "measurement_push_sent", "measurement_push_sent(integration => id('push2'), epoch => 6, status => 202, lease_s => 30, sent => 5, late => 0, places => ('[{\"member\": \"' || hex(x('orders member0')) || '\", \"sent_ms\": 3, \"seen_ms\": 4}]')::json)", "measurement_push_sent(integration => id('push2'), epoch => 6, status => 202, lease_s => 30, sent => 5, late => 0, places => ('[{\"member\": \"' || hex(x('orders member0')) || '\", \"sent_ms\": 4, \"seen_ms\": 4}]')::json)", .says = "1", .before = "INSERT INTO measurement_push (integration_id, project_id, next_try_at, lease_epoch) VALUES (id('push2'), p(), now() - interval '1 minute', 6)", .ended = "SELECT sent_ms = 4 FROM measurement_push_place WHERE integration_id = id('push2')" },
    { "directory_sync_follows", "UPDATE resource SET document = document || '{\"a\": 1}' WHERE id = id('directory1')", "UPDATE directory_sync SET failures = 9 WHERE project_id = " P2, .says = "1",
      .before = "DELETE FROM directory_sync WHERE project_id = " P2 "; INSERT INTO resource (scope, kind, id, name, org_id, document) VALUES (" P2 ", 'userSecurity', id('directory1'), '', o(), '{\"ldap\": {\"authenticationEnabled\": true, \"authorizationEnabled\": true}}')", .ended = "SELECT failures = 9 AND changes = 1 FROM directory_sync WHERE project_id = " P2 },
    { "directory_sync_store", "directory_sync_store(project => " P2 ", epoch => 6, changes => 4, worked => true, took_ms => 100, retry_ms => 5000, rest_ms => 500, groups => '[]')", "directory_sync_store(project => " P2 ", epoch => 6, changes => 4, worked => false, took_ms => 100, retry_ms => 5000, rest_ms => 500, groups => '[]')", .says = "t", .before = "INSERT INTO directory_sync (org_id, project_id, lease_epoch, changes) VALUES (o(), " P2 ", 6, 4) ON CONFLICT (project_id) DO UPDATE SET lease_epoch = 6, changes = 4", .ended = "SELECT failures = 1 FROM directory_sync WHERE project_id = " P2 },
    { "measurement_push_follows", "UPDATE resource SET document = document WHERE id = id('push3')", "UPDATE measurement_push SET failures = 9 WHERE integration_id = id('push3')", .says = "1",
      .before = "INSERT INTO resource (scope, kind, id, name, org_id, document) VALUES (p(), 'integration', id('push3'), 'DATADOG', o(), '{\"sendDatabaseMetrics\": true}')", .ended = "SELECT failures = 9 AND lease_epoch = 1 FROM measurement_push WHERE integration_id = id('push3')" },
    { "capacity_note", "SELECT set_config('reeve.service', 'on', true), capacity_note()", .ended = "SELECT count(*) = count(DISTINCT (provider, region, day)) AND count(*) > 0 FROM capacity_day" },
    { "monitor_cursor_set", "monitor_cursor_set(at_ms => 7200000, member => NULL)", "monitor_cursor_set(at_ms => 3600000, member => NULL)", .says = "0", .ended = "SELECT at = to_timestamp(7200) FROM monitor_cursor" },
    { "monitor_hour_put", "monitor_hour_put(member => x('orders member0'), scope => 'p', name => '', at_ms => 3600000, sums => '{1}', counts => '{1}')", "monitor_hour_put(member => x('orders member0'), scope => 'p', name => '', at_ms => 3600000, sums => '{2}', counts => '{2}')", .says = "1",
      .ended = "SELECT count(*) = 1 AND max(counts[1]) = 2 FROM monitor_hour WHERE at = to_timestamp(3600)" },
    { "monitor_day_make", "monitor_day_make(member => x('orders member0'), at_ms => 3600000)", .says = "1", .ended = "SELECT count(*) = 1 FROM monitor_day WHERE at = to_timestamp(0)" },
    { "monitor_late_again", "monitor_late_again(member => x('orders member0'), at_ms => 3600000)", .says = "1", .ended = "SELECT count(*) = 1 FROM monitor_late WHERE at = to_timestamp(3600)" },
    { "monitor_late_mark", "monitor_late_mark(host => id('h1'), hours => hex(x('orders member0')) || ':3600000')", .says = "1", .ended = "SELECT count(*) = 1 FROM monitor_late WHERE at = to_timestamp(3600)" },
    { "store_role_add", "store_role_add(role => id('j1'), store => 'us', name => 's9', bucket => 'tenants', prefix => 'a/', external => external('r1'), keys => '\\x01')", "store_role_add(role => id('j2'), store => 'us', name => 's9', bucket => 'tenants', prefix => 'b/', external => external('r1'), keys => '\\x01')", .says = "", .ended = "SELECT prefix = 'a/' FROM store_role WHERE store = 'us' AND name = 's9'" },
    { "object_store_add", "object_store_add(name => 's9', endpoint => 'https://a', bucket => 'b', region => 'r', path => '/', uri_style => 'host', authority => '', keys => '\\x01', object_lock => false, lock_days => 0)", "object_store_add(name => 's9', endpoint => 'https://b', bucket => 'b', region => 'r', path => '/', uri_style => 'host', authority => '', keys => '\\x01', object_lock => false, lock_days => 0)", .says = "", .ended = "SELECT endpoint = 'https://a' FROM object_store WHERE name = 's9'" },
    { "challenge_use", "challenge_use(challenge => '\\x99', expires_at_s => 1600000000)", .says = "0", .ended = "SELECT count(*) = 1 FROM used_challenge WHERE challenge = '\\x99'" },
    { "device_claim_put", "device_claim_put(session => t('session new'), person => t('ada'), user_code => 'BCDFGHJK', most => 10)", "device_claim_put(session => t('session new'), person => t('ada'), user_code => 'KJHGFDCB', most => 10)", .says = "1", .ended = "SELECT user_code = 'KJHGFDCB' AND tries = 2 FROM device_claim WHERE session_id = t('session new')" },
    { "enrolment_add", "enrolment_add(username => 'stranger@example.test', mac => sha256('1'), pepper_version => 1, hours => 5, recovers => false)", "enrolment_add(username => 'stranger@example.test', mac => sha256('2'), pepper_version => 1, hours => 5, recovers => false)", .says = "f", .ended = "SELECT mac = sha256('2') FROM enrolment WHERE person_id = id('stranger')" },
    { "operator_enrolment_add", "operator_enrolment_add(name => 'ann', mac => sha256('1'), hours => 5)", "operator_enrolment_add(name => 'ann', mac => sha256('2'), hours => 5)", .says = "f", .ended = "SELECT mac = sha256('2') FROM operator_enrolment e JOIN operator o ON o.id = e.operator_id WHERE o.name = 'ann'" },
    { "password_put", "password_put(person => " BOB ", hash => 'one')", "password_put(person => " BOB ", hash => 'two')", .ended = "SELECT hash = 'two' FROM password WHERE person_id = " BOB },
    { "person_lock", "person_lock(person => " BOB ")" },
    { "person_mail_claim", "person_mail_claim()", .outcome = GOES_ON, .says = "",
      .before = "INSERT INTO person_mail (id, person_id, kind, address) VALUES (id('mail'), " BOB ", 'RECOVERED', '192.0.2.9')", .ended = "SELECT tries = 1 FROM person_mail" },
    { "security_notice_claim", "security_notice_claim()", .outcome = GOES_ON, .says = "",
      .before = "INSERT INTO security_notice (org_id, recipient, told_seq, last_seq) VALUES (o(), 's@example.org', 0, 1)", .ended = "SELECT tries = 1 FROM security_notice WHERE recipient = 's@example.org'" },
    { "security_notice_of_event", "INSERT INTO event (org_id, seq, id, type, created_at, document, hash) VALUES (o(), 11, id('n1'), 'USER_RECOVERED', now(), '{}', '')",
      "INSERT INTO event (org_id, seq, id, type, created_at, document, hash) VALUES (o(), 12, id('n2'), 'USER_RECOVERED', now(), '{}', '')",
      .ended = "SELECT told_seq = 10 AND last_seq = 12 FROM security_notice WHERE org_id = o() AND recipient = 'alfa'" },
    { "operator_add", "operator_add(operator_id => id('n1'), name => 'dan', token_hash => sha256('1'), days => 5)", "operator_add(operator_id => id('n2'), name => 'dan', token_hash => sha256('2'), days => 5)", .says = "", .ended = "SELECT id = id('n1') FROM operator WHERE name = 'dan'" },
    { "payment_add", "payment_add(invoice => t('invoice'), text => 'one')", "payment_add(invoice => t('invoice'), text => 'two')", .says = "", .ended = "SELECT note = 'one' FROM invoice_payment WHERE invoice_id = t('invoice')" },
    { "principal_access_list_add", "principal_access_list_add(principal => t('account'), block => '10.77.0.0/16', comment => 'a')", "principal_access_list_add(principal => t('account'), block => '10.77.0.0/16', comment => 'b')",
      .ended = "SELECT comment = 'b' FROM access_list_entry WHERE block = '10.77.0.0/16'" },
    { "principal_limit_override_set", "principal_limit_override_set(owner => o(), set => 'S50', capacity => 1, refill => 1)", "principal_limit_override_set(owner => o(), set => 'S50', capacity => 2, refill => 2)", .ended = "SELECT capacity = 2 FROM limit_override WHERE set_name = 'S50'" },
    { "principal_role_grant_add", "principal_role_grant_add(principal => " BOB ", project => NULL, role => 'ORG_READ_ONLY')", .says = "1", .ended = "SELECT count(*) = 1 FROM role_grant WHERE principal_id = " BOB " AND role = 'ORG_READ_ONLY'" },
    { "project_access_make", "SELECT project_access_make(" P2 ")", .before = "DELETE FROM project_access WHERE project_id = " P2, .ended = "SELECT count(*) = 1 FROM project_access WHERE project_id = " P2 },
    { "project_limit_set", "project_limit_set(name => 'project.x', value => 1)", "project_limit_set(name => 'project.x', value => 2)", .ended = "SELECT value = 2 FROM project_limit WHERE name = 'project.x'" },
    { "provider_add", "provider_add(name => 'N')", .says = "0", .ended = "SELECT count(*) = 1 FROM provider WHERE name = 'N'" },
    { "region_add", "region_add(provider => 'Q', name => 'C')", .says = "0", .ended = "SELECT count(*) = 1 FROM region WHERE name = 'C'" },
    { "resource_add_single", "resource_add_single(kind => 'thing8', id => id('n5'), fallback => '{}')", "resource_add_single(kind => 'thing8', id => id('n6'), fallback => '{}')", .says = "0", .ended = "SELECT count(*) = 1 FROM resource WHERE kind = 'thing8'" },
    { "resource_add_single", "resource_add_single(kind => 'thing9', id => id('n7'), fallback => '{}')", "project_lock_against_additions()" },
    { "role_mapping_role_add", "role_mapping_role_add(mapping => t('mapping'), project => NULL, role => 'ORG_BILLING')", .says = "0", .ended = "SELECT count(*) = 1 FROM role_mapping_role WHERE role = 'ORG_BILLING'" },
    { "sweep_claim", "sweep_claim(name => 'due', every_ms => 60000, lease_ms => 30000, worker => 'one')", "sweep_claim(name => 'due', every_ms => 60000, lease_ms => 30000, worker => 'two')", .says = "", .ended = "SELECT lease_owner = 'one' AND lease_epoch = 4 FROM sweep WHERE name = 'due'" },
    { "team_grant_add", "team_grant_add(entries => teams(t('team')))", .says = "0", .ended = "SELECT count(*) = 1 FROM team_grant WHERE role = 'GROUP_DATA'" },
    { "team_member_add", "team_member_add(team => t('team'), person => " BOB ")", .says = "0", .ended = "SELECT count(*) = 1 FROM team_member WHERE team_id = t('team') AND person_id = " BOB },
    { "trusted_programs_keep",
      "trusted_programs_keep(credential => t('account other'), programs => jsonb_build_array(jsonb_build_object('identityProviderId', encode(t('provider programs'), 'hex'), 'subject', 'x')))",
      .ended = "SELECT count(*) = 1 FROM trusted_program WHERE account_id = t('account other')" },
    { "fleet_authority_add", "fleet_authority_add(id => id('n8'), certificate => 'c', sealed_key => '\\x01', not_after_ms => 0)", "fleet_authority_add(id => id('n9'), certificate => 'c', sealed_key => '\\x01', not_after_ms => 0)", .says = "0",
      .before = "DELETE FROM certificate WHERE authority = id('fleet authority'); DELETE FROM authority WHERE purpose = 'FLEET'", .ended = "SELECT id = id('n8') FROM authority WHERE purpose = 'FLEET'" },
};

/* Files in which the words stand for no lock that two transactions could meet at. */
static const struct { const char *file, *why; } exempt[] = {
    { "goal_touch_hosts", "the number of the transaction is part of the key" },
    { "list_split_block", "whoever calls it holds the list's counter" },
};
// clang-format on

static const char *const lock_words[] = { "FOR UPDATE",    "FOR NO KEY UPDATE", "FOR SHARE",
                                          "FOR KEY SHARE", "SKIP LOCKED",       "NOWAIT",
                                          "advisory",      "LOCK TABLE",        "placement_lock",
                                          "ON CONFLICT" };

static PGconn *first, *rival, *watcher;

static PGconn *
connect_to_world(void)
{
    PGconn *pg = fixture_connect(fixture_dsn);
    fixture_ask_on(pg, "SET client_min_messages = warning");
    fixture_ask_on(pg, "SET search_path = \"$user\", public, test");
    return pg;
}

static int
set_up(void **state)
{
    if (fixture_set_up(state) != 0)
        return -1;
    first = connect_to_world();
    rival = connect_to_world();
    watcher = connect_to_world();
    fixture_ask_on(first, "BEGIN");
    world_run_file(first, "world.sql");
    fixture_ask_on(first, "COMMIT");
    world_prepare(first);
    world_prepare(rival);
    return 0;
}

static int
tear_down(void **state)
{
    PQfinish(first);
    PQfinish(rival);
    PQfinish(watcher);
    return fixture_tear_down(state);
}

/* Begins a transaction and returns the SQL of the call, in a static buffer. */
static const char *
begin(PGconn *pg, const char *call)
{
    static char text[CALL_BYTES];
    fixture_ask_on(pg, "BEGIN");
    world_act_for(pg, &(struct sql_row){ .scope = "organization $1" });
    for (int i = 0; i < SQL_COUNT; i++) {
        size_t length = strlen(sql_rows[i].name);
        if (strncmp(call, sql_rows[i].name, length) != 0 || call[length] != '(')
            continue;
        world_act_for(pg, &sql_rows[i]);
        snprintf(text, sizeof(text), "%.*s", (int)(strlen(call) - length - 2), call + length + 1);
        return world_call(sql_rows[i].name, text);
    }
    return call;
}

/* True when the rival waits for the first, false when it has its answer. */
static bool
rival_waits(void)
{
    char ask[128];
    snprintf(ask, sizeof(ask), "SELECT pg_blocking_pids(%d) @> ARRAY[%d]", PQbackendPID(rival), PQbackendPID(first));
    for (int64_t until = clock_steady_ms() + patient(30000); clock_steady_ms() < until; clock_sleep_ms(1)) {
        if (PQconsumeInput(rival) != 1)
            fail_msg("%s", PQerrorMessage(rival));
        if (!PQisBusy(rival))
            return false;
        if (strcmp(fixture_ask_on(watcher, ask), "t") == 0)
            return true;
    }
    fail_msg("the rival neither waits for the first nor answers");
    return false;
}

/* What the rival hears in the end, in a static buffer. */
static const char *
rival_hears(void)
{
    static char heard[256];
    heard[0] = '\0';
    for (PGresult *result = PQgetResult(rival); result != NULL; result = PQgetResult(rival)) {
        ExecStatusType status = PQresultStatus(result);
        if (status == PGRES_TUPLES_OK)
            snprintf(heard, sizeof(heard), "%s", PQntuples(result) > 0 ? PQgetvalue(result, 0, 0) : "");
        else if (status == PGRES_COMMAND_OK)
            snprintf(heard, sizeof(heard), "%s", PQcmdTuples(result));
        else
            snprintf(heard, sizeof(heard), "%s", PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY));
        PQclear(result);
    }
    return heard;
}

/* Whether the watcher can do it now; it changes nothing. */
static bool
works_now(const char *text)
{
    fixture_ask_on(watcher, "BEGIN");
    PGresult *result = PQexec(watcher, text);
    bool works = PQresultStatus(result) == PGRES_TUPLES_OK;
    PQclear(result);
    fixture_ask_on(watcher, "ROLLBACK");
    return works;
}

static int
complain(const struct lock_row *row, const char *sentence, const char *what)
{
    print_error("%s: %s behind %s %s%s\n", row->file, row->rival == NULL ? row->first : row->rival, row->first,
                sentence, what);
    return 1;
}

static int
try_row(const struct lock_row *row)
{
    int wrong = 0;
    const char *end = row->ended == NULL ? "ROLLBACK" : "COMMIT";
    if (row->before != NULL)
        fixture_ask_on(watcher, row->before);
    fixture_ask_on(first, begin(first, row->first));
    if (row->before_rival != NULL)
        fixture_ask_on(watcher, row->before_rival);
    if (PQsendQuery(rival, begin(rival, row->rival == NULL ? row->first : row->rival)) != 1)
        fail_msg("%s", PQerrorMessage(rival));
    bool waits = rival_waits();
    if (waits != (row->outcome == WAITS))
        wrong += complain(row, waits ? "waits" : "does not wait", "");
    if (waits && row->meanwhile != NULL) {
        bool must_fail = row->meanwhile[0] == '!';
        if (works_now(row->meanwhile + must_fail) == must_fail)
            wrong += complain(row, must_fail ? "does not hold " : "holds ", row->meanwhile + must_fail);
    }
    fixture_ask_on(first, end);
    const char *heard = rival_hears();
    if (row->says != NULL && strcmp(heard, row->says) != 0)
        wrong += complain(row, "hears ", heard);
    if (PQtransactionStatus(rival) == PQTRANS_INERROR && row->says == NULL)
        wrong += complain(row, "fails: ", heard);
    fixture_ask_on(rival, PQtransactionStatus(rival) == PQTRANS_INERROR ? "ROLLBACK" : end);
    if (row->ended != NULL && strcmp(fixture_ask_on(watcher, row->ended), "t") != 0)
        wrong += complain(row, "ends wrongly: ", row->ended);
    return wrong;
}

static void
every_lock_is_met_by_a_rival(void **state)
{
    (void)state;
    int wrong = 0;
    for (size_t i = 0; i < LENGTH(rows); i++)
        wrong += try_row(&rows[i]);
    assert_int_equal(wrong, 0);
}

static bool
has_row(const char *file)
{
    for (size_t i = 0; i < LENGTH(rows); i++) {
        if (strcmp(rows[i].file, file) == 0)
            return true;
    }
    for (size_t i = 0; i < LENGTH(exempt); i++) {
        if (strcmp(exempt[i].file, file) == 0)
            return true;
    }
    return false;
}

static bool
has_lock(const char *text)
{
    for (const char *line = text; line != NULL; line = strchr(line, '\n')) {
        line += *line == '\n';
        size_t length = strcspn(line, "\n");
        const char *comment = memmem(line, length, "--", 2);
        size_t code = comment == NULL ? length : (size_t)(comment - line);
        for (size_t i = 0; i < LENGTH(lock_words); i++) {
            if (memmem(line, code, lock_words[i], strlen(lock_words[i])) != NULL)
                return true;
        }
    }
    return false;
}

/* A statement may have the name of the routine that it calls: one of them has the lock. */
static bool
is_locked_somewhere(const char *file)
{
    bool found = false;
    for (int i = 0; i < SQL_COUNT; i++)
        found = found || (strcmp(sql_rows[i].name, file) == 0 && has_lock(sql_rows[i].text));
    for (int i = 0; i < routine_count; i++)
        found = found || (strcmp(routines[i].name, file) == 0 && has_lock(routines[i].text));
    return found;
}

static int
check_file(const char *file)
{
    if (is_locked_somewhere(file) == has_row(file))
        return 0;
    print_error(has_row(file) ? "%s.sql has no lock any more\n" : "%s.sql has a lock and no row here\n", file);
    return 1;
}

static void
every_file_with_a_lock_has_a_row(void **state)
{
    (void)state;
    int wrong = 0;
    for (int i = 0; i < SQL_COUNT; i++)
        wrong += check_file(sql_rows[i].name);
    for (int i = 0; i < routine_count; i++)
        wrong += check_file(routines[i].name);
    assert_int_equal(wrong, 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_file_with_a_lock_has_a_row),
        cmocka_unit_test(every_lock_is_met_by_a_rival),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
