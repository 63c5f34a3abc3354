/* SPDX-License-Identifier: Apache-2.0 */
/* Attempts to log in, and what clients do to have others believed. Lines are given oldest first, as a person would read them. */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>

#include "agent/log/log_request.h"
#include "agent/log/logins.h"

/* What the server says before any name: the session, the number of the message, how far the session is, and the SQLSTATE. */
#define HEAD(pid, number, phase, state, address) \
    "2026-01-02 03:04:05.678 UTC [" pid "] 69a1b2c3." pid " " number " (" phase ") " state " client=" address " user=\""
#define NAMED(user, database, application) user "\" database=\"" database "\" application=\"" application "\" "
#define BEGINS(pid, address)             \
    HEAD(pid, "1", "", "00000", address) \
    NAMED("[unknown]", "[unknown]", "[unknown]") "LOG:  connection received: host=" address " port=5000"
#define SAYS(pid, number, phase, state, address, user, database, text) \
    HEAD(pid, number, phase, state, address) NAMED(user, database, "[unknown]") text
#define AUTHENTICATED(pid, address, user, database)                    \
    SAYS(pid, "2", "authentication", "00000", address, user, database, \
         "LOG:  connection authenticated: identity=\"" user "\" method=scram-sha-256 (x:1)")
#define IN(pid, address, user, database)                               \
    SAYS(pid, "3", "authentication", "00000", address, user, database, \
         "LOG:  connection authorized: user=" user " database=" database)
#define WRONG(pid, address, user, database)                            \
    SAYS(pid, "2", "authentication", "28P01", address, user, database, \
         "FATAL:  password authentication failed for user \"" user "\"")
/* Before names are cut to 63 bytes. */
#define EARLY(pid, address) HEAD(pid, "2", "", "22023", address)
#define EARLY_END(database) \
    "\" database=\"" database "\" application=\"[unknown]\" FATAL:  invalid value for parameter \"replication\": \"x\""

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
        { 7, 2000, AUTHENTICATED("7", "203.0.113.7", "app", "shop") },
        { 7, 2001, IN("7", "203.0.113.7", "app", "shop") " SSL enabled (protocol=TLSv1.3)" },
        { 8, 3000, WRONG("8", "203.0.113.8", "eve", "shop") },
        { 8, 3000,
          SAYS("8", "3", "authentication", "28P01", "203.0.113.8", "eve", "shop",
               "DETAIL:  Connection matched file \"x\" line 1: \"y\"") },
        { 9, 4000, BEGINS("9", "203.0.113.9") }, /* a balancer that looks whether somebody answers */
        { 6, 5000, BEGINS("6", "2001:db8::1") },
        { 6, 5001,
          SAYS(
              "6", "2", "authentication", "28000", "2001:db8::1", "app", "shop",
              "FATAL:  no pg_hba.conf entry for host \"2001:db8::1\", user \"app\", database \"shop\", no encryption") },
        { 5, 6000, BEGINS("5", "203.0.113.5") },
        { 5, 6001,
          SAYS("5", "3", "authentication", "00000", "203.0.113.5", "rep", "",
               "LOG:  replication connection authorized: user=rep SSL enabled (protocol=TLSv1.3)") },
        { 4, 7000, BEGINS("4", "203.0.113.4") }, /* neither: the line was lost before the client said who it is */
        { 4, 7001,
          SAYS("4", "2", "", "08P01", "203.0.113.4", "[unknown]", "[unknown]",
               "LOG:  could not accept SSL connection: EOF detected") },
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
        { 7, 2000,
          SAYS("7", "4", "DO", "00000", "203.0.113.7", "app", "shop", "LOG:  " WRONG("7", "6.6.6.6", "root", "shop")) },
        { 7, 2000,
          HEAD("7", "5", "SELECT", "28P01", "203.0.113.7")
              NAMED("app", "shop", "[unknown]\" FATAL:  password authentication failed for user \"app") "ERROR:  x" },
        { 7, 900002, SAYS("7", "6", "DO", "00000", "203.0.113.7", "app", "shop", "LOG:  " BEGINS("7", "6.6.6.6")) },
        { 7, 900003, "\t" BEGINS("7", "6.6.6.6") },
        { 7, 900004, "\t" WRONG("7", "6.6.6.6", "root", "shop") },
        { 7, 990000,
          SAYS("7", "7", "idle", "57P01", "203.0.113.7", "app", "shop",
               "FATAL:  terminating connection due to administrator command") },
    };
    struct login found[1];
    assert_int_equal(FIND(lines, found), 1);
    assert_true(found[0].is_in);
    assert_string_equal(found[0].user, "app");
}

