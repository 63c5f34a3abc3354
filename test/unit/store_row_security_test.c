/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The second wall: a transaction of organization A sees and changes nothing of organization B, on any table, even when a
 * statement forgets its tenant. So the statements here carry none.
 */
#include "store_fixture.h"

static PGconn *tenant; /* what the pool's connections are: the login role, having become reeve_tenant */

enum { A = 1000, B = 2000, PERSON = 3000, HOST = 4000 };

/* Everything that an organization can have, with ids counted from `base`. */
static void
fill(int base)
{
    id organization = fixture_id(base), project = fixture_id(base + 1), account = fixture_id(base + 2),
       secret = fixture_id(base + 3), key = fixture_id(base + 4), team = fixture_id(base + 5);
    char o[40]; /* a copy: it is used for longer than the rotating buffer keeps it */
    snprintf(o, sizeof(o), "%s", fixture_quote(organization));
    fixture_add_organization(organization);
    fixture_add_project(project, organization);
    fixture_ask("INSERT INTO principal (id, kind, org_id) VALUES (%s, 'service_account', %s), (%s, 'api_key', %s)",
                fixture_quote(account), o, fixture_quote(key), o);
    fixture_ask("INSERT INTO service_account (id, org_id, name, description) VALUES (%s, %s, 'n', '')",
                fixture_quote(account), o);
    fixture_ask("INSERT INTO service_account_secret (id, account_id, org_id, mac, pepper_version, mask, expires_at) "
                "VALUES (%s, %s, %s, '', 1, '', now())",
                fixture_quote(secret), fixture_quote(account), o);
    fixture_ask("INSERT INTO api_key (id, org_id, public_key, description, mask, ha1_md5, ha1_sha256) "
                "VALUES (%s, %s, 'k%d', '', '', '', '')",
                fixture_quote(key), o, base);
    fixture_ask(
        "INSERT INTO role_grant (principal_id, org_id, project_id, role) VALUES (%s, %s, NULL, 'R'), (%s, %s, %s, 'R'), "
        "(%s, %s, %s, 'R')",
        fixture_quote(key), o, fixture_quote(key), o, fixture_quote(project), fixture_quote(fixture_id(PERSON)), o,
        fixture_quote(project));
    fixture_ask("INSERT INTO access_list_entry (principal_id, org_id, block) VALUES (%s, %s, '10.0.0.0/8')",
                fixture_quote(key), o);
    fixture_ask(
        "INSERT INTO revoked_token (principal_id, fingerprint, expires_at) VALUES (%s, '', now() - interval '1h')",
        fixture_quote(key));
    fixture_ask("INSERT INTO data_key (org_id, version, sealed) VALUES (%s, 1, '')", o);
    fixture_ask(
        "INSERT INTO limit_override (owner, set_name, capacity, refill) VALUES (%s, 's', 1, 1), (%s, 's', 1, 1), "
        "(%s, 's', 1, 1)",
        o, fixture_quote(project), fixture_quote(key));
    fixture_ask(
        "INSERT INTO resource (scope, kind, id, name, org_id, document) VALUES (%s, 'thing', %s, 'n', %s, '{}')",
        fixture_quote(project), fixture_quote(secret), o);
    fixture_ask("INSERT INTO invitation (id, org_id, username, mac, pepper_version, inviter_name, expires_at) "
                "VALUES (%s, %s, 'u', 'm%d', 1, '', now())",
                fixture_quote(secret), o, base);
    fixture_ask("INSERT INTO invitation_role (invitation_id, org_id, project_id, role) VALUES (%s, %s, %s, 'R')",
                fixture_quote(secret), o, fixture_quote(project));
    fixture_ask(
        "INSERT INTO member_name (org_id, person_id, first_name, last_name) SELECT %s, id, 'A', 'B' FROM person LIMIT 1",
        o);
    fixture_ask("INSERT INTO invitation_count (org_id, day, n) VALUES (%s, now(), 1)", o);
    fixture_ask("INSERT INTO project_limit (project_id, org_id, name, value) VALUES (%s, %s, 'n', 1)",
                fixture_quote(project), o);
    fixture_ask("INSERT INTO event_chain (org_id, seq, hash) VALUES (%s, 1, '')", o);
    fixture_ask("INSERT INTO event (org_id, seq, id, project_id, project_seq, type, created_at, document, hash) "
                "VALUES (%s, 1, %s, %s, 1, 'T', now(), '{}', '')",
                o, fixture_quote(secret), fixture_quote(project));
    fixture_ask(
        "INSERT INTO webhook (id, org_id, url, description, enabled, secret, delivered_seq) VALUES (%s, %s, '', '', true, '', 0)",
        fixture_quote(secret), o);
    fixture_ask("INSERT INTO alert_cursor (project_id, org_id, project_seq) VALUES (%s, %s, 0)", fixture_quote(project),
                o);
    fixture_ask(
        "INSERT INTO alert (id, org_id, project_id, config_id, event_id, event_type, severity, status, lasts, created_at, "
        "updated_at) VALUES (%s, %s, %s, %s, %s, 'T', 'INFO', 'OPEN', false, now(), now())",
        fixture_quote(secret), o, fixture_quote(project), fixture_quote(secret), fixture_quote(secret));
    fixture_ask(
        "INSERT INTO alert_notification (id, org_id, project_id, alert_id, notifier_id, about, due_at, next_try_at) "
        "VALUES (%s, %s, %s, %s, %s, 'OPENED', now(), now())",
        fixture_quote(secret), o, fixture_quote(project), fixture_quote(secret), fixture_quote(secret));
    fixture_ask("INSERT INTO event_count_of_project (project_id, org_id, seq) VALUES (%s, %s, 1)",
                fixture_quote(project), o);
    fixture_ask("INSERT INTO team (id, org_id, name) VALUES (%s, %s, 't')", fixture_quote(team), o);
    fixture_ask("INSERT INTO team_member (team_id, org_id, person_id) VALUES (%s, %s, %s)", fixture_quote(team), o,
                fixture_quote(fixture_id(PERSON)));
    fixture_ask("INSERT INTO team_grant (team_id, org_id, project_id, role) VALUES (%s, %s, %s, 'R')",
                fixture_quote(team), o, fixture_quote(project));
    fixture_ask("INSERT INTO federation_domain (domain, federation_id) VALUES ('d%d.example', %s)", base, o);
    fixture_ask("INSERT INTO identity_provider (id, federation_id, protocol, status, issuer_uri, domains, settings) "
                "VALUES (%s, %s, 'OIDC', 'ACTIVE', 'i', '{}', '{}')",
                fixture_quote(secret), o);
    fixture_ask("INSERT INTO role_mapping (id, org_id, external_group) VALUES (%s, %s, 'g')", fixture_quote(secret), o);
    fixture_ask("INSERT INTO role_mapping_role (mapping_id, org_id, project_id, role) VALUES (%s, %s, %s, 'R')",
                fixture_quote(secret), o, fixture_quote(project));
    fixture_ask("INSERT INTO federated_member (org_id, person_id, provider_id, external_groups, issued_at) "
                "VALUES (%s, %s, %s, '{}', now())",
                o, fixture_quote(fixture_id(PERSON)), fixture_quote(secret));
    fixture_ask("INSERT INTO trusted_program (account_id, org_id, provider_id, subject) VALUES (%s, %s, %s, 's')",
                fixture_quote(account), o, fixture_quote(secret));
    fixture_ask("INSERT INTO job (id, org_id, project_id, kind, subject, subject_name, step, step_count) "
                "VALUES (%s, %s, %s, 'k', %s, 'n', 's', 1)",
                fixture_quote(secret), o, fixture_quote(project), fixture_quote(secret));
    fixture_ask("INSERT INTO job_history (job_id, number, org_id, step, try, outcome, worker) "
                "VALUES (%s, 1, %s, 's', 1, 'DONE', 'w')",
                fixture_quote(secret), o);
    fixture_ask("INSERT INTO cluster (id, org_id, project_id, name, set_name, major_version) "
                "VALUES (%s, %s, %s, 'c', 'set%03d', '17')",
                fixture_quote(secret), o, fixture_quote(project), base / 1000);
    fixture_ask("INSERT INTO cluster_scaling (cluster_id, is_on) VALUES (%s, true)", fixture_quote(secret));
    fixture_ask("INSERT INTO cluster_member (id, org_id, cluster_id, host_id, ordinal, size, cpus, memory_mb, disk_gb) "
                "VALUES (%s, %s, %s, %s, 0, 'S', 1, 1, 1)",
                fixture_quote(secret), o, fixture_quote(secret), fixture_quote(fixture_id(HOST)));
    fixture_ask("INSERT INTO host_task (id, org_id, host_id, member_id, kind) VALUES (%s, %s, %s, %s, 'K')",
                fixture_quote(secret), o, fixture_quote(fixture_id(HOST)), fixture_quote(secret));
    fixture_ask("INSERT INTO project_access (project_id, org_id, hash) VALUES (%s, %s, 'hash%d')",
                fixture_quote(project), o, base / 1000);
    fixture_ask("INSERT INTO backup_stanza (id, org_id, project_id, cluster_id, cluster_name, incarnation, name, "
                "major_version, cipher) VALUES (%s, %s, %s, %s, 'c', 1, 'set%03d-1', '17', '')",
                fixture_quote(secret), o, fixture_quote(project), fixture_quote(secret), base / 1000);
    fixture_ask(
        "INSERT INTO stanza_seat (id, org_id, stanza_id, host_id, ordinal, reserved_gb) VALUES (%s, %s, %s, %s, 0, 1)",
        fixture_quote(secret), o, fixture_quote(secret), fixture_quote(fixture_id(HOST)));
    fixture_ask(
        "INSERT INTO wal_span (seat_id, ordinal, org_id, from_lsn, to_lsn, from_timeline, to_timeline, from_at, to_at) "
        "VALUES (%s, 0, %s, '0/1', '0/2', 1, 1, now(), now())",
        fixture_quote(secret), o);
    fixture_ask(
        "INSERT INTO snapshot (id, org_id, project_id, cluster_id, stanza_id, origin) VALUES (%s, %s, %s, %s, %s, "
        "'ON_DEMAND')",
        fixture_quote(secret), o, fixture_quote(project), fixture_quote(secret), fixture_quote(secret));
    fixture_ask("INSERT INTO snapshot_copy (snapshot_id, seat_id, org_id, state) VALUES (%s, %s, %s, 'COMPLETED')",
                fixture_quote(secret), fixture_quote(secret), o);
    fixture_ask(
        "INSERT INTO restore_job (id, org_id, project_id, cluster_id, cluster_name, stanza, label, point, is_last, target_project_id, "
        "target_id, target_name) VALUES (%s, %s, %s, %s, 'c', 's-1', 'l', 'LATEST', true, %s, %s, 'c')",
        fixture_quote(secret), o, fixture_quote(project), fixture_quote(secret), fixture_quote(project),
        fixture_quote(secret));
    fixture_ask("INSERT INTO restore_member (restore_id, member_id, org_id, state) VALUES (%s, %s, %s, 'STOPPED')",
                fixture_quote(secret), fixture_quote(secret), o);
    fixture_ask("INSERT INTO download (restore_id, org_id, port, reserved_gb) VALUES (%s, %s, 27200, 1)",
                fixture_quote(secret), o);
    fixture_ask("INSERT INTO drill (id, org_id, project_id, cluster_id, stanza_id, origin) VALUES (%s, %s, %s, %s, %s, "
                "'ON_DEMAND')",
                fixture_quote(secret), o, fixture_quote(project), fixture_quote(secret), fixture_quote(secret));
    fixture_ask(
        "INSERT INTO export_job (id, org_id, project_id, cluster_id, stanza_id, snapshot_id, snapshot_at, bucket_id, prefix) "
        "VALUES (%s, %s, %s, %s, %s, %s, now(), %s, 'p')",
        fixture_quote(secret), o, fixture_quote(project), fixture_quote(secret), fixture_quote(secret),
        fixture_quote(secret), fixture_quote(secret));
    fixture_ask("INSERT INTO network_container (id, org_id, project_id, provider, region, block) "
                "VALUES (%s, %s, %s, 'P', 'R', '10.%d.0.0/24')",
                fixture_quote(secret), o, fixture_quote(project), base / 1000);
    fixture_ask("INSERT INTO host_address (address, prefix, host_id) VALUES ('10.%d.0.1', 24, %s)", base / 1000,
                fixture_quote(fixture_id(HOST)));
    fixture_ask(
        "INSERT INTO private_endpoint_service (id, org_id, project_id, provider, region, number, host_id, address) "
        "VALUES (%s, %s, %s, 'P', 'R', 0, %s, '10.%d.0.1')",
        fixture_quote(secret), o, fixture_quote(project), fixture_quote(fixture_id(HOST)), base / 1000);
    fixture_ask("INSERT INTO private_endpoint (service_id, org_id, name, address, access_generation) "
                "VALUES (%s, %s, 'e', '192.0.2.1', 0)",
                fixture_quote(secret), o);
    fixture_ask("INSERT INTO private_endpoint_port (service_id, cluster_id, org_id, ordinal, port) "
                "VALUES (%s, %s, %s, 0, 1024)",
                fixture_quote(secret), fixture_quote(secret), o);
    fixture_ask(
        "INSERT INTO network_peer (id, org_id, project_id, container_id, provider, region, port, public_key, blocks) "
        "VALUES (%s, %s, %s, %s, 'P', 'R', 51820 + %d, 'k', '{192.168.7.0/24}')",
        fixture_quote(secret), o, fixture_quote(project), fixture_quote(secret), base / 1000);
    fixture_ask(
        "INSERT INTO dns_record (name, type, content, org_id, cluster_id) VALUES ('set%03d-shard-00-00', 'A', '10.0.0.1', %s, %s)",
        base / 1000, o, fixture_quote(secret));
    fixture_ask("INSERT INTO authority (id, purpose, project_id, org_id, certificate, key, not_after) "
                "VALUES (%s, 'PROJECT', %s, %s, '', '', now())",
                fixture_quote(secret), fixture_quote(project), o);
    fixture_ask("INSERT INTO invoice (id, org_id, began_at, ends_at, created_at, updated_at) "
                "VALUES (%s, %s, now(), now(), now(), now())",
                fixture_quote(secret), o);
    fixture_ask("INSERT INTO invoice_line VALUES (%s, %s, %s, '', %s, '', 'S', now(), 1, 1, now())",
                fixture_quote(secret), o, fixture_quote(project), fixture_quote(secret));
    fixture_ask("INSERT INTO invoice_payment VALUES (%s, %s, now(), '')", fixture_quote(secret), o);
    fixture_ask("INSERT INTO usage_tags VALUES (%s, %s, '2020-01-01 00:00+00', NULL, '[]')", fixture_quote(secret), o);
    fixture_ask("INSERT INTO cost_report (token, org_id, content) VALUES (lpad('%d', 64, '0'), %s, '')", base, o);
    /* That of a host is signed by the same authority only here: a tenant sees those of users, and no others. */
    fixture_ask(
        "INSERT INTO certificate (serial, authority, kind, owner, not_after) VALUES ('u%d', %s, 'USER', encode(%s, 'hex'), now()), "
        "('h%d', %s, 'HOST', encode(%s, 'hex'), now())",
        base, fixture_quote(secret), o, base, fixture_quote(secret), o);
}

