/* SPDX-License-Identifier: Apache-2.0 */
#include "base/net/log_door.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"

enum { READ_BYTES = 16 * 1024, HEAD_BYTES = 4096, STATUS_DIGITS = 3 };

static socklen_t
address_of(str text, struct sockaddr_storage *ret_address)
{
    struct sockaddr_in *v4 = (struct sockaddr_in *)ret_address;
    struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)ret_address;
    *ret_address = (struct sockaddr_storage){ 0 };
    if (inet_pton(AF_INET, text.data, &v4->sin_addr) == 1) {
        v4->sin_family = AF_INET;
        v4->sin_port = htons(LOG_DOOR_PORT);
        return sizeof(*v4);
    }
    if (inet_pton(AF_INET6, text.data, &v6->sin6_addr) != 1)
        return 0;
    v6->sin6_family = AF_INET6;
    v6->sin6_port = htons(LOG_DOOR_PORT);
    return sizeof(*v6);
}

static bool
connect_within(int fd, const struct sockaddr_storage *address, socklen_t size, int64_t limit_ms)
{
    int why = 0;
    socklen_t why_size = sizeof(why);
    struct pollfd wanted = { .fd = fd, .events = POLLOUT };
    if (connect(fd, (const struct sockaddr *)address, size) == 0)
        return true;
    return errno == EINPROGRESS && poll(&wanted, 1, (int)limit_ms) == 1 &&
           getsockopt(fd, SOL_SOCKET, SO_ERROR, &why, &why_size) == 0 && why == 0;
}

/* All that comes, until the other side says goodbye: an answer that was cut off is none. */
static bool
read_all(struct tls *tls, struct buf *answer, int64_t until_ms)
{
    char piece[READ_BYTES];
    for (;;) {
        int64_t left_ms = until_ms - clock_steady_ms();
        int count = left_ms <= 0 ? -1 : tls_read(tls, piece, sizeof(piece), left_ms);
        if (count <= 0)
            return count == 0 && !answer->failed;
        buf_add(answer, (str){ piece, (size_t)count });
        if (answer->failed)
            return false;
    }
}

/* "HTTP/1.0 200 …": the head up to an empty line, then the body to the end. */
static enum log_door_outcome
read_answer(str answer, str *ret_body)
{
    static const char before[] = "HTTP/1.0 ";
    size_t status_at = sizeof(before) - 1;
    const char *end = memmem(answer.data, answer.len, "\r\n\r\n", 4);
    if (end == NULL || !str_starts_with(answer, str_from(before)) || answer.len < status_at + STATUS_DIGITS)
        return LOG_DOOR_SILENT;
    str status = str_slice(answer, status_at, status_at + STATUS_DIGITS);
    *ret_body = str_slice(answer, (size_t)(end - answer.data) + 4, answer.len);
    return str_is(status, "200") ? LOG_DOOR_ANSWERED : str_is(status, "503") ? LOG_DOOR_BUSY : LOG_DOOR_SILENT;
}

static enum log_door_outcome
talk(struct tls *tls, struct arena *arena, str target, size_t cap_bytes, int64_t until_ms, str *ret_body)
{
    struct buf answer = buf_in(arena, cap_bytes + HEAD_BYTES);
    str request = str_format(arena, "GET %.*s HTTP/1.0\r\n\r\n", STR_ARG(target));
    if (request.len == 0 || !tls_write(tls, request.data, request.len, until_ms - clock_steady_ms()) ||
        !read_all(tls, &answer, until_ms))
        return LOG_DOOR_SILENT;
    return read_answer(buf_str(&answer), ret_body);
}

enum log_door_outcome
log_door_ask(struct tls_side *side, struct arena *arena, const struct log_door *door, str target, size_t cap_bytes,
             int64_t limit_ms, str *ret_body)
{
    struct sockaddr_storage address;
    socklen_t size = address_of(str_dup(arena, door->address), &address);
    int64_t until_ms = clock_steady_ms() + limit_ms;
    str name = str_format(arena, LOG_DOOR_NAME "%.*s", STR_ARG(door->host));
    int fd = size == 0 ? -1 : socket(address.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    enum log_door_outcome outcome = LOG_DOOR_SILENT;
    if (fd < 0)
        return outcome;
    struct tls *tls = connect_within(fd, &address, size, limit_ms)
                          ? tls_open(side, fd, name.data, until_ms - clock_steady_ms())
                          : NULL;
    if (tls != NULL)
        outcome = talk(tls, arena, target, cap_bytes, until_ms, ret_body);
    tls_close(tls, outcome == LOG_DOOR_ANSWERED);
    (void)close(fd);
    return outcome;
}
