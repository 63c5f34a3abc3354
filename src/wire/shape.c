/* SPDX-License-Identifier: Apache-2.0 */
#include "wire/shape.h"

#include <stdlib.h>

#include "base/id.h"

enum { MAX_DEPTH = 32, PATH_BYTES = 1024, LONGEST_NUMBER = 32, SHORTEST_LIST = 2 };

/* Where in the document the reader is: a name or a place in a list, and what it is in. Only put into words when something is
 * wrong: half of the time would go into sentences that nobody reads. */
struct place {
    const struct place *in;
    const char *name; /* NULL: in a list */
    size_t index;
};

struct reader {
    struct arena *arena;
    const char *start, *at, *end; /* *end is NUL */
    int depth;
    const struct place *place;
};

/* ---- What went wrong ---- */
static error
not_json(struct reader *r, const char *what)
{
    return fail(r->arena, INVALID_JSON, V(str_format(r->arena, "%s at byte %zu", what, (size_t)(r->at - r->start))));
}

static void
add_place(struct buf *out, const struct place *place)
{
    if (place == NULL)
        return;
    add_place(out, place->in);
    if (place->name == NULL)
        buf_format(out, "[%zu]", place->index);
    else
        buf_format(out, "%s%s", out->len == 0 ? "" : ".", place->name);
}

static str
path_of(const struct reader *r)
{
    struct buf out = buf_in(r->arena, PATH_BYTES);
    add_place(&out, r->place);
    return buf_str(&out);
}

static error
not_valid(struct reader *r, const char *what)
{
    return fail(r->arena, INVALID_ATTRIBUTE_VALUE, V(path_of(r)), V(what));
}

/* ---- Tokens ---- */
static void
skip_space(struct reader *r)
{
    while (*r->at == ' ' || *r->at == '\n' || *r->at == '\r' || *r->at == '\t')
        r->at++;
}

static bool
take(struct reader *r, char c)
{
    skip_space(r);
    if (*r->at != c)
        return false;
    r->at++;
    return true;
}

static bool
take_word(struct reader *r, const char *word)
{
    size_t length = strlen(word);
    skip_space(r);
    if ((size_t)(r->end - r->at) < length || memcmp(r->at, word, length) != 0)
        return false;
    r->at += length;
    return true;
}

/* Behind the opening quote; leaves `at` behind the closing one. The text is as it stands there, escapes and all. */
static error
scan_string(struct reader *r, str *ret_raw, bool *ret_has_escapes)
{
    const char *from = r->at;
    *ret_has_escapes = false;
    for (;; r->at++) {
        if (r->at >= r->end)
            return not_json(r, "a text does not end");
        unsigned char c = (unsigned char)*r->at;
        if (c == '"')
            break;
        if (c < 0x20)
            return not_json(r, "a control character in a text");
        if (c == '\\') {
            *ret_has_escapes = true;
            r->at++;
        }
    }
    *ret_raw = (str){ from, (size_t)(r->at - from) };
    r->at++;
    return OK;
}

static bool
hex4(const char *digits, const char *end, unsigned *ret_value)
{
    uint8_t bytes[2];
    if (end - digits < 4 || !str_from_hex((str){ digits, 4 }, bytes, 2))
        return false;
    *ret_value = (unsigned)bytes[0] << 8 | bytes[1];
    return true;
}

static void
put_utf8(char **out, unsigned code)
{
    char *o = *out;
    if (code < 0x80) {
        *o++ = (char)code;
    } else if (code < 0x800) {
        *o++ = (char)(0xc0 | code >> 6);
        *o++ = (char)(0x80 | (code & 0x3f));
    } else if (code < 0x10000) {
        *o++ = (char)(0xe0 | code >> 12);
        *o++ = (char)(0x80 | (code >> 6 & 0x3f));
        *o++ = (char)(0x80 | (code & 0x3f));
    } else {
        *o++ = (char)(0xf0 | code >> 18);
        *o++ = (char)(0x80 | (code >> 12 & 0x3f));
        *o++ = (char)(0x80 | (code >> 6 & 0x3f));
        *o++ = (char)(0x80 | (code & 0x3f));
    }
    *out = o;
}

