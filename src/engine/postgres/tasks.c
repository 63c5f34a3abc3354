/* SPDX-License-Identifier: Apache-2.0 */
/* What a member is asked to do once. Every task may be run again after an agent was killed in the middle of it. */
#include "base/failpoint.h"
#include "engine/postgres/extension/extension.h"
#include "engine/postgres/postgres.h"
#include "engine/postgres/sample.h"
#include "engine/postgres/session.h"

enum { MOST_KEYS = 32, SQL_BYTES = 64 * 1024 };

/* ---- CREATE_INDEX ---- */
/* {"database","collection","name","keys":[{"field":1},{"other":-1}],"unique":false} */
struct index_wish {
    str database, schema, table, name;
    json_t *keys;
    bool unique;
};

static const char *
read_index(struct arena *arena, json_t *parameters, struct index_wish *ret_wish)
{
    str collection = json_str(json_object_get(parameters, "collection"));
    ptrdiff_t point = str_find(collection, '.');
    struct index_wish wish = {
        .database = json_str(json_object_get(parameters, "database")),
        .schema = point < 0 ? STR("public") : str_dup(arena, str_slice(collection, 0, (size_t)point)),
        .table = point < 0 ? collection : str_slice(collection, (size_t)point + 1, collection.len),
        .name = json_str(json_object_get(parameters, "name")),
        .keys = json_object_get(parameters, "keys"),
        .unique = json_is_true(json_object_get(parameters, "unique")),
    };
    if (wish.database.len == 0 || wish.table.len == 0)
        return "It names no table.";
    if (!json_is_array(wish.keys) || json_array_size(wish.keys) == 0 || json_array_size(wish.keys) > MOST_KEYS)
        return "It names no columns, or too many.";
    *ret_wish = wish;
    return NULL;
}

/* "\"a\", \"b\" DESC", and "a_b" for the name of an index that has none. */
static bool
add_columns(struct session *session, json_t *keys, struct buf *columns, struct buf *name)
{
    json_t *one, *direction;
    const char *column;
    size_t i;
    json_array_foreach(keys, i, one)
    {
        json_object_foreach(one, column, direction)
        {
            buf_add_text(columns, columns->len > 0 ? ", " : "");
            buf_add(columns, session_name(session, str_from(column)));
            bool is_down =
                json_is_string(direction) ? str_is(json_str(direction), "-1") : json_number_value(direction) < 0;
            buf_add_text(columns, is_down ? " DESC" : "");
            buf_add_text(name, "_");
            buf_add_text(name, column);
        }
    }
    return columns->len > 0;
}

/* Building an index runs code of the table: types, operators. So whoever owns the table builds it, not the superuser. */
static error
become_owner(struct engine_member *self, struct session *session, const struct index_wish *wish)
{
    struct session_rows rows;
    const str parameters[] = { wish->schema, str_dup(self->arena, wish->table) };
    TRY(session_query(session, SQL_TABLE_OWNER, LENGTH(parameters), parameters, &rows));
    if (rows.count == 0)
        return problem(self->arena, "There is no table \"%s\" in schema \"%s\".", parameters[1].data,
                       parameters[0].data);
    return session_run(session, SQL_ROLE_BECOME, SQL_VALUES({ "role", session_value(&rows, 0, 0) }));
}

/* One that was interrupted leaves an invalid index behind; it goes before the next try. */
static error
drop_invalid(struct session *session, str schema, str name)
{
    struct session_rows rows;
    const str parameters[] = { schema, name };
    TRY(session_query(session, SQL_INDEX_INVALID, LENGTH(parameters), parameters, &rows));
    if (rows.count == 0)
        return OK;
    return session_run(session, SQL_INDEX_DROP, SQL_VALUES({ "schema", schema }, { "index", name }));
}

