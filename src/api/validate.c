/* SPDX-License-Identifier: Apache-2.0 */
#include "api/validate.h"

#include <inttypes.h>

#include "api/pattern.h"
#include "base/date.h"
#include "base/id.h"
#include "base/json.h"
#include "base/net/net.h"

/* A field's name comes back in the error; one of a megabyte would make an error document of several. */
enum { LONGEST_NAME_BYTES = 200 };

/* Where in the body we are. Frames lie on the stack; the text of a path is only made when something is wrong. */
struct place {
    const struct place *outer;
    str name;
    size_t index; /* of an item; then there is no name */
    bool is_item;
};

const struct field *
field_find(const struct field *fields, str name)
{
    for (const struct field *f = fields; f != NULL && f->name != NULL; f++) {
        if (str_is(name, f->name))
            return f;
    }
    return NULL;
}

const struct field *
field_that_decides(const struct field *fields)
{
    for (const struct field *f = fields; f != NULL && f->name != NULL; f++) {
        if (f->variants != NULL)
            return f;
    }
    return NULL;
}

const struct field *
field_variant(const struct field *decides, str value)
{
    for (const struct field_variant *v = decides->variants; v->value != NULL; v++) {
        if (str_is(value, v->value))
            return v->further->fields;
    }
    return NULL;
}

bool
field_has_min(const struct field *field)
{
    return field->min != 0 || field->max != 0;
}

bool
field_has_max(const struct field *field)
{
    return field->max != 0 || field->min < 0;
}

int64_t
text_length(str text)
{
    int64_t count = 0;
    for (size_t i = 0; i < text.len; i++)
        count += ((unsigned char)text.data[i] & 0xC0) != 0x80;
    return count;
}

static str
shorten(struct arena *arena, str name)
{
    if (name.len <= LONGEST_NAME_BYTES)
        return name;
    size_t end = LONGEST_NAME_BYTES;
    while (end > 0 && ((unsigned char)name.data[end] & 0xC0) == 0x80)
        end--;
    return str_format(arena, "%.*s…", (int)end, name.data);
}

static void
add_path(struct buf *out, const struct place *place)
{
    if (place->outer != NULL)
        add_path(out, place->outer);
    if (place->is_item) {
        buf_format(out, "[%zu]", place->index);
        return;
    }
    if (out->len > 0)
        buf_add_char(out, '.');
    buf_add(out, shorten(out->arena, place->name));
}

static str
path_text(struct arena *arena, const struct place *place)
{
    struct buf out = buf_in(arena, 16 * 1024);
    add_path(&out, place);
    return buf_str(&out);
}

/* ---- One value. Each check returns whether it is fine, else what is expected. ---- */
static bool
check_count(struct arena *arena, const struct field *field, int64_t count, const char *verb, const char *unit,
            const char *behind, str *ret_expected)
{
    bool too_few = field_has_min(field) && count < field->min;
    if (!too_few && (!field_has_max(field) || count <= field->max))
        return true;
    int64_t bound = too_few ? field->min : field->max;
    *ret_expected = str_format(arena, "must %s at %s %" PRId64 " %s%s%s", verb, too_few ? "least" : "most", bound, unit,
                               bound == 1 ? "" : "s", behind);
    return false;
}

static bool
check_one_of(struct arena *arena, const char *const *allowed, str text, str *ret_expected)
{
    if (str_word(text, allowed) >= 0)
        return true;
    struct buf out = buf_in(arena, 16 * 1024);
    buf_add_text(&out, "must be one of ");
    for (const char *const *a = allowed; *a != NULL; a++)
        buf_format(&out, "%s%s", a == allowed ? "" : ", ", *a);
    *ret_expected = buf_str(&out);
    return false;
}

