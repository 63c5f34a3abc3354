/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/output/table.h"

#include <ctype.h>

#include "base/json.h"

enum { MAX_COLUMNS = 32, WIDEST_CELL = 48, GAP = 2 };

/* ---- Cells ---- */
str
table_cell(struct arena *arena, const json_t *value)
{
    size_t i;
    const json_t *item;
    if (value == NULL || json_is_null(value))
        return STR_EMPTY;
    if (json_is_string(value))
        return text_harmless(arena, (str){ json_string_value(value), json_string_length(value) });
    if (json_is_boolean(value))
        return json_is_true(value) ? STR("true") : STR("false");
    if (!json_is_array(value) || json_is_object(json_array_get(value, 0)))
        return text_harmless(arena, json_text(arena, value));
    struct buf list = buf_in(arena, 1024 * 1024);
    json_array_foreach(value, i, item)
    {
        buf_add_text(&list, i > 0 ? ", " : "");
        buf_add(&list, table_cell(arena, item));
    }
    return buf_str(&list);
}

/* clusterName: CLUSTER NAME; instanceSizes.name, the names of many: INSTANCE SIZES */
static str
heading(struct arena *arena, str path)
{
    str name = STR_EMPTY;
    while (path.len > 0) {
        str part = str_cut(&path, '.');
        if (name.len == 0 || path.len > 0 || !str_is(part, "name"))
            name = part;
    }
    struct buf text = buf_in(arena, name.len * 2 + 1);
    for (size_t i = 0; i < name.len; i++) {
        unsigned char c = (unsigned char)name.data[i];
        if (i > 0 && isupper(c) && islower((unsigned char)name.data[i - 1]))
            buf_add_char(&text, ' ');
        buf_add_char(&text, (char)toupper(c));
    }
    return buf_str(&text);
}

static enum style
style_of(str value)
{
    static const struct {
        const char *word;
        enum style style;
    } words[] = { { "IDLE", STYLE_GREEN },      { "DONE", STYLE_GREEN },      { "ACTIVE", STYLE_GREEN },
                  { "FAILED", STYLE_RED },      { "CANCELLED", STYLE_RED },   { "CREATING", STYLE_YELLOW },
                  { "UPDATING", STYLE_YELLOW }, { "DELETING", STYLE_YELLOW }, { "RUNNING", STYLE_YELLOW },
                  { "QUEUED", STYLE_YELLOW },   { "PENDING", STYLE_YELLOW },  { "WAITING", STYLE_YELLOW } };
    for (size_t i = 0; i < LENGTH(words); i++) {
        if (str_is(value, words[i].word))
            return words[i].style;
    }
    return STYLE_PLAIN;
}

/* ---- Tables ---- */
struct column {
    str name; /* or a path through its parts; empty: the item itself */
    str heading;
    size_t width;
};

/* Each value only once: the regions of every size are mostly the same. */
static void
collect(const json_t *value, str path, json_t *found)
{
    size_t i;
    const json_t *item;
    if (json_is_array(value)) {
        json_array_foreach(value, i, item) collect(item, path, found);
    } else if (path.len > 0) {
        str part = str_cut(&path, '.');
        collect(json_object_getn(value, part.data, part.len), path, found);
    } else if (value != NULL) {
        json_array_foreach(found, i, item)
        {
            if (json_equal(item, value))
                return;
        }
        json_array_append(found, (json_t *)(uintptr_t)value);
    }
}

/* "a.b" is the b of a, or of every a when there are many. */
static const json_t *
value_of(struct arena *arena, const json_t *item, str path)
{
    if (path.len == 0)
        return item;
    while (str_find(path, '|') >= 0) { /* the first of several that is there */
        str one = str_cut(&path, '|');
        const json_t *found = json_object_getn(item, one.data, one.len);
        if (found != NULL && !json_is_null(found))
            return found;
    }
    if (str_find(path, '.') < 0)
        return json_object_getn(item, path.data, path.len);
    json_t *found = json_in(arena, json_array());
    collect(item, path, found);
    return found;
}

/* 0: no item has it. */
static size_t
width_of(struct arena *arena, const json_t *items, str name)
{
    size_t i, widest = 0;
    const json_t *item;
    json_array_foreach(items, i, item)
    {
        size_t width = text_width(table_cell(arena, value_of(arena, item, name)));
        widest = width > widest ? width : widest;
    }
    return widest < WIDEST_CELL ? widest : WIDEST_CELL;
}

static void
add_column(struct arena *arena, struct column *columns, size_t *count, const json_t *items, str name)
{
    if (*count == MAX_COLUMNS)
        return;
    bool always = str_find(name, '=') >= 0; /* with a heading of its own: there even if no item has it */
    str title = always ? str_cut(&name, '=') : name;
    struct column column = { name, heading(arena, title), width_of(arena, items, name) };
    if (column.width == 0 && !always)
        return;
    size_t least = text_width(column.heading);
    column.width = column.width < least ? least : column.width;
    columns[(*count)++] = column;
}

