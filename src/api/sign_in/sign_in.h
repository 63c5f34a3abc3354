/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How people sign in with a browser: what /api/sign-in/… and /api/sessions answer. Nobody who has not shown a right signature makes us keep
 * anything. Everything that changes something must come from a page of ours, also before there is a cookie: else another site's page could sign
 * somebody in as somebody else.
 */
#ifndef API_SIGN_IN_SIGN_IN_H
#define API_SIGN_IN_SIGN_IN_H

#include "api/request.h"

/* Largest body, because the sender is not known yet. Twice what the longest answers of authenticators need. */
enum { SIGN_IN_MAX_BYTES = 16 * 1024 };

/* Each fills req->out, and may block unless it says otherwise. SIGN_IN_REFUSED when it is not who it seems to be. */
MUST_USE error sign_in_challenge(struct request *req); /* never blocks */
MUST_USE error sign_in_with_passkey(struct request *req);
MUST_USE error sign_in_enrolment(struct request *req); /* whose first passkey a token is for */
MUST_USE error sign_in_enrol(struct request *req);
MUST_USE error sign_in_confirm(struct request *req); /* step-up */
MUST_USE error sign_out(struct request *req);
MUST_USE error sessions_list(struct request *req);
MUST_USE error sessions_end(struct request *req);

#endif