/* Behind "\u": one character, of two escapes when it is a surrogate pair. */
static bool
unescape_unicode(const char **at, const char *end, char **out)
{
    unsigned high, low;
    if (!hex4(*at, end, &high) || high == 0 || (high >= 0xdc00 && high < 0xe000))
        return false;
    *at += 4;
    if (high >= 0xd800 && high < 0xdc00) {
        if (end - *at < 6 || (*at)[0] != '\\' || (*at)[1] != 'u' || !hex4(*at + 2, end, &low) || low < 0xdc00 ||
            low >= 0xe000)
            return false;
        *at += 6;
        high = 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
    }
    put_utf8(out, high);
    return true;
}

/* A text is never longer than what it was written as. */
static error
unescape(struct reader *r, str raw, str *ret_text)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    char *out = arena_alloc_unset(r->arena, raw.len + 1), *begin = out;
    if (out == NULL)
        return fail(r->arena, OVERLOADED);
    for (const char *at = raw.data, *end = raw.data + raw.len; at < end;) {
        if (*at != '\\') {
            *out++ = *at++;
            continue;
        }
        at++;
        const char *known = memchr(from, *at, sizeof(from) - 1);
        if (known != NULL) {
            *out++ = to[known - from];
            at++;
        } else if (*at++ != 'u' || !unescape_unicode(&at, end, &out)) {
            return not_json(r, "an escape that does not exist, before");
        }
    }
    *out = '\0';
    *ret_text = (str){ begin, (size_t)(out - begin) };
    return OK;
}

static error
read_string(struct reader *r, str *ret_text)
{
    str raw;
    bool has_escapes;
    if (!take(r, '"'))
        return not_valid(r, "a text is wanted");
    TRY(scan_string(r, &raw, &has_escapes));
    if (has_escapes)
        return unescape(r, raw, ret_text);
    *ret_text = str_dup(r->arena, raw);
    return arena_is_exhausted(r->arena) ? fail(r->arena, OVERLOADED) : OK;
}

static const char *
skip_digits(const char *at)
{
    while (*at >= '0' && *at <= '9')
        at++;
    return at;
}

/* The grammar of JSON exactly: no "+1", "01", ".5", "1." or "NaN". */
static error
scan_number(struct reader *r, str *ret_text, bool *ret_is_whole)
{
    skip_space(r);
    const char *from = r->at, *at = from + (*from == '-');
    const char *digits = at;
    *ret_is_whole = true;
    at = *digits == '0' ? digits + 1 : skip_digits(digits);
    if (at == digits)
        return not_valid(r, "a number is wanted");
    if (*at == '.') {
        const char *fraction = at + 1;
        at = skip_digits(fraction);
        *ret_is_whole = false;
        if (at == fraction)
            return not_json(r, "a number without digits behind its point");
    }
    if (*at == 'e' || *at == 'E') {
        const char *exponent = at + 1 + (at[1] == '+' || at[1] == '-');
        at = skip_digits(exponent);
        *ret_is_whole = false;
        if (at == exponent)
            return not_json(r, "a number without digits in its exponent");
    }
    *ret_text = (str){ from, (size_t)(at - from) };
    r->at = at;
    return OK;
}

/* ---- What no row asked for ---- */
static error skip_value(struct reader *r);

static error
skip_inside(struct reader *r, char close, bool is_object)
{
    str raw;
    bool ignored;
    if (++r->depth > MAX_DEPTH)
        return not_json(r, "nested deeper than 32 levels");
    if (!take(r, close)) {
        do {
            if (is_object) {
                if (!take(r, '"'))
                    return not_json(r, "a name is wanted");
                TRY(scan_string(r, &raw, &ignored));
                if (!take(r, ':'))
                    return not_json(r, "a colon is wanted");
            }
            TRY(skip_value(r));
        } while (take(r, ','));
        if (!take(r, close))
            return not_json(r, "a comma or the end is wanted");
    }
    r->depth--;
    return OK;
}

