/* SPDX-License-Identifier: Apache-2.0 */
#include "base/net/egress.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "check.h"

static const struct egress_allowed nobody;

static struct net_address
parse(const char *text)
{
    struct net_address address;
    if (!net_parse_address(str_from(text), &address))
        fail_msg("%s is no address", text);
    return address;
}

static const char *const private_v4[] = {
    "0.0.0.0",     "0.1.2.3",     "10.0.0.1",        "10.255.255.255", "100.64.0.1",      "100.127.255.255",
    "127.0.0.1",   "127.255.0.1", "169.254.169.254", "172.16.0.1",     "172.31.255.255",  "192.0.0.8",
    "192.0.2.1",   "192.88.99.1", "192.168.1.1",     "198.18.0.1",     "198.19.255.1",    "198.51.100.7",
    "203.0.113.9", "224.0.0.1",   "239.1.1.1",       "240.0.0.1",      "255.255.255.255",
};
static const char *const public_v4[] = { "1.1.1.1",     "8.8.8.8",     "9.255.255.255", "11.0.0.1",   "100.63.0.1",
                                         "100.128.0.1", "126.1.1.1",   "128.0.0.1",     "172.15.0.1", "172.32.0.1",
                                         "192.0.1.1",   "192.167.1.1", "198.17.0.1",    "198.20.0.1", "223.255.255.1" };

static void
private_addresses_are_not_public(void **state)
{
    (void)state;
    static const char *const v6[] = { "::",      "::1",     "fe80::1",          "fec0::1",   "fc00::1",
                                      "fdff::1", "ff02::1", "2001:db8::1",      "2001:2::1", "2001:10::1",
                                      "3fff::1", "100::1",  "64:ff9b:1::a00:1", "::a00:1",   "5f00::1",
                                      "4000::1" };
    for (size_t i = 0; i < LENGTH(private_v4); i++) {
        struct net_address address = parse(private_v4[i]);
        if (egress_is_public(&address))
            fail_msg("%s is public", private_v4[i]);
    }
    for (size_t i = 0; i < LENGTH(v6); i++) {
        struct net_address address = parse(v6[i]);
        if (egress_is_public(&address))
            fail_msg("%s is public", v6[i]);
    }
}

static void
public_addresses_are_public(void **state)
{
    (void)state;
    static const char *const v6[] = { "2606:4700:4700::1111", "2a00:1450:4001::1", "2400:cb00::1",
                                      "2001:4860:4860::8888" };
    for (size_t i = 0; i < LENGTH(public_v4); i++) {
        struct net_address address = parse(public_v4[i]);
        if (!egress_is_public(&address))
            fail_msg("%s is not public", public_v4[i]);
    }
    for (size_t i = 0; i < LENGTH(v6); i++) {
        struct net_address address = parse(v6[i]);
        if (!egress_is_public(&address))
            fail_msg("%s is not public", v6[i]);
    }
}

/* The ways in which IPv6 carries an IPv4 address. */
static int
wrap(const char *v4, int way, char *ret_text, size_t bytes)
{
    unsigned char b[4];
    if (inet_pton(AF_INET, v4, b) != 1)
        fail_msg("%s", v4);
    switch (way) {
    case 0: return snprintf(ret_text, bytes, "::ffff:%s", v4);
    case 1: return snprintf(ret_text, bytes, "::ffff:%x:%x", b[0] << 8 | b[1], b[2] << 8 | b[3]);
    case 2: return snprintf(ret_text, bytes, "64:ff9b::%x:%x", b[0] << 8 | b[1], b[2] << 8 | b[3]);
    case 3: return snprintf(ret_text, bytes, "2002:%x:%x::1", b[0] << 8 | b[1], b[2] << 8 | b[3]);
    case 4: /* the server is public, the client is not */
        return snprintf(ret_text, bytes, "2001:0:808:808:0:0:%x:%x", 0xffff & ~(b[0] << 8 | b[1]),
                        0xffff & ~(b[2] << 8 | b[3]));
    case 5: /* the other way round */
        return snprintf(ret_text, bytes, "2001:0:%x:%x:0:0:f7f7:f7f7", b[0] << 8 | b[1], b[2] << 8 | b[3]);
    case 6: return snprintf(ret_text, bytes, "2a00:1450::5efe:%x:%x", b[0] << 8 | b[1], b[2] << 8 | b[3]);
    case 7: return snprintf(ret_text, bytes, "::%x:%x", b[0] << 8 | b[1], b[2] << 8 | b[3]);
    default: return -1;
    }
}
enum { WAYS = 8 };

