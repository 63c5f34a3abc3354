/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The control plane's own database, when this host keeps its backups (docs/internals/own-database.md). No goal says so, because when it is lost there is no
 * control plane that could: a file of root does. From it comes a seat like those of clusters, which is looked after like them.
 */
#ifndef AGENT_OWN_OWN_DATABASE_H
#define AGENT_OWN_OWN_DATABASE_H

#include "engine/problem.h"
#include "wire/goal.h"

#define OWN_DATABASE_FILE "/etc/reeve/own-database.json"

enum { OWN_WINDOW_DAYS = 7, OWN_MOST_WINDOW_DAYS = 365 };

struct own_database {
    id id;            /* of the seat; zero: this host keeps none */
    str desired_text; /* RUNNING or REMOVED */
    str stanza;       /* "own-<identifier of the server>" */
    str major_version;
    str cipher_pass; /* this, and the following but the authority, are never logged */
    int64_t window_days;
    struct goal_seat_own access;
};

/* Zero everywhere, without an error, when there is no such file. */
MUST_USE error own_database_read(struct arena *arena, const char *path, struct own_database *ret_own);
MUST_USE error own_database_write(struct arena *arena, const char *path, const struct own_database *own);

/* The seat, as a goal would have it. */
MUST_USE error own_database_seat(struct arena *arena, const struct own_database *own, struct goal_seat *ret_seat);
/* Puts it among the seats of a goal, in its place. */
MUST_USE error own_database_join(struct arena *arena, const struct own_database *own, struct goal *goal);

/* The connection string of whoever finds the files of access below `folder`, and those files; empty ones are not needed. */
#define OWN_AUTHORITY   "tls/authority.crt"
#define OWN_CERTIFICATE "tls/own.crt"
#define OWN_KEY         "tls/own.key"
#define OWN_PASSWORD    "tls/passfile"
str own_database_connection(struct arena *arena, const struct goal_seat_own *access, str folder);
str own_database_passfile(struct arena *arena, const struct goal_seat_own *access);

#endif
