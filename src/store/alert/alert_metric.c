/* SPDX-License-Identifier: Apache-2.0 */
#include "store/alert/alert_metric.h"

error
store_metric_configs(struct store *store, struct arena *arena, id project, id config, int64_t limit,
                     struct metric_config **ret_configs, size_t *ret_count)
{
    struct params params = { 0 };
    struct rows rows;
    params_id_after(&params, P_PROJECT, project);
    params_id_after(&params, P_AFTER, config);
    params_int(&params, P_LIMIT, limit);
    TRY(store_read(store, arena, SQL_ALERT_METRIC_CONFIG_WALK, &params, &rows));
    struct metric_config *configs = ARENA_ARRAY(arena, struct metric_config, (size_t)rows.count + 1);
    if (configs == NULL)
        return fail(arena, OVERLOADED);
    for (int i = 0; i < rows.count; i++)
        configs[i] =
            (struct metric_config){ .place = { rows_id(&rows, i, C_ORGANIZATION), rows_id(&rows, i, C_PROJECT) },
                                    .config = rows_id(&rows, i, C_CONFIG),
                                    .threshold = rows_text(&rows, i, C_THRESHOLD),
                                    .matchers = rows_text(&rows, i, C_MATCHERS) };
    *ret_configs = configs;
    *ret_count = (size_t)rows.count;
    return OK;
}

error
store_metric_members(struct store *store, struct arena *arena, str projects, struct metric_member **ret_members,
                     size_t *ret_count)
{
    struct params params = { 0 };
    struct rows rows;
    params_text(&params, P_PROJECTS, projects);
    TRY(store_read(store, arena, SQL_ALERT_METRIC_MEMBER_LIST, &params, &rows));
    struct metric_member *members = ARENA_ARRAY(arena, struct metric_member, (size_t)rows.count + 1);
    if (members == NULL)
        return fail(arena, OVERLOADED);
    for (int i = 0; i < rows.count; i++)
        members[i] = (struct metric_member){ .project = rows_id(&rows, i, C_PROJECT),
                                             .member = rows_id(&rows, i, C_MEMBER),
                                             .cluster = rows_text(&rows, i, C_CLUSTER),
                                             .process = rows_text(&rows, i, C_PROCESS),
                                             .set_name = rows_text(&rows, i, C_SET_NAME),
                                             .type = rows_text(&rows, i, C_TYPE),
                                             .analytics = rows_bool(&rows, i, C_ANALYTICS) };
    *ret_members = members;
    *ret_count = (size_t)rows.count;
    return OK;
}

error
store_metric_alerts(struct store *store, struct arena *arena, str projects, struct metric_alert **ret_alerts,
                    size_t *ret_count)
{
    struct params params = { 0 };
    struct rows rows;
    params_text(&params, P_PROJECTS, projects);
    TRY(store_read(store, arena, SQL_ALERT_METRIC_OPEN_LIST, &params, &rows));
    struct metric_alert *alerts = ARENA_ARRAY(arena, struct metric_alert, (size_t)rows.count + 1);
    if (alerts == NULL)
        return fail(arena, OVERLOADED);
    for (int i = 0; i < rows.count; i++)
        alerts[i] = (struct metric_alert){ rows_id(&rows, i, C_CONFIG), rows_id(&rows, i, C_MEMBER),
                                           rows_id(&rows, i, C_ALERT) };
    *ret_alerts = alerts;
    *ret_count = (size_t)rows.count;
    return OK;
}

error
store_metric_alert_add(struct tx *tx, const struct metric_alert_draft *draft, str *ret_document)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_ORGANIZATION, draft->place.organization);
    params_id(&params, P_PROJECT, draft->place.project);
    params_id(&params, P_ALERT, draft->alert);
    params_id(&params, P_CONFIG, draft->config);
    params_id(&params, P_MEMBER, draft->member);
    params_text(&params, P_SEVERITY, draft->severity);
    params_text(&params, P_CLUSTER, draft->cluster);
    params_text(&params, P_PROCESS, draft->process);
    params_text(&params, P_METRIC, draft->metric);
    params_text(&params, P_VALUE, str_format(tx_arena(tx), "%.15g", draft->value));
    params_text(&params, P_UNITS, draft->units);
    params_text(&params, P_STATUS, draft->is_tracked ? STR("TRACKING") : STR("OPEN"));
    TRY(tx_query(tx, SQL_ALERT_METRIC_ADD, &params, &rows, NULL));
    *ret_document = rows.count == 0 ? STR_EMPTY : rows_text(&rows, 0, C_DOCUMENT);
    return OK;
}
