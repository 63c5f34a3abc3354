/* SPDX-License-Identifier: Apache-2.0 */
#include "base/crypto/crypto.h"
#include "base/json.h"
#include "store/connection.h"
#include "store/event/event.h"
#include "store/fault.h"
#include "store/rows.h"

enum { STATEMENT_MS = 120 * 1000, BATCH_BYTES = 256 * 1024 * 1024 };

/* Where the walk is: the organization, and the end of its chain so far. */
struct walk {
    struct connection *connection;
    const struct audit_listener *listener;
    bool is_inside;
    id organization;
    int64_t seq;
    uint8_t hash[SHA256_BYTES];
    size_t hash_len; /* 0 before the first event */
    int64_t events, organizations;
};

static PRINTF_LIKE(3, 4) void report(struct walk *walk, struct arena *arena, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    str text = str_vformat(arena, format, args);
    va_end(args);
    walk->listener->on_problem(walk->listener->context, text);
}

/* The chain remembers its own end, so that removing the newest events is found, too. */
static error
leave_organization(struct walk *walk, struct arena *arena)
{
    if (!walk->is_inside)
        return OK;
    walk->is_inside = false;
    walk->organizations++;
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_ORGANIZATION, walk->organization);
    TRY(connection_query(walk->connection, arena, SQL_EVENT_VERIFY_CHAIN, &params, &rows));
    str name = id_text(arena, walk->organization);
    if (rows.count == 0) {
        report(walk, arena, "Organization %s has events but no chain.", name.data);
        return OK;
    }
    if (rows_int(&rows, 0, C_SEQ) != walk->seq)
        report(walk, arena, "The chain of organization %s ends at %lld, but its last event is %lld.", name.data,
               (long long)rows_int(&rows, 0, C_SEQ), (long long)walk->seq);
    else if (!str_eq(rows_bytes(arena, &rows, 0, C_HASH), (str){ (const char *)walk->hash, walk->hash_len }))
        report(walk, arena, "The end of the chain of organization %s is not the hash of its last event.", name.data);
    return OK;
}

/* The columns stand beside the document for the sake of queries; they must say what the document says. */
static bool
columns_match(struct arena *arena, const struct rows *rows, int row)
{
    json_t *document = json_parse_own(arena, rows_text(rows, row, C_DOCUMENT));
    const json_t *project = json_object_get(document, "project");
    return str_eq(json_str(json_object_get(document, "org")), rows_text(rows, row, C_ORGANIZATION)) &&
           json_integer_value(json_object_get(document, "seq")) == rows_int(rows, row, C_SEQ) &&
           str_eq(json_str(json_object_get(document, "id")), rows_text(rows, row, C_ID)) &&
           json_is_null(project) == rows_is_null(rows, row, C_PROJECT) &&
           str_eq(json_str(project), rows_text(rows, row, C_PROJECT)) &&
           str_eq(json_str(json_object_get(document, "type")), rows_text(rows, row, C_TYPE)) &&
           str_eq(json_str(json_object_get(document, "cluster")), rows_text(rows, row, C_CLUSTER));
}

static error
check_event(struct walk *walk, struct arena *arena, const struct rows *rows, int row)
{
    id organization = rows_id(rows, row, C_ORGANIZATION);
    int64_t seq = rows_int(rows, row, C_SEQ);
    if (walk->is_inside && !id_eq(organization, walk->organization))
        TRY(leave_organization(walk, arena));
    if (!walk->is_inside) {
        walk->is_inside = true;
        walk->organization = organization;
        walk->seq = 0;
        walk->hash_len = 0;
    }
    str name = id_text(arena, organization);
    if (seq != walk->seq + 1)
        report(walk, arena, "Organization %s: events %lld to %lld are missing.", name.data, (long long)walk->seq + 1,
               (long long)seq - 1);
    if (!columns_match(arena, rows, row))
        report(walk, arena, "Organization %s: the columns of event %lld do not say what its document says.", name.data,
               (long long)seq);
    uint8_t expected[SHA256_BYTES];
    if (!event_hash(arena, (str){ (const char *)walk->hash, walk->hash_len }, rows_text(rows, row, C_DOCUMENT),
                    expected))
        return &fault_overloaded;
    str stored = rows_bytes(arena, rows, row, C_HASH);
    if (!str_eq(stored, (str){ (const char *)expected, sizeof(expected) }))
        report(walk, arena, "Organization %s: event %lld does not fit to the one before it.", name.data,
               (long long)seq);
    /* Goes on from what is stored, so that one change is reported once and not for every event behind it. */
    walk->hash_len = stored.len == SHA256_BYTES ? SHA256_BYTES : 0;
    memcpy(walk->hash, stored.data, walk->hash_len);
    walk->seq = seq;
    walk->events++;
    return OK;
}

/* One batch, in an arena of its own. */
static error
check_batch(struct walk *walk, struct arena *arena, bool *ret_more)
{
    struct params params = { 0 };
    struct rows rows;
    params_id_after(&params, P_AFTER_ORGANIZATION, walk->is_inside ? walk->organization : ID_NONE);
    params_int(&params, P_AFTER_SEQ, walk->is_inside ? walk->seq : INT64_MIN);
    TRY(connection_query(walk->connection, arena, SQL_EVENT_VERIFY_NEXT, &params, &rows));
    for (int row = 0; row < rows.count; row++)
        TRY(check_event(walk, arena, &rows, row));
    if (walk->listener->on_progress != NULL)
        walk->listener->on_progress(walk->listener->context, walk->events);
    *ret_more = rows.count > 0;
    return OK;
}

static error
check_bare_chains(struct walk *walk, struct arena *arena)
{
    struct rows rows;
    TRY(connection_query(walk->connection, arena, SQL_EVENT_VERIFY_BARE_CHAINS, NULL, &rows));
    for (int row = 0; row < rows.count; row++) {
        walk->organizations++;
        report(walk, arena, "The chain of organization %s ends at %lld, but it has no events.",
               rows_text(&rows, row, C_ORGANIZATION).data, (long long)rows_int(&rows, row, C_SEQ));
    }
    return OK;
}

error
store_audit_verify(const char *dsn, struct arena *arena, const struct audit_listener *listener, int64_t *ret_events,
                   int64_t *ret_organizations)
{
    struct connection *connection CLEANUP(connection_cleanup) = connection_open(dsn, ROLE_READER, STATEMENT_MS);
    if (connection == NULL)
        return &fault_unavailable;
    struct walk walk = { .connection = connection, .listener = listener };
    /* One snapshot for the whole walk: what is added meanwhile is not there, neither in events nor in chains. */
    PGresult *begun = connection_exec(connection, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
    error problem = begun != NULL && connection_succeeded(begun) ? OK : fault_of_result(begun, "begin", NULL);
    PQclear(begun);
    TRY(problem);
    for (bool more = true; more;) {
        struct arena *batch CLEANUP(arena_cleanup) = arena_new(BATCH_BYTES);
        if (batch == NULL)
            return &fault_overloaded;
        TRY(check_batch(&walk, batch, &more));
    }
    TRY(leave_organization(&walk, arena));
    TRY(check_bare_chains(&walk, arena));
    *ret_events = walk.events;
    *ret_organizations = walk.organizations;
    return OK;
}
