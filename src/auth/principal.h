/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who calls: a service account, an API key, a person (by a token or in a session) or (on a separate address) an operator,
 * with everything that decides what they may do. Immutable once loaded.
 */
#ifndef AUTH_PRINCIPAL_H
#define AUTH_PRINCIPAL_H

#include "auth/role.h"
#include "base/id.h"
#include "base/net/net.h"

enum principal_kind { PRINCIPAL_SERVICE_ACCOUNT, PRINCIPAL_API_KEY, PRINCIPAL_PERSON, PRINCIPAL_OPERATOR };

struct grant {
    id organization;
    id project; /* zero: granted in the organization */
    role_set roles;
    id provider; /* the organization's own identity provider, with which its people sign in; zero: none */
};

enum { TOKEN_FINGERPRINT_BYTES = 16 };

struct principal {
    id id;
    enum principal_kind kind;
    id organization; /* zero for a person and an operator */
    str name;        /* what events and logs call it: client id, public key or user name */
    int64_t generation;
    bool access_list_required;
    size_t grant_count, block_count, revoked_count;
    const struct grant *grants;
    const struct net_block *blocks;                    /* the access list */
    const uint8_t (*revoked)[TOKEN_FINGERPRINT_BYTES]; /* tokens revoked before they expired, in ascending order */
    int64_t loaded_at_ms;                              /* steady clock */
    /* Credentials that count in some organizations only: `grants` are those there. */
    bool is_confined;
    size_t reach_count;
    const id *reach;
    /* Of a person who came with the cookie or the token of a session. */
    id session;
    id provider;            /* with which it began; zero: with a passkey or a password */
    int64_t verified_at_ms; /* steady clock: when they last proved with a key who they are */
};

/* Roles in a project include those granted in its organization; the result is closed over what roles imply. */
role_set principal_roles_in_organization(const struct principal *principal, id organization);
role_set principal_roles_in_project(const struct principal *principal, id organization, id project);
/* The union over all contexts. */
role_set principal_roles_anywhere(const struct principal *principal);
/* Whether the principal belongs to the organization: as one of its credentials, or with any role there. */
bool principal_is_in_organization(const struct principal *principal, id organization);
bool principal_is_in_project(const struct principal *principal, id organization, id project);

enum origin { ORIGIN_ALLOWED, ORIGIN_NOT_LISTED, ORIGIN_LIST_MISSING };
enum origin principal_check_origin(const struct principal *principal, const struct net_address *address);

#endif
