/* SPDX-License-Identifier: Apache-2.0 */
#include "job/alert/alert_change.h"

#include "base/json.h"
#include "job/alert/alert_config.h"
#include "store/alert/alert_notification.h"

struct alert_news {
    enum event_type type;
    str document, cluster;
    struct alert_news *next;
};

void
alert_change_begin(struct alert_change *change, struct tx *tx, struct arena *arena, struct alert_place place)
{
    *change = (struct alert_change){ .tx = tx, .arena = arena, .place = place };
    change->last = &change->first;
}

static error
add_news(struct alert_change *change, enum event_type type, str document, str cluster)
{
    struct alert_news *news = ARENA_NEW(change->arena, struct alert_news);
    if (news == NULL)
        return fail(change->arena, OVERLOADED);
    *news = (struct alert_news){ .type = type, .document = document, .cluster = cluster };
    *change->last = news;
    change->last = &news->next;
    return OK;
}

/* ---- Who is told ---- */
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
add_notifications(struct alert_change *change, const json_t *config, id alert)
{
    size_t i;
    const json_t *one;
    json_array_foreach(json_object_get(config, "notifications"), i, one)
    {
        struct notification_draft draft = {
            .place = change->place,
            .alert = alert,
            .about = ABOUT_OPENED,
            .delay_min = json_integer_value(json_object_get(one, "delayMin")),
        };
        if (is_told_by_nobody(one) || !id_parse(json_str(json_object_get(one, "notifierId")), &draft.notifier))
            continue;
        TRY(store_notification_add(change->tx, &draft));
    }
    return OK;
}

bool
alert_config_waits(const json_t *config)
{
    return shortest_delay(json_object_get(config, "notifications")) > 0;
}

/* ---- What happens to an alert ---- */
error
alert_change_opened(struct alert_change *change, const json_t *config, id alert, str document, str cluster)
{
    TRY(add_notifications(change, config, alert));
    return add_news(change, EVENT_ALERT_OPENED, document, cluster);
}

error
alert_change_close(struct alert_change *change, const json_t *config, id alert)
{
    id told[NOTIFIERS_MAX];
    size_t count;
    str document, cluster;
    TRY(store_notification_told(change->tx, change->place.organization, alert, told, &count));
    TRY(store_alert_close(change->tx, change->place.organization, alert, &document, &cluster));
    if (document.len == 0)
        return OK;
    for (size_t i = 0; i < count; i++) {
        struct notification_draft draft = {
            .place = change->place, .alert = alert, .notifier = told[i], .about = ABOUT_CLOSED
        };
        if (alert_config_notifier(change->arena, config, told[i]) != NULL)
            TRY(store_notification_add(change->tx, &draft));
    }
    return add_news(change, EVENT_ALERT_CLOSED, document, cluster);
}

error
alert_change_end(struct alert_change *change)
{
    for (const struct alert_news *news = change->first; news != NULL; news = news->next)
        TRY(store_alert_event(change->tx, change->arena, news->type, change->place, news->document, news->cluster));
    return OK;
}
