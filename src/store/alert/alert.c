/* SPDX-License-Identifier: Apache-2.0 */
#include "store/alert/alert.h"

#include "base/json.h"

static void
bind_place(struct params *params, struct alert_place place)
{
    params_id(params, P_ORGANIZATION, place.organization);
    params_id(params, P_PROJECT, place.project);
}

/* ---- For requests ---- */

error
store_alert_lock(struct tx *tx, id project, id alert, str *ret_document, int64_t *ret_revision, bool *ret_is_closed)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_PROJECT, project);
    params_id(&params, P_ALERT, alert);
    TRY(tx_query(tx, SQL_ALERT_LOCK, &params, &rows, NULL));
    *ret_document = rows.count == 0 ? STR_EMPTY : rows_text(&rows, 0, C_DOCUMENT);
    *ret_revision = rows.count == 0 ? 0 : rows_int(&rows, 0, C_REVISION);
    *ret_is_closed = rows.count > 0 && str_is(rows_text(&rows, 0, C_STATUS), "CLOSED");
    return OK;
}

error
store_alert_acknowledge(struct tx *tx, id project, id alert, const int64_t *until_ms, str comment, str by)
{
    struct params params = { 0 };
    params_id(&params, P_PROJECT, project);
    params_id(&params, P_ALERT, alert);
    if (until_ms == NULL)
        params_null(&params, P_UNTIL_MS);
    else
        params_int(&params, P_UNTIL_MS, *until_ms);
    params_text_or_null(&params, P_COMMENT, comment);
    params_text_or_null(&params, P_BY, by);
    return tx_query(tx, SQL_ALERT_ACKNOWLEDGE, &params, NULL, NULL);
}

error
store_alert_cursor_take(struct tx *tx, id organization, id project, int64_t *ret_newest_seq)
{
    struct params params = { 0 };
    struct rows rows;
    bind_place(&params, (struct alert_place){ organization, project });
    TRY(tx_query(tx, SQL_ALERT_CURSOR_TAKE, &params, &rows, NULL));
    if (rows.count == 0)
        return fail(tx_arena(tx), RESOURCE_NOT_FOUND, V(id_text(tx_arena(tx), project)));
    *ret_newest_seq = rows_int(&rows, 0, C_NEWEST_SEQ);
    return OK;
}

error
store_alert_config_borrows(struct tx *tx, id project, str type, str field, bool *ret_found, id *ret_config)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_PROJECT, project);
    params_text(&params, P_TYPE, type);
    params_text(&params, P_FIELD, field);
    TRY(tx_query(tx, SQL_ALERT_CONFIG_BORROWS, &params, &rows, NULL));
    *ret_found = rows.count == 1;
    if (*ret_found)
        *ret_config = rows_id(&rows, 0, C_CONFIG);
    return OK;
}

/* ---- Raising and closing ---- */

error
store_alert_due(struct store *store, struct arena *arena, struct alert_place ret_due[ALERT_DUE_MAX], size_t *ret_count)
{
    struct rows rows;
    struct params params = { 0 };
    TRY(store_read(store, arena, SQL_ALERT_DUE, &params, &rows));
    *ret_count = 0;
    for (int row = 0; row < rows.count && row < ALERT_DUE_MAX; row++)
        ret_due[(*ret_count)++] =
            (struct alert_place){ rows_id(&rows, row, C_ORGANIZATION), rows_id(&rows, row, C_PROJECT) };
    return OK;
}

error
store_alert_cursor_lock(struct tx *tx, struct alert_place place, bool *ret_held, int64_t *ret_seq)
{
    struct params params = { 0 };
    struct rows rows;
    bind_place(&params, place);
    TRY(tx_query(tx, SQL_ALERT_CURSOR_LOCK, &params, &rows, NULL));
    *ret_held = rows.count > 0;
    *ret_seq = rows.count > 0 ? rows_int(&rows, 0, C_PROJECT_SEQ) : 0;
    return OK;
}

error
store_alert_cursor_move(struct tx *tx, struct alert_place place, int64_t seq)
{
    struct params params = { 0 };
    bind_place(&params, place);
    params_int(&params, P_SEQ, seq);
    return tx_query(tx, SQL_ALERT_CURSOR_MOVE, &params, NULL, NULL);
}

error
store_alert_configs(struct tx *tx, struct arena *arena, id project, const struct alert_config_row **ret_configs,
                    size_t *ret_count)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_PROJECT, project);
    TRY(tx_query(tx, SQL_ALERT_CONFIG_ENABLED, &params, &rows, NULL));
    struct alert_config_row *configs = ARENA_ARRAY(arena, struct alert_config_row, (size_t)rows.count + 1);
    if (configs == NULL)
        return fail(arena, OVERLOADED);
    for (int row = 0; row < rows.count; row++)
        configs[row] = (struct alert_config_row){ rows_id(&rows, row, C_CONFIG), rows_text(&rows, row, C_DOCUMENT) };
    *ret_configs = configs;
    *ret_count = (size_t)rows.count;
    return OK;
}

