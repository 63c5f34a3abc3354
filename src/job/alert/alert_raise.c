/* SPDX-License-Identifier: Apache-2.0 */
#include "job/alert/alert_raise.h"

#include "base/date.h"
#include "base/failpoint.h"
#include "base/json.h"
#include "job/alert/alert_change.h"
#include "job/alert/alert_config.h"
#include "job/alert/alert_rule.h"
#include "store/event/event_read.h"

enum { MOMENT_OPEN_S = 24 * 3600 };

struct config {
    id id;
    const json_t *document;
    const struct alert_rule *rule;
    int64_t after_seq;
};

struct raising {
    struct store *store;
    struct alert_change change;
    struct config *configs;
    size_t config_count;
};

static error
read_configs(struct raising *raising)
{
    const struct alert_config_row *rows;
    size_t count;
    TRY(store_alert_configs(raising->change.tx, raising->change.arena, raising->change.place.project, &rows, &count));
    raising->configs = ARENA_ARRAY(raising->change.arena, struct config, count + 1);
    if (raising->configs == NULL)
        return fail(raising->change.arena, OVERLOADED);
    for (size_t i = 0; i < count; i++) {
        const json_t *document = json_parse_own(raising->change.arena, rows[i].document);
        const struct alert_rule *rule = alert_rule_find(json_str(json_object_get(document, "eventTypeName")));
        if (rule != NULL)
            raising->configs[raising->config_count++] =
                (struct config){ rows[i].id, document, rule, alert_config_after_seq(document) };
    }
    return OK;
}

/* ---- One event and one configuration ---- */

static error
open_alert(struct raising *raising, const struct config *config, const struct event_followed *event)
{
    const json_t *threshold = json_object_get(config->document, "threshold");
    const json_t *severity = json_object_get(config->document, "severityOverride");
    str created = json_str(json_object_get(json_parse_own(raising->change.arena, event->document), "created")),
        document;
    struct alert_draft draft = {
        .place = raising->change.place,
        .alert = id_new(store_cell(raising->store)),
        .config = config->id,
        .event_type = event->type,
        .severity = severity != NULL ? json_str(severity) : str_from(alert_severity_names[config->rule->severity]),
        .cluster = event->cluster,
        .is_tracked = alert_config_waits(config->document),
        .lasts = config->rule->ended_by != NULL,
        .open_s = MOMENT_OPEN_S,
    };
    if (!id_parse(event->id, &draft.event) || !date_parse(created, &draft.created_ms))
        return fail(raising->change.arena, INTERNAL_ERROR);
    TRY(store_alert_event_count(raising->change.tx, raising->change.place.project, event->type, event->seq,
                                event->cluster, draft.created_ms, &draft.event_count));
    if (draft.event_count < 1)
        draft.event_count = 1; /* the event itself, of a project that moved since */
    if (threshold != NULL && draft.event_count <= json_integer_value(json_object_get(threshold, "threshold")))
        return OK;
    TRY(store_alert_add(raising->change.tx, &draft, &document));
    if (document.len == 0)
        return OK; /* it lasts, and is open already */
    return alert_change_opened(&raising->change, config->document, draft.alert, document, event->cluster);
}

static error
close_ended(struct raising *raising, const struct config *config, const struct event_followed *event)
{
    id alerts[ALERT_ENDING_MAX];
    size_t count;
    TRY(store_alert_ending(raising->change.tx, raising->change.place.project, config->id, event->cluster, alerts,
                           &count));
    for (size_t i = 0; i < count; i++)
        TRY(alert_change_close(&raising->change, config->document, alerts[i]));
    return OK;
}

static error
look_at(struct raising *raising, const struct event_followed *event)
{
    const struct alert_matched about = { .fields = { [MATCH_CLUSTER] = event->cluster } };
    for (size_t i = 0; i < raising->config_count; i++) {
        const struct config *config = &raising->configs[i];
        if (event->seq <= config->after_seq)
            continue;
        if (alert_rule_is_ended_by(config->rule, event->type))
            TRY(close_ended(raising, config, event));
        if (str_is(event->type, config->rule->type) &&
            alert_matchers_hold(json_object_get(config->document, "matchers"), &about))
            TRY(open_alert(raising, config, event));
    }
    return OK;
}

/* ---- The next events of a project ---- */

static error
look_at_next(struct raising *raising, int64_t after, int64_t *ret_reached)
{
    struct params params = { 0 };
    struct rows rows;
    event_follow_bind(&params, raising->change.place.project, after);
    TRY(store_read(raising->store, raising->change.arena, SQL_EVENT_AFTER_IN_PROJECT, &params, &rows));
    /* Without a configuration nothing can be raised, however much there is. */
    *ret_reached = raising->config_count == 0 ? event_follow_end(&rows) : after;
    for (int row = 0; raising->config_count > 0 && row < event_follow_count(&rows); row++) {
        struct event_followed event = event_follow_row(&rows, row);
        TRY(look_at(raising, &event));
        *ret_reached = event.seq;
    }
    return OK;
}

error
alert_raise(struct store *store, struct arena *arena, struct alert_place place, bool *ret_did)
{
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    int64_t after, reached;
    bool held;
    *ret_did = false;
    TRY(tx_begin(store, arena, place.organization, &tx));
    TRY(store_alert_cursor_lock(tx, place, &held, &after));
    if (!held)
        return OK;
    struct raising raising = { .store = store };
    alert_change_begin(&raising.change, tx, arena, place);
    TRY(read_configs(&raising));
    failpoint("alert:raise:before-effect");
    TRY(look_at_next(&raising, after, &reached));
    if (reached == after)
        return OK;
    TRY(alert_change_end(&raising.change));
    TRY(store_alert_cursor_move(tx, place, reached));
    failpoint("alert:raise:after-effect");
    TRY(tx_commit(tx));
    failpoint("alert:raise:after-commit");
    *ret_did = true;
    return OK;
}