static error
create_index(struct engine_member *self, const struct index_wish *wish)
{
    struct session *session CLEANUP(session_cleanup) = NULL;
    struct buf columns = buf_in(self->arena, SQL_BYTES), name = buf_in(self->arena, SQL_BYTES);
    TRY(session_open(self, str_dup(self->arena, wish->database), &session));
    buf_add(&name, wish->table);
    if (!add_columns(session, wish->keys, &columns, &name))
        return problem(self->arena, "It names no columns.");
    str chosen = wish->name.len > 0 ? wish->name : buf_str(&name);
    if (chosen.len > PG_NAME_BYTES)
        chosen = str_slice(chosen, 0, PG_NAME_BYTES);
    chosen = str_dup(self->arena, chosen);
    TRY(session_run(session, SQL_TIMEOUTS_OFF, NULL));
    TRY(become_owner(self, session, wish));
    TRY(drop_invalid(session, str_dup(self->arena, wish->schema), chosen));
    failpoint("agent:task:create-index:before");
    return session_run(session, SQL_INDEX_CREATE,
                       SQL_VALUES({ "unique", wish->unique ? STR("UNIQUE") : STR_EMPTY }, { "index", chosen },
                                  { "schema", wish->schema }, { "table", wish->table },
                                  { "columns", buf_str(&columns) }));
}

/* ---- The table of kinds ---- */
static enum engine_outcome
run_switchover(struct engine_member *self, json_t *parameters, str *ret_detail)
{
    (void)parameters;
    return patroni_switch_over(self, ret_detail);
}

static enum engine_outcome
run_forget_scope(struct engine_member *self, json_t *parameters, str *ret_detail)
{
    const struct goal_restore *restore = &self->cluster->restore;
    bool is_stopped = id_is_there(restore->id) && restore->phase == RESTORE_STOP;
    (void)parameters;
    if (self->member->desired != DESIRED_REMOVED && !is_stopped) {
        *ret_detail = STR("The member is still wanted.");
        return OUTCOME_FAILED;
    }
    return patroni_forget_scope(self, ret_detail);
}

/* Only the primary writes. Asked of another one, it waits: a failover may be under way. */
static bool
is_primary(struct engine_member *self, str *ret_detail)
{
    struct engine_observation seen;
    if (patroni_observe(self, &seen) == OK && seen.role == REPORT_PRIMARY)
        return true;
    *ret_detail = STR("The member is not the primary.");
    return false;
}

static enum engine_outcome
run_create_index(struct engine_member *self, json_t *parameters, str *ret_detail)
{
    struct index_wish wish;
    const char *wrong = read_index(self->arena, parameters, &wish);
    if (wrong != NULL) {
        *ret_detail = str_from(wrong);
        return OUTCOME_FAILED;
    }
    if (!is_primary(self, ret_detail))
        return OUTCOME_LATER;
    error why = create_index(self, &wish);
    if (why != OK)
        *ret_detail = why->detail;
    return why == OK ? OUTCOME_DONE : OUTCOME_FAILED;
}

static enum engine_outcome
run_load_sample(struct engine_member *self, json_t *parameters, str *ret_detail)
{
    (void)parameters;
    if (!is_primary(self, ret_detail))
        return OUTCOME_LATER;
    error why = sample_load(self);
    if (why != OK)
        *ret_detail = why->detail;
    return why == OK ? OUTCOME_DONE : OUTCOME_FAILED;
}

static enum engine_outcome
run_create_extension(struct engine_member *self, json_t *parameters, str *ret_detail)
{
    return is_primary(self, ret_detail) ? extension_create(self, parameters, ret_detail) : OUTCOME_LATER;
}

static enum engine_outcome
run_drop_extension(struct engine_member *self, json_t *parameters, str *ret_detail)
{
    return is_primary(self, ret_detail) ? extension_drop(self, parameters, ret_detail) : OUTCOME_LATER;
}

static enum engine_outcome (*const kinds[])(struct engine_member *, json_t *, str *) = {
    [TASK_SWITCHOVER] = run_switchover,
    [TASK_FORGET_SCOPE] = run_forget_scope,
    [TASK_CREATE_INDEX] = run_create_index,
    [TASK_LOAD_SAMPLE] = run_load_sample,
    [TASK_CREATE_EXTENSION] = run_create_extension,
    [TASK_DROP_EXTENSION] = run_drop_extension,
};

enum engine_outcome
postgres_run_task(struct engine_member *self, const struct goal_task *task, str *ret_detail)
{
    json_t *parameters = json_parse_own(self->arena, task->parameters);
    if (task->kind >= LENGTH(kinds)) {
        *ret_detail = str_format(self->arena, "This agent does not know how to do %s.", task->kind_text.data);
        return OUTCOME_FAILED;
    }
    return kinds[task->kind](self, parameters, ret_detail);
}
