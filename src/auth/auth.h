/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Authentication for the stages: credentials in, principal out. Answers come from an in-memory snapshot, which commits
 * invalidate on every node. A refusal is always confirmed in the database first.
 *
 * With may_block = false nothing here waits: the result is WOULD_BLOCK when the answer is not in memory or would be a
 * refusal.
 */
#ifndef AUTH_AUTH_H
#define AUTH_AUTH_H

#include "auth/principal.h"
#include "base/crypto/crypto.h"
#include "base/error.h"
#include "limit/limit.h"
#include "store/store.h"

struct auth;

struct auth_config {
    struct key master_key; /* from the key file; everything else is derived from it */
    int token_lifetime_s;  /* at most 3600 */
    str base_url;          /* where browsers find this service; empty: no sessions */
    const char *dsn;       /* for the listener: the database itself, not a pooler that shares connections */
};

/* Starts the thread that listens for invalidations. */
MUST_USE struct auth *auth_new(struct store *store, struct limiter *limiter, const struct auth_config *config);
void auth_free(struct auth *auth);

struct credentials {
    str authorization;  /* the header's value; empty when there was none */
    str method, target; /* as received: Digest signs them ("GET", "/api/svc/v2/groups?x=1") */
    struct net_address client;
    /* Of browsers. Who has an Authorization header is known by that alone. */
    str cookie, origin, fetch_site;
    bool goes_on; /* it is a stream that is looked at again */
};

/*
 * NOT_AUTHENTICATED without credentials, INVALID_CREDENTIALS or SESSION_ENDED with wrong ones, CROSS_SITE_REQUEST with a
 * cookie that another site's page made a browser send, else *ret_principal, which lives as long
 * as the arena. `fresh` asks the database even when the snapshot knows the answer.
 */
MUST_USE error auth_authenticate(struct auth *auth, struct arena *arena, const struct credentials *credentials,
                                 bool may_block, bool fresh, const struct principal **ret_principal);

/*
 * Reads a caller from the database again. This confirms a refusal without checking credentials that work only once a
 * second time. INVALID_CREDENTIALS when the caller is gone. May block.
 */
MUST_USE error auth_reload_principal(struct auth *auth, struct arena *arena, const struct credentials *credentials,
                                     const struct principal *known, const struct principal **ret_principal);

/* Notes that a caller was let in from an address by entries of its access list. Does not wait for anything. */
void auth_note_origin(struct auth *auth, const struct principal *principal, const struct net_address *address);

/*
 * The guard of credentials (limit.h); authentication and the OAuth endpoints call it themselves. Before checking
 * credentials that are expensive to check: OK or TOO_MANY_FAILURES. After wrong ones: `refusal`, or TOO_MANY_FAILURES
 * when there were too many.
 */
MUST_USE error auth_check_guard(struct auth *auth, struct arena *arena, const struct net_address *client,
                                str credential);
MUST_USE error auth_count_failure(struct auth *auth, struct arena *arena, const struct net_address *client,
                                  str credential, error refusal);
/* The same for what people make up themselves, of which far fewer tries are let through: their passwords. */
MUST_USE error auth_check_password_guard(struct auth *auth, struct arena *arena, const struct net_address *client,
                                         str username);
MUST_USE error auth_count_wrong_password(struct auth *auth, struct arena *arena, const struct net_address *client,
                                         str username, error refusal);

/*
 * Values for WWW-Authenticate on a 401: Bearer, Digest SHA-256 and Digest MD5 with a fresh nonce. The last two are
 * empty until the keys were read from the database for the first time. Never blocks.
 */
void auth_challenges(struct auth *auth, struct arena *arena, bool stale_nonce, str ret_challenges[3]);
/* True for refusals after which the same client can retry with a new nonce: then the challenge says stale=true. */
bool auth_is_stale_nonce(error problem);

/* The project or organization of a path, and the limits that are set for it. */
struct limit_override {
    enum set_label set;
    int64_t capacity, refill;
};
struct context_facts {
    bool exists;
    id organization;
    id project;  /* zero in the context of an organization */
    bool locked; /* the organization is locked: only reads and deletions work */
    str lock_reason;
    unsigned switched_off; /* of the project: a bit for each (auth/project_switch.h) */
    size_t override_count;
    const struct limit_override *overrides; /* the project's or user's before the organization's */
    int64_t loaded_at_ms;
};
MUST_USE error auth_organization_facts(struct auth *auth, struct arena *arena, id organization, bool may_block,
                                       bool fresh, const struct context_facts **ret_facts);
MUST_USE error auth_project_facts(struct auth *auth, struct arena *arena, id project, bool may_block, bool fresh,
                                  const struct context_facts **ret_facts);
/* Overrides of a user's own buckets (USER scope). */
MUST_USE error auth_user_facts(struct auth *auth, struct arena *arena, id principal, bool may_block, bool fresh,
                               const struct context_facts **ret_facts);
