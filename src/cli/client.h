/* SPDX-License-Identifier: Apache-2.0 */
/*
 * HTTP: one request and its answer, with the credentials of the profile, and with retries where that is safe. The only
 * files that know libcurl are exchange.c, and client.c and round.c on top of it.
 */
#ifndef CLI_CLIENT_H
#define CLI_CLIENT_H

#include <stdio.h>

#include "cli/cli.h"

struct request_out {
    const char *method;
    str target; /* path and query, beginning with / */
    str body;   /* empty: none, unless `has_body` */
    bool has_body;
    const char *accept;
    const char *content_type; /* NULL: application/json */
    const char *if_match, *idempotency_key, *last_event_id;
    const char *const *headers; /* more of them, "Name: value"; NULL at the end */
    bool is_repeatable;         /* doing it twice does no harm, whatever the method */
    bool is_tried_once;         /* whoever asks does so again later */
    FILE *sink;                 /* where the bytes of a successful answer go instead of .body */
    /* Pieces of an answer that goes on; false ends it. */
    bool (*piece)(void *context, str piece);
    void *context;
    struct arena *arena; /* of the answer and all that is made for it; NULL: the run's */
};

struct answer {
    long status;
    str body;
    str request_id, etag, operation_location, location, content_type;
    int retry_after_s; /* 0: not said */
    size_t sunk_bytes; /* what went into the sink */
};

struct client;

MUST_USE struct client *client_new(struct cli *cli); /* NULL: said why */
void client_free(struct client *client);
void client_cleanup(struct client **client);

/*
 * EXIT_SUCCESS: there is an answer, with any status. Otherwise the problem was printed. 429, 503 and lost connections
 * are retried as often as the options say.
 */
MUST_USE int client_send(struct client *client, const struct request_out *request, struct answer *ret_answer);

/* A new random text for Idempotency-Key. */
str client_new_key(struct arena *arena);
/* Where the API is, without a slash at the end. */
str client_base(struct arena *arena, const struct cli *cli);
/* The delay before try number `attempt` (1 is the first repetition); never shorter than the server asks for. */
int client_delay_ms(int attempt, int retry_after_s);
/* How often the options say that something is tried again. */
int client_retries(const struct client *client);
/* Sleeps; false when a signal ended it early. */
bool client_pause(int ms);

#endif
