/* SPDX-License-Identifier: Apache-2.0 */
#include "auth/principal.h"

role_set
principal_roles_in_organization(const struct principal *principal, id organization)
{
    role_set roles = 0;
    for (size_t i = 0; i < principal->grant_count; i++) {
        const struct grant *grant = &principal->grants[i];
        if (!id_is_there(grant->project) && id_eq(grant->organization, organization))
            roles |= grant->roles;
    }
    return role_closure(roles);
}

role_set
principal_roles_in_project(const struct principal *principal, id organization, id project)
{
    role_set roles = 0;
    for (size_t i = 0; i < principal->grant_count; i++) {
        const struct grant *grant = &principal->grants[i];
        /* Both must match: a project that moved to another organization leaves its grants behind. */
        if (id_eq(grant->organization, organization) &&
            (!id_is_there(grant->project) || id_eq(grant->project, project)))
            roles |= grant->roles;
    }
    return role_closure(roles);
}

role_set
principal_roles_anywhere(const struct principal *principal)
{
    role_set roles = 0;
    for (size_t i = 0; i < principal->grant_count; i++)
        roles |= principal->grants[i].roles;
    return role_closure(roles);
}

bool
principal_is_in_organization(const struct principal *principal, id organization)
{
    if (id_is_there(principal->organization) && id_eq(principal->organization, organization))
        return true;
    for (size_t i = 0; i < principal->grant_count; i++) {
        if (id_eq(principal->grants[i].organization, organization) && principal->grants[i].roles != 0)
            return true;
    }
    return false;
}

bool
principal_is_in_project(const struct principal *principal, id organization, id project)
{
    return principal_roles_in_project(principal, organization, project) != 0;
}

enum origin
principal_check_origin(const struct principal *principal, const struct net_address *address)
{
    if (principal->block_count == 0)
        return principal->access_list_required ? ORIGIN_LIST_MISSING : ORIGIN_ALLOWED;
    for (size_t i = 0; i < principal->block_count; i++) {
        if (net_contains(&principal->blocks[i], address))
            return ORIGIN_ALLOWED;
    }
    return ORIGIN_NOT_LISTED;
}