/* A port of loopback on which nobody may ever arrive. */
static int
listen_on_loopback(unsigned *ret_port)
{
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t length = sizeof(address);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof(address)) != 0 || listen(fd, 128) != 0 ||
        getsockname(fd, (struct sockaddr *)&address, &length) != 0)
        fail_msg("no listener");
    *ret_port = ntohs(address.sin_port);
    return fd;
}

static int tried;

static void
expect_refused(const char *url)
{
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(1024 * 1024);
    struct egress_target target;
    str why = STR_EMPTY;
    tried++;
    if (egress_resolve(arena, &nobody, str_from(url), &target, &why))
        fail_msg("%s is let through", url);
    if (why.len == 0)
        fail_msg("%s is refused without a reason", url);
}

/* RELIABILITY S1: at least 500 forged addresses, none of which connects. */
static void
forged_urls_are_refused(void **state)
{
    (void)state;
    unsigned port;
    int listener = listen_on_loopback(&port);
    char url[512], wrapped[64];
    tried = 0;
    for (size_t i = 0; i < LENGTH(private_v4); i++) {
        struct in_addr number;
        inet_pton(AF_INET, private_v4[i], &number);
        const unsigned char *b = (const unsigned char *)&number;
        const unsigned long whole = ntohl(number.s_addr);
        static const char *const tails[] = { "", "/", "/hook?x=1" };
        for (size_t tail = 0; tail < LENGTH(tails); tail++) {
            snprintf(url, sizeof(url), "https://%s:%u%s", private_v4[i], port, tails[tail]);
            expect_refused(url);
        }
        snprintf(url, sizeof(url), "https://%lu:%u/", whole, port);
        expect_refused(url);
        snprintf(url, sizeof(url), "https://0x%lx:%u/", whole, port);
        expect_refused(url);
        snprintf(url, sizeof(url), "https://0%lo:%u/", whole, port);
        expect_refused(url);
        snprintf(url, sizeof(url), "https://0x%x.0x%x.0x%x.0x%x:%u/", b[0], b[1], b[2], b[3], port);
        expect_refused(url);
        snprintf(url, sizeof(url), "https://0%o.0%o.0%o.0%o:%u/", b[0], b[1], b[2], b[3], port);
        expect_refused(url);
        snprintf(url, sizeof(url), "https://%u.%u:%u/", b[0], b[1] << 16 | b[2] << 8 | b[3], port);
        expect_refused(url);
        snprintf(url, sizeof(url), "https://%u.%u.%u:%u/", b[0], b[1], b[2] << 8 | b[3], port);
        expect_refused(url);
        snprintf(url, sizeof(url), "https://example.org@%s:%u/", private_v4[i], port);
        expect_refused(url);
        snprintf(url, sizeof(url), "https://%s:%u#@example.org/", private_v4[i], port);
        expect_refused(url);
        snprintf(url, sizeof(url), "https://%s:%u\\@example.org/", private_v4[i], port);
        expect_refused(url);
        for (int way = 0; way < WAYS; way++) {
            wrap(private_v4[i], way, wrapped, sizeof(wrapped));
            snprintf(url, sizeof(url), "https://[%s]:%u/", wrapped, port);
            expect_refused(url);
        }
    }
    static const char *const shapes[] = {
        "http://127.0.0.1:%u/",
        "HTTP://localhost:%u/",
        "https://localhost:%u/",
        "https://LOCALHOST:%u/",
        "https://localhost.:%u/",
        "ftp://127.0.0.1:%u/",
        "file:///etc/passwd",
        "gopher://127.0.0.1:%u/_x",
        "dict://127.0.0.1:%u/",
        "//127.0.0.1:%u/",
        "127.0.0.1:%u",
        "https:127.0.0.1:%u/",
        "https:/127.0.0.1:%u/",
        "https:///127.0.0.1:%u/",
        "https://127.0.0.1:%u:443/",
        "https://[::1%%25lo]:%u/",
        "https://[::1%%lo]:%u/",
        "https://[::1:%u/",
        "https://::1:%u/",
        "https://[127.0.0.1]:%u/",
        "https://127.0.0.1%%00:%u/",
        "https://127.0.0.1%%2f:%u/",
        "https://127.1:%u/",
        "https://0:%u/",
        "https://\xe2\x91\xa0:%u/",
        "https://127.0.0.1 :%u/",
        "https://127.0.0.1\t:%u/",
        "https://127.0.0.1\r\nHost: x:%u/",
        "https://user:pw@localhost:%u/",
        "https://localhost:0%u0/",
        "https://localhost:-%u/",
        "https://localhost:+%u/",
        "https://:%u/",
        "https://-:%u/",
        "https://.:%u/",
        "https://a_b.invalid:%u/",
        " https://127.0.0.1:%u/",
        "https://127.0.0.1.:%u/",
        "jar:https://127.0.0.1:%u/",
        "https://ip6-localhost:%u/",
    };
    for (size_t i = 0; i < LENGTH(shapes); i++) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#pragma GCC diagnostic ignored "-Wformat-extra-args"
        snprintf(url, sizeof(url), shapes[i], port);
#pragma GCC diagnostic pop
        expect_refused(url);
    }
    assert_true(tried >= 500);
    assert_int_equal(accept(listener, NULL, NULL), -1); /* nobody came */
    close(listener);
}

