/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Attempts to log in, found in the lines of a server's log, newest first. User and database are in these lines as the client sent
 * them, before anybody has looked at them: they can be anything, further lines included. What counts stands before them in each
 * message, and is the server's own. docs/internals/logs.md has the rules and why they hold.
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
/* A beginning is sure when so much older lines were shown: those of the same process just before it would say that it is none. */
enum { LOGIN_SURE_US = 10 * 1000 * 1000 };
/* Whoever stops here has been told everything that was decided after this moment. */
int64_t logins_told_since(const struct logins *logins, int64_t time_us);
/* There are no more lines: what is left is told. */
void logins_end(struct logins *logins);

#endif