static error
skip_value(struct reader *r)
{
    str raw;
    bool ignored;
    skip_space(r);
    switch (*r->at) {
    case '{': r->at++; return skip_inside(r, '}', true);
    case '[': r->at++; return skip_inside(r, ']', false);
    case '"': r->at++; return scan_string(r, &raw, &ignored);
    default:
        if (take_word(r, "null") || take_word(r, "true") || take_word(r, "false"))
            return OK;
        if (*r->at != '-' && (*r->at < '0' || *r->at > '9'))
            return not_json(r, "a value is wanted");
        return scan_number(r, &raw, &ignored);
    }
}

/* ---- Values, by kind ---- */
static error read_object(struct reader *r, const struct wire_shape *shape, char *into);

static error
read_text(struct reader *r, int64_t max, str *ret)
{
    str text;
    TRY(read_string(r, &text));
    if (max > 0 && text.len > (size_t)max)
        return not_valid(r, "too long");
    *ret = text;
    return OK;
}

static error
read_id(struct reader *r, id *ret)
{
    str text;
    TRY(read_string(r, &text));
    return id_parse(text, ret) ? OK : not_valid(r, "24 hexadecimal digits are wanted");
}

static error
read_int(struct reader *r, const struct wire_field *field, int64_t *ret)
{
    str text;
    bool is_whole;
    TRY(scan_number(r, &text, &is_whole));
    return is_whole && str_to_int(text, field->min, field->max, ret) ? OK : not_valid(r, "out of bounds, or not whole");
}

static error
read_number(struct reader *r, const struct wire_field *field, double *ret)
{
    str text;
    bool is_whole;
    char digits[LONGEST_NUMBER + 1];
    TRY(scan_number(r, &text, &is_whole));
    if (text.len > LONGEST_NUMBER)
        return not_valid(r, "too many digits");
    memcpy(digits, text.data, text.len);
    digits[text.len] = '\0';
    double value = strtod(digits, NULL);
    if (!(value >= (double)field->min && value <= (double)field->max))
        return not_valid(r, "out of bounds");
    *ret = value;
    return OK;
}

static error
read_bool(struct reader *r, bool *ret)
{
    bool yes = take_word(r, "true");
    if (!yes && !take_word(r, "false"))
        return not_valid(r, "true or false is wanted");
    *ret = yes;
    return OK;
}

/* Room for one more element; doubles. The old place stays in the arena until it goes as a whole. */
static void *
one_more(struct reader *r, struct wire_list *list, size_t *size, size_t item_bytes)
{
    if (list->count == *size) {
        size_t larger = *size == 0 ? SHORTEST_LIST : *size * 2;
        void *items = arena_alloc(r->arena, arena_array_bytes(item_bytes, larger));
        if (items == NULL)
            return NULL;
        if (list->count > 0)
            memcpy(items, list->items, list->count * item_bytes);
        list->items = items;
        *size = larger;
    }
    return (char *)list->items + list->count++ * item_bytes;
}

static error
read_item(struct reader *r, const struct wire_field *field, struct wire_list *list, size_t *size)
{
    size_t bytes = field->kind == WIRE_LIST ? field->of->size : sizeof(str);
    if (field->max > 0 && list->count == (size_t)field->max)
        return not_valid(r, "too many");
    void *item = one_more(r, list, size, bytes);
    if (item == NULL)
        return fail(r->arena, OVERLOADED);
    struct place place = { .in = r->place, .index = list->count - 1 };
    r->place = &place;
    error why = field->kind == WIRE_LIST ? read_object(r, field->of, item) : read_text(r, 0, item);
    r->place = place.in;
    return why;
}

static error
read_list(struct reader *r, const struct wire_field *field, struct wire_list *ret)
{
    struct wire_list list = { 0 };
    size_t size = 0;
    if (!take(r, '['))
        return not_valid(r, "a list is wanted");
    if (!take(r, ']')) {
        do
            TRY(read_item(r, field, &list, &size));
        while (take(r, ','));
        if (!take(r, ']'))
            return not_json(r, "a comma or the end of a list is wanted");
    }
    *ret = list;
    return OK;
}

