/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operators in a browser. Browsers send cookies to every port of a name: so this one has a name of its own, and neither address looks at the other's. What it
 * opens is asked of the database each time, as with tokens: a session that was ended is refused by the next request everywhere.
 */
#ifndef OPERATOR_SESSION_H
#define OPERATOR_SESSION_H

#include "operator/parts.h"

/* "reeve_os_", the session's 24 digits, and a secret of 256 bits with its checksum. */
#define OPERATOR_COOKIE "__Host-reeve_operator"

/* Whether the request is to be known by a cookie: it has one, and no Authorization. */
bool operator_session_is_shown(const struct request *req);
/* Whose it is. CROSS_SITE_REQUEST unless a page of ours sent the request; SESSION_ENDED. */
MUST_USE error operator_session_find(struct request *req, const struct principal **ret_caller);
/* Whether a page of ours sent a request that changes something (or `reads`). */
MUST_USE error operator_session_check_site(struct request *req, bool reads);
/* Begins one in req->tx. Always with a new value: a cookie that somebody planted is worth nothing afterwards. */
MUST_USE error operator_session_begin(struct request *req, id operator_id, id session, str *ret_cookie,
                                      str *ret_expires);
/* The origin of the operators' pages; empty: they are not reached by https. */
str operator_origin(const struct request *req);

/* STEP_UP_REQUIRED, or OK: also for everybody who is not in a session. */
MUST_USE error operator_session_check_presence(struct request *req);
/* The same for an operation that people look at first by a dry run, which needs nothing: it asks itself. */
MUST_USE error operator_session_demand_presence(struct request *req);

/* ---- sign_in.c ---- */
/* A stage: answers /operator/v1/sign-in/…, /sign-out and /sessions, for which there is no caller yet. */
MUST_USE error operator_sign_in(struct request *req);

#endif
