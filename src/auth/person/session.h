/* SPDX-License-Identifier: Apache-2.0 */
/*
 * People who call with the cookie of a session, or with the token of one on a device of theirs. The principal is the person, with the id of the session. A cookie is sent by the browser, whoever made it
 * send the request: so what changes something must say that it comes from a page of ours.
 */
#ifndef AUTH_PERSON_SESSION_H
#define AUTH_PERSON_SESSION_H

#include "auth/auth.h"

/* "reeve_cs_" (a device's token: "reeve_cd_"), the session's 24 digits, and a secret of 256 bits with its checksum. */
#define SESSION_COOKIE "__Host-reeve_session"
enum { SESSION_PREFIX_LENGTH = 9, SESSION_TEXT_LENGTH = SESSION_PREFIX_LENGTH + ID_DIGITS + 49 };

/* The origin of an address such as base_url, as browsers write it; empty when it is none that browsers keep cookies for: it must be https. */
str session_origin_of(struct arena *arena, str url);

/* The value of a cookie in a Cookie header. False when it is not there, or more than once. */
MUST_USE bool session_find_cookie(str header, const char *cookie, str *ret_value);
/* Whether there is one by that name at all. */
bool session_has_cookie(str header, const char *cookie);
bool session_is_shown(const struct credentials *credentials);

/* OK when a page of ours sent the request, or (`reads`) the person themselves did; else CROSS_SITE_REQUEST. */
MUST_USE error session_check_site(struct auth *auth, struct arena *arena, const struct credentials *credentials,
                                  bool reads);

/* The same for the pages of any origin; `setting` is what says which one it is. */
MUST_USE error session_check_origin(struct arena *arena, str origin, const char *setting,
                                    const struct credentials *credentials, bool reads);

/* `ret_named` is what names the session, for the guard. */
MUST_USE error session_authenticate(struct auth *auth, struct arena *arena, const struct credentials *credentials,
                                    bool may_block, bool fresh, str *ret_named, const struct principal **ret_principal);

/* The same with the bearer token of a device that its person let in: no browser sends that by itself. */
bool session_is_token(str text);
MUST_USE error session_authenticate_device(struct auth *auth, struct arena *arena,
                                           const struct credentials *credentials, str token, bool may_block, bool fresh,
                                           str *ret_named, const struct principal **ret_principal);

#endif
