/* SPDX-License-Identifier: Apache-2.0 */
/* Names of database users and custom roles. Both are roles in PostgreSQL, which has one set of names for them and some of its own. */
#ifndef CLUSTER_DATABASE_NAME_H
#define CLUSTER_DATABASE_NAME_H

#include "base/str.h"

#define DATABASE_NAME_MAX_BYTES 63

/* PostgreSQL's, this service's, or that of a built-in role. */
bool database_name_is_reserved(str name);

/* Whether somebody whom a directory calls so can log in: what users' names can have, without what PostgreSQL does not pass on to a directory. */
bool database_name_is_of_person(str name);

#endif
