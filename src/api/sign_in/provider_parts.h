/* SPDX-License-Identifier: Apache-2.0 */
/* What signing in with a provider is whatever the provider speaks: the way there and back, whose turn it is, and the session. Nobody but api/sign_in/ includes it. */
#ifndef API_SIGN_IN_PROVIDER_PARTS_H
#define API_SIGN_IN_PROVIDER_PARTS_H

#include "api/sign_in/parts.h"
#include "auth/federation.h"
#include "auth/person/visit.h"

/* ---- A provider, as store_federation_provider() has it ---- */
str provider_text(const json_t *row, const char *name);
bool provider_speaks_saml(const json_t *row);
/* As it is now; it must be the one to which the browser was sent, and speak this. */
MUST_USE error provider_find(struct request *req, const struct visit *visit, bool saml, const json_t **ret_row);
MUST_USE error provider_check_offered(struct request *req);
MUST_USE error provider_refuse_closed(struct request *req);

/* ---- There ---- */
/* `session`: the one in which they confirm; none: they sign in. */
MUST_USE error provider_new_visit(struct request *req, const json_t *row, id session, struct visit *ret_visit,
                                  str *ret_cookie);
MUST_USE error provider_answer_way(struct request *req, str url, str cookie);
MUST_USE error saml_send_there(struct request *req, const json_t *row, const struct visit *visit, str cookie);

/* ---- And back ---- */
/* The visit of the browser's cookie, if it has one that was made here. Pure: nothing is asked. */
MUST_USE error provider_visit_of_browser(struct request *req, struct visit *ret_visit);
/* The same, and it comes from where it was sent (identityProviderId in the body), with what it was sent with. If it is a confirmation, the session is the caller's. */
MUST_USE error provider_read_visit(struct request *req, str state, struct visit *ret_visit);
/* OVERLOADED with a time to wait when too many are waited for. */
MUST_USE error provider_take_turn(struct request *req, const json_t *row, id **ret_turn);
void provider_end_turn(id *turn);
/* Uses the visit up: begins a session, or confirms in one. */
MUST_USE error provider_let_in(struct request *req, const json_t *row, const struct visit *visit,
                               const struct federated_person *person);

#endif