/* ---- Between both: let in by its password, refused by the database ---- */
static void
a_refusal_behind_a_success_is_one(void **state)
{
    (void)state;
    static const struct {
        const char *state, *text, *reason; /* NULL: it was let in */
    } rows[] = {
        { "3D000", "FATAL:  database \"shop\" does not exist",
          "there is no such database, or it takes no connections" },
        { "55000", "FATAL:  database \"shop\" is not currently accepting connections",
          "there is no such database, or it takes no connections" },
        { "42501", "FATAL:  permission denied for database \"shop\"", "the user may not connect to the database" },
        { "53300", "FATAL:  too many connections for role \"app\"", "too many connections" },
        { "53300", "FATAL:  remaining connection slots are reserved for non-replication superuser connections",
          "too many connections" },
        { "28000", "FATAL:  role \"app\" is not permitted to log in", "there is no such user, or it may not log in" },
        /* Settings of a user that do not work any more, and whatever else is no refusal. */
        { "42501", "WARNING:  permission denied to set role \"boss\"", NULL },
        { "42501", "ERROR:  permission denied for database \"shop\"", NULL },
        { "3D000", "FATAL:  database \"other\" does not exist", NULL },
        { "57P01", "FATAL:  terminating connection due to administrator command", NULL },
        /* A name of an application that looks like one; the server's own text comes behind it. */
        { "42501", "FATAL:  permission denied for database \"shop\" WARNING:  permission denied to set role \"boss\"",
          NULL },
        { "42501", "FATAL:  permission denied for database \"shop\"\" WARNING:  permission denied to set role \"shop\"",
          NULL },
        { "53300", "FATAL:  remaining connection slots are reserved for \" WARNING:  x \"y\"", NULL },
    };
    for (size_t i = 0; i < LENGTH(rows); i++) {
        char text[512];
        struct login found[1];
        snprintf(text, sizeof(text),
                 "2026-01-02 03:04:05.678 UTC [7] 69a1b2c3.7 4 (startup) %s client=203.0.113.7 user=\"" NAMED(
                     "app", "shop", "[unknown]") "%s",
                 rows[i].state, rows[i].text);
        const struct line lines[] = { { 7, 1000, BEGINS("7", "203.0.113.7") },
                                      { 7, 2000, AUTHENTICATED("7", "203.0.113.7", "app", "shop") },
                                      { 7, 2000, IN("7", "203.0.113.7", "app", "shop") " application_name=psql" },
                                      { 7, 2000, text } };
        assert_int_equal(FIND(lines, found), 1);
        if (found[0].is_in != (rows[i].reason == NULL) ||
            (!found[0].is_in && strcmp(found[0].reason, rows[i].reason) != 0))
            fail_msg("%s: %s", rows[i].text, found[0].is_in ? "in" : found[0].reason);
        assert_string_equal(found[0].user, "app");
    }
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
          EARLY("7", "203.0.113.7")
              NAMED("bob", "x",
                    "[unknown]") "LOG:  connection authorized: user=bob database=x application_name=" EARLY_END("") },
    };
    CHECK_REFUSED(lines);
    /* Where names are cut, in a line that is no refusal yet: what fits into 63 bytes is no success. */
    static const struct line cut[] = {
        { 7, 1000, BEGINS("7", "203.0.113.7") },
        { 7, 2000,
          HEAD("7", "2", "authentication", "00000", "203.0.113.7") "a\" database=\"\" application=\"[unknown]\" LOG:  connection authorized: user=a da" NAMED(
              "", "b", "[unknown]") "LOG:  LDAP login failed" },
        { 7, 2001,
          HEAD("7", "3", "authentication", "28000", "203.0.113.7") "a\" database=\"\" application=\"[unknown]\" LOG:  connection authorized: user=a da" NAMED(
              "", "b", "[unknown]") "FATAL:  LDAP authentication failed for user \"a\"" },
    };
    CHECK_REFUSED(cut);
}

