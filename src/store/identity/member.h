/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Members of an organization: people with roles there, and open invitations. A zero `project` means the organization
 * itself. Each role is a row: adding or removing one never touches the others.
 */
#ifndef STORE_IDENTITY_MEMBER_H
#define STORE_IDENTITY_MEMBER_H

#include <jansson.h>

#include "store/store.h"

enum member_status { MEMBER_ACTIVE, MEMBER_INVITED, MEMBER_INVITATION_EXPIRED };

struct member {
    id id; /* of the person, or of the invitation */
    enum member_status status;
    str document; /* as the API shows it in that context */
    int64_t revision;
};

/* One transaction at a time changes one member, until it ends. */
MUST_USE error store_member_lock(struct tx *tx, id organization, id member);
MUST_USE error store_member_find(struct tx *tx, id organization, id member, id project, bool *ret_found,
                                 struct member *ret_member);
/* Who has the user name in the organization; only id and status are filled in. */
MUST_USE error store_member_by_name(struct tx *tx, id organization, str username, bool *ret_found,
                                    struct member *ret_member);

/* RESOURCE_NOT_FOUND when the organization has no such project. */
MUST_USE error store_member_add_role(struct tx *tx, id organization, const struct member *member, id project, str role);
MUST_USE error store_member_remove_role(struct tx *tx, id organization, const struct member *member, id project,
                                        str role);

/* Which roles a list replaces: those in the organization, those in all its projects, those in one project. */
enum role_part { ROLES_IN_ORGANIZATION, ROLES_IN_PROJECTS, ROLES_IN_ONE_PROJECT };
/* Takes away what is not in `kept`, a list of {"project": "24 digits", "role": "…"}; without project in the organization. */
MUST_USE error store_member_keep_roles(struct tx *tx, id organization, const struct member *member, enum role_part part,
                                       id project, const json_t *kept);
/* From a project: the roles there. From the organization: everything, or the invitation itself. */
MUST_USE error store_member_remove(struct tx *tx, id organization, const struct member *member, id project);

/* ---- Invitations ---- */
struct invitation_draft {
    id id;
    str username, inviter_name;
    const uint8_t *mac; /* of the token, 32 bytes */
    int pepper_version;
    int days;         /* until it expires */
    str sealed_token; /* for its mail */
};
/*
 * *ret_invited is false when another request has just invited that address. RESOURCE_NOT_FOUND when the organization is
 * gone.
 */
MUST_USE error store_invitation_add(struct tx *tx, id organization, const struct invitation_draft *draft,
                                    bool *ret_invited);
/* An expired one gets another token and forgets what it granted. CONCURRENT_CHANGE when it was accepted meanwhile. */
MUST_USE error store_invitation_renew(struct tx *tx, id organization, const struct invitation_draft *draft);
/* Counts one more today; false when there were `most` already. */
MUST_USE error store_invitation_count(struct tx *tx, id organization, int most, bool *ret_allowed);
MUST_USE error store_invitation_document(struct tx *tx, id organization, id invitation, id project, bool *ret_found,
                                         str *ret_document, int64_t *ret_revision);
/* An open invitation by its token and address, outside any transaction. */
MUST_USE error store_invitation_by_token(struct store *store, struct arena *arena, const uint8_t mac[32], str username,
                                         bool *ret_found, id *ret_organization, id *ret_invitation);
/* The same for somebody who signed in with the address. */
MUST_USE error store_invitation_for_person(struct store *store, struct arena *arena, id invitation, str username,
                                           bool *ret_found, id *ret_organization);
/* Grants a person what the invitation says and marks it as used; *ret_accepted is false when it was used or taken back. */
MUST_USE error store_invitation_accept(struct tx *tx, id organization, id invitation, id person, bool *ret_accepted);

/* ---- People ---- */
/* The name of a person in one organization; others do not see it. Empty parts come from the account. */
struct member_name {
    str first, last, country;
};
MUST_USE error store_member_set_name(struct tx *tx, id organization, id person, const struct member_name *name);
MUST_USE error store_person_by_username(struct tx *tx, str username, bool *ret_found, id *ret_person);
/* The transaction must be the service's own, as for create_person(). */
MUST_USE error store_person_set_country(struct tx *tx, id person, str country);
/* As the API shows it, with the roles of one organization. */
MUST_USE error store_person_document(struct tx *tx, id organization, id person, str *ret_document);

#endif
