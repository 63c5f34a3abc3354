/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/log/log_show.h"

#include <errno.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>
#include <zlib.h>

#include "agent/log/log_request.h"
#include "agent/log/logins.h"
#include "base/clock.h"
#include "base/crypto/crypto.h"
#include "base/disk.h"
#include "base/log.h"
#include "base/net/log_door.h"
#include "engine/problem.h"

enum {
    MOST_STRANGERS = 64,          /* connections that have not shown yet who they are */
    MOST_GUESTS = 32,             /* and those that have */
    MOST_OF_A_MEMBER = 4,         /* of them for the logs of one member */
    HANDSHAKE_MS = 5 * 1000,      /* and the request */
    WRITE_MS = 60 * 1000,         /* a reader who takes nothing for so long is gone */
    WHOLE_MS = 60 * 60 * 1000,    /* of one answer */
    LOOK_BACK_MS = 8 * 1000,      /* how long attempts to log in are looked for */
    SETTLED_US = 2 * 1000 * 1000, /* lines of a moment that is so long ago are all in the journal */
    REQUEST_ARENA_BYTES = 64 * 1024 * 1024,
    STACK_BYTES = 512 * 1024,
    BACKLOG = 64,
    KNOWN_LENGTHS = 64,
    PEM_BYTES = 256 * 1024,
    US_PER_MS = 1000,
};

struct guest {
    struct tls *tls;
    struct arena *arena;
    struct log_request request;
    int64_t until_ms;
};

/* ---- How many there are ---- */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int strangers, guest_count;
static id guests[MOST_GUESTS]; /* the members that they read */

static bool
stranger_comes(void)
{
    pthread_mutex_lock(&lock);
    bool may = strangers < MOST_STRANGERS;
    strangers += may;
    pthread_mutex_unlock(&lock);
    return may;
}

static void
stranger_goes(void)
{
    pthread_mutex_lock(&lock);
    strangers--;
    pthread_mutex_unlock(&lock);
}

static bool
guest_comes(id member)
{
    int of_member = 0;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < guest_count; i++)
        of_member += id_eq(guests[i], member);
    bool may = guest_count < MOST_GUESTS && of_member < MOST_OF_A_MEMBER;
    if (may)
        guests[guest_count++] = member;
    pthread_mutex_unlock(&lock);
    return may;
}

static void
guest_goes(id member)
{
    pthread_mutex_lock(&lock);
    for (int i = 0; i < guest_count; i++) {
        if (id_eq(guests[i], member)) {
            guests[i] = guests[--guest_count];
            break;
        }
    }
    pthread_mutex_unlock(&lock);
}

/* ---- Answers ---- */
static bool
say(struct guest *guest, str text)
{
    return text.len > 0 && clock_steady_ms() < guest->until_ms && tls_write(guest->tls, text.data, text.len, WRITE_MS);
}

static bool
refuse(struct guest *guest, const char *status)
{
    return say(guest,
               str_format(guest->arena, "HTTP/1.0 %s\r\nContent-Length: 0\r\nConnection: close\r\n\r\n", status));
}

/* ---- Lines of a log ---- */
struct piece {
    struct guest *guest;
    int64_t skip, sent; /* bytes */
    bool is_counted;    /* nothing is sent */
    bool is_chunked;
};

static bool
take_bytes(void *context, const void *bytes, size_t count)
{
    struct piece *piece = context;
    struct guest *guest = piece->guest;
    char size[32];
    size_t left_out = piece->skip > (int64_t)count ? count : (size_t)piece->skip;
    piece->skip -= (int64_t)left_out;
    count -= left_out;
    piece->sent += (int64_t)count;
    if (count == 0 || piece->is_counted)
        return clock_steady_ms() < guest->until_ms && !tls_is_left(guest->tls);
    int size_len = snprintf(size, sizeof(size), "%zx\r\n", count);
    if (piece->is_chunked && !say(guest, (str){ size, (size_t)size_len }))
        return false;
    return say(guest, (str){ (const char *)bytes + left_out, count }) &&
           (!piece->is_chunked || say(guest, STR("\r\n")));
}

/*
 * As long as it is the same, so are the bytes: the lines that it begins with are still there, and none can be added. Empty: lines may
 * still come.
 */
static str
mark_of(struct guest *guest, int64_t first_us)
{
    const struct log_range *range = &guest->request.range;
    if (range->to_us > clock_now_ms() * US_PER_MS - SETTLED_US)
        return STR_EMPTY;
    return str_format(guest->arena, "\"%lld-%lld-%lld-%lld-%lld-%s\"", (long long)range->from_us,
                      (long long)range->to_us, (long long)range->after.time_us, (long long)range->after.taken,
                      (long long)first_us, zlibVersion());
}