static bool
check_text(struct arena *arena, const struct field *field, bool is_item, str text, str *ret_expected)
{
    /* The bounds come first: they keep the pattern's work small. */
    if (!is_item && !check_count(arena, field, text_length(text), "be", "character", " long", ret_expected))
        return false;
    if (field->one_of != NULL && !check_one_of(arena, field->one_of, text, ret_expected))
        return false;
    if (field->pattern == NULL || pattern_matches(field->pattern, text))
        return true;
    const char *words = pattern_words(field->pattern);
    *ret_expected = str_format(arena, "must %s", words != NULL ? words : "have the form that the reference shows");
    return false;
}

/* Compared without a detour over double where both are integers, so that 2^53 + 1 is not 2^53. */
static bool
check_number(struct arena *arena, const struct field *field, const json_t *value, str *ret_expected)
{
    bool whole = json_is_integer(value);
    int64_t integer = whole ? json_integer_value(value) : 0;
    double real = whole ? 0 : json_real_value(value);
    bool too_small = field_has_min(field) && (whole ? integer < field->min : real < (double)field->min);
    bool too_large = field_has_max(field) && (whole ? integer > field->max : real > (double)field->max);
    if (!too_small && !too_large)
        return true;
    *ret_expected =
        str_format(arena, "must be at %s %" PRId64, too_small ? "least" : "most", too_small ? field->min : field->max);
    return false;
}

static bool
is_written_as(enum field_type type, str text)
{
    int64_t ms;
    id identifier;
    struct net_block block;
    switch (type) {
    case TYPE_DATE: return date_parse(text, &ms);
    case TYPE_ID: return id_parse(text, &identifier);
    case TYPE_CIDR: return net_parse_block(text, &block);
    default: return true;
    }
}

static const char *const expected_of_type[] = {
    [TYPE_TEXT] = "must be a text",
    [TYPE_INTEGER] = "must be an integer",
    [TYPE_NUMBER] = "must be a number",
    [TYPE_BOOLEAN] = "must be true or false",
    [TYPE_DATE] = "must be a date as in RFC 3339, such as 2025-03-12T10:15:30Z",
    [TYPE_ID] = "must be an identifier of 24 hexadecimal digits in lower case",
    [TYPE_CIDR] = "must be an IP address or a CIDR block such as 10.0.0.0/8, without bits after its prefix",
    [TYPE_OBJECT] = "must be an object",
    [TYPE_LIST] = "must be a list",
};

static bool
has_type(enum field_type type, const json_t *value)
{
    switch (type) {
    case TYPE_INTEGER: return json_is_integer(value);
    case TYPE_NUMBER: return json_is_number(value);
    case TYPE_BOOLEAN: return json_is_boolean(value);
    case TYPE_OBJECT: return json_is_object(value);
    case TYPE_LIST: return json_is_array(value);
    case TYPE_TEXT:
    case TYPE_DATE:
    case TYPE_ID:
    case TYPE_CIDR: return json_is_string(value) && is_written_as(type, json_str(value));
    }
    return false;
}

/* Bounds of a list count its items, so they say nothing about one item. */
static bool
check_scalar(struct arena *arena, const struct field *field, enum field_type type, bool is_item, const json_t *value,
             str *ret_expected)
{
    if (!has_type(type, value)) {
        *ret_expected = str_from(expected_of_type[type]);
        return false;
    }
    if (json_is_string(value))
        return check_text(arena, field, is_item, json_str(value), ret_expected);
    if (json_is_number(value) && !is_item)
        return check_number(arena, field, value, ret_expected);
    return true;
}

/* ---- The body ---- */
/* The checks go on behind a mistake, so that one answer names them all; they stop when there are `most`. */
struct check {
    struct arena *arena;
    size_t known; /* how far it came: number of fields that there are before the first mistake */
    size_t count, most;
    error first;
    struct wrong_field others[ERROR_MAX_WRONG_FIELDS];
};

static const struct failure enough = { .code = INTERNAL_ERROR };

static struct check
check_for(struct arena *arena, size_t most)
{
    return (struct check){ .arena = arena, .most = most };
}

