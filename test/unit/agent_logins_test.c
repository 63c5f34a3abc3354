/* SPDX-License-Identifier: Apache-2.0 */
/* Attempts to log in, and what clients do to have others believed. Lines are given oldest first, as a person would read them. */
#include "check.h"

#include <stdlib.h>

#include "agent/log/log_request.h"
#include "agent/log/logins.h"

#define AT(pid, address) "2026-01-02 03:04:05.678 UTC [" pid "] client=" address " user=\""
#define BEGINS(pid, address) \
    AT(pid, address)         \
    "[unknown]\" database=\"[unknown]\" application=\"[unknown]\" LOG:  connection received: host=" address " port=5000"
#define SAYS(pid, address, user, database, text) \
    AT(pid, address) user "\" database=\"" database "\" application=\"[unknown]\" " text
#define IN(pid, address, user, database) \
    SAYS(pid, address, user, database, "LOG:  connection authorized: user=" user " database=" database)
#define WRONG(pid, address, user, database) \
    SAYS(pid, address, user, database, "FATAL:  password authentication failed for user \"" user "\"")

struct line {
    int64_t pid, time_us;
    const char *text;
};

struct found {
    struct login *logins;
    size_t count, most;
};

static void
take(void *context, const struct login *login)
{
    struct found *found = context;
    assert_in_range(found->count, 0, found->most - 1);
    found->logins[found->count++] = *login;
}

static int
oldest_first(const void *a, const void *b)
{
    return ((const struct login *)a)->time_us < ((const struct login *)b)->time_us ? -1 : 1;
}

/* What is found in them, oldest first. */
static size_t
find(const struct line *lines, size_t count, struct login ret_logins[], size_t most)
{
    struct found found = { ret_logins, 0, most };
    struct logins *logins = logins_new(take, &found);
    assert_non_null(logins);
    for (size_t i = count; i-- > 0;) {
        struct journal_entry entry = { .program = STR("postgres"),
                                       .text = str_from(lines[i].text),
                                       .pid = lines[i].pid,
                                       .time_us = lines[i].time_us };
        logins_take(logins, &entry);
    }
    logins_end(logins);
    logins_free(logins);
    qsort(ret_logins, found.count, sizeof(*ret_logins), oldest_first);
    return found.count;
}
#define FIND(lines, logins) find((lines), LENGTH(lines), (logins), LENGTH(logins))

static void
who_was_let_in_and_who_was_not_is_told(void **state)
{
    (void)state;
    static const struct line lines[] = {
        { 7, 1000, BEGINS("7", "203.0.113.7") },
        { 8, 1001, BEGINS("8", "203.0.113.8") },
        { 7, 2000,
          SAYS("7", "203.0.113.7", "app", "shop",
               "LOG:  connection authenticated: identity=\"app\" method=scram-sha-256 (x:1)") },
        { 7, 2001, IN("7", "203.0.113.7", "app", "shop") " SSL enabled (protocol=TLSv1.3)" },
        { 8, 3000, WRONG("8", "203.0.113.8", "eve", "shop") },
        { 8, 3000, SAYS("8", "203.0.113.8", "eve", "shop", "DETAIL:  Connection matched file \"x\" line 1: \"y\"") },
        { 9, 4000, BEGINS("9", "203.0.113.9") }, /* a balancer that looks whether somebody answers */
        { 6, 5000, BEGINS("6", "2001:db8::1") },
        { 6, 5001,
          SAYS(
              "6", "2001:db8::1", "app", "shop",
              "FATAL:  no pg_hba.conf entry for host \"2001:db8::1\", user \"app\", database \"shop\", no encryption") },
        { 5, 6000, BEGINS("5", "203.0.113.5") },
        { 5, 6001,
          SAYS("5", "203.0.113.5", "rep", "",
               "LOG:  replication connection authorized: user=rep SSL enabled (protocol=TLSv1.3)") },
    };
    struct login found[5];
    assert_int_equal(FIND(lines, found), 4);
    assert_true(found[0].is_in);
    assert_string_equal(found[0].user, "app");
    assert_string_equal(found[0].database, "shop");
    assert_string_equal(found[0].address, "203.0.113.7");
    assert_int_equal(found[0].time_us, 2001);
    assert_non_null(strstr(found[0].line, "connection authorized"));
    assert_false(found[1].is_in);
    assert_string_equal(found[1].user, "eve");
    assert_string_equal(found[1].address, "203.0.113.8");
    assert_string_equal(found[1].reason, "password authentication failed");
    assert_string_equal(found[2].reason, "the address, the user or the database is not allowed");
    assert_string_equal(found[2].address, "2001:db8::1");
    assert_true(found[3].is_in);
    assert_string_equal(found[3].user, "rep");
}