static size_t
choose_columns(struct arena *arena, const json_t *items, const char *wanted, struct column *columns)
{
    const json_t *first = json_array_get(items, 0), *value;
    size_t count = 0;
    const char *key;
    str rest = str_from(wanted);
    if (!json_is_object(first)) {
        add_column(arena, columns, &count, items, STR_EMPTY);
        return count;
    }
    while (rest.len > 0)
        add_column(arena, columns, &count, items, str_cut(&rest, ' '));
    if (count > 0)
        return count;
    json_object_foreach((json_t *)(uintptr_t)first, key, value)
    {
        if (strcmp(key, "links") != 0)
            add_column(arena, columns, &count, items, str_from(key));
    }
    return count;
}

static void
print_row(FILE *out, struct arena *arena, const json_t *item, const struct column *columns, size_t count,
          struct table_style style)
{
    for (size_t i = 0; i < count; i++) {
        str cell = item == NULL ? columns[i].heading : table_cell(arena, value_of(arena, item, columns[i].name));
        bool cut = text_width(cell) > columns[i].width;
        str shown = cut ? text_fit(cell, columns[i].width - 1) : cell;
        enum style in = item == NULL ? STYLE_BOLD : style_of(cell);
        size_t used = text_width(shown) + cut;
        fprintf(out, "%s%.*s%s%s", style_on(style.color, in), STR_ARG(shown), cut ? "…" : "",
                style_off(style.color, in));
        if (i + 1 < count)
            fprintf(out, "%*s", (int)(columns[i].width - used + GAP), "");
    }
    fputc('\n', out);
}

size_t
table_print(FILE *out, struct arena *arena, const json_t *items, const char *columns, struct table_style style)
{
    struct column all[MAX_COLUMNS];
    size_t count = choose_columns(arena, items, columns, all), shown = 0, used = 0, i;
    const json_t *item;
    /* One that does not fit leaves its place to narrower ones behind it. */
    for (i = 0; i < count; i++) {
        size_t needed = all[i].width + (shown > 0 ? GAP : 0);
        if (shown > 0 && used + needed > (size_t)style.width)
            continue;
        used += needed;
        all[shown++] = all[i];
    }
    if (shown == 0)
        return 0;
    if (all[0].width > (size_t)style.width)
        all[0].width = (size_t)style.width;
    if (all[0].name.len > 0)
        print_row(out, arena, NULL, all, shown, style);
    json_array_foreach(items, i, item) print_row(out, arena, item, all, shown, style);
    return count - shown;
}

/* ---- Entities ---- */
static void print_value(FILE *out, struct arena *arena, const json_t *value, int indent, struct table_style style);

static void
print_fields(FILE *out, struct arena *arena, const json_t *entity, int indent, bool goes_on, struct table_style style)
{
    const char *key;
    json_t *value;
    size_t widest = 0;
    json_object_foreach((json_t *)(uintptr_t)entity, key, value)
    {
        size_t width = text_width(str_from(key));
        widest = width > widest && width < WIDEST_CELL ? width : widest;
    }
    json_object_foreach((json_t *)(uintptr_t)entity, key, value)
    {
        if (strcmp(key, "links") == 0)
            continue;
        str name = text_harmless(arena, str_from(key));
        int pad = (int)widest - (int)text_width(name);
        fprintf(out, "%*s%s%.*s%s", goes_on ? 0 : indent, "", style_on(style.color, STYLE_CYAN), STR_ARG(name),
                style_off(style.color, STYLE_CYAN));
        goes_on = false;
        bool inside = (json_is_object(value) && json_object_size(value) > 0) ||
                      (json_is_array(value) && json_is_object(json_array_get(value, 0)));
        if (inside)
            fputc('\n', out);
        else
            fprintf(out, "%*s", (pad > 0 ? pad : 0) + GAP, "");
        print_value(out, arena, value, indent + GAP, style);
    }
}

static void
print_value(FILE *out, struct arena *arena, const json_t *value, int indent, struct table_style style)
{
    size_t i;
    const json_t *item;
    if (json_is_object(value) && json_object_size(value) > 0) {
        print_fields(out, arena, value, indent, false, style);
    } else if (json_is_array(value) && json_is_object(json_array_get(value, 0))) {
        json_array_foreach(value, i, item)
        {
            fprintf(out, "%*s- ", indent, "");
            if (json_is_object(item))
                print_fields(out, arena, item, indent + GAP, true, style);
            else
                fprintf(out, "%.*s\n", STR_ARG(table_cell(arena, item)));
        }
    } else {
        str cell = table_cell(arena, value);
        enum style in = style_of(cell);
        fprintf(out, "%s%.*s%s\n", style_on(style.color, in), STR_ARG(cell), style_off(style.color, in));
    }
}

void
table_print_entity(FILE *out, struct arena *arena, const json_t *entity, struct table_style style)
{
    print_value(out, arena, entity, 0, style);
}
