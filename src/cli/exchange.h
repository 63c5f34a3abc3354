/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One request on one of libcurl's handles, and what comes back. client.c sends them one after the other, round.c several at a time;
 * the three are all that knows libcurl.
 */
#ifndef CLI_EXCHANGE_H
#define CLI_EXCHANGE_H

#include <curl/curl.h>

#include "cli/client.h"

struct client {
    struct cli *cli;
    CURL *curl;
    int64_t retries, timeout_s;
    char problem[CURL_ERROR_SIZE];
};

/* Whose credentials go with it. */
enum authority { NOBODY, ACCOUNT, KEY, TOKEN, SESSION, OPERATOR };

struct exchange {
    struct client *client;
    CURL *curl;
    char *problem; /* CURL_ERROR_SIZE of them, for a sentence about what went wrong */
    const struct request_out *request;
    struct answer *answer;
    struct buf body;
    str url;
    struct curl_slist *headers;
};

/* Everything is set, nothing is sent yet. `x` must stay where it is until exchange_end(). */
void exchange_begin(struct exchange *x, enum authority by);
/* Fills in the status and the body of the answer. */
void exchange_end(struct exchange *x);

/* Those of the profile, but for an account without a token, which is ACCOUNT: it needs one first. */
enum authority exchange_authority(const struct client *client);
/* How an account asks for a token, and what came: the token is kept. Otherwise why there is none is returned. */
MUST_USE const char *exchange_token_request(struct client *client, struct arena *arena,
                                            struct request_out *ret_request);
const char *exchange_take_token(struct client *client, const struct answer *answer);

/* Whether doing it twice is the same as doing it once. */
bool exchange_may_repeat(const struct request_out *request);
/* "http://127.0.0.1:9443": what never leaves the machine may be in clear text. */
bool exchange_is_loopback(const char *url);

#endif
