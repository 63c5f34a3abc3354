/* SPDX-License-Identifier: Apache-2.0 */
#include "api/media.h"

#include "base/date.h"

enum { MAX_RANGES = 32, SHOWN_BYTES = 200 };

/* How exactly a range names what it wants; among ranges of one weight the more exact one wins. */
enum exactness { ANYTHING, ANY_APPLICATION, NAMED, DATED };

struct range {
    enum exactness exactness;
    int weight;  /* q in thousandths */
    str date;    /* of DATED; not yet known to be one */
    bool stream; /* text/event-stream of an endpoint that has a feed */
};

/* ---- Reading a header ---- */
/* Cuts up to the separator, which does not count inside a quoted string. */
static str
cut_outside_quotes(str *rest, char separator)
{
    bool quoted = false;
    for (size_t i = 0; i < rest->len; i++) {
        char c = rest->data[i];
        if (quoted && c == '\\')
            i++;
        else if (c == '"')
            quoted = !quoted;
        else if (!quoted && c == separator) {
            str before = str_slice(*rest, 0, i);
            *rest = str_slice(*rest, i + 1, rest->len);
            return before;
        }
    }
    str before = *rest;
    *rest = STR_EMPTY;
    return before;
}

/* "0", "1", "0.5", "0.123", "1.000" in thousandths; anything else is -1. */
static int
weight_of(str text)
{
    if (text.len == 0 || text.len > 5 || (text.data[0] != '0' && text.data[0] != '1') ||
        (text.len > 1 && text.data[1] != '.'))
        return -1;
    int weight = (text.data[0] - '0') * 1000, place = 100;
    for (size_t i = 2; i < text.len; i++, place /= 10) {
        if (text.data[i] < '0' || text.data[i] > '9')
            return -1;
        weight += (text.data[i] - '0') * place;
    }
    return weight <= 1000 ? weight : -1;
}

/* The weight among the parameters of a range; other parameters do not keep us from answering. */
static int
read_weight(str parameters)
{
    int weight = 1000;
    while (parameters.len > 0) {
        str value = cut_outside_quotes(&parameters, ';');
        str name = str_trim(str_cut(&value, '='));
        if (str_eq_nocase(name, STR("q")))
            weight = weight_of(str_trim(value));
    }
    return weight;
}

/* The date in "application/vnd.svc.<date>+<suffix>", for a suffix that is in the list. */
static bool
read_vendor_type(str type, const char *const *suffixes, str *ret_date)
{
    static const str prefix = { "application/vnd.svc.", sizeof("application/vnd.svc.") - 1 };
    if (type.len < prefix.len || !str_eq_nocase(str_slice(type, 0, prefix.len), prefix))
        return false;
    str suffix = str_slice(type, prefix.len, type.len);
    str date = str_cut(&suffix, '+');
    for (; *suffixes != NULL; suffixes++) {
        if (str_eq_nocase(suffix, str_from(*suffixes))) {
            *ret_date = date;
            return true;
        }
    }
    return false;
}

static bool
is_one_of(str type, const char *const *types)
{
    for (; *types != NULL; types++) {
        if (str_eq_nocase(type, str_from(*types)))
            return true;
    }
    return false;
}

/* False for a range that names nothing this endpoint could ever give. */
static bool
read_range(const struct endpoint *endpoint, str text, struct range *ret_range)
{
    static const char *const json_only[] = { "json", NULL };
    static const char *const file_suffixes[] = { "json", "csv", "gzip", NULL };
    static const char *const json_types[] = { "application/json", NULL };
    static const char *const file_types[] = { "application/json",
                                              "application/gzip",
                                              "application/octet-stream",
                                              "text/csv",
                                              "text/event-stream",
                                              "text/*",
                                              NULL };
    bool file = endpoint->shape == SHAPE_FILE;
    str type = str_trim(cut_outside_quotes(&text, ';'));
    struct range range = { .weight = read_weight(text) };
    if (range.weight < 0)
        return false;
    if (str_is(type, "*/*")) {
        range.exactness = ANYTHING;
    } else if (endpoint->feed != NULL && str_eq_nocase(type, STR("text/event-stream"))) {
        range.exactness = NAMED;
        range.stream = true;
    } else if (str_eq_nocase(type, STR("application/*"))) {
        range.exactness = ANY_APPLICATION;
    } else if (is_one_of(type, file ? file_types : json_types)) {
        range.exactness = NAMED;
    } else if (read_vendor_type(type, file ? file_suffixes : json_only, &range.date)) {
        range.exactness = DATED;
    } else {
        return false;
    }
    *ret_range = range;
    return true;
}

/* ---- Versions ---- */
static str
versions_of(const struct endpoint *endpoint)
{
    return str_from(endpoint->since == NULL ? FIRST_VERSION : endpoint->since);
}

str
media_newest(const struct endpoint *endpoint)
{
    str rest = versions_of(endpoint), newest = STR_EMPTY;
    while (rest.len > 0)
        newest = str_cut(&rest, ' ');
    return newest;
}

/* Dates of one length compare as texts. Empty when all versions are after the date. */
static str
newest_until(const struct endpoint *endpoint, str date)
{
    str rest = versions_of(endpoint), best = STR_EMPTY;
    while (rest.len > 0) {
        str version = str_cut(&rest, ' ');
        if (str_compare(version, date) <= 0)
            best = version;
    }
    return best;
}