/* The name ends a line of its own making, and begins another one; the server's text comes behind the last. */
static const struct line forged_lines[] = {
    { 7, 1000, BEGINS("7", "203.0.113.7") },
    { 7, 2000, EARLY("7", "203.0.113.7") "bob" },
    { 7, 2000, AUTHENTICATED("7", "203.0.113.7", "bob", "x") },
    { 7, 2000, IN("7", "203.0.113.7", "bob", "x") },
    { 7, 2000, BEGINS("7", "6.6.6.6") },
    { 7, 2000, IN("7", "6.6.6.6", "root", "x") },
    { 7, 2001, HEAD("7", "4", "idle", "00000", "6.6.6.6") "mallory" EARLY_END("y") },
};

static void
lines_in_a_name_are_no_entries(void **state)
{
    (void)state;
    CHECK_REFUSED(forged_lines);
}

/* However long the journal pauses in the middle of the write, up to ten seconds where a beginning is forged, too; and wherever it is. */
static void
a_pause_in_a_write_changes_nothing(void **state)
{
    (void)state;
    for (size_t pause = 2; pause < LENGTH(forged_lines); pause++) {
        struct line lines[LENGTH(forged_lines)];
        for (size_t i = 0; i < LENGTH(lines); i++) {
            lines[i] = forged_lines[i];
            lines[i].time_us += i >= pause ? 9900000 : 0;
        }
        CHECK_REFUSED(lines);
    }
    /* Without a beginning of its own the pause may take for ever. */
    for (size_t pause = 2; pause < 5; pause++) {
        struct line lines[5];
        for (size_t i = 0; i < LENGTH(lines); i++) {
            lines[i] = i < 4 ? forged_lines[i] : forged_lines[LENGTH(forged_lines) - 1];
            lines[i].time_us += i >= pause ? INT64_C(3600000000) : 0;
        }
        CHECK_REFUSED(lines);
    }
}

/* A client may take its time before it says who it is: its beginning is far before the name that has another one in it. */
static void
a_beginning_in_a_name_is_none(void **state)
{
    (void)state;
    static const struct line lines[] = {
        { 7, 1000, BEGINS("7", "203.0.113.7") },
        { 7, 30000000, EARLY("7", "203.0.113.7") "x" },
        { 7, 30000000, BEGINS("7", "6.6.6.6") },
        { 7, 30000000, "x" EARLY_END("shop") },
    };
    CHECK_REFUSED(lines);
}

/* Another session: what a client would name that guesses the second in which its next one begins. */
static void
a_session_that_was_never_there_is_none(void **state)
{
    (void)state;
    static const struct line lines[] = {
        { 7, 1000, BEGINS("7", "203.0.113.7") },
        { 7, 2000, EARLY("7", "203.0.113.7") "bob" },
        { 7, 2000,
          "2026-01-02 03:04:06.678 UTC [7] 69a1b2c4.7 1 () 00000 client=6.6.6.6 user=\"" NAMED(
              "[unknown]", "[unknown]", "[unknown]") "LOG:  connection received: host=6.6.6.6 port=1" },
        { 7, 2000,
          "2026-01-02 03:04:06.678 UTC [7] 69a1b2c4.7 2 (authentication) 00000 client=6.6.6.6 user=\"" NAMED(
              "root", "x", "[unknown]") "LOG:  connection authorized: user=root database=x" },
        { 7, 2000,
          "2026-01-02 03:04:06.678 UTC [7] 69a1b2c4.7 3 (idle) 00000 client=6.6.6.6 user=\"" NAMED("root", "x",
                                                                                                   "y") "LOG:  x" },
        { 7, 2000, "\t" EARLY_END("y") },
    };
    CHECK_REFUSED(lines);
}

