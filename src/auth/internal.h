/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of auth/ share; nobody else includes it but tests. */
#ifndef AUTH_INTERNAL_H
#define AUTH_INTERNAL_H

#include "auth/auth.h"
#include "auth/freshness.h"
#include "auth/keyring.h"
#include "auth/snapshot.h"
#include "auth/token.h"
#include "auth/usage.h"
#include "store/listener.h"

struct auth {
    struct store *store;
    struct limiter *limiter;
    int token_lifetime_s;
    struct key master_key;
    struct key pepper;           /* client secrets */
    struct key data_key_sealing; /* the organizations' data keys */
    struct key session_pepper;   /* cookies of sessions */
    struct arena *arena;         /* of the next */
    str origin;                  /* of this service's pages; empty: no sessions */
    struct key no_secret;        /* used as the H(A1) of keys that do not exist */
    struct freshness freshness;
    struct keyring *keyring;
    struct snapshot *snapshot;
    struct federation_memory *federation;
    struct listener *listener;
    struct usage *usage;
};

/* Makes sure that the keys in memory can be used: reads them when that is due. */
MUST_USE error auth_ready_keys(struct auth *auth, struct arena *arena, bool may_block);
enum token_state { TOKEN_GOOD, TOKEN_EXPIRED, TOKEN_FOREIGN };
/* Checks the token only, not the principal. */
MUST_USE error auth_check_token(struct auth *auth, struct arena *arena, str text, bool may_block,
                                struct token *ret_token, enum token_state *ret_state);

#endif
