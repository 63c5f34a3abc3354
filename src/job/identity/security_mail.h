/* SPDX-License-Identifier: Apache-2.0 */
/* Mails to the security contacts of organizations: who gets in was changed, or how it is watched. */
#ifndef JOB_IDENTITY_SECURITY_MAIL_H
#define JOB_IDENTITY_SECURITY_MAIL_H

#include "job/identity/invitation_mail.h"

/* Sends what is due until `stop`; whether there was anything. */
bool security_mails_send(const struct invitation_mailer *mailer, atomic_bool *stop);

#endif
