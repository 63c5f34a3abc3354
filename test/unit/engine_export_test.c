/* SPDX-License-Identifier: Apache-2.0 */
/* What is counted of an export, and where its files may go. */
#include "check.h"

#include <arpa/inet.h>
#include <poll.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/net/bucket.h"
#include "engine/postgres/export/export_upload.h"

enum { ARENA_BYTES = 1 << 20 };

static void
tables_are_counted_by_their_files(void **state)
{
    (void)state;
    static const char *const tables[] = { "3421.dat", "3421.dat.zst", "1.dat.gz" };
    static const char *const others[] = {
        "toc.dat", "blobs.toc", "blob_16400.dat.zst", "roles.sql", "3421.sql", "", "7"
    };
    for (size_t i = 0; i < LENGTH(tables); i++)
        assert_true(export_is_table(str_from(tables[i])));
    for (size_t i = 0; i < LENGTH(others); i++)
        assert_false(export_is_table(str_from(others[i])));
}

/* ---- Somebody who listens, and counts who comes ---- */
struct listener {
    int socket, end[2], count;
    uint16_t port;
    pthread_t thread;
};

static void *
listen_for(void *context)
{
    struct listener *listener = context;
    struct pollfd both[] = { { .fd = listener->socket, .events = POLLIN },
                             { .fd = listener->end[0], .events = POLLIN } };
    while (poll(both, 2, -1) > 0 && both[1].revents == 0) {
        int visitor = accept(listener->socket, NULL, NULL);
        if (visitor < 0)
            continue;
        listener->count++;
        close(visitor);
    }
    return NULL;
}

static void
listener_start(struct listener *listener)
{
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) } };
    socklen_t length = sizeof(address);
    *listener = (struct listener){ .socket = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0) };
    assert_int_equal(bind(listener->socket, (struct sockaddr *)&address, sizeof(address)), 0);
    assert_int_equal(getsockname(listener->socket, (struct sockaddr *)&address, &length), 0);
    assert_int_equal(listen(listener->socket, 8), 0);
    assert_int_equal(pipe(listener->end), 0);
    listener->port = ntohs(address.sin_port);
    assert_int_equal(pthread_create(&listener->thread, NULL, listen_for, listener), 0);
}

static int
listener_end(struct listener *listener)
{
    assert_int_equal(write(listener->end[1], "x", 1), 1);
    pthread_join(listener->thread, NULL);
    close(listener->end[0]);
    close(listener->end[1]);
    close(listener->socket);
    return listener->count;
}

/* How many have come to the listener when something was written to a bucket at that url. */
static int
visitors(const char *url_format, const char *judged)
{
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(ARENA_BYTES);
    struct listener listener;
    struct net_address address;
    str why = STR_EMPTY;
    assert_true(net_parse_address(str_from(judged), &address));
    listener_start(&listener);
    struct bucket_place place = { .service_url = str_format(arena, "%s:%u", url_format, listener.port),
                                  .name = STR("exports"),
                                  .keys = { STR("key"), STR("secret"), STR("us-east-1") },
                                  .address_count = 1,
                                  .addresses = &address };
    struct bucket *bucket CLEANUP(bucket_cleanup) = bucket_open(&place);
    assert_non_null(bucket);
    assert_int_equal(bucket_put_text(bucket, arena, STR("a"), STR("text"), &why), BUCKET_AWAY);
    assert_non_null(strstr(why.data, "The store does not answer: "));
    return listener_end(&listener);
}

static void
only_addresses_that_were_judged_are_connected_to(void **state)
{
    (void)state;
    assert_true(visitors("https://127.0.0.1", "127.0.0.1") > 0);
    assert_int_equal(visitors("https://127.0.0.1", "192.0.2.1"), 0);
    /* A name leads to what was judged, whatever it would resolve to. */
    assert_true(visitors("https://objects.example.org", "127.0.0.1") > 0);
    assert_int_equal(visitors("https://localhost", "::1"), 0);
}

static void
only_https_is_spoken(void **state)
{
    (void)state;
    struct net_address address;
    assert_true(net_parse_address(STR("127.0.0.1"), &address));
    static const char *const urls[] = { "http://127.0.0.1", "file:///etc", "https://user@127.0.0.1", "127.0.0.1" };
    for (size_t i = 0; i < LENGTH(urls); i++) {
        struct bucket_place place = { .service_url = str_from(urls[i]), .address_count = 1, .addresses = &address };
        assert_null(bucket_open(&place));
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_are_counted_by_their_files),
        cmocka_unit_test(only_addresses_that_were_judged_are_connected_to),
        cmocka_unit_test(only_https_is_spoken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