// clang-format off
/* How a row of B is recognized, and how many rows of A's its own transaction sees. */
static const struct {
    const char *table, *of_b, *change;
    int own;
} tables[] = {
    { "organization",           "id = $B",                                        "name = 'x'",           1 },
    { "project",                "org_id = $B",                                    "name = 'x'",           1 },
    { "principal",              "org_id = $B",                                    "generation = 9",       3 }, /* and the person */
    { "service_account",        "org_id = $B",                                    "name = 'x'",           1 },
    { "service_account_secret", "org_id = $B",                                    "mask = 'x'",           1 },
    { "api_key",                "org_id = $B",                                    "mask = 'x'",           1 },
    { "role_grant",             "org_id = $B",                                    "role = 'x'",           3 },
    { "access_list_entry",      "org_id = $B",                                    "comment = 'x'",        1 },
    { "revoked_token",          "principal_id = $KEY",                            NULL,                   1 },
    { "data_key",               "org_id = $B",                                    "sealed = 'x'",         1 },
    { "limit_override",         "owner IN ($B, $PROJECT, $KEY)",                  "capacity = 9",         3 },
    { "resource",               "org_id = $B",                                    "name = 'x'",           1 },
    { "invitation",             "org_id = $B",                                    "username = 'x'",       1 },
    { "invitation_role",        "org_id = $B",                                    "role = 'x'",           1 },
    { "member_name",            "org_id = $B",                                    "first_name = 'x'",     1 },
    { "invitation_count",       "org_id = $B",                                    "n = 9",                1 },
    { "project_limit",          "org_id = $B",                                    "value = 9",            1 },
    { "event",                  "org_id = $B",                                    NULL,                   1 },
    { "event_chain",            "org_id = $B",                                    "seq = 9",              1 },
    { "event_count_of_project", "org_id = $B",                                    "seq = 9",              1 },
    { "team",                   "org_id = $B",                                    "name = 'x'",           1 },
    { "team_member",            "org_id = $B",                                    "created_at = now()",   1 },
    { "team_grant",             "org_id = $B",                                    "role = 'x'",           1 },
    { "federation",             "id = $B",                                        "created_at = now()",   1 }, /* by a trigger */
    { "federation_domain",      "federation_id = $B",                             NULL,                   1 },
    { "identity_provider",      "federation_id = $B",                             "status = 'INACTIVE'",  1 },
    { "connected_organization", "org_id = $B",                                    "domain_restriction = true", 1 }, /* by a trigger */
    { "role_mapping",           "org_id = $B",                                    "external_group = 'x'", 1 },
    { "role_mapping_role",      "org_id = $B",                                    "role = 'x'",           1 },
    { "federated_member",       "org_id = $B",                                    "signed_in_at = now()", 1 },
    { "trusted_program",        "org_id = $B",                                    "subject = 'x'", 1 },
    { "webhook",                "org_id = $B",                                    "url = 'x'",            1 },
    { "alert_cursor",           "org_id = $B",                                    "project_seq = 9",      1 },
    { "alert",                  "org_id = $B",                                    "cluster = 'x'",        1 },
    { "alert_notification",     "org_id = $B",                                    "tries = 9",            1 },
    { "job",                    "org_id = $B",                                    "step = 'x'",           1 },
    { "job_history",            "org_id = $B",                                    "step = 'x'",           1 },
    { "cluster",                "org_id = $B",                                    "name = 'x'",           1 },
    { "cluster_scaling",        "cluster_id IN (SELECT id FROM cluster WHERE org_id = $B)", "seen = 'x'",   1 },
    { "cluster_member",         "org_id = $B",                                    "ordinal = 9",          1 },
    { "host_task",              "org_id = $B",                                    "kind = 'x'",           1 },
    { "project_access",         "org_id = $B",                                    "generation = 9",       1 },
    { "network_container",      "org_id = $B",                                    "block = '192.0.2.0/28'", 1 },
    { "private_endpoint_service", "org_id = $B",                                  "problem = 'x'",        1 },
    { "private_endpoint",       "org_id = $B",                                    "is_open = true",       1 },
    { "private_endpoint_port",  "org_id = $B",                                    "port = 2000",          1 },
    { "network_peer",           "org_id = $B",                                    "public_key = 'x'",     1 },
    { "dns_record",             "org_id = $B",                                    "ttl = 9",              1 },
    { "authority",              "org_id = $B",                                    "certificate = 'x'",    1 },
    { "certificate",            "owner = encode($B, 'hex')",                      "owner = 'x'",          1 },
    { "usage_span",             "org_id = $B",                                    NULL,                   2 }, /* by a trigger */
    { "usage_tags",             "org_id = $B",                                    NULL,                   1 },
    { "invoice",                "org_id = $B",                                    NULL,                   1 },
    { "invoice_line",           "org_id = $B",                                    NULL,                   1 },
    { "invoice_payment",        "org_id = $B",                                    NULL,                   1 },
    { "cost_report",            "org_id = $B",                                    NULL,                   1 },
    { "backup_stanza",          "org_id = $B",                                    "cluster_name = 'x'",   1 },
    { "stanza_seat",            "org_id = $B",                                    "reserved_gb = 9",      1 },
    { "wal_span",               "org_id = $B",                                    "ended_by = 'x'",       1 },
    { "snapshot",               "org_id = $B",                                    "description = 'x'",    1 },
    { "snapshot_copy",          "org_id = $B",                                    "label = 'x'",          1 },
    { "restore_job",            "org_id = $B",                                    "problem = 'x'",        1 },
    { "restore_member",         "org_id = $B",                                    "problem = 'x'",        1 },
    { "download",               "org_id = $B",                                    "sha256 = 'x'",         1 },
    { "drill",                  "org_id = $B",                                    "problem = 'x'",        1 },
    { "export_job",             "org_id = $B",                                    "problem = 'x'",        1 },
    { "list_counter",           "scope IN ($B, $PROJECT)",                        NULL,                   2 },
    { "list_block",             "scope IN ($B, $PROJECT)",                        NULL,                   2 },
    { "list_segment",           "scope IN ($B, $PROJECT)",                        NULL,                   2 },
};
/* Tables that belong to nobody, or to all, and why a transaction may see them. */
static const char *const not_of_tenants[] = {
    "person",           /* any person may be given a role */
    "idempotency",      /* found by principal and key only */
    "signing_key",      /* the service's own */
    "console_session",  /* people's, who belong to no organization */
    "passkey",
    "password",
    "person_mail",
    "security_notice",  /* events of an organization that its contact was told; only workers read it */
    "enrolment",
    "device_claim",
    "used_challenge",
    "sweep",            /* the service's own */
    "instance",
    "cluster_watch",
    "fleet_figures",    /* counts of all of them; names nobody */
    "capacity_day",
    "fleet_update",     /* what operators have updated */
    "fleet_update_cluster",
    "measurement_push", /* the service's own: how far sending came. What a tenant sees of it comes with its integration */
    "measurement_push_place",
    "directory_sync", /* the service's own: whose directory is asked when. What a tenant sees of a group are its people's users and events */
    "directory_group",
    "key_service_ask", /* when whose key service was asked */
    "provider",         /* these three say where clusters can be: no secret between tenants */
    "region",
    "instance_size",
    "sku",              /* what things cost is no secret either */
    "price",
    "operator",         /* who works for the operator, and what they changed */
    "operator_action",
    "operator_session",
    "operator_passkey",
    "operator_enrolment",
    "host",             /* these are the operator's own, which only the service changes */
    "own_backup",
    "monitor_hour",     /* of everybody's servers; reads carry the project */
    "monitor_day",
    "monitor_late",
    "monitor_cursor",
    "host_goal_version",
    "cluster_walls",
    "etcd_group",
    "object_store",
    "store_role",
    "host_address",
    "join_token",
    "dns_zone",
    "member_advice",    /* these four are written by hosts, through the service, and read by project */
    "query_shape",
    "query_cost",
    "slow_query",
    "network_peer_gateway", /* written by hosts, through the service, and read by project */
    "goal_touch",       /* of one transaction, and written by functions only */
    "schema_migration", /* nobody has any right on these */
    "schema_routine",
};
// clang-format on