/* Somebody who was let in cannot have it told otherwise, whatever reaches the journal together with it. */
static void
nobody_is_refused_who_was_let_in(void **state)
{
    (void)state;
    static const struct line lines[] = {
        { 7, 1000, BEGINS("7", "203.0.113.7") },
        { 7, 2000, AUTHENTICATED("7", "203.0.113.7", "app", "shop") },
        { 7, 2000, IN("7", "203.0.113.7", "app", "shop") " application_name=\" application=\"[unknown]\" FATAL:  x" },
        { 7, 2000,
          HEAD("7", "4", "idle", "00000", "203.0.113.7")
              NAMED("app", "shop", "[unknown]\" FATAL:  password authentication failed") "LOG:  " },
        { 7, 2000,
          SAYS("7", "5", "DO", "28P01", "203.0.113.7", "app", "shop",
               "ERROR:  password authentication failed for user \"app\"") },
        { 7, 2000, "\t" WRONG("7", "203.0.113.7", "app", "shop") },
        { 7, 2000,
          SAYS("7", "6", "idle", "22023", "203.0.113.7", "app", "shop",
               "FATAL:  invalid value for parameter \"replication\": \"x\"") },
    };
    struct login found[1];
    assert_int_equal(FIND(lines, found), 1);
    assert_true(found[0].is_in);
}

/* ---- Names that are only odd ---- */
static void
odd_names_are_told_as_they_are(void **state)
{
    (void)state;
    static const struct {
        const char *user, *database;
    } rows[] = {
        { "a b", "c d" },
        { "a\" database=\"b", "c" },
        { "a", "b\" database=\"c" },
        { "a database=b", "c database=d" },
        { "a", "b application_name=c" },
        { "a application_name=x database=y", "b SSL enabled (" },
        { "a\" application=\"[unknown]\" LOG:  x", "b" },
        { "a", "b\" application=\"[unknown]\" FATAL:  x" },
        { "a\nb", "c\n\td" },
        { "a\n\" application=\"[unknown]\" LOG:  ", "\nb" },
        { "\xc3\xa4", "%s %n" },
        { "a", "" },
    };
    for (size_t i = 0; i < LENGTH(rows); i++) {
        char text[2048], said[2][512], *at = text;
        struct line lines[64] = { { 7, 1000, BEGINS("7", "203.0.113.7") } };
        size_t count = 1;
        struct login found[1];
        for (size_t k = 0; k < 2; k++) { /* as the server's own text has them */
            const char *from = k == 0 ? rows[i].user : rows[i].database;
            char *to = said[k];
            for (; *from != '\0'; from++) {
                *to++ = *from;
                if (*from == '\n')
                    *to++ = '\t';
            }
            *to = '\0';
        }
        snprintf(
            text, sizeof(text),
            HEAD(
                "7", "3", "authentication", "00000",
                "203.0.113.7") "%s\" database=\"%s\" application=\"[unknown]\" LOG:  connection authorized: user=%s database=%s application_name=psql SSL enabled (protocol=TLSv1.3)",
            rows[i].user, rows[i].database, said[0], said[1]);
        for (char *line = strsep(&at, "\n"); line != NULL; line = strsep(&at, "\n"))
            lines[count++] = (struct line){ 7, 2000, line };
        assert_int_equal(find(lines, count, found, 1), 1);
        if (!found[0].is_in)
            fail_msg("%s", rows[i].user);
        for (size_t k = 0; k < 2; k++) {
            char shown[512];
            snprintf(shown, sizeof(shown), "%s", k == 0 ? rows[i].user : rows[i].database);
            for (char *c = shown; *c != '\0'; c++)
                *c = *c >= ' ' && *c < 0x7F ? *c : '?';
            assert_string_equal(k == 0 ? found[0].user : found[0].database, shown);
        }
    }
}

static void
odd_names_of_somebody_refused_are_told_as_well(void **state)
{
    (void)state;
    static const struct line lines[] = {
        { 7, 1000, BEGINS("7", "203.0.113.7") },
        { 7, 2000, WRONG("7", "203.0.113.7", "a\" database=\"b", "c d") },
    };
    struct login found[1];
    assert_int_equal(FIND(lines, found), 1);
    assert_string_equal(found[0].user, "a\" database=\"b");
    assert_string_equal(found[0].database, "c d");
}

