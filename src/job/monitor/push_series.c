/* SPDX-License-Identifier: Apache-2.0 */
#include "job/monitor/push_series.h"

#include <math.h>

#include "base/json.h"
#include "monitor/steps.h"

enum {
    TAG_BYTES = 200, /* the service cuts what is longer */
    TAGS_BYTES = 64 * 1024,
};

/* ---- Tags ---- */
/* Whatever is in it, it is one text of a list: nothing can end it but its own end. */
static void
add_tag(struct buf *out, const char *key, str value)
{
    struct buf tag = buf_in(out->arena, TAGS_BYTES);
    buf_format(&tag, "%s:", key);
    buf_add(&tag, value);
    str text = buf_str(&tag);
    if (text.len > TAG_BYTES) {
        size_t end = TAG_BYTES;
        while (end > 0 && ((unsigned char)text.data[end] & 0xC0) == 0x80) /* not within a character */
            end--;
        text = str_slice(text, 0, end);
    }
    if (out->len > 0)
        buf_add_char(out, ',');
    buf_add_json(out, text);
}

/* The key of a tag ends with its first colon, and receivers do not mind capitals. */
static bool
is_ours(str key)
{
    static const char *const ours[] = { "project", "cluster", "database", "disk", "host" };
    str rest = key, name = str_cut(&rest, ':');
    for (size_t i = 0; i < LENGTH(ours); i++) {
        if (str_eq_nocase(name, str_from(ours[i])))
            return true;
    }
    return name.len == 0;
}

str
push_tags(struct arena *arena, id project, str cluster, str own_tags)
{
    struct buf out = buf_in(arena, TAGS_BYTES);
    const json_t *list = own_tags.len == 0 ? NULL : json_parse_own(arena, own_tags);
    add_tag(&out, "project", id_text(arena, project));
    add_tag(&out, "cluster", cluster);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *tag = json_array_get(list, i);
        str key = json_text_at(tag, "key");
        if (!is_ours(key))
            add_tag(&out, str_dup(arena, key).data, json_text_at(tag, "value"));
    }
    return buf_str(&out);
}

/* ---- Points ---- */
/* False: nothing is known about this one. */
static bool
value_of(const struct series *series, size_t i, double *ret_value)
{
    const struct sample *now = &series->samples[i];
    if (series->metric->kind == METRIC_GAUGE) {
        *ret_value = now->value;
        return isfinite(now->value);
    }
    if (i == 0)
        return false;
    const struct sample *before = now - 1;
    int64_t between_ms = now->at_ms - before->at_ms;
    double rise = now->value < before->value ? now->value : now->value - before->value; /* one that fell began at 0 */
    *ret_value = rise * 1000 / (double)between_ms;
    return between_ms > 0 && between_ms <= STEPS_LONGEST_GAP_MS && isfinite(*ret_value);
}

static bool
is_wanted(const struct series *series, size_t i, int64_t after_ms, int64_t to_ms, double *ret_value)
{
    return series->samples[i].at_ms > after_ms && series->samples[i].at_ms <= to_ms && value_of(series, i, ret_value);
}

size_t
push_series_count(const struct series *series, int64_t after_ms, int64_t to_ms)
{
    size_t count = 0;
    double value;
    for (size_t i = 0; i < series->count; i++)
        count += is_wanted(series, i, after_ms, to_ms, &value);
    return count;
}

static void
add_head(struct buf *out, const struct push_origin *origin, const struct series *series)
{
    static const char *const scopes[METRIC_SCOPES] = { [METRIC_DATABASE] = "database", [METRIC_DISK] = "disk" };
    const char *scope = scopes[series->metric->scope];
    if (out->len > 0)
        buf_add_char(out, ',');
    buf_add(out, STR("{\"metric\":\"reeve."));
    for (const char *c = series->metric->name; *c != '\0'; c++)
        buf_add_char(out, *c >= 'A' && *c <= 'Z' ? (char)(*c - 'A' + 'a') : *c);
    if (series->metric->kind == METRIC_GAUGE)
        buf_add(out, STR("\",\"type\":\"gauge\",\"host\":"));
    else
        buf_format(out, "\",\"type\":\"rate\",\"interval\":%d,\"host\":", SAMPLES_EVERY_MS / 1000);
    buf_add_json(out, origin->hostname);
    buf_add(out, STR(",\"tags\":["));
    buf_add(out, origin->tags);
    if (scope != NULL) {
        struct buf tag = buf_in(out->arena, TAGS_BYTES);
        add_tag(&tag, scope, series->name);
        buf_add_char(out, ',');
        buf_add(out, buf_str(&tag));
    }
    buf_add(out, STR("],\"points\":["));
}

size_t
push_series_add(struct buf *out, const struct push_origin *origin, const struct series *series, int64_t after_ms,
                int64_t to_ms)
{
    size_t count = 0;
    double value;
    for (size_t i = 0; i < series->count; i++) {
        if (!is_wanted(series, i, after_ms, to_ms, &value))
            continue;
        if (count == 0)
            add_head(out, origin, series);
        buf_format(out, "%s[%lld,%.17g]", count == 0 ? "" : ",", (long long)(series->samples[i].at_ms / 1000), value);
        count++;
    }
    if (count > 0)
        buf_add(out, STR("]}"));
    return count;
}
