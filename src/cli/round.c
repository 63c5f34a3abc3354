/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/round.h"

#include <stdlib.h>

#include "cli/exchange.h"
#include "cli/profile.h"

enum { AT_ONCE = 4, MOST_FDS = 4 };

/* One of the few that are under way. */
struct lane {
    struct exchange exchange;
    struct request_out request;
    struct ask *ask; /* NULL: it is free */
    char problem[CURL_ERROR_SIZE];
};

struct round {
    struct client *client;
    CURLM *multi;
    struct arena *arena;
    struct lane lanes[AT_ONCE];
    struct ask *asks;
    size_t count, begun, ended;
    struct ask token; /* for an account that has none */
    bool is_asking_token, is_renewed;
};

struct round *
round_new(struct client *client)
{
    struct round *round = calloc(1, sizeof(*round));
    bool is_good = round != NULL && (round->multi = curl_multi_init()) != NULL;
    for (size_t i = 0; is_good && i < AT_ONCE; i++)
        is_good = (round->lanes[i].exchange.curl = curl_easy_init()) != NULL;
    if (!is_good) {
        round_free(round);
        return NULL;
    }
    round->client = client;
    return round;
}

static void
leave_lane(struct round *round, struct lane *lane)
{
    if (lane->ask == NULL)
        return;
    curl_multi_remove_handle(round->multi, lane->exchange.curl);
    exchange_end(&lane->exchange);
    lane->ask = NULL;
}

void
round_free(struct round *round)
{
    if (round == NULL)
        return;
    for (size_t i = 0; i < AT_ONCE; i++) {
        leave_lane(round, &round->lanes[i]);
        curl_easy_cleanup(round->lanes[i].exchange.curl);
    }
    curl_multi_cleanup(round->multi);
    free(round);
}

static void
fail_all(struct round *round, str why)
{
    for (size_t i = 0; i < round->count; i++)
        round->asks[i].problem = why;
    round->begun = round->ended = round->count;
}

/* ---- Sending ---- */
static void
enter_lane(struct round *round, struct lane *lane, struct ask *ask, enum authority by)
{
    lane->ask = ask;
    lane->request.accept = "application/json";
    lane->request.arena = round->arena;
    ask->problem = STR_EMPTY;
    lane->exchange = (struct exchange){ .client = round->client,
                                        .curl = lane->exchange.curl,
                                        .problem = lane->problem,
                                        .request = &lane->request,
                                        .answer = &ask->answer };
    exchange_begin(&lane->exchange, by);
    curl_multi_add_handle(round->multi, lane->exchange.curl);
}

static void
fill_lanes(struct round *round)
{
    for (size_t i = 0; i < AT_ONCE && !round->is_asking_token && round->begun < round->count; i++) {
        enum authority by = exchange_authority(round->client);
        if (round->lanes[i].ask != NULL)
            continue;
        if (by == ACCOUNT) {
            const char *why = exchange_token_request(round->client, round->arena, &round->lanes[i].request);
            if (why != NULL) {
                fail_all(round, str_from(why));
                return;
            }
            round->is_asking_token = true;
            enter_lane(round, &round->lanes[i], &round->token, by);
            return;
        }
        struct ask *ask = &round->asks[round->begun++];
        round->lanes[i].request = (struct request_out){ .method = "GET", .target = ask->target };
        enter_lane(round, &round->lanes[i], ask, by);
    }
}

void
round_begin(struct round *round, struct arena *arena, struct ask *asks, size_t count)
{
    for (size_t i = 0; i < AT_ONCE; i++)
        leave_lane(round, &round->lanes[i]);
    round->arena = arena;
    round->asks = asks;
    round->count = count;
    round->begun = round->ended = 0;
    round->is_asking_token = round->is_renewed = false;
    fill_lanes(round);
}

bool
round_is_over(const struct round *round)
{
    return round->ended >= round->count;
}

/* ---- What came ---- */
static void
take_token(struct round *round, bool is_there)
{
    round->is_asking_token = false;
    const char *why = is_there ? exchange_take_token(round->client, &round->token.answer) : round->token.problem.data;
    if (why != NULL)
        fail_all(round, str_format(round->arena, "no token: %s", why));
}

/* A token ends after an hour: everything that was refused with it is asked again with a new one, once. */
static void
renew(struct round *round)
{
    bool is_refused = false;
    if (!round_is_over(round) || round->is_renewed || exchange_authority(round->client) != TOKEN)
        return;
    for (size_t i = 0; i < round->count; i++)
        is_refused = is_refused || round->asks[i].answer.status == 401;
    if (!is_refused)
        return;
    profile_keep_token(round->client->cli, NULL, 0);
    round->is_renewed = true;
    round->begun = round->ended = 0;
}

static void
take_message(struct round *round, const CURLMsg *message)
{
    struct lane *lane = round->lanes;
    while (lane < round->lanes + AT_ONCE && lane->exchange.curl != message->easy_handle)
        lane++;
    if (message->msg != CURLMSG_DONE || lane == round->lanes + AT_ONCE || lane->ask == NULL)
        return;
    struct ask *ask = lane->ask;
    CURLcode result = message->data.result;
    if (result != CURLE_OK)
        ask->problem =
            str_dup(round->arena, str_from(lane->problem[0] != '\0' ? lane->problem : curl_easy_strerror(result)));
    leave_lane(round, lane);
    if (ask == &round->token)
        take_token(round, result == CURLE_OK);
    else
        round->ended++;
}

void
round_wait(struct round *round, const int *fds, size_t fd_count, int timeout_ms)
{
    struct curl_waitfd waits[MOST_FDS];
    const CURLMsg *message;
    int running, left;
    for (size_t i = 0; i < fd_count; i++)
        waits[i] = (struct curl_waitfd){ .fd = fds[i], .events = CURL_WAIT_POLLIN };
    curl_multi_perform(round->multi, &running);
    if (running > 0 || round_is_over(round))
        curl_multi_poll(round->multi, waits, (unsigned)fd_count, timeout_ms, NULL);
    curl_multi_perform(round->multi, &running);
    while ((message = curl_multi_info_read(round->multi, &left)) != NULL)
        take_message(round, message);
    renew(round);
    fill_lanes(round);
}
