/* SPDX-License-Identifier: Apache-2.0 */
/* What sessions leave in the server's log. */
#ifndef ENGINE_POSTGRES_AUDIT_H
#define ENGINE_POSTGRES_AUDIT_H

#include "base/json.h"
#include "engine/engine.h"

#define AUDIT_LIBRARY "pgaudit"

struct session;

/* Parameters of the server, also of one that records nothing. */
json_t *audit_parameters(struct arena *arena, const struct goal_audit *audit);
/* On the primary: settings of the users and databases that the rule names, and of no others. */
MUST_USE error audit_apply(struct engine_member *self);
/* On every member, once its catalog has it: Patroni's own queries every few seconds are not recorded. */
MUST_USE error audit_quiet_patroni(struct engine_member *self, struct session *session, bool *is_quiet);
/* An error when it is asked for and this host does not have it. */
MUST_USE error audit_check_installed(struct engine_member *self);
/* An error when something is to be recorded and the server has not loaded pgaudit. */
MUST_USE error audit_check_loaded(struct engine_member *self, struct session *session);

#endif
