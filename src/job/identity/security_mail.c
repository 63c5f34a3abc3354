/* SPDX-License-Identifier: Apache-2.0 */
#include "job/identity/security_mail.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/net/mail_address.h"
#include "store/identity/security_notice.h"

enum { AT_MOST = 5, MOST_LINES = 50, MAIL_ARENA_BYTES = 256 * 1024 };

static str
text_of(struct arena *arena, const char *base_url, str organization, const struct security_events *events)
{
    str more = events->count > MOST_LINES
                   ? str_format(arena, "\n… and %lld more", (long long)(events->count - MOST_LINES))
                   : STR_EMPTY;
    return str_format(
        arena,
        "This address is the security contact of the organization %.*s at %s. In it, who gets in was changed, or how it "
        "is watched:\n\n%.*s%.*s\n\nWhat was different before and after is in the organization's events:\n"
        "%s/api/svc/v2/orgs/%s/events\n\nIf you do not know of it, ask who did it, and end their sessions and credentials.\n",
        STR_ARG(events->organization), base_url, STR_ARG(events->lines), STR_ARG(more), base_url, organization.data);
}

static error
deliver(const struct invitation_mailer *mailer, struct arena *arena, const struct security_notice *due)
{
    str why = STR_EMPTY, organization = id_text(arena, due->organization);
    struct security_events events;
    TRY(store_security_notice_events(mailer->store, arena, due, MOST_LINES, &events));
    struct mail mail = {
        .recipients = &due->recipient,
        .recipient_count = 1,
        .id = str_format(arena, "%.*s-%lld.security", STR_ARG(organization), (long long)due->last_seq),
        .subject = STR("Security notice about your organization"),
        .text = text_of(arena, mailer->base_url, organization, &events),
        .date_s = clock_now_ms() / 1000,
    };
    if (!mail_address_is_plain(due->recipient))
        why = STR("the address is none that mail can be sent to");
    else if (events.count > 0 && mail.text.len > 0) /* without any they are older than what is kept */
        (void)!mail_send(arena, &mailer->mail, &mail, &why);
    if (why.len == 0)
        return store_security_notice_told(mailer->store, arena, due);
    log_line(LOG_WARNING, "security_contact_not_mailed", "Organization %.*s: %.*s", STR_ARG(organization),
             STR_ARG(why));
    return OK; /* it is due again after a while */
}

bool
security_mails_send(const struct invitation_mailer *mailer, atomic_bool *stop)
{
    bool did = false;
    for (int i = 0; i < AT_MOST && mailer->mail.url != NULL && !atomic_load(stop); i++) {
        struct arena *own CLEANUP(arena_cleanup) = arena_new(MAIL_ARENA_BYTES);
        struct security_notice due;
        bool found = false;
        if (own == NULL || store_security_notice_claim(mailer->store, own, &found, &due) != OK || !found)
            break;
        did |= deliver(mailer, own, &due) == OK;
    }
    return did;
}