/* Notes one mistake. Not OK when there are enough. */
static error
wrong(struct check *c, enum error_code code, const struct place *place, str expected)
{
    str path = path_text(c->arena, place);
    if (c->count == 0)
        c->first = code == INVALID_ATTRIBUTE_VALUE ? fail(c->arena, code, V(path), V(expected))
                                                   : fail(c->arena, code, V(path));
    else
        c->others[c->count - 1] =
            (struct wrong_field){ path, expected.len > 0 ? expected : str_from(error_field_words(code)) };
    return ++c->count < c->most ? OK : &enough;
}

static error
wrong_value(struct check *c, const struct place *place, str expected)
{
    return wrong(c, INVALID_ATTRIBUTE_VALUE, place, expected);
}

/* `e` is what the checks returned: OK, enough, or what has nothing to do with the body. */
static error
verdict(struct check *c, error e)
{
    if (c->count == 0)
        return e;
    return c->count == 1 ? c->first : error_with_others(c->arena, c->first, c->count - 1, c->others);
}

static error check_object(struct check *c, const struct schema *schema, enum validate_mode mode,
                          const struct place *outer, const json_t *before, json_t *object);

static bool
is_fixed(const struct field *field, enum validate_mode mode)
{
    return (field->flags & READ_ONLY) != 0 || ((field->flags & CREATE_ONLY) != 0 && mode != VALIDATE_CREATE);
}

static error
check_list(struct check *c, const struct field *field, const struct place *place, json_t *list)
{
    str expected;
    if (!check_count(c->arena, field, (int64_t)json_array_size(list), "have", "item", "", &expected))
        return wrong_value(c, place, expected);
    size_t index;
    json_t *item;
    json_array_foreach(list, index, item)
    {
        struct place here = { .outer = place, .index = index, .is_item = true };
        enum field_type type = field->of != NULL ? TYPE_OBJECT : field->item;
        if (!check_scalar(c->arena, field, type, true, item, &expected))
            TRY(wrong_value(c, &here, expected));
        else if (field->of != NULL)
            TRY(check_object(c, field->of, VALIDATE_CREATE, &here, NULL, item));
    }
    return OK;
}

static error
check_field(struct check *c, const struct field *field, enum validate_mode mode, const struct place *place,
            const json_t *before, json_t *value)
{
    if (is_fixed(field, mode))
        return wrong(c, UNMODIFIABLE_ATTRIBUTE, place, STR_EMPTY);
    if (json_is_null(value))
        return (field->flags & NULLABLE) != 0 ? OK : wrong_value(c, place, STR("must not be null"));
    str expected;
    if (!check_scalar(c->arena, field, field->type, false, value, &expected))
        return wrong_value(c, place, expected);
    if (field->type == TYPE_LIST)
        return check_list(c, field, place, value);
    if (field->type == TYPE_OBJECT && field->of != NULL)
        return check_object(c, field->of, mode, place, before, value);
    return OK;
}

static error
add_what_is_missing(struct check *c, const struct field *fields, enum validate_mode mode, const struct place *outer,
                    json_t *object)
{
    for (const struct field *f = fields; f != NULL && f->name != NULL; f++) {
        if (is_fixed(f, mode) || json_object_get(object, f->name) != NULL)
            continue;
        struct place here = { .outer = outer, .name = str_from(f->name) };
        if ((f->flags & REQUIRED) != 0)
            TRY(wrong(c, MISSING_ATTRIBUTE, &here, STR_EMPTY));
        else if (f->fallback != NULL &&
                 json_object_set_new(object, f->name, json_loads(f->fallback, JSON_DECODE_ANY, NULL)) != 0)
            return fail(c->arena, INTERNAL_ERROR);
    }
    return OK;
}