error
store_alert_event_count(struct tx *tx, id project, str type, int64_t seq, str cluster, int64_t created_ms,
                        int64_t *ret_count)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_PROJECT, project);
    params_text(&params, P_TYPE, type);
    params_int(&params, P_SEQ, seq);
    params_text_or_null(&params, P_CLUSTER, cluster);
    params_int(&params, P_CREATED_MS, created_ms);
    TRY(tx_query(tx, SQL_ALERT_EVENT_COUNT, &params, &rows, NULL));
    *ret_count = rows_int(&rows, 0, C_COUNT);
    return OK;
}

error
store_alert_add(struct tx *tx, const struct alert_draft *draft, str *ret_document)
{
    struct params params = { 0 };
    struct rows rows;
    bind_place(&params, draft->place);
    params_id(&params, P_ALERT, draft->alert);
    params_id(&params, P_CONFIG, draft->config);
    params_id(&params, P_EVENT, draft->event);
    params_text(&params, P_EVENT_TYPE, draft->event_type);
    params_text(&params, P_SEVERITY, draft->severity);
    params_text_or_null(&params, P_CLUSTER, draft->cluster);
    params_text(&params, P_STATUS, draft->is_tracked ? STR("TRACKING") : STR("OPEN"));
    params_bool(&params, P_LASTS, draft->lasts);
    params_int(&params, P_OPEN_S, draft->open_s);
    params_int(&params, P_EVENT_COUNT, draft->event_count);
    params_int(&params, P_CREATED_MS, draft->created_ms);
    TRY(tx_query(tx, SQL_ALERT_ADD, &params, &rows, NULL));
    *ret_document = rows.count == 0 ? STR_EMPTY : rows_text(&rows, 0, C_DOCUMENT);
    return OK;
}

static void
read_alerts(const struct rows *rows, id ret_alerts[ALERT_ENDING_MAX], size_t *ret_count)
{
    *ret_count = 0;
    for (int row = 0; row < rows->count && row < ALERT_ENDING_MAX; row++)
        ret_alerts[(*ret_count)++] = rows_id(rows, row, C_ALERT);
}

error
store_alert_ending(struct tx *tx, id project, id config, str cluster, id ret_alerts[ALERT_ENDING_MAX],
                   size_t *ret_count)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_PROJECT, project);
    params_id(&params, P_CONFIG, config);
    params_text_or_null(&params, P_CLUSTER, cluster);
    TRY(tx_query(tx, SQL_ALERT_ENDING, &params, &rows, NULL));
    read_alerts(&rows, ret_alerts, ret_count);
    return OK;
}

error
store_alert_ending_of_config(struct tx *tx, id project, id config, id ret_alerts[ALERT_ENDING_MAX], size_t *ret_count)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_PROJECT, project);
    params_id(&params, P_CONFIG, config);
    params_int(&params, P_LIMIT, ALERT_ENDING_MAX);
    TRY(tx_query(tx, SQL_ALERT_ENDING_OF_CONFIG, &params, &rows, NULL));
    read_alerts(&rows, ret_alerts, ret_count);
    return OK;
}

error
store_alert_close_moments(struct tx *tx, id project, id config)
{
    struct params params = { 0 };
    params_id(&params, P_PROJECT, project);
    params_id(&params, P_CONFIG, config);
    return tx_query(tx, SQL_ALERT_CLOSE_MOMENTS, &params, NULL, NULL);
}

error
store_alert_close(struct tx *tx, id organization, id alert, str *ret_document, str *ret_cluster)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_ORGANIZATION, organization);
    params_id(&params, P_ALERT, alert);
    TRY(tx_query(tx, SQL_ALERT_CLOSE, &params, &rows, NULL));
    *ret_document = rows.count == 0 ? STR_EMPTY : rows_text(&rows, 0, C_DOCUMENT);
    *ret_cluster = rows.count == 0 || rows_is_null(&rows, 0, C_CLUSTER) ? STR_EMPTY : rows_text(&rows, 0, C_CLUSTER);
    return OK;
}

error
store_alert_closing(struct store *store, struct arena *arena, struct alert_closing ret_closing[ALERT_CLOSING_MAX],
                    size_t *ret_count)
{
    struct rows rows;
    struct params params = { 0 };
    TRY(store_read(store, arena, SQL_ALERT_CLOSING, &params, &rows));
    *ret_count = 0;
    for (int row = 0; row < rows.count && row < ALERT_CLOSING_MAX; row++)
        ret_closing[(*ret_count)++] = (struct alert_closing){
            .place = { rows_id(&rows, row, C_ORGANIZATION), rows_id(&rows, row, C_PROJECT) },
            .alert = rows_id(&rows, row, C_ALERT),
        };
    return OK;
}

error
store_alert_event(struct tx *tx, struct arena *arena, enum event_type type, struct alert_place place, str document,
                  str cluster)
{
    struct event_draft draft = {
        .type = type,
        .organization = place.organization,
        .project = place.project,
        .cluster = cluster,
        .after = json_parse_own(arena, document),
    };
    return store_event_add_by_worker(tx, &draft);
}
