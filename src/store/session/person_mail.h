/* SPDX-License-Identifier: Apache-2.0 */
/* Mails to people about their own account: written with what happened, sent by a worker, at least once each. */
#ifndef STORE_SESSION_PERSON_MAIL_H
#define STORE_SESSION_PERSON_MAIL_H

#include "store/store.h"

#define PERSON_MAIL_RECOVERED "RECOVERED"

struct person_mail {
    id mail;
    str kind, address, created, username;
};
MUST_USE error store_person_mail_add(struct tx *tx, id person, const char *kind, str address);
/* Each in a transaction of its own. *ret_found is false when nothing is due. */
MUST_USE error store_person_mail_claim(struct store *store, struct arena *arena, bool *ret_found,
                                       struct person_mail *ret_mail);
MUST_USE error store_person_mail_done(struct store *store, struct arena *arena, id mail);

#endif