/* Against the fields of all, and the further ones of its kind, if it has any. */
static error
check_as(struct check *c, const struct schema *schema, const struct field *further, enum validate_mode mode,
         const struct place *outer, const json_t *before, json_t *object)
{
    const char *key;
    json_t *value;
    json_object_foreach(object, key, value)
    {
        struct place here = { .outer = outer, .name = str_from(key) };
        const struct field *field = field_find(schema->fields, here.name);
        if (field == NULL)
            field = field_find(further, here.name);
        if (field == NULL) {
            TRY(wrong(c, INVALID_ATTRIBUTE, &here, STR_EMPTY));
            continue;
        }
        c->known += c->count == 0;
        TRY(check_field(c, field, mode, &here, json_object_get(before, key), value));
    }
    /* Last, so that a misspelt field is reported as what it is before the one that it leaves missing. */
    if (mode == VALIDATE_UPDATE)
        return OK;
    TRY(add_what_is_missing(c, schema->fields, mode, outer, object));
    return add_what_is_missing(c, further, mode, outer, object);
}

/* How many fields are known before the first that is not. */
static size_t
count_known(const struct schema *schema, const struct field *further, json_t *object)
{
    size_t count = 0;
    const char *key;
    json_t *value;
    json_object_foreach(object, key, value)
    {
        if (field_find(schema->fields, str_from(key)) == NULL && field_find(further, str_from(key)) == NULL)
            break;
        count++;
    }
    return count;
}

/*
 * Nobody said of which kind the object is: the first kind for which it is right, else the one that knows the most of it and
 * so can say what is wrong. Tried with copies, because checking fills in fallbacks.
 */
static const struct field *
guess_variant(struct check *c, const struct schema *schema, const struct field *decides, enum validate_mode mode,
              const struct place *outer, json_t *object)
{
    const struct field *best = NULL;
    size_t most_names = 0, most = 0;
    for (const struct field_variant *v = decides->variants; v->value != NULL; v++) {
        size_t names = count_known(schema, v->further->fields, object);
        most_names = names > most_names ? names : most_names;
    }
    for (const struct field_variant *v = decides->variants; v->value != NULL; v++) {
        const struct field *further = v->further->fields;
        if (count_known(schema, further, object) < most_names)
            continue; /* nothing need be copied to see that */
        struct check try = check_for(c->arena, 1);
        json_t *copy = json_in(c->arena, json_deep_copy(object));
        if (copy != NULL && check_as(&try, schema, further, mode, outer, NULL, copy) == OK)
            return further;
        if (best == NULL || try.known > most) {
            best = further;
            most = try.known;
        }
    }
    return best;
}

/* The field that decides is missing. That is the mistake, behind fields that no kind has: one may be its misspelling. */
static error
check_undecided(struct check *c, const struct schema *schema, const struct field *decides, const struct place *outer,
                json_t *object)
{
    const char *key;
    json_t *value;
    json_object_foreach(object, key, value)
    {
        struct place here = { .outer = outer, .name = str_from(key) };
        bool known = field_find(schema->fields, here.name) != NULL;
        for (const struct field_variant *v = decides->variants; !known && v->value != NULL; v++)
            known = field_find(v->further->fields, here.name) != NULL;
        if (!known)
            TRY(wrong(c, INVALID_ATTRIBUTE, &here, STR_EMPTY));
    }
    struct place missing = { .outer = outer, .name = str_from(decides->name) };
    return wrong(c, MISSING_ATTRIBUTE, &missing, STR_EMPTY);
}

static error
check_object(struct check *c, const struct schema *schema, enum validate_mode mode, const struct place *outer,
             const json_t *before, json_t *object)
{
    const struct field *decides = field_that_decides(schema->fields), *further = NULL;
    if (decides == NULL)
        return check_as(c, schema, NULL, mode, outer, before, object);
    /* First of all fields: what the others may be depends on it. */
    json_t *sent = json_object_get(object, decides->name);
    struct place here = { .outer = outer, .name = str_from(decides->name) };
    size_t mistakes = c->count;
    if (sent != NULL)
        TRY(check_field(c, decides, mode, &here, NULL, sent));
    if (c->count > mistakes)
        return OK; /* what the others may be is not known */
    bool is_asked_for = sent == NULL && mode != VALIDATE_UPDATE && !is_fixed(decides, mode);
    if (is_asked_for && decides->fallback == NULL)
        return check_undecided(c, schema, decides, outer, object);
    const json_t *value = sent;
    if (is_asked_for)
        value = json_parse_own(c->arena, str_from(decides->fallback));
    else if (sent == NULL)
        value = json_object_get(before, decides->name);
    if (json_is_string(value))
        further = field_variant(decides, json_str(value));
    if (further == NULL)
        further = guess_variant(c, schema, decides, mode, outer, object);
    return check_as(c, schema, further, mode, outer, before, object);
}

