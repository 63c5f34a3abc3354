/* SPDX-License-Identifier: Apache-2.0 */
#include "base/clock.h"
#include "base/failpoint.h"
#include "engine/postgres/backup/member_side.h"
#include "engine/postgres/postgres.h"

enum { ASK_MS = 5000, CHANGE_MS = 10000, RESTART_MS = 180000, SWITCH_MS = 60000, ANSWER_BYTES = 1024 * 1024 };

error
patroni_ask(struct engine_member *self, const char *method, const char *path, str body, int timeout_ms,
            struct answer *ret_answer)
{
    struct call call = {
        .method = method,
        .url = str_format(self->arena, "https://%s:%d%s", address_in_url(self->arena, self->member->address).data,
                          PATRONI_PORT, path),
        .identity = self->self,
        .body = body,
        .timeout_ms = timeout_ms,
        .cap_bytes = ANSWER_BYTES,
    };
    return call_make(self->caller, self->arena, &call, ret_answer);
}

/* ---- What it says ---- */
static str
version_text(struct arena *arena, json_int_t number)
{
    return number < 100000 ? STR_EMPTY : str_format(arena, "%d.%d", (int)(number / 10000), (int)(number % 10000));
}

/* "primary" since Patroni 4, "master" before. A leader of a standby cluster takes no writes, so it is none here. */
static enum report_role
role_of(json_t *said)
{
    str role = json_str(json_object_get(said, "role"));
    if (str_is(role, "primary") || str_is(role, "master"))
        return REPORT_PRIMARY;
    if (!str_is(role, "replica"))
        return REPORT_NO_ROLE;
    return json_is_true(json_object_get(said, "sync_standby")) ? REPORT_SYNC_STANDBY : REPORT_REPLICA;
}

static int64_t
number_of(json_t *said, const char *name)
{
    json_t *value = json_object_get(said, name);
    return json_is_integer(value) ? (int64_t)json_integer_value(value) : -1;
}

/* How far a replica is behind, which only the view of the whole cluster has. */
static int64_t
lag_of(struct engine_member *self)
{
    struct answer answer;
    if (patroni_ask(self, "GET", "/cluster", STR_EMPTY, ASK_MS, &answer) != OK || answer.status != 200)
        return -1;
    json_t *said = json_parse_own(self->arena, answer.body), *one;
    size_t i;
    json_array_foreach(json_object_get(said, "members"), i, one)
    {
        if (str_eq(json_str(json_object_get(one, "name")), self->member->name))
            return number_of(one, "lag");
    }
    return -1;
}

error
patroni_observe(struct engine_member *self, struct engine_observation *ret_observation)
{
    struct answer answer;
    TRY(patroni_ask(self, "GET", "/patroni", STR_EMPTY, ASK_MS, &answer));
    json_t *said = json_parse_own(self->arena, answer.body);
    if (!json_is_object(said))
        return problem(self->arena, "Patroni of %s answered something else than JSON.", self->member->name.data);
    str running = json_str(json_object_get(said, "state")),
        replication = json_str(json_object_get(said, "replication_state"));
    *ret_observation = (struct engine_observation){
        .answers = true,
        .role = str_is(running, "running") ? role_of(said) : REPORT_NO_ROLE,
        .running = replication.len > 0 ? replication : running,
        .version = version_text(self->arena, json_integer_value(json_object_get(said, "server_version"))),
        .timeline = number_of(said, "timeline"),
        .lag_bytes = -1,
        .pending_restart = json_is_true(json_object_get(said, "pending_restart")),
    };
    if (ret_observation->role == REPORT_PRIMARY)
        ret_observation->lag_bytes = 0;
    else if (ret_observation->role != REPORT_NO_ROLE)
        ret_observation->lag_bytes = lag_of(self);
    return OK;
}

/* ---- The configuration that all members share ---- */
/* What a PATCH must say so that `have` becomes `want`: what differs, and null for what should not be there. Names that only
 * `have` knows are removed below `strict`; elsewhere Patroni and operators may keep settings of their own. */
static json_t *
patch_for(json_t *have, json_t *want, bool strict)
{
    json_t *patch = json_object(), *value;
    const char *name;
    json_object_foreach(want, name, value)
    {
        json_t *now = json_object_get(have, name);
        if (json_is_object(value)) {
            json_t *inner = patch_for(json_is_object(now) ? now : NULL, value, strcmp(name, "parameters") == 0);
            if (json_object_size(inner) > 0)
                json_object_set(patch, name, inner);
            json_decref(inner);
        } else if (!json_equal(now, value)) {
            json_object_set(patch, name, value);
        }
    }
    if (strict) {
        json_object_foreach(have, name, value)
        {
            if (json_object_get(want, name) == NULL)
                json_object_set_new(patch, name, json_null());
        }
    }
    return patch;
}

error
patroni_configure(struct engine_member *self, bool is_primary, bool *ret_equal)
{
    struct answer answer;
    TRY(patroni_ask(self, "GET", "/config", STR_EMPTY, ASK_MS, &answer));
    json_t *have = json_parse_own(self->arena, answer.body);
    if (answer.status != 200 || !json_is_object(have))
        return problem(self->arena, "Patroni of %s has no configuration to show yet.", self->member->name.data);
    json_t *want = config_dynamic(self);
    json_t *patch = json_in(self->arena, patch_for(have, want, false));
    backup_drop_slots(have, want, patch);
    *ret_equal = json_object_size(patch) == 0;
    if (*ret_equal || !is_primary)
        return OK;
    failpoint("agent:patroni:configure:before");
    TRY(patroni_ask(self, "PATCH", "/config", json_text(self->arena, patch), CHANGE_MS, &answer));
    failpoint("agent:patroni:configure:after");
    if (answer.status != 200)
        return problem(self->arena, "Patroni of %s refused its new configuration with %d.", self->member->name.data,
                       answer.status);
    return OK;
}

