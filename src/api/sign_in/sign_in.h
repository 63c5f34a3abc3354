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
/* Of the form that a SAML provider has a browser post, and of what the console makes of it: the answer in base64. */
enum { SAML_FORM_MAX_BYTES = 96 * 1024, SAML_FINISH_MAX_BYTES = 84 * 1024 };
#define SAML_PATH "/api/saml/"

/* Each fills req->out, and may block unless it says otherwise. SIGN_IN_REFUSED when it is not who it seems to be. */
MUST_USE error sign_in_challenge(struct request *req); /* never blocks */
MUST_USE error sign_in_with_passkey(struct request *req);
MUST_USE error sign_in_with_password(struct request *req);
MUST_USE error sign_in_enrolment(struct request *req); /* whose first passkey or password a token is for */
MUST_USE error sign_in_enrol(struct request *req);
MUST_USE error sign_in_enrol_password(struct request *req);
MUST_USE error sign_in_confirm(struct request *req); /* step-up */
/* With the organization's identity provider: where the browser goes, and what it brings back from there. */
MUST_USE error provider_begin(struct request *req);
MUST_USE error provider_confirm(struct request *req); /* step-up */
MUST_USE error provider_finish(struct request *req);
MUST_USE error provider_finish_saml(struct request *req);
MUST_USE error provider_has_visit(struct request *req); /* whether the browser was sent to one by us; never blocks */
MUST_USE error saml_page(struct request *req);          /* what is below SAML_PATH: it answers browsers with pages */
MUST_USE error sign_in_confirm_with_password(struct request *req);
MUST_USE error sign_out(struct request *req);
MUST_USE error sessions_list(struct request *req);
MUST_USE error sessions_end(struct request *req);
/* What the person of a session signs in with. All that changes something needs a step-up, except a name. */
MUST_USE error password_change(struct request *req);
MUST_USE error password_remove(struct request *req);
MUST_USE error passkeys_list(struct request *req);
MUST_USE error passkeys_begin(struct request *req); /* the challenges for a further one */
MUST_USE error passkeys_add(struct request *req);
MUST_USE error passkeys_rename(struct request *req);
MUST_USE error passkeys_remove(struct request *req);

#endif
