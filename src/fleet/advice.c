/* SPDX-License-Identifier: Apache-2.0 */
#include "fleet/advice.h"

#include <ctype.h>
#include <stddef.h>

#include "base/crypto/crypto.h"
#include "base/json.h"
#include "fleet/refusal.h"
#include "store/advisor/advice.h"
#include "wire/shape.h"

/* ---- What may be said ---- */
enum { MOST_SHAPES = 100, MOST_SLOW = 100, MOST_LISTED = 200, MOST_GAINS = 20, MOST_KEYS = 32, NAME_BYTES = 63 };
enum { TEXT_BYTES = 4200, SENTENCE_BYTES = 1024, HASH_BYTES = 8, TRIES = 3 };
#define COUNT_MAX ((int64_t)1 << 53)

struct told_shape {
    str database, text, command, table;
    int64_t calls, rows, bytes;
    double ms;
};
struct slow {
    int64_t at, shape;
    double ms;
};
struct gain {
    int64_t shape, calls;
    double before, after, ms;
};
struct suggested {
    str database, schema, table;
    struct wire_texts keys;
    int64_t bytes, row_bytes;
    struct wire_list gains;
};
struct droppable {
    str database, schema, table, name;
    struct wire_texts keys;
    int64_t scans, bytes, since;
    bool is_proven;
};
struct table {
    str database, trigger, table, description;
};
struct advice {
    bool is_primary;
    str problem;
    struct wire_list indexes, unused, redundant, tables;
};
struct said {
    int64_t at;
    str missing;
    struct wire_list shapes, slow;
    struct advice advice;
    str whole; /* the advice as it came; empty: there is none */
};

#define TEXT_OF(type, name, field, bytes)                                            \
    {                                                                                \
        name, WIRE_TEXT, WIRE_REQUIRED, offsetof(struct type, field), .max = (bytes) \
    }
#define COUNT_OF(type, name, field)                                                   \
    {                                                                                 \
        name, WIRE_INT, WIRE_REQUIRED, offsetof(struct type, field), .max = COUNT_MAX \
    }
#define NUMBER_OF(type, name, field)                                                     \
    {                                                                                    \
        name, WIRE_NUMBER, WIRE_REQUIRED, offsetof(struct type, field), .max = COUNT_MAX \
    }
#define LIST_OF(type, name, field, most, shape_of_item)                                                     \
    {                                                                                                       \
        name, WIRE_LIST, WIRE_REQUIRED, offsetof(struct type, field), .max = (most), .of = &(shape_of_item) \
    }