error
patroni_restart(struct engine_member *self)
{
    struct answer answer;
    failpoint("agent:patroni:restart:before");
    TRY(patroni_ask(self, "POST", "/restart", STR("{}"), RESTART_MS, &answer));
    failpoint("agent:patroni:restart:after");
    if (answer.status != 200)
        return problem(self->arena, "Patroni of %s did not restart PostgreSQL (%d): %.*s.", self->member->name.data,
                       answer.status, STR_ARG(answer.body));
    return OK;
}

/* ---- Others ---- */
static bool
says_yes(struct engine_member *self, str address, const char *path)
{
    struct answer answer;
    struct call call = {
        .method = "GET",
        .url =
            str_format(self->arena, "https://%s:%d%s", address_in_url(self->arena, address).data, PATRONI_PORT, path),
        .identity = self->self,
        .timeout_ms = ASK_MS,
        .cap_bytes = ANSWER_BYTES,
    };
    return call_make(self->caller, self->arena, &call, &answer) == OK && answer.status == 200;
}

/* Of a cluster that was forgotten, a leader writes down the configuration some time after it leads. A replica that Patroni makes in between begins with defaults, and keeps them. */
bool
patroni_leads(struct engine_member *self, id member)
{
    const struct goal_peers *peers = &self->cluster->peers;
    for (size_t i = 0; i < peers->count; i++) {
        if (id_eq(peers->items[i].member, member))
            return says_yes(self, peers->items[i].address, "/leader") &&
                   says_yes(self, peers->items[i].address, "/config");
    }
    return false;
}

/* ---- Once ---- */
/* Done is when this member is not the leader, whoever is: Patroni chooses a synchronous standby. */
enum engine_outcome
patroni_switch_over(struct engine_member *self, str *ret_detail)
{
    struct engine_observation seen;
    struct answer answer;
    if (patroni_observe(self, &seen) != OK || seen.role == REPORT_NO_ROLE) {
        *ret_detail = STR("The member does not answer.");
        return OUTCOME_LATER;
    }
    if (seen.role != REPORT_PRIMARY)
        return OUTCOME_DONE;
    json_t *body = json_in(self->arena, json_pack("{s:s}", "leader", self->member->name.data));
    failpoint("agent:task:switchover:before");
    error why = patroni_ask(self, "POST", "/switchover", json_text(self->arena, body), SWITCH_MS, &answer);
    failpoint("agent:task:switchover:after");
    if (why != OK || answer.status != 200)
        *ret_detail = why != OK ? why->detail : str_dup(self->arena, answer.body);
    return OUTCOME_LATER; /* the next look decides */
}

/* ---- etcd ---- */
/* A prefix as the JSON gateway wants it: base64 of the key, and of the first key behind everything that begins with it. */
static str
base64(struct arena *arena, str bytes)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    struct buf out = buf_in(arena, bytes.len * 2 + 8);
    for (size_t i = 0; i < bytes.len; i += 3) {
        size_t left = bytes.len - i;
        unsigned group = (unsigned)(unsigned char)bytes.data[i] << 16;
        group |= left > 1 ? (unsigned)(unsigned char)bytes.data[i + 1] << 8 : 0;
        group |= left > 2 ? (unsigned)(unsigned char)bytes.data[i + 2] : 0;
        buf_add_char(&out, digits[group >> 18]);
        buf_add_char(&out, digits[group >> 12 & 63]);
        buf_add_char(&out, left > 1 ? digits[group >> 6 & 63] : '=');
        buf_add_char(&out, left > 2 ? digits[group & 63] : '=');
    }
    return buf_str(&out);
}

enum engine_outcome
patroni_forget_scope(struct engine_member *self, str *ret_detail)
{
    str prefix = str_format(self->arena, NAMESPACE "%s/", self->cluster->scope.data);
    str behind = str_format(self->arena, NAMESPACE "%s0", self->cluster->scope.data); /* '0' follows '/' */
    str body = str_format(self->arena, "{\"key\":\"%s\",\"range_end\":\"%s\"}", base64(self->arena, prefix).data,
                          base64(self->arena, behind).data);
    *ret_detail = STR("There is no etcd in the goal.");
    failpoint("agent:task:forget-scope:before");
    const struct wire_texts *endpoints = etcd_endpoints(self);
    for (size_t i = 0; i < endpoints->count; i++) {
        struct answer answer;
        struct call call = {
            .method = "POST",
            .url = str_format(self->arena, "%s/v3/kv/deleterange", endpoints->items[i].data),
            .identity = self->host,
            .body = body,
            .timeout_ms = CHANGE_MS,
            .cap_bytes = ANSWER_BYTES,
        };
        error why = call_make(self->caller, self->arena, &call, &answer);
        if (why == OK && answer.status == 200)
            return OUTCOME_DONE;
        *ret_detail = why != OK ? why->detail : str_format(self->arena, "etcd answered %d.", answer.status);
    }
    return OUTCOME_LATER;
}
