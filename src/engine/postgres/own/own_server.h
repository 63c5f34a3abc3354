/* SPDX-License-Identifier: Apache-2.0 */
/* The server of the control plane's own database, as the operator describes it once (docs/internals/own-database.md). */
#ifndef ENGINE_POSTGRES_OWN_OWN_SERVER_H
#define ENGINE_POSTGRES_OWN_OWN_SERVER_H

#include "engine/problem.h"

struct own_server {
    str major_version;
    str system; /* its identifier, which no other server has */
    str superuser;
};

/*
 * A connection string or address as libpq takes it, as one that more can be added to. Files that it names would not be there for whoever uses it, so
 * they are refused; a password in it is taken out.
 */
MUST_USE error own_server_connection(struct arena *arena, str given, str *ret_connection, str *ret_password);

/* Asks it, and refuses what backups could not work with. */
MUST_USE error own_server_look(struct arena *arena, str connection, struct own_server *ret_server);

#endif