/* ---- How long answers were: whoever wants the rest of one soon comes back ---- */
struct known_length {
    uint8_t name[SHA256_BYTES]; /* of the member, the log and its mark */
    int64_t bytes;
};
static struct known_length lengths[KNOWN_LENGTHS]; /* under the lock */
static size_t next_length;

static struct known_length
name_length(struct guest *guest, str mark, int64_t bytes)
{
    const struct log_range *range = &guest->request.range;
    struct known_length named = { .bytes = bytes };
    crypto_sha256(
        str_format(guest->arena, "%s %s %s", id_text(guest->arena, range->member).data, range->kind->name, mark.data),
        named.name);
    return named;
}

static void
remember_length(struct guest *guest, str mark, int64_t bytes)
{
    struct known_length named = name_length(guest, mark, bytes);
    if (mark.len == 0 || arena_is_exhausted(guest->arena))
        return;
    pthread_mutex_lock(&lock);
    lengths[next_length] = named;
    next_length = (next_length + 1) % KNOWN_LENGTHS;
    pthread_mutex_unlock(&lock);
}

/* 0: not known. */
static int64_t
find_length(struct guest *guest, str mark)
{
    struct known_length named = name_length(guest, mark, 0);
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < KNOWN_LENGTHS; i++) {
        if (lengths[i].bytes > 0 && memcmp(lengths[i].name, named.name, SHA256_BYTES) == 0)
            named.bytes = lengths[i].bytes;
    }
    pthread_mutex_unlock(&lock);
    return arena_is_exhausted(guest->arena) ? 0 : named.bytes;
}

/* Without knowing it, all of it is read for that. */
static bool
count_bytes(struct guest *guest, struct journal *journal, str mark, int64_t *ret_bytes)
{
    struct piece counted = { .guest = guest, .is_counted = true };
    const struct log_sink counter = { take_bytes, &counted };
    *ret_bytes = find_length(guest, mark);
    if (*ret_bytes > 0)
        return true;
    if (log_range_send(journal, guest->arena, &guest->request.range, &counter) != 1)
        return false;
    *ret_bytes = counted.sent;
    remember_length(guest, mark, counted.sent);
    return true;
}

static bool
send_whole(struct guest *guest, struct journal *journal, str mark)
{
    struct piece piece = { .guest = guest, .is_chunked = true };
    const struct log_sink sink = { take_bytes, &piece };
    str lines = mark.len == 0 ? STR_EMPTY : str_format(guest->arena, "ETag: %s\r\nAccept-Ranges: bytes\r\n", mark.data);
    if (!say(guest, str_format(guest->arena,
                               "HTTP/1.1 200 OK\r\nContent-Type: application/gzip\r\nTransfer-Encoding: chunked\r\n"
                               "%sConnection: close\r\n\r\n",
                               lines.data)))
        return false;
    if (guest->request.is_head)
        return true;
    if (log_range_send(journal, guest->arena, &guest->request.range, &sink) != 1)
        return false;
    remember_length(guest, mark, piece.sent);
    return say(guest, STR("0\r\n\r\n"));
}

/* How much there is has to be said first. */
static bool
send_rest(struct guest *guest, struct journal *journal, str mark)
{
    int64_t from = guest->request.skip_bytes, all;
    struct piece rest = { .guest = guest, .skip = from };
    const struct log_sink sink = { take_bytes, &rest };
    if (!count_bytes(guest, journal, mark, &all))
        return false;
    if (from >= all)
        return say(guest, str_format(guest->arena,
                                     "HTTP/1.1 416 Range Not Satisfiable\r\nContent-Range: bytes */%lld\r\n"
                                     "Content-Length: 0\r\nConnection: close\r\n\r\n",
                                     (long long)all));
    if (!say(guest,
             str_format(guest->arena,
                        "HTTP/1.1 206 Partial Content\r\nContent-Type: application/gzip\r\n"
                        "Content-Range: bytes %lld-%lld/%lld\r\nContent-Length: %lld\r\nETag: %s\r\n"
                        "Connection: close\r\n\r\n",
                        (long long)from, (long long)all - 1, (long long)all, (long long)(all - from), mark.data)))
        return false;
    return guest->request.is_head ||
           (log_range_send(journal, guest->arena, &guest->request.range, &sink) == 1 && rest.sent == all - from);
}