/* The organizations that share a federation: their ids. Always asks the database. */
MUST_USE error auth_federation_organizations(struct auth *auth, struct arena *arena, id federation, size_t *ret_count,
                                             const id **ret_organizations);

/* ---- The OAuth endpoints (RFC 6749, 7009, 8414). They write their own documents; both may block. ---- */
/* The form comes from callers who are not authenticated yet. The longest useful one has a token of another issuer, which seldom has more than 4 KiB. */
enum { OAUTH_FORM_MAX_BYTES = 8 * 1024 };
struct oauth_answer {
    unsigned status;
    str body;             /* JSON, or empty */
    str www_authenticate; /* empty, or for a 401 */
    int retry_after_s;    /* 0, or for a 503 */
    error refused;        /* OK, or the error to answer with instead: there were too many wrong tries */
};
void oauth_token(struct auth *auth, struct arena *arena, const struct credentials *credentials, str content_type,
                 str form, struct oauth_answer *ret_answer);
void oauth_revoke(struct auth *auth, struct arena *arena, const struct credentials *credentials, str content_type,
                  str form, struct oauth_answer *ret_answer);
/* `offers_device`: programs can be let in by a person in a browser (RFC 8628). They ask for it, and for their token, at paths of their own. */
#define DEVICE_PATH "/api/sign-in/device"
str oauth_metadata(struct arena *arena, str base_url, bool offers_device);

/* ---- Making credentials (bootstrap, and the families that manage them) ---- */
struct new_service_account {
    id id;
    str client_id; /* reeve_sa_<24 digits> */
    id secret_id;
    str secret; /* shown once */
};
struct new_api_key {
    id id;
    str public_key;  /* 8 characters */
    str private_key; /* shown once */
};
struct new_secret {
    id id;
    str secret; /* shown once */
    str mask;   /* "reeve_sk_…" and the last four characters */
};
/* Roles and access list are added by store/auth/principal.h; these make the row and its secret inside the transaction. */
MUST_USE error auth_create_service_account(struct auth *auth, struct tx *tx, id organization, str name, str description,
                                           int64_t secret_expires_at_ms, struct new_service_account *ret);
MUST_USE error auth_create_api_key(struct auth *auth, struct tx *tx, id organization, str description,
                                   struct new_api_key *ret);

/* One more secret for a service account; RESOURCE_NOT_FOUND when the organization has no such account. */
MUST_USE error auth_create_secret(struct auth *auth, struct tx *tx, id organization, id account, int64_t expires_at_ms,
                                  struct new_secret *ret);
/* The token of an invitation: shown once, and the MAC that is kept of it. Empty when the arena is full. */
str auth_new_invitation_token(struct auth *auth, struct arena *arena, uint8_t ret_mac[SHA256_BYTES]);
void auth_invitation_mac(struct auth *auth, str token, uint8_t ret_mac[SHA256_BYTES]);
enum { INVITATION_PEPPER_VERSION = 1 };
/*
 * A session of a person, in the service's own transaction. The cookie's value is shown once. `browser` is what it calls itself.
 */
struct new_session {
    id session, person;
    const struct net_address *address;
    str browser;
    bool is_verified; /* it counts as confirmed (step-up) for a while */
    id provider;      /* with which they signed in, as it was when it was asked; zero: none */
    int64_t provider_epoch;
};
MUST_USE error auth_begin_session(struct auth *auth, struct tx *tx, const struct new_session *wanted, str *ret_cookie,
                                  str *ret_expires);
/* The same for a device that was approved (`device`: what is kept of its code); `person` is not looked at. The token is empty when nobody has approved it. */
MUST_USE error auth_begin_device_session(struct auth *auth, struct tx *tx, const struct new_session *wanted, str device,
                                         str *ret_token, int64_t *ret_lasts_s);
/* The MAC that is kept of the token with which somebody adds their first passkey or password. `reeved enrol` makes them, with the same key. */
#define SESSION_PEPPER_PURPOSE "session pepper v1"
#define ENROLMENT_TOKEN_KIND   "en"
void auth_enrolment_mac(struct auth *auth, str token, uint8_t ret_mac[SHA256_BYTES]);
/* The origin of this service's pages; empty when it has none. */
str auth_origin(struct auth *auth);

/* The key that seals an organization's secrets, unless it has one; auth_create_api_key() does it by itself. */
MUST_USE error auth_create_data_key(struct auth *auth, struct tx *tx, id organization);
/* Makes a new key for tokens and nonces, known to all nodes; tokens with the old key stay valid until they expire. */
MUST_USE error auth_rotate_signing_key(struct auth *auth, struct arena *arena);

/* A key for one purpose, derived from the master key ("idempotency"). */
struct key auth_key_for(struct auth *auth, const char *purpose);

struct auth_status {
    bool listening; /* invalidations arrive */
    int64_t entries;
};
struct auth_status auth_status(struct auth *auth);

#endif