// clang-format off
static const struct wire_field shape_fields[] = {
    TEXT_OF(told_shape, "database", database, NAME_BYTES),
    TEXT_OF(told_shape, "text", text, TEXT_BYTES),
    TEXT_OF(told_shape, "command", command, 16),
    TEXT_OF(told_shape, "table", table, 127),
    COUNT_OF(told_shape, "calls", calls),
    COUNT_OF(told_shape, "rows", rows),
    COUNT_OF(told_shape, "bytes", bytes),
    NUMBER_OF(told_shape, "ms", ms),
};
static const struct wire_shape shape_shape = WIRE_SHAPE(struct told_shape, shape_fields);
static const struct wire_field slow_fields[] = {
    COUNT_OF(slow, "at", at),
    COUNT_OF(slow, "shape", shape),
    NUMBER_OF(slow, "ms", ms),
};
static const struct wire_shape slow_shape = WIRE_SHAPE(struct slow, slow_fields);
static const struct wire_field gain_fields[] = {
    COUNT_OF(gain, "shape", shape),
    COUNT_OF(gain, "calls", calls),
    NUMBER_OF(gain, "before", before),
    NUMBER_OF(gain, "after", after),
    NUMBER_OF(gain, "ms", ms),
};
static const struct wire_shape gain_shape = WIRE_SHAPE(struct gain, gain_fields);
static const struct wire_field suggested_fields[] = {
    TEXT_OF(suggested, "database", database, NAME_BYTES),
    TEXT_OF(suggested, "schema", schema, NAME_BYTES),
    TEXT_OF(suggested, "table", table, NAME_BYTES),
    { "keys", WIRE_TEXTS, WIRE_REQUIRED, offsetof(struct suggested, keys), .max = MOST_KEYS },
    COUNT_OF(suggested, "bytes", bytes),
    COUNT_OF(suggested, "rowBytes", row_bytes),
    LIST_OF(suggested, "gains", gains, MOST_GAINS, gain_shape),
};
static const struct wire_shape suggested_shape = WIRE_SHAPE(struct suggested, suggested_fields);
static const struct wire_field droppable_fields[] = {
    TEXT_OF(droppable, "database", database, NAME_BYTES),
    TEXT_OF(droppable, "schema", schema, NAME_BYTES),
    TEXT_OF(droppable, "table", table, NAME_BYTES),
    TEXT_OF(droppable, "name", name, NAME_BYTES),
    { "keys", WIRE_TEXTS, WIRE_REQUIRED, offsetof(struct droppable, keys), .max = MOST_KEYS },
    COUNT_OF(droppable, "scans", scans),
    COUNT_OF(droppable, "bytes", bytes),
    COUNT_OF(droppable, "since", since),
    { "isProven", WIRE_BOOL, WIRE_REQUIRED, offsetof(struct droppable, is_proven) },
};
static const struct wire_shape droppable_shape = WIRE_SHAPE(struct droppable, droppable_fields);
static const struct wire_field table_fields[] = {
    TEXT_OF(table, "database", database, NAME_BYTES),
    TEXT_OF(table, "trigger", trigger, NAME_BYTES),
    { "table", WIRE_TEXT, 0, offsetof(struct table, table), .max = 2 * NAME_BYTES + 1 },
    TEXT_OF(table, "description", description, SENTENCE_BYTES),
};
static const struct wire_shape table_shape = WIRE_SHAPE(struct table, table_fields);
static const struct wire_field advice_fields[] = {
    { "isPrimary", WIRE_BOOL, WIRE_REQUIRED, offsetof(struct advice, is_primary) },
    TEXT_OF(advice, "problem", problem, SENTENCE_BYTES * 4),
    LIST_OF(advice, "indexes", indexes, MOST_LISTED, suggested_shape),
    LIST_OF(advice, "unused", unused, MOST_LISTED, droppable_shape),
    LIST_OF(advice, "redundant", redundant, MOST_LISTED, droppable_shape),
    LIST_OF(advice, "tables", tables, MOST_LISTED, table_shape),
};
static const struct wire_shape advice_shape = WIRE_SHAPE(struct advice, advice_fields);
static const struct wire_field said_fields[] = {
    COUNT_OF(said, "at", at),
    TEXT_OF(said, "missing", missing, SENTENCE_BYTES),
    LIST_OF(said, "shapes", shapes, MOST_SHAPES, shape_shape),
    LIST_OF(said, "slow", slow, MOST_SLOW, slow_shape),
    { "advice", WIRE_RAW, 0, offsetof(struct said, whole), .max = ADVICE_MAX_BYTES },
};
static const struct wire_shape said_shape = WIRE_SHAPE(struct said, said_fields);
// clang-format on

/* ---- What is handed on ---- */
static const char *const commands[] = { "SELECT", "INSERT", "UPDATE", "DELETE", "MERGE", NULL };
static const char *const triggers[] = {
    "DOC_SIZE_TOO_LARGE", "NUM_INDEXES",       "NUMBER_OF_NAMESPACES",      "QUERIES_CONTAIN_CASE_INSENSITIVE_REGEX",
    "NO_PRIMARY_KEY",     "SEQUENCE_NEAR_END", "FOREIGN_KEY_WITHOUT_INDEX", NULL
};

static error
wrong(struct arena *arena, const char *place, const char *why)
{
    return fail(arena, INVALID_ATTRIBUTE_VALUE, V(place), V(why));
}

