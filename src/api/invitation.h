/* SPDX-License-Identifier: Apache-2.0 */
/* POST /api/invitations/accept: how an invited person becomes a member. The proof is the token that was mailed, or
 * the credentials of the person who has the address. */
#ifndef API_INVITATION_H
#define API_INVITATION_H

#include "api/request.h"

/* Largest body, because the sender is not known yet. Twice what the longest names and addresses need. */
enum { INVITATION_MAX_BYTES = 4 * 1024 };

/* Fills req->out. INVITATION_NOT_VALID, the same for every reason, when nothing is accepted. May block. */
MUST_USE error invitation_accept(struct request *req);

#endif