static bool
send_log(struct guest *guest, struct journal *journal)
{
    const struct log_request *request = &guest->request;
    int64_t first_us;
    if (!log_range_first(journal, guest->arena, &request->range, &first_us))
        return refuse(guest, "500 Internal Server Error");
    str mark = mark_of(guest, first_us);
    bool is_rest =
        request->skip_bytes > 0 && mark.len > 0 && (request->if_range.len == 0 || str_eq(request->if_range, mark));
    return is_rest ? send_rest(guest, journal, mark) : send_whole(guest, journal, mark);
}

/* ---- Attempts to log in ---- */
static bool
is_asked_for(const struct log_request *request, const struct login *login)
{
    return (request->authenticated < 0 || request->authenticated == (int)login->is_in) &&
           (request->address.len == 0 || str_is(request->address, login->address));
}

static void
add_text(struct buf *out, const char *name, const char *value)
{
    buf_format(out, ",\"%s\":", name);
    buf_add_json(out, str_from(value));
}

static void
add_login(struct buf *out, const struct login *login)
{
    buf_format(out, "{\"us\":%lld,\"authResult\":%s", (long long)login->time_us, login->is_in ? "true" : "false");
    add_text(out, "username", login->user);
    add_text(out, "ipAddress", login->address);
    add_text(out, "authSource", login->database);
    if (!login->is_in)
        add_text(out, "failureReason", login->reason);
    add_text(out, "logLine", login->line);
    buf_add_text(out, "}\n");
}

struct search {
    const struct log_request *request;
    struct buf *out;
    int64_t found;
};

static void
take_login(void *context, const struct login *login)
{
    struct search *search = context;
    const struct log_range *range = &search->request->range;
    if (login->time_us > range->to_us || login->time_us < range->from_us || !is_asked_for(search->request, login))
        return;
    add_login(search->out, login);
    search->found++;
}

/* From the last one back, until there are enough, or it takes too long. The last line says how far that was. */
static bool
find_logins(struct journal *journal, struct logins *logins, struct search *search)
{
    const struct log_range *range = &search->request->range;
    int64_t until_ms = clock_steady_ms() + LOOK_BACK_MS, reached_us = range->from_us;
    struct journal_entry entry;
    bool is_enough = false;
    int more = 0;
    while (!is_enough && (more = journal_previous(journal, &entry)) > 0 &&
           entry.time_us >= range->from_us - LOGIN_SURE_US) {
        logins_take(logins, &entry);
        is_enough = search->found >= search->request->most || (int64_t)search->out->len > search->request->bytes ||
                    clock_steady_ms() >= until_ms;
    }
    if (is_enough)
        reached_us = logins_told_since(logins, entry.time_us);
    /* So much is written that nothing was sure yet: whoever asks again must come further all the same. */
    bool is_stuck = is_enough && reached_us >= range->to_us;
    reached_us = is_stuck ? entry.time_us : reached_us;
    if (!is_enough || is_stuck)
        logins_end(logins);
    buf_format(search->out, "{\"reached\":%lld}\n", (long long)reached_us);
    return more >= 0 && !search->out->failed;
}

static bool
send_logins(struct guest *guest, struct journal *journal)
{
    const struct log_range *range = &guest->request.range;
    struct buf out = buf_in(guest->arena, LOGINS_BYTES + 1024 * 1024);
    struct search search = { &guest->request, &out, 0 };
    str unit = str_format(guest->arena, "reeve-member-%s.service", id_text(guest->arena, range->member).data);
    struct logins *logins = logins_new(take_login, &search);
    bool is_found = logins != NULL && unit.len > 0 && journal_choose(journal, &unit, 1) &&
                    journal_go_to_moment(journal, range->to_us + 1) && find_logins(journal, logins, &search);
    logins_free(logins);
    if (!is_found)
        return refuse(guest, "500 Internal Server Error");
    return say(guest, STR("HTTP/1.0 200 OK\r\nContent-Type: application/x-ndjson\r\nConnection: close\r\n\r\n")) &&
           say(guest, buf_str(&out));
}

/* ---- One connection ---- */
/* False: nobody who is let in, or nothing that there is. */
static bool
read_request(struct guest *guest)
{
    char *head = arena_alloc(guest->arena, LOG_REQUEST_BYTES + 1);
    size_t len = 0;
    int64_t until_ms = clock_steady_ms() + HANDSHAKE_MS;
    while (head != NULL && len < LOG_REQUEST_BYTES) {
        int64_t left_ms = until_ms - clock_steady_ms();
        int count = left_ms <= 0 ? -1 : tls_read(guest->tls, head + len, LOG_REQUEST_BYTES - len, left_ms);
        if (count <= 0)
            return false;
        len += (size_t)count;
        const char *end = memmem(head, len, "\r\n\r\n", 4);
        if (end == NULL)
            continue;
        if (log_request_read((str){ head, (size_t)(end - head) }, &guest->request))
            return true;
        return refuse(guest, "404 Not Found") && false;
    }
    return false;
}

