/* SPDX-License-Identifier: Apache-2.0 */
#include "wire/monitor/table_name.h"

enum { MOST_PARTS = 3 };

/* ---- Writing ---- */
static bool
is_identifier(str text)
{
    return text.len > 0 && text.len <= TABLE_IDENTIFIER_BYTES && str_is_text(text);
}

static void
add_identifier(struct buf *out, str text)
{
    bool is_quoted = str_find(text, '.') >= 0 || str_find(text, '"') >= 0;
    if (is_quoted)
        buf_add_char(out, '"');
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] == '"')
            buf_add_char(out, '"');
        buf_add_char(out, text.data[i]);
    }
    if (is_quoted)
        buf_add_char(out, '"');
}

str
table_name_write(struct arena *arena, struct table_name name)
{
    struct buf out = buf_in(arena, MOST_PARTS * 2 * (TABLE_IDENTIFIER_BYTES + 2));
    if (!is_identifier(name.database) || !is_identifier(name.schema) || !is_identifier(name.table))
        return STR_EMPTY;
    add_identifier(&out, name.database);
    buf_add_char(&out, '.');
    if (!str_is(name.schema, TABLE_SCHEMA)) {
        add_identifier(&out, name.schema);
        buf_add_char(&out, '.');
    }
    add_identifier(&out, name.table);
    str text = buf_str(&out);
    return text.len > TABLE_NAME_BYTES ? STR_EMPTY : text;
}

/* ---- Reading ---- */
/* In quotes; `rest` then begins behind them. */
static bool
take_quoted(struct arena *arena, str *rest, str *ret_identifier)
{
    struct buf out = buf_in(arena, rest->len + 1);
    size_t at = 1;
    for (; at < rest->len; at++) {
        bool is_quote = rest->data[at] == '"';
        if (is_quote && (at + 1 == rest->len || rest->data[at + 1] != '"'))
            break;
        at += is_quote;
        buf_add_char(&out, rest->data[at]);
    }
    if (at >= rest->len)
        return false; /* it has no end */
    *rest = str_slice(*rest, at + 1, rest->len);
    *ret_identifier = buf_str(&out);
    return true;
}

static bool
take_identifier(struct arena *arena, str *rest, str *ret_identifier)
{
    if (rest->len > 0 && rest->data[0] == '"')
        return take_quoted(arena, rest, ret_identifier) && is_identifier(*ret_identifier);
    ptrdiff_t dot = str_find(*rest, '.');
    *ret_identifier = str_slice(*rest, 0, dot < 0 ? rest->len : (size_t)dot);
    *rest = str_slice(*rest, ret_identifier->len, rest->len);
    return is_identifier(*ret_identifier) && str_find(*ret_identifier, '"') < 0;
}

/* Up to `most` identifiers with dots between them. 0: it is something else. */
static size_t
read_parts(struct arena *arena, str text, size_t most, str parts[MOST_PARTS])
{
    size_t count = 0;
    while (count < most && take_identifier(arena, &text, &parts[count])) {
        count++;
        if (text.len == 0)
            return count;
        if (text.data[0] != '.')
            return 0;
        text = str_slice(text, 1, text.len);
    }
    return 0;
}

bool
table_name_read(struct arena *arena, str text, struct table_name *ret_name)
{
    str parts[MOST_PARTS];
    size_t count = read_parts(arena, text, MOST_PARTS, parts);
    if (count < 2)
        return false;
    *ret_name = (struct table_name){ parts[0], count == 2 ? STR(TABLE_SCHEMA) : parts[1], parts[count - 1] };
    return true;
}

bool
table_name_read_in(struct arena *arena, str database, str text, struct table_name *ret_name)
{
    str parts[MOST_PARTS];
    size_t count = read_parts(arena, text, 2, parts);
    if (count == 0 || !is_identifier(database))
        return false;
    *ret_name = (struct table_name){ database, count == 1 ? STR(TABLE_SCHEMA) : parts[0], parts[count - 1] };
    return true;
}