/* Puts B's ids into a condition. */
static const char *
condition(const char *pattern)
{
    static char text[512];
    size_t at = 0;
    while (*pattern != '\0') {
        const char *with = NULL;
        if (strncmp(pattern, "$B", 2) == 0)
            with = fixture_quote(fixture_id(B)), pattern += 2;
        else if (strncmp(pattern, "$PROJECT", 8) == 0)
            with = fixture_quote(fixture_id(B + 1)), pattern += 8;
        else if (strncmp(pattern, "$KEY", 4) == 0)
            with = fixture_quote(fixture_id(B + 4)), pattern += 4;
        if (with != NULL)
            at += (size_t)snprintf(text + at, sizeof(text) - at, "%s", with);
        else
            text[at++] = *pattern++;
    }
    text[at] = '\0';
    return text;
}

static void
begin_as(int organization)
{
    char digits[ID_DIGITS + 1], text[128];
    id_write(organization == 0 ? ID_NONE : fixture_id((uint32_t)organization), digits);
    snprintf(text, sizeof(text), "BEGIN; SET LOCAL reeve.organization = '%s'; SET LOCAL reeve.service = '%s'", digits,
             organization == 0 ? "on" : "off");
    fixture_ask_on(tenant, text);
}

/* The SQLSTATE, "" when it worked; *ret_count rows were affected. */
static const char *
try_as_tenant(int *ret_count, const char *format, ...)
{
    static char failed[8];
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    fixture_ask_on(tenant, "SAVEPOINT s");
    PGresult *result = PQexec(tenant, text);
    const char *code = PQresultErrorField(result, PG_DIAG_SQLSTATE);
    snprintf(failed, sizeof(failed), "%s", code == NULL ? "" : code);
    int64_t count = -1;
    if (!str_to_int(str_from(PQcmdTuples(result)), 0, INT32_MAX, &count))
        count = -1;
    *ret_count = (int)count;
    PQclear(result);
    fixture_ask_on(tenant, failed[0] == '\0' ? "RELEASE s" : "ROLLBACK TO s");
    return failed;
}