static bool
answer(struct guest *guest)
{
    struct journal *journal = journal_open();
    if (journal == NULL)
        return refuse(guest, "500 Internal Server Error");
    bool is_done = guest->request.is_logins ? send_logins(guest, journal) : send_log(guest, journal);
    journal_close(journal);
    return is_done;
}

static bool
serve(struct guest *guest)
{
    if (!guest_comes(guest->request.range.member))
        return refuse(guest, "503 Service Unavailable");
    bool is_done = answer(guest);
    guest_goes(guest->request.range.member);
    return is_done;
}

struct visit {
    struct tls_side *side;
    int socket;
};

static void *
run(void *context)
{
    struct visit *visit = context;
    struct guest guest = { .arena = arena_new(REQUEST_ARENA_BYTES), .until_ms = clock_steady_ms() + WHOLE_MS };
    guest.tls = guest.arena == NULL ? NULL : tls_open(visit->side, visit->socket, NULL, HANDSHAKE_MS);
    bool is_let_in = guest.tls != NULL && tls_peer_is_of(guest.tls, LOG_DOOR_ORGANIZATION) && read_request(&guest);
    stranger_goes();
    /* An answer that broke off ends without a goodbye: whoever reads it sees that something is missing. */
    bool is_done = is_let_in && serve(&guest);
    tls_close(guest.tls, is_done);
    arena_free(guest.arena);
    (void)close(visit->socket);
    free(visit);
    return NULL;
}

/* ---- The door ---- */
static void
let_try(struct tls_side *side, int socket)
{
    struct visit *visit = stranger_comes() ? malloc(sizeof(*visit)) : NULL;
    pthread_t thread;
    pthread_attr_t attributes;
    if (visit == NULL) {
        (void)close(socket);
        return;
    }
    *visit = (struct visit){ side, socket };
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    if (pthread_create(&thread, &attributes, run, visit) != 0) {
        stranger_goes();
        (void)close(socket);
        free(visit);
    }
    pthread_attr_destroy(&attributes);
}

/* Both families where there are both. */
static int
open_door(void)
{
    struct sockaddr_in6 any6 = { .sin6_family = AF_INET6, .sin6_port = htons(LOG_DOOR_PORT) };
    struct sockaddr_in any4 = { .sin_family = AF_INET, .sin_port = htons(LOG_DOOR_PORT) };
    int yes = 1, no = 0, fd = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const struct sockaddr *any = (const struct sockaddr *)&any6;
    socklen_t size = sizeof(any6);
    if (fd < 0) {
        fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        any = (const struct sockaddr *)&any4;
        size = sizeof(any4);
    } else {
        (void)setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &no, sizeof(no));
    }
    if (fd >= 0 && setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes)) == 0 && bind(fd, any, size) == 0 &&
        listen(fd, BACKLOG) == 0)
        return fd;
    if (fd >= 0)
        (void)close(fd);
    return -1;
}

static error
make_side(struct arena *arena, str folder, struct tls_side **ret_side)
{
    static const char *const names[] = { "server.crt", "server.key", "authority.crt" };
    str files[LENGTH(names)];
    for (size_t i = 0; i < LENGTH(names); i++) {
        str path = str_format(arena, "%.*s/%s", STR_ARG(folder), names[i]);
        if (!disk_read(arena, path.data, PEM_BYTES, &files[i]))
            return problem(arena, "%s cannot be read: %s.", path.data, strerror(errno));
    }
    *ret_side = tls_side_new(TLS_SERVER, files[0], files[1], files[2]);
    return *ret_side != NULL ? OK : problem(arena, "The certificate in %.*s does not fit.", STR_ARG(folder));
}

error
log_show_run(struct arena *arena, str folder)
{
    struct tls_side *side;
    TRY(make_side(arena, folder, &side));
    int door = open_door();
    if (door < 0)
        return problem(arena, "Port %d cannot be opened: %s.", LOG_DOOR_PORT, strerror(errno));
    (void)signal(SIGPIPE, SIG_IGN);
    for (;;) {
        int socket = accept4(door, NULL, NULL, SOCK_CLOEXEC);
        if (socket >= 0)
            let_try(side, socket);
        else if (errno == EMFILE || errno == ENFILE || errno == ENOMEM)
            clock_sleep_ms(100);
    }
}
