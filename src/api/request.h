/* SPDX-License-Identifier: Apache-2.0 */
/* One request on its way through the stages (api/stage_list.h), and how handlers answer it. */
#ifndef API_REQUEST_H
#define API_REQUEST_H

#include <jansson.h>

#include "api/contract.h"
#include "auth/principal.h"
#include "base/net/net.h"

struct agent_call;
struct api;
struct context_facts;
struct credentials;

enum { MAX_PATH_PARAMETERS = 8, MAX_RESPONSE_HEADERS = 16, REQUEST_ARENA_BYTES = 64 * 1024 * 1024 };

struct header {
    str name, value;
};

/* The input from the HTTP layer. All texts live as long as the arena. Absent headers are empty. */
struct received {
    str method; /* "GET"; may be any token */
    str target; /* as it came: "/api/svc/v2/groups/5f…?pretty=true", not decoded */
    struct net_address client;
    str authorization, accept, content_type, idempotency_key, if_match, if_none_match, last_event_id;
    str cookie, origin, fetch_site, user_agent; /* of browsers */
    str body;
    str request_id;
    str serial;        /* of the client's certificate, hexadecimal; empty: it has none, or is not asked for one */
    bool is_encrypted; /* it came over TLS */
};

struct response {
    unsigned status;
    str body; /* empty for HEAD as well: the HTTP layer sends its length */
    str content_type;
    str inner; /* not empty: the node's nginx answers, as it does this path, which nobody can ask for from outside */
    size_t header_count;
    struct header headers[MAX_RESPONSE_HEADERS];
};

struct page {
    int64_t number, size; /* from 1; at most 500 */
    bool include_count;
};

/* How far a request came, and what it needs to go on: api/api.h. */
enum api_step { API_ANSWERED, API_NEEDS_ROOM, API_NEEDS_ROWS, API_NEEDS_THREAD, API_NEEDS_NEWS };

struct request {
    struct api *api;
    struct arena *arena;
    struct received in;
    bool may_block;      /* false in the event loop */
    unsigned stage;      /* index of the next stage to run */
    enum api_step needs; /* what a stage waits for that would block */
    int64_t started_us;
    const char *name; /* of what is asked for, in logs and metrics; NULL: nothing that there is */
    size_t counter;   /* in the metrics */

    /* route */
    bool head;
    const struct endpoint *endpoint;
    str path;                             /* without the query, as received */
    str path_values[MAX_PATH_PARAMETERS]; /* decoded, in the order of the template */
    size_t path_count;
    struct {
        str name, value;
    } query[32]; /* decoded */
    size_t query_count;
    bool pretty, envelope, dry_run, all_links;
    struct page page;
    const char *version; /* the version's date that is served */
    bool wants_stream;   /* the list is to be followed: Accept prefers text/event-stream, and the endpoint has a feed */
    bool is_v1;          /* came by the older prefix, which has no rate limits */
    error input_problem; /* wrong query or Accept; the validate stage reports it to callers who may know it */

    /* authenticate, context */
    const struct principal *caller; /* NULL when the operation is public */
    id organization, project;       /* none when the path names none */
    role_set roles;                 /* in that context */
    const struct context_facts *facts;
    bool confirmed; /* caller and context were read from the database for this request */

    /* admit */
    bool admitted;    /* there is room for it, and its body has arrived. False while the HTTP layer waits */
    size_t body_max;  /* most bytes that it may have */
    int64_t asked_us; /* when it asked to be let in */

    /* limit */
    bool has_bucket;
    enum set_label denied_by; /* with RATE_LIMITED_TOKEN_BUCKET, for the metrics */
    int64_t bucket_capacity, bucket_remaining;

    /* validate */
    json_t *body; /* NULL without one */