static int
set_up(void **state)
{
    if (fixture_set_up(state) != 0)
        return -1;
    tenant = fixture_connect(fixture_dsn);
    fixture_ask_on(tenant, "SET ROLE reeve_tenant");
    fixture_ask("INSERT INTO principal (id, kind) VALUES (%s, 'person')", fixture_quote(fixture_id(PERSON)));
    fixture_ask("INSERT INTO person (id, username, first_name, last_name) VALUES (%s, 'u', 'f', 'l')",
                fixture_quote(fixture_id(PERSON)));
    fixture_ask("INSERT INTO provider VALUES ('P')");
    fixture_ask("INSERT INTO region VALUES ('P', 'R')");
    fixture_ask("INSERT INTO instance_size VALUES ('S', 1, 1, 1, 1, 1)");
    fixture_ask(
        "INSERT INTO host (id, name, provider, region, zone, cpus, memory_mb, disk_gb) VALUES (%s, 'h', 'P', 'R', 'z', 9, 9, 9)",
        fixture_quote(fixture_id(HOST)));
    fixture_ask("INSERT INTO host_address (address, prefix, host_id) VALUES ('10.0.0.1', 24, %s)",
                fixture_quote(fixture_id(HOST)));
    fixture_ask(
        "INSERT INTO join_token (hash, host_name, provider, region, zone, expires_at) VALUES ('x', 'h', 'P', 'R', 'z', now())");
    fill(A);
    fill(B);
    return 0;
}