static error
no_such_version(struct arena *arena, const struct endpoint *endpoint, str date)
{
    int day;
    str shown = str_slice(date, 0, SHOWN_BYTES), versions = versions_of(endpoint);
    if (!date_parse_day(date, &day))
        return fail(arena, VERSION_NOT_AVAILABLE, V(shown), V("it must be a calendar date as YYYY-MM-DD"));
    str first = str_cut(&versions, ' ');
    str why = str_format(arena, "the first version is %.*s", STR_ARG(first));
    return fail(arena, VERSION_NOT_AVAILABLE, V(shown), V(why));
}

/* ---- Choosing ---- */
static size_t
read_ranges(const struct endpoint *endpoint, str accept, struct range *ret_ranges)
{
    size_t count = 0;
    while (accept.len > 0 && count < MAX_RANGES) {
        str text = str_trim(cut_outside_quotes(&accept, ','));
        if (text.len > 0 && read_range(endpoint, text, &ret_ranges[count]))
            count++;
    }
    return count;
}

/* A weight of 0 on application/<anything> takes that back from a plain wildcard. */
static bool
is_refused(const struct range *ranges, size_t count, const struct range *wanted)
{
    for (size_t i = 0; i < count; i++) {
        if (ranges[i].weight == 0 && ranges[i].exactness == ANY_APPLICATION && wanted->exactness == ANYTHING)
            return true;
    }
    return false;
}

static bool
is_better(const struct range *a, const struct range *b)
{
    return b == NULL || a->weight > b->weight || (a->weight == b->weight && a->exactness > b->exactness);
}

error
media_choose(struct arena *arena, const struct endpoint *endpoint, str accept, const char **ret_version)
{
    struct range ranges[MAX_RANGES];
    size_t count = read_ranges(endpoint, accept, ranges);
    const struct range *best = NULL, *unserved = NULL;
    str version = STR_EMPTY;
    if (str_trim(accept).len == 0)
        version = media_newest(endpoint);
    for (size_t i = 0; i < count; i++) {
        const struct range *range = &ranges[i];
        int day;
        if (range->weight == 0 || is_refused(ranges, count, range))
            continue;
        str served = range->exactness != DATED           ? media_newest(endpoint)
                     : date_parse_day(range->date, &day) ? newest_until(endpoint, range->date)
                                                         : STR_EMPTY;
        if (served.len == 0) {
            unserved = is_better(range, unserved) ? range : unserved;
        } else if (is_better(range, best)) {
            best = range;
            version = served;
        }
    }
    if (version.len == 0 && unserved != NULL)
        return no_such_version(arena, endpoint, unserved->date);
    if (version.len == 0)
        return fail(arena, NOT_ACCEPTABLE, V(str_slice(accept, 0, SHOWN_BYTES)));
    str copy = str_dup(arena, version);
    if (copy.len == 0)
        return fail(arena, OVERLOADED);
    *ret_version = copy.data;
    return OK;
}

bool
media_wants_stream(const struct endpoint *endpoint, str accept)
{
    struct range ranges[MAX_RANGES];
    const struct range *best = NULL;
    size_t count = endpoint->feed == NULL ? 0 : read_ranges(endpoint, accept, ranges);
    for (size_t i = 0; i < count; i++) {
        if (ranges[i].weight > 0 && is_better(&ranges[i], best))
            best = &ranges[i];
    }
    return best != NULL && best->stream;
}

str
media_type(struct arena *arena, const char *version, const char *suffix)
{
    struct buf out = buf_in(arena, 64);
    buf_add_text(&out, "application/vnd.svc.");
    buf_add_text(&out, version);
    buf_add_char(&out, '+');
    buf_add_text(&out, suffix);
    return buf_str(&out);
}

const char *
media_file_suffix(const struct endpoint *endpoint)
{
    return endpoint->file == NULL ? "gzip" : endpoint->file;
}

static bool
is_utf8_charset(str parameter)
{
    str value = parameter;
    str name = str_trim(str_cut(&value, '='));
    value = str_trim(value);
    if (value.len >= 2 && value.data[0] == '"' && value.data[value.len - 1] == '"')
        value = str_slice(value, 1, value.len - 1);
    return str_eq_nocase(name, STR("charset")) && str_eq_nocase(value, STR("utf-8"));
}

error
media_check_body(struct arena *arena, str content_type)
{
    static const char *const suffixes[] = { "json", NULL };
    str rest = content_type, date;
    str type = str_trim(cut_outside_quotes(&rest, ';'));
    int day;
    bool fine = str_eq_nocase(type, STR("application/json")) ||
                (read_vendor_type(type, suffixes, &date) && date_parse_day(date, &day));
    while (fine && rest.len > 0) {
        str parameter = str_trim(cut_outside_quotes(&rest, ';'));
        fine = parameter.len == 0 || is_utf8_charset(parameter);
    }
    if (fine)
        return OK;
    str shown = str_slice(content_type, 0, SHOWN_BYTES);
    return fail(arena, UNSUPPORTED_MEDIA_TYPE, V(shown.len == 0 ? STR("(none)") : shown));
}
