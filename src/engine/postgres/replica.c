/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/postgres/replica.h"

#include "base/clock.h"
#include "base/failpoint.h"
#include "engine/postgres/pooler/pooler.h"
#include "engine/postgres/postgres.h"
#include "engine/postgres/roles.h"
#include "engine/postgres/session.h"

enum {
    LOOK_AGAIN_MS = 15000,
    LOOK_SOON_MS = 2000,
    /* What is not here by then the primary has not done, or a user has changed their own password: reports are not ended for that. */
    FORCE_MS = 5 * 60 * 1000,
    PATIENCE_S = 30, /* as long as a replica of PostgreSQL waits unless it is told otherwise */
    LEAST_MB = 256,
    WAL_SHARE = 8, /* half of what its volume for WAL has, where there is one */
};

static json_t *
text(str s)
{
    return json_stringn(s.data, s.len);
}

static str
own_roles(struct arena *arena)
{
    static const char *const roles[] = { SUPERUSER,    REPLICATOR,   REWINDER,   WAL_ROLE,
                                         MONITOR_ROLE, PLANNER_ROLE, POOLER_ROLE };
    json_t *list = json_in(arena, json_array());
    for (size_t i = 0; i < LENGTH(roles); i++)
        json_array_append_new(list, json_string(roles[i]));
    return json_text(arena, list);
}

static json_t *
groups_of(const struct role_user *user)
{
    json_t *list = json_array();
    for (size_t i = 0; i < user->groups.count; i++)
        json_array_append_new(list, text(user->groups.items[i]));
    json_array_append_new(list, json_string(MANAGED_ROLE));
    if (user->login != LOGIN_SCRAM)
        json_array_append_new(list, json_string(user->login == LOGIN_X509 ? X509_ROLE : LDAP_ROLE));
    return list;
}

static str
wanted_users(struct arena *arena, const struct role_plan *plan)
{
    json_t *list = json_in(arena, json_array());
    for (size_t i = 0; i < plan->user_count; i++) {
        const struct role_user *user = &plan->users[i];
        json_array_append_new(list, json_pack("{s:o, s:o, s:o, s:o}", "name", text(user->name), "verifier",
                                              text(user->login == LOGIN_SCRAM ? user->verifier : STR_EMPTY), "until",
                                              text(user->valid_until.len > 0 ? user->valid_until : STR("infinity")),
                                              "groups", groups_of(user)));
    }
    return json_text(arena, list);
}

static error
turn_out(struct engine_member *self, bool is_new, bool *ret_is_stale)
{
    struct session *session CLEANUP(session_cleanup) = NULL;
    struct role_plan plan;
    struct session_rows rows;
    int64_t most_bytes = ((self->member->disk_gb << 10) / WAL_SHARE + LEAST_MB) << 20;
    TRY(role_plan_make(self->arena, &self->cluster->access, &plan));
    const str parameters[] = { wanted_users(self->arena, &plan),      STR(MANAGED_ROLE),
                               str_from_int(self->arena, PATIENCE_S), str_from_int(self->arena, most_bytes),
                               is_new ? STR("true") : STR("false"),   own_roles(self->arena) };
    TRY(session_open(self, STR(SUPERUSER), &session));
    failpoint("agent:replica:turn-out:before");
    TRY(session_query(session, SQL_REPLICA_TURN_OUT, LENGTH(parameters), parameters, &rows));
    *ret_is_stale = !str_is(session_value(&rows, 0, 0), "0");
    return OK;
}

error
replica_settle(struct engine_member *self, struct engine_progress *progress)
{
    int64_t now = clock_steady_ms(), wanted = self->cluster->access_generation;
    if (progress->replica_since_ms == 0 || progress->replica_generation != wanted) {
        progress->replica_generation = wanted;
        progress->replica_since_ms = now;
        progress->replica_looked_at_ms = 0;
        progress->replica_is_settled = false;
    }
    bool is_new = !progress->replica_is_settled && now - progress->replica_since_ms < FORCE_MS, is_stale = true;
    if (now - progress->replica_looked_at_ms < (is_new ? LOOK_SOON_MS : LOOK_AGAIN_MS))
        return OK;
    progress->replica_looked_at_ms = now;
    error why = turn_out(self, is_new, &is_stale);
    progress->replica_is_settled = !is_new || !is_stale;
    return is_new ? why : OK; /* later, one that takes no session has more to say than this */
}
