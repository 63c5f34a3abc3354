/* SPDX-License-Identifier: Apache-2.0 */
#include "base/net/kmip.h"

#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/crypto/crypto.h"
#include "base/crypto/tls.h"

enum { TRIED_BYTES = 32 };
#define NOT_REACHED \
    "The key service was not reached: its address is not public, nobody is there, or it and the project do not accept each other's certificates."

static socklen_t
address_of(const struct net_address *from, uint16_t port, struct sockaddr_storage *ret_address)
{
    struct sockaddr_in *v4 = (struct sockaddr_in *)ret_address;
    struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)ret_address;
    *ret_address = (struct sockaddr_storage){ 0 };
    if (net_is_v4(from)) {
        *v4 = (struct sockaddr_in){ .sin_family = AF_INET, .sin_port = htons(port) };
        memcpy(&v4->sin_addr, from->bytes + sizeof(from->bytes) - sizeof(v4->sin_addr), sizeof(v4->sin_addr));
        return sizeof(*v4);
    }
    *v6 = (struct sockaddr_in6){ .sin6_family = AF_INET6, .sin6_port = htons(port) };
    memcpy(&v6->sin6_addr, from->bytes, sizeof(v6->sin6_addr));
    return sizeof(*v6);
}

/* -1: nobody took the connection in time. */
static int
connect_to(const struct net_address *where, uint16_t port, int64_t until_ms)
{
    struct sockaddr_storage address;
    socklen_t size = address_of(where, port, &address), why_size = sizeof(int);
    int64_t left_ms = until_ms - clock_steady_ms();
    int why = 0, fd = socket(address.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    struct pollfd wanted = { .fd = fd, .events = POLLOUT };
    if (fd < 0)
        return -1;
    if (connect(fd, (const struct sockaddr *)&address, size) == 0 ||
        (errno == EINPROGRESS && left_ms > 0 && poll(&wanted, 1, (int)left_ms) == 1 &&
         getsockopt(fd, SOL_SOCKET, SO_ERROR, &why, &why_size) == 0 && why == 0))
        return fd;
    (void)close(fd);
    return -1;
}

static bool
read_bytes(struct tls *tls, char *bytes, size_t count, int64_t until_ms)
{
    for (size_t done = 0; done < count;) {
        int64_t left_ms = until_ms - clock_steady_ms();
        int more = left_ms <= 0 ? -1 : tls_read(tls, bytes + done, count - done, left_ms);
        if (more <= 0)
            return false;
        done += (size_t)more;
    }
    return true;
}

/* One answer and not a byte more. */
static bool
read_answer(struct tls *tls, struct arena *arena, int64_t until_ms, str *ret_answer)
{
    char head[KMIP_HEAD_BYTES];
    if (!read_bytes(tls, head, sizeof(head), until_ms))
        return false;
    size_t length = kmip_answer_length((const uint8_t *)head);
    char *all = length == 0 ? NULL : arena_alloc(arena, length);
    if (all == NULL)
        return false;
    memcpy(all, head, sizeof(head));
    *ret_answer = (str){ all, length };
    return read_bytes(tls, all + sizeof(head), length - sizeof(head), until_ms);
}

static bool
talk(struct tls *tls, struct arena *arena, str question, int64_t until_ms, str *ret_answer)
{
    int64_t left_ms = until_ms - clock_steady_ms();
    return left_ms > 0 && tls_write(tls, question.data, question.len, left_ms) &&
           read_answer(tls, arena, until_ms, ret_answer);
}

/* Keys go through this memory, and what is freed stays there until somebody else has it. */
static void
wipe(str bytes)
{
    crypto_wipe((char *)(uintptr_t)bytes.data, bytes.len);
}

/* A service whose name was looked up: once for all that is asked of it together. */
struct place {
    struct arena *arena;
    const struct kmip_service *service;
    struct egress_target target;
    int64_t until_ms;
};

static bool
look_up(struct arena *arena, const struct egress_allowed *allowed, const struct kmip_service *service, int64_t limit_ms,
        struct place *ret_place, str *ret_why)
{
    bool is_v6 = str_find(service->host, ':') >= 0;
    str url = str_format(arena, is_v6 ? "https://[%.*s]:%d" : "https://%.*s:%d", STR_ARG(service->host), service->port),
        ignored;
    *ret_why = STR(NOT_REACHED);
    *ret_place = (struct place){ .arena = arena, .service = service };
    if (!egress_resolve(arena, allowed, url, &ret_place->target, &ignored))
        return false;
    ret_place->until_ms = clock_steady_ms() + limit_ms;
    return true;
}

static enum kmip_outcome
ask(const struct place *place, const struct kmip_question *question, str *ret_data, str *ret_why)
{
    const struct kmip_service *service = place->service;
    str bytes = kmip_question_write(place->arena, question), answer = STR_EMPTY,
        name = str_dup(place->arena, service->host);
    bool was_answered = false;
    *ret_why = STR(NOT_REACHED);
    struct tls_side *side = tls_side_new(TLS_CLIENT, service->certificate, service->key, service->authority);
    for (size_t i = 0; side != NULL && bytes.len > 0 && i < place->target.count && !was_answered &&
                       clock_steady_ms() < place->until_ms;
         i++) {
        int fd = connect_to(&place->target.addresses[i], place->target.url.port, place->until_ms);
        struct tls *tls = fd < 0 ? NULL : tls_open(side, fd, name.data, place->until_ms - clock_steady_ms());
        wipe(answer); /* of the address before, which did not say all of it */
        was_answered = tls != NULL && talk(tls, place->arena, bytes, place->until_ms, &answer);
        tls_close(tls, was_answered);
        if (fd >= 0)
            (void)close(fd);
    }
    tls_side_free(side);
    enum kmip_outcome outcome =
        was_answered ? kmip_answer_read(place->arena, answer, question->operation, ret_data, ret_why) : KMIP_SILENT;
    wipe(bytes);
    wipe(answer);
    return outcome;
}

static enum kmip_outcome
unwrap(const struct place *place, str key, str wrapped, str *ret_plain, str *ret_why)
{
    *ret_why = STR("The wrapped key is too short to be one.");
    if (wrapped.len <= KMIP_IV_BYTES)
        return KMIP_SILENT;
    struct kmip_question question = { KMIP_DECRYPT, key, str_slice(wrapped, 0, KMIP_IV_BYTES),
                                      str_slice(wrapped, KMIP_IV_BYTES, wrapped.len) };
    return ask(place, &question, ret_plain, ret_why);
}

static enum kmip_outcome
wrap(const struct place *place, str key, str plain, str *ret_wrapped, str *ret_why)
{
    char iv[KMIP_IV_BYTES];
    crypto_random(iv, sizeof(iv));
    struct kmip_question question = { KMIP_ENCRYPT, key, { iv, sizeof(iv) }, plain };
    str encrypted;
    enum kmip_outcome outcome = ask(place, &question, &encrypted, ret_why);
    if (outcome != KMIP_GIVEN)
        return outcome;
    struct buf both = buf_in(place->arena, KMIP_WRAPPED_MOST_BYTES);
    buf_add(&both, question.iv);
    buf_add(&both, encrypted);
    *ret_wrapped = buf_str(&both);
    *ret_why = both.failed ? STR("What the key service answered is longer than a wrapped key.") : STR_EMPTY;
    return both.failed ? KMIP_SILENT : KMIP_GIVEN;
}

/* What may be encrypted with a key may not always be decrypted with it. */
enum kmip_outcome
kmip_wrap(struct arena *arena, const struct egress_allowed *allowed, const struct kmip_service *service, str key,
          str plain, int64_t limit_ms, str *ret_wrapped, str *ret_why)
{
    struct place place;
    str wrapped, back = STR_EMPTY;
    if (!look_up(arena, allowed, service, limit_ms, &place, ret_why))
        return KMIP_SILENT;
    enum kmip_outcome outcome = wrap(&place, key, plain, &wrapped, ret_why);
    if (outcome == KMIP_GIVEN)
        outcome = unwrap(&place, key, wrapped, &back, ret_why);
    if (outcome != KMIP_GIVEN)
        return outcome;
    bool is_same = back.len == plain.len && crypto_equal(back.data, plain.data, plain.len);
    wipe(back);
    if (!is_same) {
        *ret_why = STR("What the key service decrypted is not what it had encrypted.");
        return KMIP_SILENT;
    }
    *ret_wrapped = wrapped;
    return KMIP_GIVEN;
}

enum kmip_outcome
kmip_unwrap(struct arena *arena, const struct egress_allowed *allowed, const struct kmip_service *service, str key,
            str wrapped, int64_t limit_ms, str *ret_plain, str *ret_why)
{
    struct place place;
    if (!look_up(arena, allowed, service, limit_ms, &place, ret_why))
        return KMIP_SILENT;
    return unwrap(&place, key, wrapped, ret_plain, ret_why);
}

enum kmip_outcome
kmip_try(struct arena *arena, const struct egress_allowed *allowed, const struct kmip_service *service, str key,
         int64_t limit_ms, str *ret_why)
{
    char tried[TRIED_BYTES];
    str ignored;
    crypto_random(tried, sizeof(tried));
    return kmip_wrap(arena, allowed, service, key, (str){ tried, sizeof(tried) }, limit_ms, &ignored, ret_why);
}
