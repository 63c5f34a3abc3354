/* SPDX-License-Identifier: Apache-2.0 */
#include "job/billing/price_file.h"

#include "base/json.h"
#include "base/line_file.h"

enum { LINE_MAX_BYTES = 1024, SIZE_NAME_MAX = 32, DESCRIPTION_MAX = 250, DECIMALS = 8 };
#define PRICE_MAX INT64_C(1000000) /* an hour; in micro-cents, and times what a month has, it is far from any bound */

struct reader {
    struct arena *arena;
    struct line_file file;
    json_t *items;
};

/* The next word; what follows it has no space in front. */
static str
cut_word(str *rest)
{
    size_t end = 0;
    while (end < rest->len && rest->data[end] != ' ' && rest->data[end] != '\t')
        end++;
    str word = str_slice(*rest, 0, end);
    *rest = str_trim(str_slice(*rest, end, rest->len));
    return word;
}

/* "0.08" is 8000000: no number on the way is a fraction. */
static bool
read_price(str text, int64_t *ret_microcents)
{
    int64_t whole, part = 0;
    str decimals = text, digits = str_cut(&decimals, '.');
    bool has_point = digits.len < text.len;
    if (digits.len == 0 || digits.data[0] == '-' || digits.data[0] == '+' || !str_to_int(digits, 0, PRICE_MAX, &whole))
        return false;
    if (has_point && (decimals.len == 0 || decimals.len > DECIMALS || decimals.data[0] == '-' ||
                      decimals.data[0] == '+' || !str_to_int(decimals, 0, INT64_MAX, &part)))
        return false;
    for (size_t i = has_point ? decimals.len : DECIMALS; i < DECIMALS; i++)
        part *= 10;
    *ret_microcents = whole * INT64_C(100000000) + part;
    return true;
}

static bool
is_size(str name)
{
    for (size_t i = 0; i < name.len; i++) {
        char c = name.data[i];
        if (!((c >= 'A' && c <= 'Z') || (i > 0 && ((c >= '0' && c <= '9') || c == '_'))))
            return false;
    }
    return name.len > 0 && name.len <= SIZE_NAME_MAX;
}

static void
add_item(struct reader *reader, str sku, str price, str description)
{
    int64_t microcents;
    const json_t *item;
    size_t index;
    if (!read_price(price, &microcents)) {
        line_file_complain(&reader->file,
                           "\"%.*s\" is not a price: write it as 0.08, with at most %d decimals and at most %lld",
                           STR_ARG(price), DECIMALS, (long long)PRICE_MAX);
        return;
    }
    if (description.len == 0 || description.len > DESCRIPTION_MAX || !str_is_text(description)) {
        line_file_complain(&reader->file, "after the price there must be a description of at most %d bytes",
                           DESCRIPTION_MAX);
        return;
    }
    json_array_foreach(reader->items, index, item)
    {
        if (str_eq(json_str(json_object_get(item, "id")), sku)) {
            line_file_complain(&reader->file, "%.*s is there twice", STR_ARG(sku));
            return;
        }
    }
    json_array_append_new(reader->items,
                          json_pack("{s:s%, s:s%, s:I}", "id", sku.data, sku.len, "description", description.data,
                                    description.len, "microcents", (json_int_t)microcents));
}

static void
read_line(void *context, str line)
{
    struct reader *reader = context;
    str what = cut_word(&line);
    if (str_is(what, "member")) {
        str size = cut_word(&line), price = cut_word(&line);
        if (is_size(size))
            add_item(reader, str_format(reader->arena, "MEMBER_%.*s", STR_ARG(size)), price, line);
        else
            line_file_complain(&reader->file,
                               "\"%.*s\" is not a size: write \"member M10 0.08 One member of size M10\"",
                               STR_ARG(size));
    } else if (str_is(what, "disk")) {
        str price = cut_word(&line);
        add_item(reader, STR("DISK_GB"), price, line);
    } else {
        line_file_complain(&reader->file,
                           "a line begins with \"member\" or \"disk\", is a comment that begins with #, or empty");
    }
}

bool
price_file_read(struct arena *arena, const char *path, FILE *problems, str *ret_items)
{
    struct reader reader = { arena, { .path = path, .problems = problems }, json_in(arena, json_array()) };
    (void)line_file_read(&reader.file, LINE_MAX_BYTES, read_line, &reader);
    if (reader.file.mistakes > 0 || reader.items == NULL || arena_is_exhausted(arena))
        return false;
    *ret_items = json_text(arena, reader.items);
    return true;
}
