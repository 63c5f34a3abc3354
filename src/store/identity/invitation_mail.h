/* SPDX-License-Identifier: Apache-2.0 */
/* The mails of invitations: what is due, taken by one worker at a time, and what became of it. */
#ifndef STORE_IDENTITY_INVITATION_MAIL_H
#define STORE_IDENTITY_INVITATION_MAIL_H

#include "store/store.h"

enum { INVITATION_MAILS_MAX = 32 };

struct invitation_place {
    id organization, invitation;
};

struct invitation_mail {
    struct invitation_place at;
    int64_t tries; /* this one included; a worker with another number has lost the mail */
    str username, inviter, organization_name, expires_at, sealed_token;
};

MUST_USE error store_invitation_mails_due(struct store *store, struct arena *arena,
                                          struct invitation_place ret_due[INVITATION_MAILS_MAX], size_t *ret_count);
/* For `lease_ms`; *ret_claimed is false when somebody else has it, or it is not due any more. */
MUST_USE error store_invitation_mail_claim(struct store *store, struct arena *arena, struct invitation_place at,
                                           int64_t lease_ms, bool *ret_claimed, struct invitation_mail *ret_mail);
MUST_USE error store_invitation_mailed(struct store *store, struct arena *arena, const struct invitation_mail *mail);
/* Tried again after `retry_ms`; never when that is negative. */
MUST_USE error store_invitation_not_mailed(struct store *store, struct arena *arena, const struct invitation_mail *mail,
                                           str why, int64_t retry_ms);

/* ---- For the operator ---- */
/* Open invitations of all organizations, as a JSON list. */
MUST_USE error store_invitation_list_all(struct store *store, struct arena *arena, str *ret_list);
MUST_USE error store_invitation_sealed_token(struct store *store, struct arena *arena, id invitation, bool *ret_found,
                                             str *ret_sealed, str *ret_username);

#endif
