/* SPDX-License-Identifier: Apache-2.0 */
/* Roles of the server: lists them, makes one, changes one that somebody holds a lock on. */
#ifndef ENGINE_POSTGRES_ROLES_CATALOG_H
#define ENGINE_POSTGRES_ROLES_CATALOG_H

#include "engine/postgres/session.h"
#include "wire/goal.h"

/* The first column of a statement's rows. */
MUST_USE error role_names(struct session *session, struct arena *arena, enum member_sql sql, size_t parameter_count,
                          const str *parameters, struct wire_texts *ret_names);
/* Users that Reeve made, whether or not they may log in. */
MUST_USE error role_users(struct session *session, struct arena *arena, struct wire_texts *ret_names);
/* Databases that can be connected to, without templates. */
MUST_USE error role_databases(struct session *session, struct arena *arena, struct wire_texts *ret_names);
bool role_is_in(const struct wire_texts *names, str name);

/* Makes a role without login, unless it is there. Only for names that we made ourselves. */
MUST_USE error role_make(struct session *session, str name);

/*
 * One ALTER ROLE of a user. `keep` hands the parameters over as settings of the transaction, and `alter` is a DO that puts the
 * statement together from them: so no text of a statement has a name or a verifier.
 */
struct role_change {
    str user;
    enum member_sql keep, alter;
    size_t parameter_count;
    const str *parameters;
};
/*
 * Users may change their own password. One who does that and leaves the transaction open locks the row, and everybody
 * else would wait for them. So nobody waits: their sessions are ended, as often as needed.
 */
MUST_USE error role_change(struct session *session, const struct role_change *change);
MUST_USE error role_end_sessions(struct session *session, str user);

#endif