static void
sessions_of_the_host_itself_are_not_told(void **state)
{
    (void)state;
    static const struct line lines[] = { { 7, 1, BEGINS("7", "[local]") },
                                         { 7, 2, IN("7", "[local]", "postgres", "postgres") } };
    struct login found[1];
    assert_int_equal(FIND(lines, found), 0);
}

/* A session that ends badly, or that writes what it likes, was let in all the same. */
static void
what_a_session_writes_later_changes_nothing(void **state)
{
    (void)state;
    static const struct line lines[] = {
        { 7, 1000, BEGINS("7", "203.0.113.7") },
        { 7, 2000, IN("7", "203.0.113.7", "app", "shop") },
        { 7, 900000, SAYS("7", "203.0.113.7", "app", "shop", "LOG:  " WRONG("7", "6.6.6.6", "root", "shop")) },
        { 7, 900001,
          AT("7",
             "203.0.113.7") "app\" database=\"shop\" application=\"x\" LOG:  connection authorized: user=root database=shop\" LOG:  x" },
        { 7, 900002, SAYS("7", "203.0.113.7", "app", "shop", "LOG:  " BEGINS("7", "6.6.6.6")) },
        { 7, 900003, "\t" BEGINS("7", "6.6.6.6") },
        { 7, 990000,
          SAYS("7", "203.0.113.7", "app", "shop", "FATAL:  terminating connection due to administrator command") },
    };
    struct login found[1];
    assert_int_equal(FIND(lines, found), 1);
    assert_true(found[0].is_in);
    assert_string_equal(found[0].user, "app");
}

/* ---- Names that are more than names ---- */
/* All of it is one write of process 7, which was refused: the names are the client's, and so are the lines that they have in them. */
static void
check_refused(const struct line *lines, size_t count, const char *address)
{
    struct login found[2];
    assert_int_equal(find(lines, count, found, LENGTH(found)), 1);
    assert_false(found[0].is_in);
    assert_string_equal(found[0].address, address);
}
#define CHECK_REFUSED(lines) check_refused((lines), LENGTH(lines), "203.0.113.7")

static void
a_name_that_continues_the_line_is_no_success(void **state)
{
    (void)state;
    /* user "bob", database `x" application="[unknown]" LOG:  connection authorized: user=bob database=x application_name=` */
    static const struct line lines[] = {
        { 7, 1000, BEGINS("7", "203.0.113.7") },
        { 7, 2000,
          IN("7", "203.0.113.7", "bob",
             "x") " application_name=\" application=\"[unknown]\" FATAL:  password authentication failed for user \"bob\"" },
    };
    CHECK_REFUSED(lines);
}

static void
lines_in_a_name_are_no_entries(void **state)
{
    (void)state;
    /* The name ends a line of its own making, and begins another one; the server's text comes behind the last. */
    static const struct line lines[] = {
        { 7, 1000, BEGINS("7", "203.0.113.7") },
        { 7, 2000,
          SAYS("7", "203.0.113.7", "bob", "x",
               "LOG:  connection authenticated: identity=\"bob\" method=scram-sha-256 (x:1)") },
        { 7, 2000, IN("7", "203.0.113.7", "bob", "x") },
        { 7, 2000, BEGINS("7", "6.6.6.6") },
        { 7, 2000, IN("7", "6.6.6.6", "root", "x") },
        { 7, 2001,
          AT("7",
             "6.6.6.6") "mallory\" database=\"y\" application=\"[unknown]\" FATAL:  password authentication failed for user \"bob\"" },
    };
    CHECK_REFUSED(lines);
}