static error
read_pairs(struct reader *r, const struct wire_field *field, struct wire_pairs *ret)
{
    struct wire_list list = { 0 };
    size_t size = 0;
    if (!take(r, '{'))
        return not_valid(r, "an object is wanted");
    if (!take(r, '}')) {
        do {
            if (field->max > 0 && list.count == (size_t)field->max)
                return not_valid(r, "too many");
            struct wire_pair *pair = one_more(r, &list, &size, sizeof(*pair));
            if (pair == NULL)
                return fail(r->arena, OVERLOADED);
            TRY(read_string(r, &pair->name));
            if (!take(r, ':'))
                return not_json(r, "a colon is wanted");
            TRY(read_string(r, &pair->value));
        } while (take(r, ','));
        if (!take(r, '}'))
            return not_json(r, "a comma or the end of an object is wanted");
    }
    *ret = (struct wire_pairs){ list.count, list.items };
    return OK;
}

static error
read_raw(struct reader *r, str *ret)
{
    skip_space(r);
    const char *from = r->at;
    TRY(skip_value(r));
    *ret = str_dup(r->arena, (str){ from, (size_t)(r->at - from) });
    return arena_is_exhausted(r->arena) ? fail(r->arena, OVERLOADED) : OK;
}

static error
read_value(struct reader *r, const struct wire_field *field, char *into)
{
    void *place = into + field->offset;
    switch (field->kind) {
    case WIRE_TEXT: return read_text(r, field->max, place);
    case WIRE_ID: return read_id(r, place);
    case WIRE_INT: return read_int(r, field, place);
    case WIRE_NUMBER: return read_number(r, field, place);
    case WIRE_BOOL: return read_bool(r, place);
    case WIRE_TEXTS: {
        struct wire_list list;
        TRY(read_list(r, field, &list));
        *(struct wire_texts *)place = (struct wire_texts){ list.count, list.items };
        return OK;
    }
    case WIRE_PAIRS: return read_pairs(r, field, place);
    case WIRE_OBJECT: return read_object(r, field->of, place);
    case WIRE_LIST: return read_list(r, field, place);
    case WIRE_RAW: return read_raw(r, place);
    }
    abort();
}

/* ---- Objects ---- */
/* Documents usually have their fields in the order of the table: the search begins behind the last one found. */
static const struct wire_field *
find_field(const struct wire_shape *shape, str name, size_t *hint)
{
    for (size_t i = 0; i < shape->count; i++) {
        size_t place = (*hint + i) % shape->count;
        if (str_is(name, shape->fields[place].name)) {
            *hint = place + 1;
            return &shape->fields[place];
        }
    }
    return NULL;
}

static error
read_field(struct reader *r, const struct wire_shape *shape, char *into, size_t *hint, uint64_t *seen)
{
    str name;
    bool has_escapes;
    if (!take(r, '"'))
        return not_json(r, "a name is wanted");
    TRY(scan_string(r, &name, &has_escapes));
    if (!take(r, ':'))
        return not_json(r, "a colon is wanted");
    const struct wire_field *field = has_escapes ? NULL : find_field(shape, name, hint);
    if (field == NULL)
        return skip_value(r);
    uint64_t bit = (uint64_t)1 << (field - shape->fields);
    struct place place = { .in = r->place, .name = field->name };
    r->place = &place;
    error why = OK;
    if (*seen & bit)
        why = not_valid(r, "it is there twice");
    else if (!take_word(r, "null"))
        why = read_value(r, field, into);
    else if (field->flags & WIRE_REQUIRED)
        why = not_valid(r, "it may not be null");
    *seen |= bit;
    r->place = place.in;
    return why;
}

