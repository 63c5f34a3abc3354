/* SPDX-License-Identifier: Apache-2.0 */
/* Brings a running member to its goal: parameters, who may connect, users, restarts. Nothing counts before it was looked at. */
#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/disk_below.h"
#include "base/failpoint.h"
#include "base/net/net.h"
#include "engine/postgres/audit.h"
#include "engine/postgres/postgres.h"
#include "engine/postgres/roles_apply.h"
#include "engine/postgres/session.h"

#define NONCE_FILE "restart-nonce"

enum { RELOAD_LOOKS = 40, RELOAD_LOOK_MS = 25, LOOK_AGAIN_MS = 15000, NONCE_BYTES = 32 };

/* ---- Parameters ---- */
/* What is not as it should be: neither in the file as it was loaded, nor on the server's command line (which is how Patroni
 * hands on what must be equal on all members). A restart that is pending is reported, and does not count as missing. */
static const char missing_parameters_sql[] =
    "SELECT w.key FROM json_each_text($1::json) AS w\n"
    "WHERE NOT EXISTS (SELECT FROM pg_file_settings f WHERE lower(f.name) = lower(w.key) AND f.setting = w.value AND f.error IS NULL)\n"
    "  AND NOT EXISTS (SELECT FROM pg_file_settings f JOIN pg_settings s ON s.name = lower(f.name)\n"
    "                  WHERE s.name = lower(w.key) AND f.setting = w.value AND s.context = 'postmaster')\n"
    "  AND NOT EXISTS (SELECT FROM pg_settings s WHERE s.name = lower(w.key) AND s.source = 'command line'\n"
    "                  AND (lower(s.setting) = lower(w.value) OR $2::bool))\n"
    "ORDER BY 1 LIMIT 1";

static error
check_parameters(struct engine_member *self, struct session *session, const json_t *wanted, bool pending_restart)
{
    struct session_rows rows;
    const str parameters[] = { json_text(self->arena, wanted), pending_restart ? STR("true") : STR("false") };
    TRY(session_query(session, missing_parameters_sql, LENGTH(parameters), parameters, &rows));
    if (rows.count > 0)
        return problem(self->arena, "Parameter %.*s is not in force yet.", STR_ARG(session_value(&rows, 0, 0)));
    return OK;
}

static error
parameters_are_in_force(struct engine_member *self, const struct engine_observation *seen)
{
    struct session *session CLEANUP(session_cleanup) = NULL;
    TRY(audit_check_installed(self));
    TRY(session_open(self, STR(SUPERUSER), &session));
    return check_parameters(self, session, config_parameters(self), seen->pending_restart);
}

static error
settle_parameters(struct engine_member *self, const struct engine_observation *seen, struct engine_progress *progress)
{
    bool equal;
    bool is_primary = str_is(seen->role, "PRIMARY");
    if (progress->goal_generation == self->cluster->goal_generation && !is_primary)
        return OK;
    TRY(patroni_configure(self, is_primary, &equal));
    if (progress->goal_generation == self->cluster->goal_generation || !equal)
        return OK;
    TRY(parameters_are_in_force(self, seen));
    progress->goal_generation = self->cluster->goal_generation;
    return OK;
}

/* ---- Who may connect ---- */
/* A new session inherits the time from the process that accepted it: when that is not older than our request, the files were
 * read after we asked. */
static const char reload_sql[] = "SELECT clock_timestamp(), pg_reload_conf()";
static const char loaded_sql[] = "SELECT pg_conf_load_time() >= $1::timestamptz";
static const char hba_error_sql[] =
    "SELECT 'pg_hba.conf, line ' || line_number || ': ' || error FROM pg_hba_file_rules WHERE error IS NOT NULL "
    "UNION ALL SELECT 'pg_ident.conf, line ' || line_number || ': ' || error FROM pg_ident_file_mappings WHERE error IS NOT NULL LIMIT 1";
/* Sessions that could not be opened any more. */
static const char turn_out_sql[] =
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity\n"
    "WHERE backend_type = 'client backend' AND client_addr IS NOT NULL AND usename NOT IN ('" SUPERUSER
    "', '" REPLICATOR "', '" REWINDER "')\n"
    "  AND (NOT EXISTS (SELECT FROM json_array_elements_text($1::json) AS n (block) WHERE client_addr <<= n.block::inet)\n"
    "       OR ($2::bool AND EXISTS (SELECT FROM pg_auth_members m JOIN pg_roles g ON g.oid = m.roleid\n"
    "                                WHERE g.rolname = '" LDAP_ROLE "' AND m.member = usesysid)))";

static str
network_list(struct engine_member *self)
{
    json_t *list = json_in(self->arena, json_array());
    for (size_t i = 0; i < self->cluster->access.networks.count; i++) {
        struct net_block block;
        if (net_parse_block(self->cluster->access.networks.items[i], &block))
            json_array_append_new(list, json_string(net_block_text(self->arena, &block).data));
    }
    return json_text(self->arena, list);
}

static error
wait_until_loaded(struct engine_member *self, str since)
{
    for (int i = 0; i < RELOAD_LOOKS; i++) {
        struct session *session CLEANUP(session_cleanup) = NULL;
        struct session_rows rows;
        TRY(session_open(self, STR(SUPERUSER), &session));
        TRY(session_query(session, loaded_sql, 1, &since, &rows));
        if (str_is(session_value(&rows, 0, 0), "t"))
            return OK;
        clock_sleep_ms(RELOAD_LOOK_MS);
    }
    return problem(self->arena, "%s has not loaded its configuration yet.", self->member->name.data);
}

