/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Teams: their names, members, and roles in projects. Every function takes the organization that the team must belong
 * to.
 *
 * Lock a team before its members or roles are changed; call store_team_changed() afterwards for a new ETag. Code that
 * changes the roles of members calls store_team_members_changed() before the members are removed.
 */
#ifndef STORE_TEAM_TEAM_H
#define STORE_TEAM_TEAM_H

#include <jansson.h>

#include "store/store.h"

struct team {
    str name;
    int64_t revision;
};

/* ---- Teams ---- */
/* Locked until the transaction ends. */
MUST_USE error store_team_lock(struct tx *tx, id organization, id team, bool *ret_found, struct team *ret_team);
/* Lock the organization first, so that the number stays true. */
MUST_USE error store_team_count(struct tx *tx, id organization, int64_t *ret_count);
/* DUPLICATE_NAME when another team of the organization has the name. */
MUST_USE error store_team_add(struct tx *tx, id organization, id team, str name);
MUST_USE error store_team_rename(struct tx *tx, id organization, id team, str name);
/* With its members' places and its roles. */
MUST_USE error store_team_delete(struct tx *tx, id organization, id team);
/* As the API shows it, inside the transaction that changed it. */
MUST_USE error store_team_document(struct tx *tx, id organization, id team, str *ret_document, int64_t *ret_revision);
/* With user names and all roles, for events. */
MUST_USE error store_team_record(struct tx *tx, id organization, id team, str *ret_document);

/* ---- Members ---- */
struct team_person {
    id id;
    str username;
};
/* By id, or when that is zero by user name. Found only when the person belongs to the organization, and then unable to
 * leave it until the transaction ends. */
MUST_USE error store_team_person_find(struct tx *tx, id organization, id person, str username, bool *ret_found,
                                      struct team_person *ret_person);
/*
 * Both are idempotent: the last parameter says whether anything changed. Every node drops what it knows about the
 * person.
 */
MUST_USE error store_team_member_add(struct tx *tx, id organization, id team, id person, bool *ret_added);
MUST_USE error store_team_member_remove(struct tx *tx, id organization, id team, id person, bool *ret_removed);
MUST_USE error store_team_member_count(struct tx *tx, id organization, id team, int64_t *ret_count);
/* A person as the organization sees its members; empty when the person is none. */
MUST_USE error store_team_user(struct tx *tx, id organization, id person, str *ret_document);

/* ---- Roles in a project: `entries` is a list of {teamId, roleNames} ---- */
/* Locks the teams, all in one order. *ret_missing is the first entry whose team does not exist, -1 when all do. */
MUST_USE error store_team_lock_all(struct tx *tx, id organization, const json_t *entries, int64_t *ret_missing);
/* What these teams hold in the project: a list of {teamId, roleNames}. */
MUST_USE error store_team_roles(struct tx *tx, id organization, id project, const json_t *entries, str *ret_document);
/* Adds what a team does not hold yet. CONCURRENT_CHANGE when the project is deleted at this moment. */
MUST_USE error store_team_roles_add(struct tx *tx, id organization, id project, const json_t *entries,
                                    bool *ret_changed);
/* Takes away the roles that are not in a list of names. */
MUST_USE error store_team_roles_keep(struct tx *tx, id organization, id project, id team, const json_t *roles,
                                     bool *ret_changed);

/* ---- After a change: `entries` is a list of {teamId} ---- */
MUST_USE error store_team_changed(struct tx *tx, id organization, const json_t *entries);
MUST_USE error store_team_members_changed(struct tx *tx, id organization, const json_t *entries);

#endif
