/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Attempts to log in, found in the lines of a server's log, newest first. User and database are in these lines as the client sent
 * them, before anybody has looked at them: they can be anything, further lines included. What counts is what the client has no
 * hand in: which process wrote a line, when, and in which order. docs/internals/logs.md has the rules and why they hold.
 */
#ifndef AGENT_LOG_LOGINS_H
#define AGENT_LOG_LOGINS_H

#include "agent/log/journal.h"

enum { LOGIN_NAME_BYTES = 256, LOGIN_LINE_BYTES = 512, LOGIN_ADDRESS_BYTES = 64, LOGIN_PROCESSES = 4096 };

struct login {
    int64_t time_us; /* when the server answered */
    bool is_in;
    char address[LOGIN_ADDRESS_BYTES];
    char user[LOGIN_NAME_BYTES],
        database[LOGIN_NAME_BYTES]; /* ASCII without control characters: others are question marks */
    char reason[LOGIN_NAME_BYTES];  /* why not */
    char line[LOGIN_LINE_BYTES];    /* how the server's line begins */
};

/* What is known of each process, which is one attempt. About 10 MB. */
struct logins;
/* `found` is called for each attempt, roughly newest first. */
MUST_USE struct logins *logins_new(void (*found)(void *context, const struct login *login), void *context);
void logins_free(struct logins *logins);

/* The line before the one that was shown last. */
void logins_take(struct logins *logins, const struct journal_entry *entry);
/* There are no more. Whoever ends before the first line there is, must have shown lines that are so much older than those that count. */
enum { LOGIN_SURE_US = 5000 };
void logins_end(struct logins *logins);

#endif
