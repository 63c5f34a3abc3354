/* SPDX-License-Identifier: Apache-2.0 */
#include "family/project_limits.h"

#include "api/api.h"
#include "api/list.h"
#include "api/request_event.h"
#include "base/json.h"
#include "store/tenant/project.h"

#define PROJECT_LIMIT_ROW(name, api_name, counted, fallback, highest) [name] = { api_name, counted, fallback, highest },
static const struct {
    const char *name, *counted;
    int64_t fallback, highest;
} limits[PROJECT_LIMIT_COUNT] = { PROJECT_LIMIT_TABLE(PROJECT_LIMIT_ROW) };
#undef PROJECT_LIMIT_ROW

/* The ETag of a limit that has its default. */
enum { REVISION_OF_DEFAULT = -1 };

static const struct field limit_fields[] = {
    TEXT("name", "Name of the limit.", READ_ONLY | ALWAYS),
    INTEGER("value", "How much the project may hold.", REQUIRED | ALWAYS, .min = 0, .max = 100000, .example = "20"),
    INTEGER("defaultLimit", "The value when the project has none of its own.", READ_ONLY | ALWAYS),
    INTEGER("maximumLimit", "The highest value that can be set.", READ_ONLY | ALWAYS),
    INTEGER("currentUsage", "How much is in use.", READ_ONLY | ALWAYS),
    END_OF_FIELDS,
};
const struct schema project_limit_schema = { "ProjectLimit", "How much a project may hold of one thing.",
                                             limit_fields };

struct limit_state {
    int64_t value, usage, revision;
};

/* From the transaction, or from a read outside any. */
static error
load(struct request *req, struct limit_state ret_states[PROJECT_LIMIT_COUNT])
{
    struct params params = { 0 };
    struct rows own, usage;
    params_id(&params, P_ORGANIZATION, req->organization);
    params_id(&params, P_PROJECT, req->project);
    if (req->tx != NULL) {
        TRY(tx_query(req->tx, SQL_PROJECT_LIMIT_LIST, &params, &own, NULL));
        TRY(tx_query(req->tx, SQL_PROJECT_USAGE, &params, &usage, NULL));
    } else {
        TRY(store_read(req->api->store, req->arena, SQL_PROJECT_LIMIT_LIST, &params, &own));
        TRY(store_read(req->api->store, req->arena, SQL_PROJECT_USAGE, &params, &usage));
    }
    for (size_t i = 0; i < PROJECT_LIMIT_COUNT; i++) {
        ret_states[i] = (struct limit_state){ .value = limits[i].fallback, .revision = REVISION_OF_DEFAULT };
        for (int row = 0; row < own.count; row++) {
            if (str_is(rows_text(&own, row, C_NAME), limits[i].name)) {
                ret_states[i].value = rows_int(&own, row, C_VALUE);
                ret_states[i].revision = rows_int(&own, row, C_REVISION);
            }
        }
        for (int row = 0; row < usage.count; row++) {
            if (str_is(rows_text(&usage, row, C_COUNTED), limits[i].counted))
                ret_states[i].usage = rows_int(&usage, row, C_COUNT);
        }
    }
    return OK;
}

static json_t *
document(struct request *req, size_t which, const struct limit_state *state)
{
    return json_in(req->arena,
                   json_pack("{s:s, s:I, s:I, s:I, s:I}", "name", limits[which].name, "value", (json_int_t)state->value,
                             "defaultLimit", (json_int_t)limits[which].fallback, "maximumLimit",
                             (json_int_t)limits[which].highest, "currentUsage", (json_int_t)state->usage));
}

static error
limit_from_path(struct request *req, size_t *ret_which)
{
    str name = request_path_value(req, "limitName");
    for (size_t i = 0; i < PROJECT_LIMIT_COUNT; i++) {
        if (str_is(name, limits[i].name)) {
            *ret_which = i;
            return OK;
        }
    }
    return request_not_found(req);
}