static int
tear_down(void **state)
{
    PQfinish(tenant);
    return fixture_tear_down(state);
}

static void
every_table_is_known_to_this_test(void **state)
{
    (void)state;
    PGresult *result =
        PQexec(fixture_owner, "SELECT relname, relrowsecurity FROM pg_class WHERE relkind IN ('r', 'p') AND "
                              "NOT relispartition AND relnamespace = 'public'::regnamespace");
    assert_true(PQntuples(result) > 20);
    for (int i = 0; i < PQntuples(result); i++) {
        const char *name = PQgetvalue(result, i, 0);
        bool is_known = false;
        for (size_t t = 0; t < LENGTH(tables); t++)
            is_known |= strcmp(tables[t].table, name) == 0;
        for (size_t t = 0; t < LENGTH(not_of_tenants); t++)
            is_known |= strcmp(not_of_tenants[t], name) == 0;
        if (!is_known)
            fail_msg("table %s is not in the list of tenant tables, nor among those that are none", name);
        if (strcmp(PQgetvalue(result, i, 1), "t") != 0 && !str_starts_with(str_from(name), STR("schema_")))
            fail_msg("table %s has no row-level security", name);
    }
    PQclear(result);
}

static void
transaction_sees_all_of_its_own_and_nothing_of_others(void **state)
{
    (void)state;
    begin_as(A);
    for (size_t t = 0; t < LENGTH(tables); t++) {
        char text[512];
        snprintf(text, sizeof(text), "SELECT count(*) FROM %s WHERE %s", tables[t].table, condition(tables[t].of_b));
        if (strcmp(fixture_ask_on(tenant, text), "0") != 0)
            fail_msg("%s shows rows of another organization", tables[t].table);
        if (strcmp(fixture_ask("%s", text), "0") == 0)
            fail_msg("%s has no rows of the other organization, so nothing was proven", tables[t].table);
        snprintf(text, sizeof(text), "SELECT count(*) = %d FROM %s", tables[t].own, tables[t].table);
        if (strcmp(fixture_ask_on(tenant, text), "t") != 0)
            fail_msg("%s does not show what the organization has", tables[t].table);
    }
    fixture_ask_on(tenant, "ROLLBACK");
}

