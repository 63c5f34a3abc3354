/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Federations: how organizations use identity providers, and which roles their groups have. An organization is always
 * in one federation; triggers make it with the organization, and remove it with the last one. The providers are in
 * store/federation/identity_provider.h.
 */
#ifndef STORE_FEDERATION_FEDERATION_H
#define STORE_FEDERATION_FEDERATION_H

#include <jansson.h>

#include "store/store.h"

/* ---- The federation of an organization ---- */
/* Locked with the organization, so that no organization joins or leaves meanwhile. */
MUST_USE error store_federation_lock(struct tx *tx, id organization, id *ret_federation);
MUST_USE error store_federation_size(struct tx *tx, id organization, int64_t *ret_organizations);
/*
 * Moves the organization into another federation, which is made unless it exists. Its settings in the old one are
 * deleted, and so is the old one when nobody else is in it. Every node is told.
 */
MUST_USE error store_federation_join(struct tx *tx, id organization, id from, id to);
/* Something in the federation has changed that decides about tokens. */
MUST_USE error store_federation_changed(struct tx *tx, id federation);
/* The roles of people who signed in to the organization have changed. */
MUST_USE error store_federation_members_changed(struct tx *tx, id organization);
/*
 * DOMAIN_NOT_ALLOWED when the organization accepts people from certain domains only, and this address (or, when that is
 * empty, this person) is in none of them.
 */
MUST_USE error store_federation_check_address(struct tx *tx, id organization, str address, id person);
/* The first of the domains (a JSON list) that is not the federation's; empty: all are. */
MUST_USE error store_federation_foreign_domain(struct tx *tx, id organization, str domains, str *ret_domain);

/* ---- How an organization uses it ---- */
struct connected_draft {
    bool has_provider;
    id provider;
    bool domain_restriction;
    str domain_allow_list, sign_in_roles; /* JSON lists */
};
/* Locked. The revision is a hash of what is shown. */
MUST_USE error store_connected_lock(struct tx *tx, id organization, str *ret_document, int64_t *ret_revision);
MUST_USE error store_connected_document(struct tx *tx, id organization, str *ret_document, int64_t *ret_revision);
/* *ret_known is false when the federation has no such provider. */
MUST_USE error store_connected_update(struct tx *tx, id organization, const struct connected_draft *draft,
                                      bool *ret_known);

/* ---- Role mappings ---- */
MUST_USE error store_role_mapping_count(struct tx *tx, id organization, int64_t *ret_count);
/* DUPLICATE_NAME when the group is mapped already. */
MUST_USE error store_role_mapping_add(struct tx *tx, id organization, id mapping, str group);
MUST_USE error store_role_mapping_rename(struct tx *tx, id organization, id mapping, str group);
MUST_USE error store_role_mapping_clear(struct tx *tx, id organization, id mapping);
/* `project` is zero for a role in the organization. *ret_known is false when the organization has no such project. */
MUST_USE error store_role_mapping_role_add(struct tx *tx, id organization, id mapping, id project, str role,
                                           bool *ret_known);
MUST_USE error store_role_mapping_delete(struct tx *tx, id organization, id mapping);
/* The document is empty when there is none. */
MUST_USE error store_role_mapping_lock(struct tx *tx, id organization, id mapping, str *ret_document,
                                       int64_t *ret_revision);
MUST_USE error store_role_mapping_document(struct tx *tx, id organization, id mapping, str *ret_document,
                                           int64_t *ret_revision);

/* ---- For auth/: who calls with a provider's token ---- */
/* The active OIDC providers with this issuer, as auth_issuer.sql writes them; NULL: none. */
MUST_USE error store_federation_issuer(struct store *store, struct arena *arena, str issuer, const json_t **ret_rows);
/* The same of those whose tokens a service account trusts; `subject`: whom they are to name. */
MUST_USE error store_federation_trusted(struct store *store, struct arena *arena, id account, const json_t **ret_rows);
/* Those to whose pages somebody with this address can be sent, `named` (or none) also while it is tried out; NULL: none. */
MUST_USE error store_federation_providers_of(struct store *store, struct arena *arena, str address, id named,
                                             const json_t **ret_rows);
/* One of them by its id; NULL: it is none, or none any more. */
MUST_USE error store_federation_provider(struct store *store, struct arena *arena, id provider, const json_t **ret_row);
struct federated_place {
    id person, organization;
    str groups;         /* JSON list of those that are mapped here */
    bool changes_roles; /* what the token says is other than what is written down */
    bool is_news;       /* and no newer token was seen */
};
MUST_USE error store_federation_sign_in(struct store *store, struct arena *arena, id provider, str address, str groups,
                                        int64_t issued_s, struct federated_place *ret_places, size_t max,
                                        size_t *ret_count);
struct federated_news {
    struct federated_place place;
    id provider;
    str address, client;
    int64_t issued_s;
};
/* A transaction of its own; with an event when it changes what the person holds. */
MUST_USE error store_federation_signed_in(struct store *store, struct arena *arena, const struct federated_news *news);
struct refused_answer {
    id provider;
    str why, address, request_id;
};
/* Tells the organizations that use the provider, with an event, at most every ten minutes: strangers can have answers refused. A transaction of its own. */
MUST_USE error store_federation_answer_refused(struct store *store, struct arena *arena,
                                               const struct refused_answer *refused);
/* Has the provider's keys fetched soon, unless that was tried within the last seconds. A transaction of its own. */
MUST_USE error store_federation_want_keys(struct store *store, struct arena *arena, id organization, id provider,
                                          int64_t not_within_s);

/* ---- For the operator ---- */
MUST_USE error store_federation_list(struct store *store, struct arena *arena, str *ret_list);
/* Zero when there is no such organization. */
MUST_USE error store_federation_of(struct store *store, struct arena *arena, id organization, id *ret_federation);
MUST_USE error store_federation_exists(struct store *store, struct arena *arena, id federation, bool *ret_exists);
/* In a transaction of the service. DUPLICATE_NAME when a federation has the domain. */
MUST_USE error store_federation_domain_add(struct tx *tx, id federation, str domain);
MUST_USE error store_federation_domain_remove(struct tx *tx, id federation, str domain, bool *ret_removed);

#endif