static void
put(json_t *object, const char *name, str value)
{
    json_object_set_new(object, name, json_stringn(value.data, value.len));
}

/* By the control plane, so that nobody gives one shape the hash of another. */
static str
hash_of(struct arena *arena, str text)
{
    uint8_t digest[SHA256_BYTES];
    crypto_sha256(text, digest);
    str hex = str_hex(arena, digest, HASH_BYTES);
    for (size_t i = 0; i < hex.len; i++)
        ((char *)hex.data)[i] = (char)toupper((unsigned char)hex.data[i]);
    return hex;
}

/* A list of JSON objects, one for each item, with the texts and numbers that rows of the table name. */
static json_t *
put_fields(const struct wire_shape *shape, const void *item)
{
    json_t *object = json_object();
    for (size_t i = 0; i < shape->count; i++) {
        const struct wire_field *field = &shape->fields[i];
        const void *value = (const char *)item + field->offset;
        if (field->kind == WIRE_TEXT)
            put(object, field->name, *(const str *)value);
        else if (field->kind == WIRE_INT)
            json_object_set_new(object, field->name, json_integer(*(const int64_t *)value));
        else if (field->kind == WIRE_NUMBER)
            json_object_set_new(object, field->name, json_real(*(const double *)value));
        else if (field->kind == WIRE_BOOL)
            json_object_set_new(object, field->name, json_boolean(*(const bool *)value));
    }
    return object;
}

static error
put_shapes(struct arena *arena, const struct said *said, json_t *list)
{
    const struct told_shape *shapes = said->shapes.items;
    for (size_t i = 0; i < said->shapes.count; i++) {
        if (str_word(shapes[i].command, commands) < 0)
            return wrong(arena, "shapes[].command", "statements of this command have no shapes");
        json_t *one = put_fields(&shape_shape, &shapes[i]);
        put(one, "hash", hash_of(arena, shapes[i].text));
        json_array_append_new(list, one);
    }
    return OK;
}

/* The shape that is meant, instead of its place in the document. */
static error
name_shape(struct arena *arena, const struct said *said, int64_t place, json_t *one)
{
    const struct told_shape *shapes = said->shapes.items;
    if (place >= (int64_t)said->shapes.count)
        return wrong(arena, "shape", "there is no such shape in the document");
    json_object_del(one, "shape");
    put(one, "hash", hash_of(arena, shapes[place].text));
    put(one, "database", shapes[place].database);
    return OK;
}

static error
put_slow(struct arena *arena, const struct said *said, json_t *list)
{
    const struct slow *slow = said->slow.items;
    for (size_t i = 0; i < said->slow.count; i++) {
        json_t *one = put_fields(&slow_shape, &slow[i]);
        json_array_append_new(list, one);
        TRY(name_shape(arena, said, slow[i].shape, one));
    }
    return OK;
}

static error
put_keys(struct arena *arena, const struct wire_texts *keys, json_t *one)
{
    json_t *list = json_array();
    json_object_set_new(one, "keys", list);
    for (size_t i = 0; i < keys->count; i++) {
        str key = keys->items[i];
        if (key.len < 2 || key.len > NAME_BYTES + 1 || (key.data[0] != '+' && key.data[0] != '-'))
            return wrong(arena, "keys", "each is + or - and the name of a column");
        json_array_append_new(list, json_stringn(key.data, key.len));
    }
    return OK;
}

static error
put_suggested(struct arena *arena, const struct said *said, const struct suggested *index, json_t *list)
{
    json_t *one = put_fields(&suggested_shape, index), *gains = json_array();
    const struct gain *gain = index->gains.items;
    json_array_append_new(list, one);
    json_object_set_new(one, "gains", gains);
    TRY(put_keys(arena, &index->keys, one));
    for (size_t i = 0; i < index->gains.count; i++) {
        json_t *added = put_fields(&gain_shape, &gain[i]);
        json_array_append_new(gains, added);
        if (gain[i].before <= 0)
            return wrong(arena, "before", "it must be more than 0");
        TRY(name_shape(arena, said, gain[i].shape, added));
    }
    return OK;
}