    /* run */
    struct tx *tx;             /* for operations that change something */
    struct params read_params; /* of endpoint->read */
    struct {
        enum { ANSWER_NOTHING, ANSWER_ENTITY, ANSWER_LIST, ANSWER_BYTES, ANSWER_STREAM } kind;
        str document;     /* one JSON object */
        struct buf items; /* of a list: the text between its brackets */
        str own_path;     /* of a list: the address of items that have none of their own */
        str key;          /* for a created entity: its last path parameter */
        str operation;    /* id of what goes on afterwards; empty: nothing does */
        str related;      /* further links of an entity, each with a comma before it */
        int64_t revision; /* 0: no ETag */
        int64_t total;    /* of a list; -1: not counted */
        bool has_next;
        unsigned status; /* 0: the endpoint's */
    } answer;

    struct {
        int64_t after; /* place of the last item that was sent or skipped */
    } stream;          /* of a list that is followed */

    bool asks_stores;      /* what a tenant wants to know of the stores of measurements: threads of its own */
    const char *challenge; /* of a 401, in place of the API's own ways to sign in */

    bool replayed;            /* the Idempotency-Key was used before: `answer` is the recorded one */
    bool done;                /* `out` is complete before the last stage */
    struct agent_call *agent; /* of a host's request: fleet/agent.h */
    struct response out;
    error failed; /* the error that was answered, for logs and metrics */
};

/* ---- For handlers ---- */
/* For statements that find things by the caller's id: a JSON list of the organizations in which the caller's credentials count, or
 * null when they count wherever it holds a role. */
void request_bind_reach(const struct request *req, struct params *params);
/* The decoded value of a path parameter; empty when the template has none of that name. */
str request_path_value(const struct request *req, const char *name);
/* The same as an identifier: 404 when it is not one. */
MUST_USE error request_path_id(struct request *req, const char *name, id *ret_id);
/* The decoded value of a query parameter; empty when it was not sent. */
str request_query(const struct request *req, const char *name);
/* The same as an identifier; none when it was not sent. */
id request_query_id(const struct request *req, const char *name);

/* `document` is the text of one JSON object without `links`; the renderer adds them. */
void answer_entity(struct request *req, str document, int64_t revision);
void answer_created(struct request *req, str document, str key, int64_t revision);
void answer_nothing(struct request *req);
/* For reads of one entity: its document and revision are the first row; 404 without one. */
MUST_USE error answer_row(struct request *req, const struct rows *rows);
/* In addition to the answer: the work goes on as this job. The answer then links to its progress. */
void answer_operation(struct request *req, id job);
/*
 * In addition to an entity: a link that the catalog does not know, because not every entity of the kind has it. `path`
 * is relative to the API's address ("/users/5f…"), `relation` is the last part of the relation's name ("/user").
 */
void answer_relate(struct request *req, const char *relation, str path);
/* The bytes of a file (SHAPE_FILE), not empty. */
void answer_file(struct request *req, str bytes);
/* Starts an empty list answer; then answer_item() for each; `key` is the item's last path parameter. */
void answer_list(struct request *req, int64_t total, bool has_next);
void answer_item(struct request *req, str document, str key);

/* An item as answer_item() would write it, with its links; empty when the arena is full. */
str answer_item_text(struct request *req, struct arena *arena, str document, str key);
/* The answer is a stream that continues after this place. */
void answer_stream(struct request *req, int64_t after);

void response_header(struct response *response, str name, str value);

/* The ETag of a revision, and whether a list of ETags ("*" too) contains one. */
str request_etag(struct arena *arena, int64_t revision);
bool request_etag_is_listed(str header, str etag);

/* The caller's credentials, for auth/auth.h. */
struct credentials request_credentials(const struct request *req);

/* The body of a path that is no operation, judged by the schema. */
MUST_USE error request_read_body(struct request *req, const struct schema *schema);

/* 404 RESOURCE_NOT_FOUND with the request's path. */
MUST_USE NEVER_NULL error request_not_found(struct request *req);
/*
 * ORGANIZATION_LOCKED when it is locked: for handlers that change an organization other than that of the path. May
 * block.
 */
MUST_USE error request_check_unlocked(struct request *req, id organization);
/* Checks If-Match against the entity's revision: 412 when it does not match. */
MUST_USE error request_check_match(struct request *req, int64_t revision);

#endif