static void
transaction_changes_nothing_of_others(void **state)
{
    (void)state;
    begin_as(A);
    for (size_t t = 0; t < LENGTH(tables); t++) {
        int count;
        const char *code;
        const char *of_b = condition(tables[t].of_b);
        if (tables[t].change != NULL) {
            code = try_as_tenant(&count, "UPDATE %s SET %s WHERE %s", tables[t].table, tables[t].change, of_b);
            if (code[0] == '\0' && count != 0)
                fail_msg("%s: rows of another organization were changed", tables[t].table);
        }
        code = try_as_tenant(&count, "DELETE FROM %s WHERE %s", tables[t].table, of_b);
        if (code[0] == '\0' && count != 0)
            fail_msg("%s: rows of another organization were deleted", tables[t].table);
    }
    fixture_ask_on(tenant, "COMMIT");
    for (size_t t = 0; t < LENGTH(tables); t++) {
        if (strcmp(fixture_ask("SELECT count(*) > 0 FROM %s WHERE %s", tables[t].table, condition(tables[t].of_b)),
                   "t") != 0)
            fail_msg("%s lost rows", tables[t].table);
    }
}

/* Giving a row of one's own to another organization, and adding one to it. */
static void
transaction_gives_nothing_to_others(void **state)
{
    (void)state;
    int count;
    begin_as(A);
    const char *b = fixture_quote(fixture_id(B)), *new_id = fixture_quote(fixture_id(7));
    static const char *const with_org_id[] = {
        "project",     "principal",   "service_account",        "service_account_secret",
        "api_key",     "role_grant",  "access_list_entry",      "data_key",
        "resource",    "event_chain", "event_count_of_project", "team",
        "team_member", "team_grant"
    };
    for (size_t t = 0; t < LENGTH(with_org_id); t++) {
        if (strcmp(try_as_tenant(&count, "UPDATE %s SET org_id = %s WHERE org_id IS NOT NULL", with_org_id[t], b),
                   "42501") != 0)
            fail_msg("%s: a row was given to another organization", with_org_id[t]);
    }
    assert_string_equal(try_as_tenant(&count, "INSERT INTO project (id, org_id, name) VALUES (%s, %s, 'x')", new_id, b),
                        "42501");
    assert_string_equal(try_as_tenant(&count,
                                      "INSERT INTO organization (id, name, federation_id, access_list_required) "
                                      "VALUES (%s, 'x', %s, false)",
                                      new_id, new_id),
                        "42501");
    assert_string_equal(try_as_tenant(&count,
                                      "INSERT INTO event (org_id, seq, id, type, created_at, document, hash) "
                                      "VALUES (%s, 2, %s, 'T', now(), '', '')",
                                      b, new_id),
                        "42501");
    assert_string_equal(try_as_tenant(&count,
                                      "INSERT INTO resource (scope, kind, id, name, org_id, document) "
                                      "VALUES (%s, 'thing', %s, 'n2', %s, '{}')",
                                      b, new_id, b),
                        "42501");
    assert_string_equal(try_as_tenant(&count,
                                      "INSERT INTO limit_override (owner, set_name, capacity, refill) "
                                      "VALUES (%s, 't', 1, 1)",
                                      b),
                        "42501");
    assert_string_equal(try_as_tenant(&count,
                                      "INSERT INTO revoked_token (principal_id, fingerprint, expires_at) "
                                      "VALUES (%s, 'x', now())",
                                      fixture_quote(fixture_id(B + 4))),
                        "42501");
    /* A row of one's own that points to a team or project of another organization: refused by the reference itself. */
    assert_string_equal(try_as_tenant(&count,
                                      "INSERT INTO team_member (team_id, org_id, person_id) VALUES (%s, %s, %s)",
                                      fixture_quote(fixture_id(B + 5)), fixture_quote(fixture_id(A)),
                                      fixture_quote(fixture_id(PERSON))),
                        "23503");
    assert_string_equal(
        try_as_tenant(&count, "INSERT INTO team_grant (team_id, org_id, project_id, role) VALUES (%s, %s, %s, 'R')",
                      fixture_quote(fixture_id(A + 5)), fixture_quote(fixture_id(A)), fixture_quote(fixture_id(B + 1))),
        "23503");
    /* Overwriting through a conflict. */
    assert_string_equal(try_as_tenant(&count,
                                      "INSERT INTO event_chain (org_id, seq, hash) VALUES (%s, 1, '') "
                                      "ON CONFLICT (org_id) DO UPDATE SET seq = 9",
                                      b),
                        "42501");
    fixture_ask_on(tenant, "ROLLBACK");
}