error
project_limit_check(struct request *req, enum project_limit limit)
{
    struct limit_state states[PROJECT_LIMIT_COUNT];
    struct project project;
    TRY(store_project_lock(req->tx, req->organization, req->project, &project));
    TRY(load(req, states));
    if (states[limit].usage >= states[limit].value)
        return fail(req->arena, PROJECT_LIMIT_REACHED, V(limits[limit].name), V(states[limit].value));
    return OK;
}

error
project_limit_check_after(struct request *req, enum project_limit limit)
{
    struct limit_state states[PROJECT_LIMIT_COUNT];
    TRY(load(req, states));
    if (states[limit].usage > states[limit].value)
        return fail(req->arena, PROJECT_LIMIT_REACHED, V(limits[limit].name), V(states[limit].value));
    return OK;
}

error
project_limit_check_person(struct request *req, id organization, id member, const json_t *projects)
{
    str name = str_from(limits[LIMIT_USERS].name);
    int64_t most;
    bool has_room;
    if (json_array_size(projects) == 0)
        return OK;
    TRY(store_project_check_room(req->tx, organization, member, projects, name, limits[LIMIT_USERS].fallback, &has_room,
                                 &most));
    return has_room ? OK : fail(req->arena, PROJECT_LIMIT_REACHED, V(name), V(most));
}

error
project_limit_list(struct request *req)
{
    struct limit_state states[PROJECT_LIMIT_COUNT];
    TRY(load(req, states));
    int64_t from = (req->page.number - 1) * req->page.size;
    answer_list(req, PROJECT_LIMIT_COUNT, from + req->page.size < PROJECT_LIMIT_COUNT);
    for (int64_t i = from; i < PROJECT_LIMIT_COUNT && i < from + req->page.size; i++)
        answer_item(req, json_text(req->arena, document(req, (size_t)i, &states[i])), str_from(limits[i].name));
    return OK;
}

error
project_limit_get(struct request *req)
{
    struct limit_state states[PROJECT_LIMIT_COUNT];
    size_t which;
    TRY(limit_from_path(req, &which));
    TRY(load(req, states));
    answer_entity(req, json_text(req->arena, document(req, which, &states[which])), states[which].revision);
    return OK;
}

/* Locked, and as it was. */
static error
begin_change(struct request *req, size_t *ret_which, struct limit_state states[PROJECT_LIMIT_COUNT],
             json_t **ret_before)
{
    struct project project;
    TRY(limit_from_path(req, ret_which));
    TRY(store_project_lock(req->tx, req->organization, req->project, &project));
    TRY(load(req, states));
    *ret_before = document(req, *ret_which, &states[*ret_which]);
    return request_check_match(req, states[*ret_which].revision);
}

error
project_limit_set(struct request *req)
{
    struct limit_state states[PROJECT_LIMIT_COUNT];
    size_t which;
    json_t *before;
    TRY(begin_change(req, &which, states, &before));
    const json_t *value = json_object_get(req->body, "value");
    if (value == NULL)
        return fail(req->arena, MISSING_ATTRIBUTE, V("value"));
    if (json_integer_value(value) > limits[which].highest)
        return fail(req->arena, INVALID_ATTRIBUTE_VALUE, V("value"),
                    V(str_format(req->arena, "it must be at most %lld", (long long)limits[which].highest)));
    TRY(store_project_limit_set(req->tx, req->organization, req->project, str_from(limits[which].name),
                                json_integer_value(value)));
    TRY(load(req, states));
    json_t *after = document(req, which, &states[which]);
    TRY(request_event(req, EVENT_PROJECT_LIMIT_CHANGED, before, after));
    answer_entity(req, json_text(req->arena, after), states[which].revision);
    return OK;
}

error
project_limit_reset(struct request *req)
{
    struct limit_state states[PROJECT_LIMIT_COUNT];
    size_t which;
    json_t *before;
    TRY(begin_change(req, &which, states, &before));
    answer_nothing(req);
    if (states[which].revision == REVISION_OF_DEFAULT)
        return OK; /* it is the default already: nothing happens */
    TRY(store_project_limit_remove(req->tx, req->organization, req->project, str_from(limits[which].name)));
    TRY(load(req, states));
    return request_event(req, EVENT_PROJECT_LIMIT_CHANGED, before, document(req, which, &states[which]));
}
