/* SPDX-License-Identifier: Apache-2.0 */
#include "job/identity/invitation_mail.h"

#include "base/clock.h"
#include "base/crypto/invitation_token.h"
#include "base/failpoint.h"
#include "base/json.h"
#include "base/log.h"
#include "base/net/mail_address.h"
#include "job/delivery_threads.h"
#include "store/identity/invitation_mail.h"

/* The server has 15 s for a mail; nobody else takes it for so long. */
enum { LEASE_MS = 60 * 1000, MAIL_ARENA_BYTES = 1024 * 1024, TEXT_MAX_BYTES = 16 * 1024, NEVER = -1 };

str
invitation_mail_text(struct arena *arena, const char *base_url, str organization, str inviter, str invitation,
                     str username, str token, str expires_at)
{
    struct buf out = buf_in(arena, TEXT_MAX_BYTES);
    json_t *body =
        json_in(arena, json_pack("{s:s%, s:s%, s:s, s:s}", "token", token.data, token.len, "username", username.data,
                                 username.len, "firstName", "YOUR FIRST NAME", "lastName", "YOUR LAST NAME"));
    buf_format(&out, "You are invited to the organization \"%.*s\", by %.*s.\n\n", STR_ARG(organization),
               STR_ARG(inviter));
    buf_format(&out, "To accept, send this until %.*s:\n\n", STR_ARG(expires_at));
    buf_format(&out, "POST %s/api/invitations/accept\nContent-Type: application/json\n\n%.*s\n\n", base_url,
               STR_ARG(json_text(arena, body)));
    buf_format(&out,
               "Or sign in with your own credentials and send {\"invitationId\": \"%.*s\"} to the same address.\n\n",
               STR_ARG(invitation));
    buf_format(
        &out,
        "If you have no account here yet, the answer has an enrolmentToken. With it you add a passkey or a password, at\n"
        "%s/console/enrol#TOKEN if this service has a console.\n\n",
        base_url);
    buf_add_text(
        &out,
        "Your names are shown to members of this organization only.\n"
        "The token is for you alone: anybody who has it can accept in your name. If you do not know who invites you, "
        "do "
        "nothing.\n");
    return buf_str(&out);
}

static bool
write_text(const struct invitation_mailer *mailer, struct arena *arena, const struct invitation_mail *due,
           str *ret_text)
{
    str token;
    if (!invitation_token_open(arena, &mailer->key, due->at.invitation, due->sealed_token, &token))
        return false;
    *ret_text = invitation_mail_text(arena, mailer->base_url, due->organization_name, due->inviter,
                                     id_text(arena, due->at.invitation), due->username, token, due->expires_at);
    return ret_text->len > 0;
}

static error
deliver(const struct invitation_mailer *mailer, struct arena *arena, const struct invitation_mail *due)
{
    struct mail mail = {
        .recipients = &due->username,
        .recipient_count = 1,
        .id = str_format(arena, "%s.%s", id_text(arena, due->at.invitation).data, "invitation"),
        .subject = STR("You are invited to an organization"),
        .date_s = clock_now_ms() / 1000,
    };
    str why = STR_EMPTY;
    if (!mail_address_is_plain(due->username))
        return store_invitation_not_mailed(mailer->store, arena, due, STR("No mail can be sent to this address."),
                                           NEVER);
    if (!write_text(mailer, arena, due, &mail.text))
        return store_invitation_not_mailed(mailer->store, arena, due, STR("The token cannot be opened with this key."),
                                           NEVER);
    failpoint("invitation:mail:before-effect");
    (void)!mail_send(arena, &mailer->mail, &mail, &why);
    failpoint("invitation:mail:after-effect");
    if (why.len == 0)
        return store_invitation_mailed(mailer->store, arena, due);
    log_line(LOG_WARNING, "invitation_not_mailed", "Invitation %s: %.*s", id_text(arena, due->at.invitation).data,
             STR_ARG(why));
    return store_invitation_not_mailed(mailer->store, arena, due, why, delivery_threads_backoff_ms(due->tries - 1));
}

bool
invitation_mails_send(const struct invitation_mailer *mailer, struct arena *arena, atomic_bool *stop)
{
    struct invitation_place due[INVITATION_MAILS_MAX];
    size_t count = 0;
    bool did = false;
    if (mailer->mail.url == NULL || store_invitation_mails_due(mailer->store, arena, due, &count) != OK)
        return false;
    for (size_t i = 0; i < count && !atomic_load(stop); i++) {
        struct arena *own CLEANUP(arena_cleanup) = arena_new(MAIL_ARENA_BYTES);
        struct invitation_mail mail;
        bool claimed = false;
        if (own == NULL)
            return did;
        error problem = store_invitation_mail_claim(mailer->store, own, due[i], LEASE_MS, &claimed, &mail);
        if (problem == OK && claimed)
            problem = deliver(mailer, own, &mail);
        did |= problem == OK && claimed;
    }
    return did;
}