static error
put_droppable(struct arena *arena, const struct wire_list *indexes, json_t *list)
{
    const struct droppable *index = indexes->items;
    for (size_t i = 0; i < indexes->count; i++) {
        json_t *one = put_fields(&droppable_shape, &index[i]);
        json_array_append_new(list, one);
        TRY(put_keys(arena, &index[i].keys, one));
    }
    return OK;
}

static error
put_tables(struct arena *arena, const struct wire_list *tables, json_t *list)
{
    const struct table *table = tables->items;
    for (size_t i = 0; i < tables->count; i++) {
        if (str_word(table[i].trigger, triggers) < 0)
            return wrong(arena, "tables[].trigger", "there is no such trigger");
        json_t *one = put_fields(&table_shape, &table[i]);
        json_array_append_new(list, one);
        if (table[i].table.len == 0)
            json_object_del(one, "table");
    }
    return OK;
}

static error
put_advice(struct arena *arena, struct said *said, json_t *document)
{
    struct advice *advice = &said->advice;
    json_t *indexes = json_array(), *unused = json_array(), *redundant = json_array(), *tables = json_array();
    json_t *whole = json_pack("{s:o, s:o, s:o, s:o}", "indexes", indexes, "unused", unused, "redundant", redundant,
                              "tables", tables);
    if (whole == NULL || json_object_set_new(document, "advice", whole) != 0)
        return fail(arena, OVERLOADED);
    TRY(wire_read(arena, said->whole, &advice_shape, advice));
    json_object_set_new(whole, "isPrimary", json_boolean(advice->is_primary));
    put(whole, "problem", advice->problem);
    for (size_t i = 0; i < advice->indexes.count; i++)
        TRY(put_suggested(arena, said, &((const struct suggested *)advice->indexes.items)[i], indexes));
    TRY(put_droppable(arena, &advice->unused, unused));
    TRY(put_droppable(arena, &advice->redundant, redundant));
    return put_tables(arena, &advice->tables, tables);
}

error
advice_read(struct arena *arena, str body, str *ret_document)
{
    struct said said = { .whole = STR_EMPTY };
    if (body.len > ADVICE_MAX_BYTES)
        return fail(arena, BODY_TOO_LARGE, V((int64_t)ADVICE_MAX_BYTES));
    TRY(wire_read(arena, body, &said_shape, &said));
    json_t *shapes = json_array(), *slow = json_array();
    json_t *document =
        json_in(arena, json_pack("{s:I, s:o, s:o}", "at", (json_int_t)said.at, "shapes", shapes, "slow", slow));
    if (document == NULL)
        return fail(arena, OVERLOADED);
    put(document, "missing", said.missing);
    TRY(put_shapes(arena, &said, shapes));
    TRY(put_slow(arena, &said, slow));
    if (said.whole.len > 0)
        TRY(put_advice(arena, &said, document));
    *ret_document = json_text(arena, document);
    return ret_document->len == 0 ? fail(arena, OVERLOADED) : OK;
}

/* ---- The request ---- */
static error
take(struct request *req, id member, str document, bool *ret_is_own)
{
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    TRY(tx_begin_service(agents_fleet(req)->store, req->arena, &tx));
    TRY(store_advice(tx, req->agent->host, member, document, ret_is_own));
    return tx_commit(tx);
}

error
agent_advice(struct request *req)
{
    str document;
    id member;
    bool is_own = false;
    error why = OK;
    TRY(advice_read(req->arena, req->in.body, &document));
    for (int try = 1; id_parse(req->agent->argument, &member) && try <= TRIES; try++) {
        why = take(req, member, document, &is_own);
        if (why == OK || why->code != CONCURRENT_CHANGE)
            break;
    }
    TRY(why);
    if (!is_own) {
        refusal_note(req->agent->host, "agent_foreign_advice",
                     STR("it advises about a member that does not run on it."));
        return request_not_found(req);
    }
    agent_answer(req, 200, STR("{}"));
    return OK;
}