static error
read_object(struct reader *r, const struct wire_shape *shape, char *into)
{
    uint64_t seen = 0;
    size_t hint = 0;
    if (!take(r, '{'))
        return not_valid(r, "an object is wanted");
    if (++r->depth > MAX_DEPTH)
        return not_json(r, "nested deeper than 32 levels");
    if (!take(r, '}')) {
        do
            TRY(read_field(r, shape, into, &hint, &seen));
        while (take(r, ','));
        if (!take(r, '}'))
            return not_json(r, "a comma or the end of an object is wanted");
    }
    r->depth--;
    for (size_t i = 0; i < shape->count; i++) {
        if ((shape->fields[i].flags & WIRE_REQUIRED) && !(seen >> i & 1)) {
            struct place place = { .in = r->place, .name = shape->fields[i].name };
            r->place = &place;
            error why = fail(r->arena, MISSING_ATTRIBUTE, V(path_of(r)));
            r->place = place.in;
            return why;
        }
    }
    return OK;
}

/* Most documents are ASCII throughout, which eight bytes at a time can tell; only others are looked at character by character.
 * A NUL needs no look: no rule of the grammar lets one through. */
static bool
is_ascii(str text)
{
    uint64_t all = 0, word;
    size_t i = 0;
    for (; i + sizeof(word) <= text.len; i += sizeof(word)) {
        memcpy(&word, text.data + i, sizeof(word));
        all |= word;
    }
    for (; i < text.len; i++)
        all |= (unsigned char)text.data[i];
    return (all & 0x8080808080808080) == 0;
}

error
wire_read(struct arena *arena, str text, const struct wire_shape *shape, void *ret)
{
    /* A copy that ends with NUL: the scanner then needs no bound at every byte. */
    str own = str_dup(arena, text);
    if (own.len != text.len)
        return fail(arena, OVERLOADED);
    if (!is_ascii(own) && !str_is_text(own))
        return fail(arena, INVALID_JSON, V("not UTF-8 text"));
    struct reader r = { .arena = arena, .start = own.data, .at = own.data, .end = own.data + own.len };
    TRY(read_object(&r, shape, ret));
    skip_space(&r);
    return r.at == r.end ? OK : not_json(&r, "something behind the end");
}

/* ---- Comparing ---- */
static bool
equal_texts(const struct wire_texts *a, const struct wire_texts *b)
{
    if (a->count != b->count)
        return false;
    for (size_t i = 0; i < a->count; i++) {
        if (!str_eq(a->items[i], b->items[i]))
            return false;
    }
    return true;
}

static bool
equal_pairs(const struct wire_pairs *a, const struct wire_pairs *b)
{
    if (a->count != b->count)
        return false;
    for (size_t i = 0; i < a->count; i++) {
        if (!str_eq(a->items[i].name, b->items[i].name) || !str_eq(a->items[i].value, b->items[i].value))
            return false;
    }
    return true;
}

static bool
equal_lists(const struct wire_shape *shape, const struct wire_list *a, const struct wire_list *b)
{
    if (a->count != b->count)
        return false;
    for (size_t i = 0; i < a->count; i++) {
        size_t place = i * shape->size;
        if (!wire_equal(shape, (const char *)a->items + place, (const char *)b->items + place))
            return false;
    }
    return true;
}

static bool
equal_values(const struct wire_field *field, const void *a, const void *b)
{
    switch (field->kind) {
    case WIRE_TEXT:
    case WIRE_RAW: return str_eq(*(const str *)a, *(const str *)b);
    case WIRE_ID: return id_same(*(const id *)a, *(const id *)b);
    case WIRE_INT: return *(const int64_t *)a == *(const int64_t *)b;
    case WIRE_NUMBER: return *(const double *)a == *(const double *)b;
    case WIRE_BOOL: return *(const bool *)a == *(const bool *)b;
    case WIRE_TEXTS: return equal_texts(a, b);
    case WIRE_PAIRS: return equal_pairs(a, b);
    case WIRE_OBJECT: return wire_equal(field->of, a, b);
    case WIRE_LIST: return equal_lists(field->of, a, b);
    }
    abort();
}

bool
wire_equal(const struct wire_shape *shape, const void *a, const void *b)
{
    for (size_t i = 0; i < shape->count; i++) {
        size_t offset = shape->fields[i].offset;
        if (!equal_values(&shape->fields[i], (const char *)a + offset, (const char *)b + offset))
            return false;
    }
    return true;
}