static void
operator_can_allow_a_private_block(void **state)
{
    (void)state;
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(1024 * 1024);
    struct net_block block;
    struct egress_target target;
    str why;
    assert_true(net_parse_block(STR("127.0.0.0/8"), &block));
    const struct egress_allowed allowed = { 1, &block };
    assert_true(egress_resolve(arena, &allowed, STR("https://127.0.0.1:8443/hook"), &target, &why));
    assert_int_equal(target.count, 1);
    assert_int_equal(target.url.port, 8443);
    assert_string_equal(target.url.host.data, "127.0.0.1");
    assert_false(egress_resolve(arena, &allowed, STR("https://10.0.0.1/hook"), &target, &why));
    assert_non_null(strstr(why.data, "10.0.0.1 was not found, or is not public"));
}

static void
parts_of_an_address_are_found(void **state)
{
    (void)state;
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(1024 * 1024);
    static const struct {
        const char *url, *host;
        int port;
    } fine[] = {
        { "https://hooks.example.org", "hooks.example.org", 443 },
        { "HTTPS://Hooks.Example.org:8443/a?b=c", "Hooks.Example.org", 8443 },
        { "https://[2606:4700::1]/", "2606:4700::1", 443 },
        { "https://[2606:4700::1]:99?x", "2606:4700::1", 99 },
    };
    for (size_t i = 0; i < LENGTH(fine); i++) {
        struct egress_url url;
        const char *why;
        assert_true(egress_parse(arena, str_from(fine[i].url), &url, &why));
        assert_string_equal(url.host.data, fine[i].host);
        assert_int_equal(url.port, fine[i].port);
    }
}

/* Without a look-up: names may be anything, addresses are known in every notation that connecting would understand. */
static void
private_address_in_place_of_a_name_is_known(void **state)
{
    (void)state;
    struct net_block block;
    assert_true(net_parse_block(STR("10.1.0.0/16"), &block));
    const struct egress_allowed nothing = { 0 }, some = { 1, &block };
    static const char *const private_hosts[] = { "10.1.2.3", "127.0.0.1",       "2130706433",     "0x7f.1",
                                                 "::1",      "::ffff:10.1.2.3", "169.254.169.254" };
    for (size_t i = 0; i < LENGTH(private_hosts); i++) {
        struct egress_url url = { .host = str_from(private_hosts[i]), .port = 443 };
        assert_false(egress_host_may_be_allowed(&nothing, &url));
    }
    struct egress_url allowed = { .host = STR("10.1.2.3"), .port = 443 };
    assert_true(egress_host_may_be_allowed(&some, &allowed));
    /* S11: the directory at `localhost` was taken. */
    static const char *const private_names[] = {
        "localhost",        "LOCALHOST.", "a.localhost", "localhost.localdomain",
        "ip6-localhost",    "db",         "db.internal", "printer.local",
        "router.home.arpa", "x.onion",    "nas.lan",     "vault.corp."
    };
    for (size_t i = 0; i < LENGTH(private_names); i++) {
        struct egress_url url = { .host = str_from(private_names[i]), .port = 443 };
        if (egress_host_may_be_allowed(&nothing, &url))
            fail_msg("%s", private_names[i]);
        bool is_this_machine =
            strcasestr(private_names[i], "local") != NULL && strcmp(private_names[i], "printer.local") != 0;
        if (egress_host_may_be_allowed(&some, &url) == is_this_machine) /* an inner network may have names */
            fail_msg("%s where something is allowed", private_names[i]);
    }
    static const char *const others[] = { "hooks.example.org", "localhost.example.org", "internal.example.org.",
                                          "8.8.8.8", "2606:4700::1" };
    for (size_t i = 0; i < LENGTH(others); i++) {
        struct egress_url url = { .host = str_from(others[i]), .port = 443 };
        assert_true(egress_host_may_be_allowed(&nothing, &url));
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(private_addresses_are_not_public),
        cmocka_unit_test(public_addresses_are_public),
        cmocka_unit_test(forged_urls_are_refused),
        cmocka_unit_test(operator_can_allow_a_private_block),
        cmocka_unit_test(parts_of_an_address_are_found),
        cmocka_unit_test(private_address_in_place_of_a_name_is_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
