/* SPDX-License-Identifier: Apache-2.0 */
#include "job/identity/person_mail.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/net/mail_address.h"
#include "store/session/person_mail.h"

enum { AT_MOST = 20, MAIL_ARENA_BYTES = 256 * 1024 };

static error
deliver(const struct invitation_mailer *mailer, struct arena *arena, const struct person_mail *due)
{
    struct mail mail = {
        .recipients = &due->username,
        .recipient_count = 1,
        .id = str_format(arena, "%s.%s", id_text(arena, due->mail).data, "account"),
        .subject = STR("Your account was recovered"),
        .text =
            str_format(arena,
                       "All passkeys, the password and all sessions of %.*s were replaced at %.*s, from the address "
                       "%.*s, with a token of whoever runs %s.\n\nIf this was not you, tell them at once.\n",
                       STR_ARG(due->username), STR_ARG(due->created), STR_ARG(due->address), mailer->base_url),
        .date_s = clock_now_ms() / 1000,
    };
    str why = STR_EMPTY;
    if (mail_address_is_plain(due->username) && mail.text.len > 0) {
        (void)!mail_send(arena, &mailer->mail, &mail, &why);
        if (why.len > 0) {
            log_line(LOG_WARNING, "person_not_mailed", "Mail %s: %.*s", id_text(arena, due->mail).data, STR_ARG(why));
            return OK; /* it is due again after a while */
        }
    }
    return store_person_mail_done(mailer->store, arena, due->mail);
}

bool
person_mails_send(const struct invitation_mailer *mailer, atomic_bool *stop)
{
    bool did = false;
    for (int i = 0; i < AT_MOST && mailer->mail.url != NULL && !atomic_load(stop); i++) {
        struct arena *own CLEANUP(arena_cleanup) = arena_new(MAIL_ARENA_BYTES);
        struct person_mail due;
        bool found = false;
        if (own == NULL || store_person_mail_claim(mailer->store, own, &found, &due) != OK || !found)
            break;
        did |= deliver(mailer, own, &due) == OK;
    }
    return did;
}
