/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The API as a library: a request in, a response out. The nginx module drives it; tests call it without nginx.
 *
 * api_advance(req, false) goes as far as it can without waiting. It ends in one of these ways:
 *   API_ANSWERED      req->out is complete
 *   API_NEEDS_ROOM    the headers are checked: from here on the request costs memory. When there is room for api_cost(), bring its body of
 *                     at most req->body_max bytes, set req->admitted and go on. Only requests that came with admitted = false
 *   API_NEEDS_ROWS    one read is left: run req->endpoint->read->statement with req->read_params, then api_rows()
 *   API_NEEDS_THREAD  the rest may block: call api_advance(req, true) on a thread; that ends in API_ANSWERED or API_NEEDS_ROOM
 *   API_NEEDS_NEWS    an agent has the newest goal: park it, and go on on a thread when there is another one (fleet/agent.h)
 */
#ifndef API_API_H
#define API_API_H

#include "api/request.h"
#include "auth/auth.h"
#include "base/crypto/tls.h"
#include "base/net/post.h"
#include "limit/limit.h"

struct catalog;
struct metrics;
struct monitor_stores;
struct stage_list;

#define API_TOOLS_PATH "/api/prometheus/"

struct api {
    const struct catalog *catalog;
    struct store *store;
    struct auth *auth;
    struct limiter *limiter;
    const struct stage_list *stages; /* the stages of a request: api/stage_list.h */
    struct metrics *metrics;         /* shared by all processes of a node */
    size_t first_counter;            /* of the operations of this API in `metrics`; those of other paths follow */
    str base_url;                    /* "https://reeve.example.org:8443", without a slash at the end */
    const char *prefix;              /* NULL: API_PREFIX. Another API's answers are plain JSON, without versions */
    const char *const *control_plane_addresses; /* of S59; NULL at the end */
    str openapi;                                /* the document, made once; empty: made for each request */
    bool takes_passwords;                       /* people may sign in with one */
    bool has_console;                           /* pages on which people sign in, and let their programs in */
    bool sends_mail;                            /* the operator named a mail server */
    struct monitor_stores *monitor;             /* of measurements; NULL: none */
    error (*answer_tool)(struct request *req);  /* what people's own tools ask for, below API_TOOLS_PATH */
    struct tls_side *log_side; /* with which hosts are asked about logs; NULL: this node is not let in there */
    const struct cluster_naming *naming; /* ports and names of new clusters; NULL: the usual ones */
    struct egress_allowed egress;        /* where tenants may have things sent, in addition to public addresses */
    const char *egress_ca;               /* authorities of what is connected to there; NULL: the system's */
    form_sender *send_form;              /* to identity providers; NULL: people cannot sign in with one */
};

/*
 * What a request may cost, so that one caller's requests do not make others wait. Known once it was routed. A large
 * request has a page of more items than API_LARGE_PAGE, has a body of more bytes than API_LARGE_BODY, waits for hosts,
 * or evaluates what a tenant wrote. It never runs in the event loop, and its reads use other connections (store_reads_apart()).
 */
enum {
    API_LARGE_PAGE = 100, /* the size of a page by default */
    API_LARGE_BODY =
        64 * 1024, /* 50 times what the largest example in the reference has; parsing it takes a millisecond */
    API_LARGE_ANSWER = 128 * 1024, /* rendering it takes a millisecond */
    API_SMALL_BODY = 8 * 1024,     /* most bytes that are parsed in the event loop: 0.2 ms at worst */
};
bool api_is_large(const struct request *req);
/* Of a request that needs rows: as many times a read of one entity. */
int api_places(const struct request *req);

/* A request in its own arena; NULL when there is no memory. request_free() rolls back what was left open. */
MUST_USE struct request *request_new(struct api *api);
void request_free(struct request *req);
/*
 * Keeps of an answered request only what sending and logging need. Everything else, often ten times as much, is freed
 * now and not when the client has read the last byte. Returns the request to go on with: the same one when that would
 * free little.
 */
struct request *request_keep_answer(struct request *req);

enum api_step api_advance(struct request *req, bool may_block);
/* Roughly how much memory its answer may take, estimated from the request. */
size_t api_cost(const struct request *req);
void api_rows(struct request *req, error problem, struct rows rows);
/* Straight through, for threads and tests. */
void api_handle(struct request *req);

/* Answers with this error instead of an earlier answer: for requests that nginx itself refuses. */
void api_refuse(struct request *req, error why);
/* Answers with nothing and skips the remaining stages. */
void api_answer_nothing(struct request *req);

/* ---- Streams: lists that are followed (struct feed) ---- */
/* Whether the answer is one: then req->out has its headers, and the items are fetched with the endpoint's feed. */
bool api_is_stream(const struct request *req);
/* Counts it in the metrics, or answers that there are too many. */
void api_stream_begins(struct request *req);
void api_stream_refuse(struct request *req, error why);
/*
 * Whether the caller may go on: looks at credentials, origin, membership and role again. WOULD_BLOCK when that needs the
 * database and may_block is false. Memory comes from `arena`, which can be freed afterwards.
 */
MUST_USE error api_stream_check(struct request *req, struct arena *arena, bool may_block);

/* Whether requests can be served: the database answers and has the schema that this program was built for. May block. */
bool api_is_ready(struct api *api, struct arena *arena, str *ret_why_not);

#endif
