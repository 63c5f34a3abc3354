/* SPDX-License-Identifier: Apache-2.0 */
/* Sends one message to the mail server of the configuration. It counts as sent when the server has accepted it. */
#ifndef JOB_MAIL_H
#define JOB_MAIL_H

#include "base/str.h"

struct mail_server {
    const char *url;     /* smtp://host:port or smtps://host:port; NULL: there is none */
    const char *from;    /* the sender's address */
    const char *ca_file; /* for smtps; NULL: the system's */
};

struct mail {
    const str *recipients; /* addresses */
    size_t recipient_count;
    str id;      /* the same for each try */
    str subject; /* ASCII */
    str text;    /* UTF-8 */
    int64_t date_s;
};

/* The server's last code, or 0 with a sentence when it was not taken. Recipients see only their own address. */
MUST_USE int mail_send(struct arena *arena, const struct mail_server *server, const struct mail *mail, str *ret_why);
/* The message as it goes out; empty without memory. */
str mail_text(struct arena *arena, const struct mail_server *server, const struct mail *mail);

#endif
