/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Brings a running member to its goal: parameters, who may connect, users, restarts. A change counts as done only after
 * it was checked.
 */
#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/disk_below.h"
#include "base/failpoint.h"
#include "base/net/net.h"
#include "engine/postgres/audit.h"
#include "engine/postgres/backup/member_side.h"
#include "engine/postgres/monitor/monitor.h"
#include "engine/postgres/pooler/pooler.h"
#include "engine/postgres/postgres.h"
#include "engine/postgres/replica.h"
#include "engine/postgres/roles_apply.h"
#include "engine/postgres/session.h"

#define NONCE_FILE "restart-nonce"

enum { RELOAD_LOOKS = 40, RELOAD_LOOK_MS = 25, LOOK_AGAIN_MS = 15000, NONCE_BYTES = 32 };

/* ---- Parameters ---- */
static error
check_parameters(struct engine_member *self, struct session *session, const json_t *wanted, bool pending_restart)
{
    struct session_rows rows;
    const str parameters[] = { json_text(self->arena, wanted), pending_restart ? STR("true") : STR("false"),
                               json_text(self->arena, config_own_parameters(self)) };
    TRY(session_query(session, SQL_PARAMETER_MISSING, LENGTH(parameters), parameters, &rows));
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
    return check_parameters(self, session, config_parameters_here(self), seen->pending_restart);
}

static error
settle_parameters(struct engine_member *self, const struct engine_observation *seen, struct engine_progress *progress)
{
    bool equal;
    bool is_primary = seen->role == REPORT_PRIMARY;
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

static str
support_list(struct engine_member *self)
{
    const struct goal_support_users *support = &self->cluster->access.support;
    json_t *list = json_in(self->arena, json_array());
    for (size_t i = 0; i < support->count; i++)
        json_array_append_new(
            list, json_pack("{s:s, s:s}", "name", support->items[i].name.data, "from", support->items[i].from.data));
    return json_text(self->arena, list);
}

static error
wait_until_loaded(struct engine_member *self, str since)
{
    for (int i = 0; i < RELOAD_LOOKS; i++) {
        struct session *session CLEANUP(session_cleanup) = NULL;
        struct session_rows rows;
        TRY(session_open(self, STR(SUPERUSER), &session));
        TRY(session_query(session, SQL_CONFIGURATION_LOADED, 1, &since, &rows));
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
    const str parameters[] = {
        network_list(self), self->cluster->access.ldap.hostname.len == 0 ? STR("true") : STR("false"),
        STR(SUPERUSER),     STR(REPLICATOR),
        STR(REWINDER),      STR(LDAP_ROLE),
        STR(WAL_ROLE),      support_list(self)
    };
    TRY(session_open(self, STR(SUPERUSER), &session));
    TRY(session_query(session, SQL_ACCESS_ERROR, 0, NULL, &rows));
    if (rows.count > 0)
        return problem(self->arena, "%s refuses %.*s.", self->member->name.data, STR_ARG(session_value(&rows, 0, 0)));
    failpoint("agent:access:reload:before");
    TRY(session_query(session, SQL_CONFIGURATION_RELOAD, 0, NULL, &rows));
    TRY(wait_until_loaded(self, str_dup(self->arena, session_value(&rows, 0, 0))));
    failpoint("agent:access:reload:after");
    return session_query(session, SQL_ACCESS_TURN_OUT, LENGTH(parameters), parameters, &rows);
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
    /* Whoever is in its way keeps nothing else back: it is said, and tried again later. */
    error monitor = monitor_make_role(self);
    if (monitor != OK && plan.problem.len == 0)
        plan.problem = monitor->detail;
    error pooler = pooler_make_role(self);
    if (pooler != OK && plan.problem.len == 0)
        plan.problem = pooler->detail;
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

static error
settle_replica(struct engine_member *self, struct engine_progress *progress)
{
    progress->users_generation = 0; /* when it becomes the primary it looks at all of them again */
    return self->is_closed ? OK : replica_settle(self, progress);
}

/* The doors first: who was taken off the list is out before anything else is done. */
static error
settle_access(struct engine_member *self, const struct engine_observation *seen, struct engine_progress *progress)
{
    bool is_primary = seen->role == REPORT_PRIMARY;
    int64_t wanted = self->cluster->access_generation;
    error users = OK;
    if (progress->access_loaded != wanted || progress->access_is_new) {
        TRY(load_access(self));
        progress->access_loaded = wanted;
        progress->access_is_new = false;
    }
    if (is_primary)
        users = settle_users(self, progress);
    else
        users = settle_replica(self, progress);
    if (progress->access_generation == wanted || (is_primary && progress->users_generation != wanted) ||
        self->is_closed)
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
    if (seen->role == REPORT_NO_ROLE)
        return OK; /* not up yet, or not any more: nothing to bring it to */
    error access = settle_access(self, seen, progress);
    error parameters = settle_parameters(self, seen, progress);
    error restart = settle_restart(self, progress);
    error backup = backup_settle(self, seen, progress);
    return access != OK ? access : parameters != OK ? parameters : restart != OK ? restart : backup;
}