error
validate_change(struct arena *arena, const struct schema *schema, enum validate_mode mode, const json_t *before,
                json_t *body)
{
    if (body == NULL)
        return fail(arena, INVALID_JSON, V("the body is empty; send an object"));
    if (!json_is_object(body))
        return fail(arena, INVALID_JSON, V("the outermost value must be an object"));
    struct check check = check_for(arena, ERROR_MAX_WRONG_FIELDS);
    return schema == NULL ? OK : verdict(&check, check_object(&check, schema, mode, NULL, before, body));
}

error
validate_body(struct arena *arena, const struct schema *schema, enum validate_mode mode, json_t *body)
{
    return validate_change(arena, schema, mode, NULL, body);
}

error
validate_list_body(struct arena *arena, const struct schema *schema, json_t *body)
{
    if (!json_is_array(body))
        return fail(arena, INVALID_JSON, V("the outermost value must be a list"));
    if (json_array_size(body) == 0 || json_array_size(body) > BODY_LIST_MAX)
        return fail(arena, INVALID_JSON, V("the list must have 1 to 200 items"));
    struct check check = check_for(arena, ERROR_MAX_WRONG_FIELDS);
    error e = OK;
    for (size_t i = 0; e == OK && i < json_array_size(body); i++) {
        struct place here = { .index = i, .is_item = true };
        json_t *item = json_array_get(body, i);
        e = json_is_object(item) ? check_object(&check, schema, VALIDATE_CREATE, &here, NULL, item)
                                 : wrong_value(&check, &here, STR("must be an object"));
    }
    return verdict(&check, e);
}

/* ---- The query ---- */
/* The JSON value that the text of a parameter stands for; NULL when it stands for none of that type. */
static json_t *
value_of_text(enum field_type type, str text)
{
    int64_t integer;
    switch (type) {
    case TYPE_BOOLEAN: return str_is(text, "true") ? json_true() : str_is(text, "false") ? json_false() : NULL;
    case TYPE_INTEGER: return str_to_int(text, INT64_MIN, INT64_MAX, &integer) ? json_integer(integer) : NULL;
    case TYPE_NUMBER:
        /* JSON's own grammar, but not the white space around a value, nor other values. */
        if (text.len == 0 || (text.data[0] != '-' && (text.data[0] < '0' || text.data[0] > '9')) ||
            text.data[text.len - 1] < '0')
            return NULL;
        return json_loadb(text.data, text.len, JSON_DECODE_ANY, NULL);
    case TYPE_OBJECT:
    case TYPE_LIST: return NULL;
    default: return json_stringn(text.data, text.len);
    }
}

error
validate_query(struct arena *arena, const struct field *fields, str name, str value)
{
    const struct field *field = field_find(fields, name);
    str shown = shorten(arena, name), expected;
    if (field == NULL)
        return fail(arena, INVALID_QUERY_PARAMETER, V(shown), V("it is not known here"));
    bool is_item = field->type == TYPE_LIST;
    enum field_type type = is_item ? field->item : field->type;
    json_t *json = json_in(arena, value_of_text(type, value));
    if (json == NULL)
        return fail(arena, INVALID_QUERY_PARAMETER, V(shown), V(expected_of_type[type]));
    if (!check_scalar(arena, field, type, is_item, json, &expected))
        return fail(arena, INVALID_QUERY_PARAMETER, V(shown), V(expected));
    return OK;
}
