/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs that have a token of a provider and no secret of ours (RFC 7523, 2.2): a job of CI, a pod. The token is shown instead of the secret of a service
 * account, which says whose tokens it trusts.
 */
#ifndef AUTH_PROGRAM_H
#define AUTH_PROGRAM_H

#include "auth/auth.h"

/* Whether the token stands for the account. Why not is nobody's business who cannot show one. Blocks. */
MUST_USE error program_is_trusted(struct auth *auth, struct arena *arena, id account, str token, bool *ret_is_trusted);

#endif