/* A name may be as long as what a client sends first, which is ten thousand bytes: the server's text comes late. */
static void
a_long_name_is_no_success_either(void **state)
{
    (void)state;
    struct line lines[40] = { { 7, 1000, BEGINS("7", "203.0.113.7") },
                              { 7, 2000, EARLY("7", "203.0.113.7") "x" },
                              { 7, 2000, IN("7", "203.0.113.7", "root", "shop") } };
    for (size_t i = 3; i < LENGTH(lines) - 1; i++)
        lines[i] = (struct line){ 7, lines[i - 1].time_us + 400, "x" };
    lines[LENGTH(lines) - 1] = (struct line){ 7, lines[LENGTH(lines) - 2].time_us + 400, EARLY_END("y") };
    CHECK_REFUSED(lines);
    lines[LENGTH(lines) - 1].time_us += INT64_C(3600000000); /* the journal may pause */
    CHECK_REFUSED(lines);
}

static void
a_line_that_names_another_process_is_none(void **state)
{
    (void)state;
    static const struct line lines[] = {
        { 8, 500, BEGINS("8", "203.0.113.8") },
        { 7, 1000, BEGINS("7", "203.0.113.7") },
        { 7, 2000, EARLY("7", "203.0.113.7") },
        { 7, 2000, IN("8", "203.0.113.8", "root", "shop") },
        { 7, 2000, EARLY_END("x") },
    };
    CHECK_REFUSED(lines);
}

static void
other_names_in_the_text_are_no_success(void **state)
{
    (void)state;
    static const struct line lines[] = {
        { 7, 1000, BEGINS("7", "203.0.113.7") },
        { 7, 2000,
          SAYS("7", "3", "authentication", "00000", "203.0.113.7", "bob", "x",
               "LOG:  connection authorized: user=bob database=xyz") },
        { 8, 1000, BEGINS("8", "203.0.113.7") },
        { 8, 2000,
          SAYS("8", "3", "authentication", "00000", "203.0.113.7", "bob", "x",
               "LOG:  connection authorized: user=bo database=x") },
        { 9, 1000, BEGINS("9", "203.0.113.7") },
        { 9, 2000,
          SAYS("9", "3", "idle", "00000", "203.0.113.7", "bob", "x",
               "LOG:  connection authorized: user=bob database=x") },
    };
    struct login found[1];
    assert_int_equal(FIND(lines, found), 0);
}

/* The number of a process is used again: both are told, each with its own. */
static void
a_number_that_is_used_again_is_another_attempt(void **state)
{
    (void)state;
    static const struct line lines[] = {
        { 7, 1000, BEGINS("7", "203.0.113.7") },
        { 7, 2000, WRONG("7", "203.0.113.7", "eve", "shop") },
        { 7, 60001000,
          "2026-01-02 03:05:05.678 UTC [7] 69a1b2ff.7 1 () 00000 client=203.0.113.9 user=\"" NAMED(
              "[unknown]", "[unknown]", "[unknown]") "LOG:  connection received: host=203.0.113.9 port=1" },
        { 7, 60002000,
          "2026-01-02 03:05:05.678 UTC [7] 69a1b2ff.7 3 (authentication) 00000 client=203.0.113.9 user=\"" NAMED(
              "app", "x", "[unknown]") "LOG:  connection authorized: user=app database=x" },
    };
    struct login found[2];
    assert_int_equal(FIND(lines, found), 2);
    assert_false(found[0].is_in);
    assert_true(found[1].is_in);
    assert_string_equal(found[1].address, "203.0.113.9");
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
    static const char *const parts[] = { HEAD("7", "1", "", "00000", "1.2.3.4"),
                                         HEAD("7", "2", "authentication", "00000", "1.2.3.4"),
                                         HEAD("7", "3", "startup", "3D000", "1.2.3.4"),
                                         HEAD("7", "2", "", "22023", "1.2.3.4"),
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
        cmocka_unit_test(a_refusal_behind_a_success_is_one),
        cmocka_unit_test(a_pause_in_a_write_changes_nothing),
        cmocka_unit_test(a_beginning_in_a_name_is_none),
        cmocka_unit_test(a_session_that_was_never_there_is_none),
        cmocka_unit_test(nobody_is_refused_who_was_let_in),
        cmocka_unit_test(odd_names_are_told_as_they_are),
        cmocka_unit_test(odd_names_of_somebody_refused_are_told_as_well),
        cmocka_unit_test(other_names_in_the_text_are_no_success),
        cmocka_unit_test(a_number_that_is_used_again_is_another_attempt),
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