static error
load_access(struct engine_member *self)
{
    struct session *session CLEANUP(session_cleanup) = NULL;
    struct session_rows rows;
    const str parameters[] = { network_list(self),
                               self->cluster->access.ldap.hostname.len == 0 ? STR("true") : STR("false") };
    TRY(session_open(self, STR(SUPERUSER), &session));
    TRY(session_query(session, hba_error_sql, 0, NULL, &rows));
    if (rows.count > 0)
        return problem(self->arena, "%s refuses %.*s.", self->member->name.data, STR_ARG(session_value(&rows, 0, 0)));
    failpoint("agent:access:reload:before");
    TRY(session_query(session, reload_sql, 0, NULL, &rows));
    TRY(wait_until_loaded(self, str_dup(self->arena, session_value(&rows, 0, 0))));
    failpoint("agent:access:reload:after");
    return session_query(session, turn_out_sql, LENGTH(parameters), parameters, &rows);
}

static error
users_problem(struct engine_member *self, const struct engine_progress *progress)
{
    return progress->users_problem[0] == '\0' ? OK : problem(self->arena, "%s", progress->users_problem);
}

static error
settle_users(struct engine_member *self, struct engine_progress *progress)
{
    struct role_plan plan;
    uint8_t digest[SHA256_BYTES];
    int64_t now = clock_steady_ms();
    bool is_due = now - progress->users_looked_at_ms >= LOOK_AGAIN_MS;
    if (progress->users_generation == self->cluster->access_generation && !is_due)
        return users_problem(self, progress);
    TRY(role_plan_make(self->arena, &self->cluster->access, &plan));
    role_plan_digest(self->arena, &plan, digest);
    if (progress->users_generation == 0 || memcmp(digest, progress->users_digest, sizeof(digest)) != 0)
        TRY(roles_apply(self, &plan));
    else if (is_due)
        TRY(roles_look_again(self, &plan));
    TRY(audit_apply(self));
    memcpy(progress->users_digest, digest, sizeof(digest));
    progress->users_generation = self->cluster->access_generation;
    progress->users_looked_at_ms = now;
    snprintf(progress->users_problem, sizeof(progress->users_problem), "%.*s", STR_ARG(plan.problem));
    return users_problem(self, progress);
}

/* Parameters of the server come by Patroni, some seconds after the agent of the primary has asked for them. */
static error
audit_is_in_force(struct engine_member *self, struct engine_progress *progress)
{
    struct session *session CLEANUP(session_cleanup) = NULL;
    TRY(session_open(self, STR(SUPERUSER), &session));
    TRY(check_parameters(self, session, audit_parameters(self->arena, &self->cluster->access.audit), false));
    TRY(audit_check_loaded(self, session));
    return audit_quiet_patroni(self, session, &progress->patroni_is_quiet);
}

/* The doors first: who was taken off the list is out before anything else is done. */
static error
settle_access(struct engine_member *self, const struct engine_observation *seen, struct engine_progress *progress)
{
    bool is_primary = str_is(seen->role, "PRIMARY");
    int64_t wanted = self->cluster->access_generation;
    error users = OK;
    if (progress->access_generation != wanted || progress->access_is_new) {
        TRY(load_access(self));
        progress->access_is_new = false;
    }
    if (is_primary)
        users = settle_users(self, progress);
    else
        progress->users_generation = 0; /* when it becomes the primary it looks at all of them again */
    if (progress->access_generation == wanted || (is_primary && progress->users_generation != wanted))
        return users;
    TRY(audit_is_in_force(self, progress));
    progress->access_generation = wanted;
    return users;
}

/* ---- Restarts ---- */
/* The number is kept in a file: an agent that starts again does not restart databases again. */
static error
settle_restart(struct engine_member *self, struct engine_progress *progress)
{
    str text;
    int64_t done = -1, wanted = self->member->restart_nonce;
    if (disk_below_read(self->arena, self->folder.data, NONCE_FILE, NONCE_BYTES, self->owner.user, &text) &&
        !str_to_int(str_trim(text), 0, INT64_MAX, &done))
        done = -1;
    /* One that was never restarted by us began with what its goal said. */
    if (done >= 0 && done < wanted)
        TRY(patroni_restart(self));
    if (done != wanted &&
        !disk_below_replace(self->folder.data, NONCE_FILE, str_from_int(self->arena, wanted), 0640, self->files))
        return problem(self->arena, "%s cannot be written: %s.", member_path(self, NONCE_FILE).data, strerror(errno));
    progress->restart_nonce = wanted;
    return OK;
}

error
postgres_settle(struct engine_member *self, const struct engine_observation *seen, struct engine_progress *progress)
{
    if (str_is(seen->role, "NONE"))
        return OK; /* not up yet, or not any more: nothing to bring it to */
    error access = settle_access(self, seen, progress);
    error parameters = settle_parameters(self, seen, progress);
    error restart = settle_restart(self, progress);
    return access != OK ? access : parameters != OK ? parameters : restart;
}