/* A name may be as long as what a client sends first, which is ten thousand bytes: the server's text comes late. */
static void
a_long_name_is_no_success_either(void **state)
{
    (void)state;
    struct line lines[40] = { { 7, 1000, BEGINS("7", "203.0.113.7") },
                              { 7, 2000, IN("7", "203.0.113.7", "root", "shop") } };
    for (size_t i = 2; i < LENGTH(lines) - 1; i++)
        lines[i] = (struct line){ 7, lines[i - 1].time_us + 400, "x" };
    lines[LENGTH(lines) - 1] = (struct line){
        7, lines[LENGTH(lines) - 2].time_us + 400,
        "\" database=\"y\" application=\"[unknown]\" FATAL:  invalid value for parameter \"replication\": \"x\""
    };
    CHECK_REFUSED(lines);
    /* The journal may pause. */
    lines[LENGTH(lines) - 1].time_us += 90000;
    CHECK_REFUSED(lines);
    struct login found[1];
    assert_int_equal(FIND(lines, found), 1);
    assert_non_null(strstr(found[0].reason, "contradict"));
    lines[LENGTH(lines) - 1].text =
        SAYS("7", "203.0.113.7", "root", "shop", "FATAL:  terminating connection due to administrator command");
    assert_int_equal(FIND(lines, found), 1);
    assert_true(found[0].is_in);
}

static void
a_line_that_names_another_process_is_none(void **state)
{
    (void)state;
    static const struct line lines[] = {
        { 8, 500, BEGINS("8", "203.0.113.8") },
        { 7, 1000, BEGINS("7", "203.0.113.7") },
        { 7, 2000, AT("7", "203.0.113.7") },
        { 7, 2000, IN("8", "203.0.113.8", "root", "shop") },
        { 7, 2000, "\" database=\"x\" application=\"[unknown]\" FATAL:  password authentication failed for user \"\"" },
    };
    CHECK_REFUSED(lines);
}

static void
names_are_shown_as_text(void **state)
{
    (void)state;
    static const struct line lines[] = {
        { 7, 1000, BEGINS("7", "203.0.113.7") },
        { 7, 2000, WRONG("7", "203.0.113.7", "\x1b[31m\x07\xff", "a\tb") },
    };
    struct login found[1];
    assert_int_equal(FIND(lines, found), 1);
    assert_string_equal(found[0].user, "?[31m??");
    assert_string_equal(found[0].database, "a?b");
}

static void
check_it_has_a_time(void *context, const struct login *login)
{
    (void)context;
    assert_true(login->time_us > 0);
}

static void
anything_may_stand_in_a_log(void **state)
{
    (void)state;
    static const char *const parts[] = { AT("7", "1.2.3.4"),
                                         "\" database=\"",
                                         "\" application=\"[unknown]\" ",
                                         "LOG:  ",
                                         "FATAL:  ",
                                         "connection authorized: user=",
                                         "connection received: host=",
                                         " port=",
                                         "x",
                                         "[unknown]",
                                         "\n" };
    struct login some[1];
    struct found none = { some, 0, 0 };
    struct logins *logins = logins_new(check_it_has_a_time, &none);
    srand(1);
    for (int i = 0; i < 200000; i++) {
        char text[512] = "";
        for (int k = rand() % 9; k > 0; k--)
            strncat(text, parts[(size_t)rand() % LENGTH(parts)], sizeof(text) - strlen(text) - 1);
        struct journal_entry entry = {
            .program = STR(""), .text = str_from(text), .pid = rand() % 9, .time_us = 1000000 - i
        };
        logins_take(logins, &entry);
    }
    logins_end(logins);
    logins_free(logins);
}

/* ---- What is asked for at the door ---- */
#define MEMBER "650000000000000000000001"

