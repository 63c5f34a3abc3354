/* SPDX-License-Identifier: Apache-2.0 */
/* Invitations to organizations and projects. They are the same rows in both; a project sees those that grant roles in it. */
#ifndef FAMILY_IDENTITY_INVITATIONS_H
#define FAMILY_IDENTITY_INVITATIONS_H

#include "api/contract.h"

extern const struct schema organization_invitation_schema, project_invitation_schema;
/* The same as it is changed when the path names it: the address is fixed. */
extern const struct schema organization_invitation_change_schema, project_invitation_change_schema;
extern const struct field invitations_query[];

extern const struct read invitation_list, invitation_get;
handler invitation_create, invitation_update, invitation_update_by_name, invitation_delete;

#endif
