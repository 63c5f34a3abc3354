/* SPDX-License-Identifier: Apache-2.0 */
#include "monitor/instant.h"

#include <math.h>
#include <stdlib.h>

#include "base/json.h"

enum { MOST_VALUES = 200 * 1000, ANSWER_BYTES = 64 * 1024 * 1024, FORM_BYTES = 4096 };

/* ---- One store ---- */
static bool
take_bytes(void *context, str bytes)
{
    struct buf *answer = context;
    buf_add(answer, bytes);
    return !answer->failed;
}

static bool
read_value(const json_t *row, struct instant_value *ret_value)
{
    const char *text = json_string_value(json_array_get(json_object_get(row, "value"), 1));
    char *end;
    if (text == NULL ||
        !id_parse(json_str(json_object_get(json_object_get(row, "metric"), "member")), &ret_value->member))
        return false;
    ret_value->value = strtod(text, &end);
    return end > text && *end == '\0' && isfinite(ret_value->value);
}

static bool
ask_store(struct monitor_stores *stores, struct arena *arena, size_t store, str form, struct instant_list *list,
          str *ret_why)
{
    struct buf answer = buf_in(arena, ANSWER_BYTES);
    struct monitor_question question = { "/api/v1/query", form, take_bytes, &answer };
    json_t *said = NULL;
    const json_t *row;
    size_t i;
    if (!monitor_ask(stores, arena, store, &question, ret_why))
        return false;
    if (json_parse_within(arena, buf_str(&answer), ANSWER_BYTES, &said) != OK) {
        *ret_why = STR("The store answered with something else than was asked for.");
        return false;
    }
    json_array_foreach(json_object_get(json_object_get(said, "data"), "result"), i, row)
    {
        if (list->count < MOST_VALUES && read_value(row, &list->items[list->count]))
            list->count++;
    }
    return true;
}

/* ---- All of them ---- */
static int
compare_members(const void *first, const void *second)
{
    const struct instant_value *a = first, *b = second;
    return memcmp(a->member.bytes, b->member.bytes, sizeof(a->member.bytes));
}

/* What one store has not got yet, another may have. Where both have something, either will do. */
static void
keep_each_once(struct instant_list *list)
{
    size_t kept = 0;
    qsort(list->items, list->count, sizeof(*list->items), compare_members);
    for (size_t i = 0; i < list->count; i++) {
        if (kept == 0 || !id_eq(list->items[kept - 1].member, list->items[i].member))
            list->items[kept++] = list->items[i];
    }
    list->count = kept;
}

error
instant_read(struct monitor_stores *stores, struct arena *arena, const char *query, struct instant_list *ret_list)
{
    str why = STR("There is none."),
        form = str_format(arena, "query=%s&nocache=1", str_percent_encode(arena, str_from(query)).data);
    bool has_answered = false;
    *ret_list = (struct instant_list){ 0, ARENA_ARRAY(arena, struct instant_value, MOST_VALUES) };
    if (ret_list->items == NULL)
        return fail(arena, OVERLOADED);
    for (size_t store = 0; store < monitor_stores_count(stores); store++)
        has_answered |= ask_store(stores, arena, store, form, ret_list, &why);
    if (!has_answered)
        return fail(arena, MEASUREMENTS_UNAVAILABLE, V(why));
    keep_each_once(ret_list);
    return OK;
}

bool
instant_find(const struct instant_list *list, id member, double *ret_value)
{
    const struct instant_value wanted = { .member = member };
    const struct instant_value *found =
        list->count == 0 ? NULL : bsearch(&wanted, list->items, list->count, sizeof(wanted), compare_members);
    if (found != NULL)
        *ret_value = found->value;
    return found != NULL;
}