static void
a_request_is_read(void **state)
{
    (void)state;
    struct log_request request;
    assert_true(log_request_read(
        STR("GET /logs/" MEMBER
            "/audit?from=5&to=9&after=7-2 HTTP/1.1\r\nHost: x\r\nRange: bytes=100-\r\nIf-Range: \"m\"\r"),
        &request));
    assert_false(request.is_logins || request.is_head);
    assert_string_equal(request.range.kind->name, "audit");
    assert_int_equal(request.range.from_us, 5);
    assert_int_equal(request.range.to_us, 9);
    assert_int_equal(request.range.after.time_us, 7);
    assert_int_equal(request.range.after.taken, 2);
    assert_int_equal(request.skip_bytes, 100);
    assert_true(str_is(request.if_range, "\"m\""));
    assert_true(log_request_read(STR("GET /logins/" MEMBER "?from=5&to=9&most=3&in=false&address=1.2.3.4 HTTP/1.0\r"),
                                 &request));
    assert_true(request.is_logins);
    assert_int_equal(request.most, 3);
    assert_int_equal(request.authenticated, 0);
    assert_true(str_is(request.address, "1.2.3.4"));
    assert_true(
        log_request_read(STR("HEAD /logs/" MEMBER "/postgres?from=5&to=9 HTTP/1.1\r\nRange: bytes=1-2\r"), &request));
    assert_true(request.is_head);
    assert_int_equal(request.skip_bytes, 0);
    assert_int_equal(request.authenticated, -1);
}

static void
anything_else_is_not_there(void **state)
{
    (void)state;
    static const char *const heads[] = {
        "",
        "GET",
        "GET ",
        "GET / HTTP/1.1",
        "POST /logs/" MEMBER "/postgres?from=5&to=9 HTTP/1.1",
        "GET /logs/" MEMBER "/postgres HTTP/1.1",
        "GET /logs/" MEMBER "/postgres?from=5 HTTP/1.1",
        "GET /logs/" MEMBER "/agent?from=5&to=9 HTTP/1.1",
        "GET /logs/" MEMBER "/?from=5&to=9 HTTP/1.1",
        "GET /logs/x/postgres?from=5&to=9 HTTP/1.1",
        "GET /logs/../postgres?from=5&to=9 HTTP/1.1",
        "GET /logs/" MEMBER "*/postgres?from=5&to=9 HTTP/1.1",
        "GET /logs/" MEMBER "/postgres?from=-5&to=9 HTTP/1.1",
        "GET /logs/" MEMBER "/postgres?from=5&to=9&unit=x HTTP/1.1",
        "GET /logs/" MEMBER "/postgres?from=5&to=9&after=7 HTTP/1.1",
        "GET /logins/" MEMBER "/postgres?from=5&to=9 HTTP/1.1",
        "GET /logins/" MEMBER "?from=5&to=9&most=20001 HTTP/1.1",
        "GET /logins/" MEMBER "?from=5&to=9&in=maybe HTTP/1.1",
        "GET /logs/" MEMBER "/postgres?from=5&to=9",
    };
    struct log_request request;
    for (size_t i = 0; i < LENGTH(heads); i++) {
        if (log_request_read(str_from(heads[i]), &request))
            fail_msg("%s", heads[i]);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_was_let_in_and_who_was_not_is_told),
        cmocka_unit_test(sessions_of_the_host_itself_are_not_told),
        cmocka_unit_test(what_a_session_writes_later_changes_nothing),
        cmocka_unit_test(a_name_that_continues_the_line_is_no_success),
        cmocka_unit_test(lines_in_a_name_are_no_entries),
        cmocka_unit_test(a_long_name_is_no_success_either),
        cmocka_unit_test(a_line_that_names_another_process_is_none),
        cmocka_unit_test(names_are_shown_as_text),
        cmocka_unit_test(anything_may_stand_in_a_log),
        cmocka_unit_test(a_request_is_read),
        cmocka_unit_test(anything_else_is_not_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
