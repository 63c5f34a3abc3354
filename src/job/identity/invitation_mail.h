/* SPDX-License-Identifier: Apache-2.0 */
/* Mails the tokens of invitations to those who were invited: at least once each, the same token every time. */
#ifndef JOB_IDENTITY_INVITATION_MAIL_H
#define JOB_IDENTITY_INVITATION_MAIL_H

#include <stdatomic.h>

#include "base/crypto/crypto.h"
#include "job/mail.h"
#include "store/store.h"

struct invitation_mailer {
    struct store *store;
    struct key key;       /* of INVITATION_KEY_PURPOSE */
    const char *base_url; /* where the API is, for the text */
    struct mail_server mail;
};

/* Sends what is due until `stop`; whether there was anything. Without a mail server invitations wait for the operator's command. */
bool invitation_mails_send(const struct invitation_mailer *mailer, struct arena *arena, atomic_bool *stop);
/* What the invited person reads; empty without memory. */
str invitation_mail_text(struct arena *arena, const char *base_url, str organization, str inviter, str invitation,
                         str username, str token, str expires_at);

#endif
