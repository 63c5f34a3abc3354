/* SPDX-License-Identifier: Apache-2.0 */
#include "backup/schedule_document.h"

#include "base/date.h"
#include "base/json.h"

json_t *
schedule_document_items(const json_t *document)
{
    return json_object_get(json_array_get(json_object_get(document, "policies"), 0), "policyItems");
}

static int
word_of(const json_t *object, const char *field, const char *const *words)
{
    return str_word(json_str(json_object_get(object, field)), words);
}

static int
integer_of(const json_t *object, const char *field)
{
    return (int)json_integer_value(json_object_get(object, field));
}

bool
schedule_document_item(const json_t *item, struct schedule_item *ret_item)
{
    int frequency = word_of(item, "frequencyType", schedule_frequency_words);
    int unit = word_of(item, "retentionUnit", schedule_unit_words);
    if (frequency < 0 || unit < 0)
        return false;
    *ret_item = (struct schedule_item){ .frequency = (enum schedule_frequency)frequency,
                                        .interval = integer_of(item, "frequencyInterval"),
                                        .unit = (enum schedule_unit)unit,
                                        .value = integer_of(item, "retentionValue") };
    return true;
}

/* Settings are written in capitals; ON_DEMAND is no frequency. */
static void
read_extra(const json_t *document, struct schedule *schedule)
{
    size_t index;
    const json_t *extra;
    json_array_foreach(json_object_get(document, "extraRetentionSettings"), index, extra)
    {
        str word = json_str(json_object_get(extra, "frequencyType"));
        for (int i = 0; i < SCHEDULE_FREQUENCIES; i++) {
            if (str_eq_nocase(word, str_from(schedule_frequency_words[i])))
                schedule->extra_days[i] = integer_of(extra, "retentionDays");
        }
    }
}

bool
schedule_document_read(const json_t *document, struct schedule *ret_schedule)
{
    const json_t *items = schedule_document_items(document);
    struct schedule schedule = { .reference_hour = integer_of(document, "referenceHourOfDay"),
                                 .reference_minute = integer_of(document, "referenceMinuteOfHour"),
                                 .count = json_array_size(items) };
    if (schedule.count > SCHEDULE_MOST_ITEMS)
        return false;
    for (size_t i = 0; i < schedule.count; i++) {
        struct schedule_item *item = &schedule.items[i];
        if (!schedule_document_item(json_array_get(items, i), item) ||
            !schedule_interval_is_allowed(item->frequency, item->interval))
            return false;
    }
    read_extra(document, &schedule);
    *ret_schedule = schedule;
    return true;
}

void
schedule_document_touch(struct arena *arena, json_t *document, int64_t now_ms)
{
    json_object_set_new(document, SCHEDULE_CHANGED_AT, json_string(date_text(arena, now_ms / 1000 * 1000).data));
}
