/* SPDX-License-Identifier: Apache-2.0 */
/* One request of nginx's and one of ours, side by side. Lives as long as nginx's request does. */
#ifndef HTTP_EXCHANGE_H
#define HTTP_EXCHANGE_H

#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http.h>

#include "api/api.h"
#include "http/ledger.h"

enum { REQUEST_ID_DIGITS = 32, MAX_HEADERS = 100 };

struct stream;
struct poll;
struct lane;

/* What a request waits for: fair.h. */
enum fair_kind {
    FAIR_READ,   /* a statement on the loop's own connection */
    FAIR_THREAD, /* a thread */
    FAIR_LARGE,  /* a thread for what is large, with a database connection that nobody else waits for */
    FAIR_STORES, /* a thread for what tenants want to know of the stores of measurements */
    FAIR_KINDS,
};

/* An answer that its client reads more slowly than it was made. */
struct unsent {
    ngx_queue_t link;
    bool linked;
    int64_t since_ms; /* the start of the period in which some of it must be sent */
    off_t sent;       /* how much its connection had sent at that moment */
};

struct exchange {
    ngx_http_request_t *r;
    struct request *request; /* NULL until somebody needs it */
    struct buf body;         /* what has arrived of it */
    size_t body_max;         /* 0: nobody has asked for it yet */
    void (*body_done)(struct exchange *x);
    int64_t started_us, body_deadline_us;
    char id[REQUEST_ID_DIGITS + 1];
    struct stream *stream;   /* of an answer that goes on: stream.c */
    struct poll *poll;       /* of an agent that waits for a goal: poll.c */
    enum api_step step;      /* where a thread left it */
    bool held;               /* a thread or the database works on it: the event loop must not free it */
    ngx_thread_task_t *work; /* of handle_api.c */
    struct {
        struct lane *lane; /* NULL: neither waits nor has a place */
        ngx_queue_t link;
        enum fair_kind kind;
        int cost;
        bool is_waiting, has_place;
        void (*go)(struct exchange *x);
    } fair;                 /* fair.c */
    bool body_is_unread;    /* it has a body that is not being read yet */
    struct holding holding; /* what it costs: ledger.c */
    struct unsent unsent;   /* while its answer has not left: unsent.c */
};

/* ---- exchange.c ---- */
/* The exchange of this request, made the first time. NULL when there is no memory. */
struct exchange *exchange_of(ngx_http_request_t *r);
/* Its request, made the first time with what is always known: method, target, client, id. NULL when there is no memory. */
struct request *exchange_request(struct exchange *x);
/* Between hold and release a thread or the database works on the request, and nginx keeps it even if the client goes. */
void exchange_hold(struct exchange *x);
void exchange_release(struct exchange *x);

/* Method, path and target as the client wrote them. nginx's own r->uri is decoded and rewritten by error pages; nothing
 * here looks at it. */
str exchange_method(const ngx_http_request_t *r);
str exchange_target(const ngx_http_request_t *r);
str exchange_path(const ngx_http_request_t *r); /* without the query */

static inline str
str_of(ngx_str_t s)
{
    return (str){ (const char *)s.data, s.len };
}

/* ---- receive.c ---- */
/* Checks all headers and copies those that the API looks at. */
MUST_USE error receive_headers(struct exchange *x);
/* Whether a body belongs to the request, of whatever length. */
bool receive_has_body(const ngx_http_request_t *r);
/* The answer does not depend on the body: the body is discarded as it arrives. */
void receive_skip_body(struct exchange *x);
/* Reads the body into the arena, then calls done. The result is for nginx's content handler. */
ngx_int_t receive_body(struct exchange *x, struct arena *arena, size_t max_bytes, void (*done)(struct exchange *x));

/* ---- send.c ---- */
/* The result is for ngx_http_finalize_request(). */
ngx_int_t send_response(struct exchange *x);
/* Status and headers of an answer whose end is not known. The result is that of ngx_http_send_header(). */
ngx_int_t send_stream_headers(struct exchange *x);
/* An answer that is not the API's. `body` must live as long as the request. */
ngx_int_t send_plain(struct exchange *x, unsigned status, str content_type, str body);
/* The same, with a Retry-After unless it is 0. */
ngx_int_t send_plain_later(struct exchange *x, unsigned status, str content_type, str body, int retry_after_s);

/* ---- unsent.c ---- */
/* The answer was handed to nginx. Until all of it is sent the client must keep reading, or the request is ended. */
void unsent_watch(struct exchange *x);
void unsent_forget(struct exchange *x);
void unsent_start(int64_t span_ms, int64_t min_bytes_s);
void unsent_tick(void); /* each second */

/* ---- Handlers of locations ---- */
ngx_int_t handle_api(ngx_http_request_t *r);
ngx_int_t handle_operator(ngx_http_request_t *r);
ngx_int_t handle_agent(ngx_http_request_t *r);
/* The rest of a host's request, on a thread of the agents' pool. */
void agent_go_on_in_thread(struct exchange *x);
/* Ends a host's request with what was answered. Runs what nginx has to do then. */
void agent_finish(struct exchange *x);
ngx_int_t handle_error(ngx_http_request_t *r);

/* ---- variables.c: what the log line is made of ---- */
ngx_int_t variables_add(ngx_conf_t *cf);
/* Replaces nginx's own addition to its error log, which would print the query. */
u_char *variables_log_context(ngx_http_request_t *r, ngx_http_request_t *sr, u_char *buf, size_t len);

#endif