static void
events_and_lists_cannot_be_rewritten_by_their_own_organization(void **state)
{
    (void)state;
    int count;
    begin_as(A);
    static const char *const fixed[] = { "event",        "list_counter",     "list_block",
                                         "list_segment", "schema_migration", "schema_routine" };
    for (size_t t = 0; t < LENGTH(fixed); t++)
        assert_string_equal(try_as_tenant(&count, "DELETE FROM %s", fixed[t]), "42501");
    assert_string_equal(try_as_tenant(&count, "UPDATE event SET document = ''"), "42501");
    assert_string_equal(try_as_tenant(&count, "UPDATE list_counter SET total = 0"), "42501");
    assert_string_equal(try_as_tenant(&count, "DELETE FROM event_3"), "42501"); /* nor through its parts */
    assert_string_equal(try_as_tenant(&count, "SELECT * FROM resource_3"), "42501");
    fixture_ask_on(tenant, "ROLLBACK");
}

static void
people_are_seen_by_all_and_changed_by_the_service_only(void **state)
{
    (void)state;
    int count;
    const char *person = fixture_quote(fixture_id(PERSON)), *new_person = fixture_quote(fixture_id(PERSON + 1));
    begin_as(A);
    try_as_tenant(&count, "UPDATE principal SET generation = 9 WHERE id = %s", person);
    assert_int_equal(count, 0);
    try_as_tenant(&count, "DELETE FROM person");
    assert_int_equal(count, 0);
    assert_string_equal(try_as_tenant(&count, "INSERT INTO principal (id, kind) VALUES (%s, 'person')", new_person),
                        "42501");
    assert_string_equal(try_as_tenant(&count, "INSERT INTO signing_key (id, sealed) VALUES (1, '')"), "42501");
    fixture_ask_on(tenant, "ROLLBACK");

    begin_as(0);
    assert_string_equal(try_as_tenant(&count, "UPDATE principal SET generation = 9 WHERE id = %s", person), "");
    assert_int_equal(count, 1);
    assert_string_equal(try_as_tenant(&count, "INSERT INTO principal (id, kind) VALUES (%s, 'person')", new_person),
                        "");
    assert_string_equal(try_as_tenant(&count, "INSERT INTO signing_key (id, sealed) VALUES (1, '')"), "");
    assert_string_equal(try_as_tenant(&count, "DELETE FROM revoked_token WHERE expires_at < now()"), "");
    assert_int_equal(count, 2);
    /* The service has no organization, so it has no rows of one. */
    assert_string_equal(fixture_ask_on(tenant, "SELECT count(*) FROM project"), "0");
    assert_string_equal(fixture_ask_on(tenant, "SELECT count(*) FROM resource"), "0");
    fixture_ask_on(tenant, "ROLLBACK");
}

static void
transaction_without_an_organization_sees_nothing(void **state)
{
    (void)state;
    fixture_ask_on(tenant, "BEGIN");
    assert_string_equal(fixture_ask_on(tenant, "SELECT count(*) FROM organization"), "0");
    assert_string_equal(fixture_ask_on(tenant, "SELECT count(*) FROM resource"), "0");
    assert_string_equal(fixture_ask_on(tenant, "SELECT count(*) FROM event"), "0");
    fixture_ask_on(tenant, "ROLLBACK");
}

