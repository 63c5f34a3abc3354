/* SPDX-License-Identifier: Apache-2.0 */
#include "job/alert/alert_raise.h"

#include "base/date.h"
#include "base/failpoint.h"
#include "base/json.h"
#include "job/alert/alert_config.h"
#include "job/alert/alert_rule.h"
#include "store/alert/alert_notification.h"
#include "store/event/event_read.h"

enum { MOMENT_OPEN_S = 24 * 3600 };

struct config {
    id id;
    const json_t *document;
    const struct alert_rule *rule;
    int64_t after_seq;
};

/* The events about alerts are written at the end: the first takes the organization's chain, and others wait for it. */
struct news {
    enum event_type type;
    str document, cluster;
    struct news *next;
};

struct raising {
    struct store *store;
    struct tx *tx;
    struct arena *arena;
    struct alert_place place;
    struct config *configs;
    size_t config_count;
    struct news *first, **last;
};

static error
add_news(struct raising *raising, enum event_type type, str document, str cluster)
{
    struct news *news = ARENA_NEW(raising->arena, struct news);
    if (news == NULL)
        return fail(raising->arena, OVERLOADED);
    *news = (struct news){ .type = type, .document = document, .cluster = cluster };
    *raising->last = news;
    raising->last = &news->next;
    return OK;
}

static error
read_configs(struct raising *raising)
{
    const struct alert_config_row *rows;
    size_t count;
    TRY(store_alert_configs(raising->tx, raising->arena, raising->place.project, &rows, &count));
    raising->configs = ARENA_ARRAY(raising->arena, struct config, count + 1);
    if (raising->configs == NULL)
        return fail(raising->arena, OVERLOADED);
    for (size_t i = 0; i < count; i++) {
        const json_t *document = json_parse_own(raising->arena, rows[i].document);
        const struct alert_rule *rule = alert_rule_find(json_str(json_object_get(document, "eventTypeName")));
        if (rule != NULL)
            raising->configs[raising->config_count++] =
                (struct config){ rows[i].id, document, rule, alert_config_after_seq(document) };
    }
    return OK;
}

/* ---- One event and one configuration ---- */

static bool
is_told_by_nobody(const json_t *notifier)
{
    return json_is_false(json_object_get(notifier, "emailEnabled"));
}

static int64_t
shortest_delay(const json_t *notifications)
{
    size_t i;
    const json_t *one;
    int64_t shortest = -1;
    json_array_foreach(notifications, i, one)
    {
        int64_t delay = json_integer_value(json_object_get(one, "delayMin"));
        if (!is_told_by_nobody(one) && (shortest < 0 || delay < shortest))
            shortest = delay;
    }
    return shortest < 0 ? 0 : shortest;
}

static error
add_notifications(struct raising *raising, const struct config *config, id alert)
{
    size_t i;
    const json_t *one;
    json_array_foreach(json_object_get(config->document, "notifications"), i, one)
    {
        struct notification_draft draft = {
            .place = raising->place,
            .alert = alert,
            .about = ABOUT_OPENED,
            .delay_min = json_integer_value(json_object_get(one, "delayMin")),
        };
        if (is_told_by_nobody(one) || !id_parse(json_str(json_object_get(one, "notifierId")), &draft.notifier))
            continue;
        TRY(store_notification_add(raising->tx, &draft));
    }
    return OK;
}

static error
open_alert(struct raising *raising, const struct config *config, const struct event_followed *event)
{
    const json_t *threshold = json_object_get(config->document, "threshold");
    const json_t *severity = json_object_get(config->document, "severityOverride");
    str created = json_str(json_object_get(json_parse_own(raising->arena, event->document), "created")), document;
    struct alert_draft draft = {
        .place = raising->place,
        .alert = id_new(store_cell(raising->store)),
        .config = config->id,
        .event_type = event->type,
        .severity = severity != NULL ? json_str(severity) : str_from(alert_severity_names[config->rule->severity]),
        .cluster = event->cluster,
        .is_tracked = shortest_delay(json_object_get(config->document, "notifications")) > 0,
        .lasts = config->rule->ended_by != NULL,
        .open_s = MOMENT_OPEN_S,
    };
    if (!id_parse(event->id, &draft.event) || !date_parse(created, &draft.created_ms))
        return fail(raising->arena, INTERNAL_ERROR);
    TRY(store_alert_event_count(raising->tx, raising->place.project, event->type, event->seq, event->cluster,
                                draft.created_ms, &draft.event_count));
    if (draft.event_count < 1)
        draft.event_count = 1; /* the event itself, of a project that moved since */
    if (threshold != NULL && draft.event_count <= json_integer_value(json_object_get(threshold, "threshold")))
        return OK;
    TRY(store_alert_add(raising->tx, &draft, &document));
    if (document.len == 0)
        return OK; /* it lasts, and is open already */
    TRY(add_notifications(raising, config, draft.alert));
    return add_news(raising, EVENT_ALERT_OPENED, document, event->cluster);
}

static error
close_alert(struct raising *raising, const struct config *config, id alert)
{
    id told[NOTIFIERS_MAX];
    size_t count;
    str document, cluster;
    TRY(store_notification_told(raising->tx, raising->place.organization, alert, told, &count));
    TRY(store_alert_close(raising->tx, raising->place.organization, alert, &document, &cluster));
    if (document.len == 0)
        return OK;
    for (size_t i = 0; i < count; i++) {
        struct notification_draft draft = {
            .place = raising->place, .alert = alert, .notifier = told[i], .about = ABOUT_CLOSED
        };
        if (alert_config_notifier(raising->arena, config->document, told[i]) != NULL)
            TRY(store_notification_add(raising->tx, &draft));
    }
    return add_news(raising, EVENT_ALERT_CLOSED, document, cluster);
}

static error
close_ended(struct raising *raising, const struct config *config, const struct event_followed *event)
{
    id alerts[ALERT_ENDING_MAX];
    size_t count;
    TRY(store_alert_ending(raising->tx, raising->place.project, config->id, event->cluster, alerts, &count));
    for (size_t i = 0; i < count; i++)
        TRY(close_alert(raising, config, alerts[i]));
    return OK;
}

static error
look_at(struct raising *raising, const struct event_followed *event)
{
    for (size_t i = 0; i < raising->config_count; i++) {
        const struct config *config = &raising->configs[i];
        if (event->seq <= config->after_seq)
            continue;
        if (alert_rule_is_ended_by(config->rule, event->type))
            TRY(close_ended(raising, config, event));
        if (str_is(event->type, config->rule->type) &&
            alert_matchers_hold(json_object_get(config->document, "matchers"), event->cluster))
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
    event_follow_bind(&params, raising->place.project, after);
    TRY(store_read(raising->store, raising->arena, SQL_EVENT_AFTER_IN_PROJECT, &params, &rows));
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
    struct raising raising = { .store = store, .tx = tx, .arena = arena, .place = place };
    raising.last = &raising.first;
    TRY(read_configs(&raising));
    failpoint("alert:raise:before-effect");
    TRY(look_at_next(&raising, after, &reached));
    if (reached == after)
        return OK;
    for (const struct news *news = raising.first; news != NULL; news = news->next)
        TRY(store_alert_event(tx, arena, news->type, place, news->document, news->cluster));
    TRY(store_alert_cursor_move(tx, place, reached));
    failpoint("alert:raise:after-effect");
    TRY(tx_commit(tx));
    failpoint("alert:raise:after-commit");
    *ret_did = true;
    return OK;
}
