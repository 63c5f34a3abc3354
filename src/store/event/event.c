/* SPDX-License-Identifier: Apache-2.0 */
#include "store/event/event.h"

#include "base/crypto/crypto.h"
#include "base/date.h"
#include "base/json.h"
#include "store/fault.h"

enum { DOCUMENT_MAX_BYTES = 4 * 1024 * 1024 };

#define EVENT_ROW(type, name, sentence) [type] = { name, sentence },
const struct event_row event_rows[EVENT_TYPE_COUNT] = { EVENT_TABLE(EVENT_ROW) };
#undef EVENT_ROW
#define EVENT_NAME(type, name, sentence) [type] = name,
const char *const event_type_names[EVENT_TYPE_COUNT + 1] = { EVENT_TABLE(EVENT_NAME) };
#undef EVENT_NAME

bool
event_hash(struct arena *arena, str previous_hash, str document, uint8_t ret_hash[SHA256_BYTES])
{
    char *both = arena_alloc(arena, previous_hash.len + document.len);
    if (both == NULL)
        return false;
    if (previous_hash.len > 0)
        memcpy(both, previous_hash.data, previous_hash.len);
    memcpy(both + previous_hash.len, document.data, document.len);
    crypto_sha256((str){ both, previous_hash.len + document.len }, ret_hash);
    return true;
}

static json_t *
text_or_null(str text)
{
    return text.len == 0 ? json_null() : json_stringn(text.data, text.len);
}

static json_t *
id_or_null(struct arena *arena, id value)
{
    return text_or_null(id_text(arena, value));
}

static json_t *
shared_or_null(const json_t *json)
{
    /* Counting a reference is no change that its owner could see. */
    return json == NULL ? json_null() : json_incref((json_t *)(uintptr_t)json);
}

static int
dump_to_buf(const char *bytes, size_t count, void *buf)
{
    buf_add(buf, (str){ bytes, count });
    return 0;
}

/* One text for one event, whatever the order in which it was put together. Empty when the arena is full or a text of
 * the draft is not UTF-8. */
static str
document_of(struct arena *arena, const struct event_draft *draft, id event, int64_t seq, int64_t created_ms)
{
    json_t *document = json_in(
        arena, json_pack("{s:o, s:s, s:I, s:s, s:o, s:o, s:{s:o, s:o, s:o}, s:o, s:o, s:o, s:o}", "id",
                         id_or_null(arena, event), "created", date_text(arena, created_ms).data, "seq", (json_int_t)seq,
                         "type", event_rows[draft->type].name, "org", id_or_null(arena, draft->organization), "project",
                         id_or_null(arena, draft->project), "actor", "id", id_or_null(arena, draft->actor), "name",
                         text_or_null(draft->actor_name), "kind", text_or_null(draft->actor_kind), "address",
                         text_or_null(draft->address), "request", text_or_null(draft->request_id), "before",
                         shared_or_null(draft->before), "after", shared_or_null(draft->after)));
    if (document != NULL && draft->cluster.len > 0)
        json_object_set_new(document, "cluster", json_stringn(draft->cluster.data, draft->cluster.len));
    struct buf out = buf_in(arena, DOCUMENT_MAX_BYTES);
    if (document == NULL || json_dump_callback(document, dump_to_buf, &out, JSON_SORT_KEYS | JSON_COMPACT) != 0)
        return STR_EMPTY;
    return buf_str(&out);
}

error
store_event_add(struct tx *tx, const struct event_draft *draft, id *ret_event)
{
    struct arena *arena = tx_arena(tx);
    bool has_project = id_is_there(draft->project);
    struct rows place;
    struct params params = { 0 };
    params_id(&params, P_ORGANIZATION, draft->organization);
    if (has_project)
        params_id(&params, P_PROJECT, draft->project);
    else
        params_null(&params, P_PROJECT);
    TRY(tx_query(tx, SQL_EVENT_TAKE_PLACE, &params, &place, NULL));
    if (place.count == 0)
        return fail(arena, RESOURCE_NOT_FOUND, V(id_text(arena, draft->project)));
    int64_t seq = rows_int(&place, 0, C_SEQ), created_ms = rows_int(&place, 0, C_CREATED_MS);
    str previous_hash = rows_bytes(arena, &place, 0, C_HASH);

    id event = id_new(store_cell(tx_store(tx)));
    str document = document_of(arena, draft, event, seq, created_ms);
    uint8_t hash[SHA256_BYTES];
    if (document.len == 0 || !event_hash(arena, previous_hash, document, hash))
        return &fault_overloaded;

    params = (struct params){ 0 };
    params_id(&params, P_ORGANIZATION, draft->organization);
    params_int(&params, P_SEQ, seq);
    params_id(&params, P_EVENT, event);
    if (has_project) {
        params_id(&params, P_PROJECT, draft->project);
        params_int(&params, P_PROJECT_SEQ, rows_int(&place, 0, C_PROJECT_SEQ));
    } else {
        params_null(&params, P_PROJECT);
        params_null(&params, P_PROJECT_SEQ);
    }
    params_text(&params, P_TYPE, str_from(event_rows[draft->type].name));
    params_int(&params, P_CREATED_MS, created_ms);
    params_text(&params, P_DOCUMENT, document);
    params_bytes(&params, P_HASH, (str){ (const char *)hash, sizeof(hash) });
    if (draft->cluster.len > 0)
        params_text(&params, P_CLUSTER, str_dup(arena, draft->cluster));
    else
        params_null(&params, P_CLUSTER);
    TRY(tx_query(tx, SQL_EVENT_ADD, &params, NULL, NULL));
    TRY(tx_notify(tx, EVENT_CHANNEL, id_text(arena, draft->organization)));
    *ret_event = event;
    return OK;
}

error
store_event_add_by_worker(struct tx *tx, const struct event_draft *draft)
{
    struct event_draft own = *draft;
    id event;
    own.actor = ID_NONE;
    own.actor_name = STR("worker");
    own.actor_kind = STR("SERVICE");
    return store_event_add(tx, &own, &event);
}
