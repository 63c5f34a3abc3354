/* SPDX-License-Identifier: Apache-2.0 */
/* Mails to people about their own account: that somebody took the place of all that they signed in with. */
#ifndef JOB_IDENTITY_PERSON_MAIL_H
#define JOB_IDENTITY_PERSON_MAIL_H

#include "job/identity/invitation_mail.h"

/* Sends what is due until `stop`; whether there was anything. With the mail server of invitations. */
bool person_mails_send(const struct invitation_mailer *mailer, atomic_bool *stop);

#endif
