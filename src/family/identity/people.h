/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What users and invitations have in common. Both show the same members: people with roles, and open invitations. The
 * context is the request's: its project, or its organization when the path names none.
 */
#ifndef FAMILY_IDENTITY_PEOPLE_H
#define FAMILY_IDENTITY_PEOPLE_H

#include <jansson.h>

#include "api/request.h"
#include "store/identity/member.h"

/* An address at which somebody can be reached; it is the user name as well. */
#define USERNAME_PATTERN "^[^\\s@,;<>\"]{1,64}@[^\\s@,;<>\"]{1,189}$"
enum { USERNAME_MAX = 254, INVITATION_DAYS = 30, INVITATIONS_PER_DAY = 500 };

/* Roles that a body asks for; NULL for a part that was not sent. */
struct wanted_roles {
    const json_t *in_organization; /* names */
    const json_t *in_project;      /* names, in the request's project */
    const json_t *in_projects;     /* [{"groupId": …, <roles_key>: names}] */
    const char *roles_key;
    const char *path; /* of in_projects in the body, for errors */
};

/* ACTIVE, PENDING, INVITATION_EXPIRED; NULL at the end. */
extern const char *const membership_statuses[];
/* Two query parameters with the same meaning, and whether they allow this status; they allow all when neither was sent. */
#define MEMBERSHIP_STATUS_QUERY                                                                                \
    TEXT("orgMembershipStatus", "Only people with this status.", 0, .one_of = membership_statuses),            \
        LIST("orgMembershipStatuses", "Only people with one of these statuses; may be repeated.", 0, .max = 4, \
             .item = TYPE_TEXT, .one_of = membership_statuses)
bool people_status_is_wanted(const struct request *req, str status);

/* For reads: organization, the path's {userId} or {invitationId}, project. */
MUST_USE error people_bind_get(struct request *req, struct params *params);

/* The member that the path names, locked for a change; 404 when not in the context. */
MUST_USE error people_lock(struct request *req, struct member *ret_member, json_t **ret_before);
MUST_USE error people_reload(struct request *req, struct member *member, json_t **ret_after);

/* Exactly these roles, in the parts that were sent. Nobody grants more than they have, and the organization keeps an owner. */
MUST_USE error people_set_roles(struct request *req, const struct member *member, const struct wanted_roles *wanted);

struct invited {
    struct member member;
    enum event_type event;
};
/*
 * Invites the person with the address: the token is mailed to them, and nobody else ever sees it. In a project, a
 * member of the organization is added at once if `members_too`, and an open invitation gets the roles in addition.
 */
MUST_USE error people_invite(struct request *req, str username, const struct wanted_roles *wanted, bool members_too,
                             struct invited *ret_invited);

#endif