static void
project_is_moved_with_what_it_has_and_only_by_its_owner(void **state)
{
    (void)state;
    const char *a = fixture_quote(fixture_id(A)), *b = fixture_quote(fixture_id(B)),
               *project = fixture_quote(fixture_id(A + 1));
    char text[256];
    begin_as(B);
    snprintf(text, sizeof(text), "SELECT project_move(%s, %s, %s)", project, a, b);
    assert_string_equal(fixture_ask_on(tenant, text), "f");
    snprintf(text, sizeof(text), "SELECT project_move(%s, %s, %s)", project, b, b);
    assert_string_equal(fixture_ask_on(tenant, text), "f");
    fixture_ask_on(tenant, "ROLLBACK");

    begin_as(A);
    snprintf(text, sizeof(text), "SELECT project_move(%s, %s, %s)", project, a, b);
    assert_string_equal(fixture_ask_on(tenant, text), "t");
    assert_string_equal(fixture_ask_on(tenant, "SELECT count(*) FROM resource"), "0");
    fixture_ask_on(tenant, "COMMIT");
    assert_string_equal(fixture_ask("SELECT total FROM list_counter WHERE scope = %s", b), "2");
    assert_string_equal(fixture_ask("SELECT count(*) FROM list_counter WHERE scope = %s", a), "0");
    assert_string_equal(fixture_ask("SELECT count(*) FROM resource WHERE org_id = %s", b), "2");
    assert_string_equal(fixture_ask("SELECT count(*) FROM event_count_of_project WHERE org_id = %s", b), "2");
    /* Teams stay where they are, and hold nothing in what has left. The person is in the team no longer: the role in the project
     * was the only tie to the organization. */
    assert_string_equal(fixture_ask("SELECT count(*) FROM team_grant WHERE project_id = %s", project), "0");
    assert_string_equal(fixture_ask("SELECT count(*) FROM team WHERE org_id = %s", a), "1");
    assert_string_equal(fixture_ask("SELECT count(*) FROM team_member WHERE org_id = %s", a), "0");
    static const char *const of_fleet[] = { "cluster",    "cluster_member", "host_task",        "project_access",
                                            "dns_record", "authority",      "network_container" };
    for (size_t t = 0; t < LENGTH(of_fleet); t++) {
        if (strcmp(fixture_ask("SELECT count(*) FROM %s WHERE org_id = %s", of_fleet[t], b), "2") != 0)
            fail_msg("%s stayed behind", of_fleet[t]);
    }
    /* The person keeps the role, the old organization's key does not. */
    assert_string_equal(
        fixture_ask("SELECT count(*) FROM role_grant WHERE project_id = %s AND org_id = %s", project, b), "1");
    assert_string_equal(fixture_ask("SELECT count(*) FROM role_grant WHERE org_id = %s", a), "1");
}

/* What is the operator's is not even seen by tenants; only transactions of the service change it. */
static void
fleet_is_the_operators(void **state)
{
    (void)state;
    static const char *const hidden[] = { "host", "host_goal_version", "host_address", "join_token", "dns_zone" };
    static const char *const shown[] = { "provider", "region", "instance_size" };
    int count;
    char text[256];
    begin_as(A);
    for (size_t t = 0; t < LENGTH(hidden); t++) {
        snprintf(text, sizeof(text), "SELECT count(*) FROM %s", hidden[t]);
        if (strcmp(fixture_ask_on(tenant, text), "0") != 0)
            fail_msg("%s shows rows to a tenant", hidden[t]);
    }
    for (size_t t = 0; t < LENGTH(shown); t++) {
        assert_string_equal(try_as_tenant(&count, "DELETE FROM %s", shown[t]), "");
        assert_int_equal(count, 0);
    }
    assert_string_equal(try_as_tenant(&count, "SELECT * FROM goal_touch"), "42501");
    assert_string_equal(try_as_tenant(&count, "SELECT goal_touch_hosts('{}')"), "42501");
    assert_string_equal(try_as_tenant(&count, "SELECT host_goal(%s, 'd', '[]')", fixture_quote(fixture_id(HOST))),
                        "42501");
    assert_string_equal(try_as_tenant(&count, "SELECT host_report(%s, 1, '{}')", fixture_quote(fixture_id(HOST))),
                        "42501");
    assert_string_equal(try_as_tenant(&count, "INSERT INTO provider VALUES ('X')"), "42501");
    fixture_ask_on(tenant, "ROLLBACK");
    begin_as(0);
    assert_string_equal(fixture_ask_on(tenant, "SELECT count(*) FROM host"), "1");
    fixture_ask_on(tenant, "ROLLBACK");
}

/* A view that runs with the rights of its owner shows everybody's rows to whoever may read it. */
static void
views_run_with_the_rights_of_who_asks(void **state)
{
    (void)state;
    assert_string_equal(
        fixture_ask(
            "SELECT string_agg(c.relname, ' ') FROM pg_class c WHERE c.relkind = 'v' "
            "AND c.relnamespace = 'public'::regnamespace AND (has_table_privilege('reeve_tenant', c.oid, 'SELECT') "
            "OR has_table_privilege('reeve_reader', c.oid, 'SELECT')) "
            "AND NOT coalesce('security_invoker=true' = ANY (c.reloptions), false)"),
        "");
    assert_string_equal(
        fixture_ask("SELECT count(*) > 0 FROM pg_class WHERE relkind = 'v' AND relname = 'organization_document'"),
        "t");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_table_is_known_to_this_test),
        cmocka_unit_test(transaction_sees_all_of_its_own_and_nothing_of_others),
        cmocka_unit_test(transaction_changes_nothing_of_others),
        cmocka_unit_test(transaction_gives_nothing_to_others),
        cmocka_unit_test(events_and_lists_cannot_be_rewritten_by_their_own_organization),
        cmocka_unit_test(people_are_seen_by_all_and_changed_by_the_service_only),
        cmocka_unit_test(transaction_without_an_organization_sees_nothing),
        cmocka_unit_test(fleet_is_the_operators),
        cmocka_unit_test(views_run_with_the_rights_of_who_asks),
        cmocka_unit_test(project_is_moved_with_what_it_has_and_only_by_its_owner),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
