/* SPDX-License-Identifier: Apache-2.0 */
/* Teams in an organization (teams.c, with the family's tables) and their roles in projects (team_roles.c). */
#ifndef FAMILY_TEAM_TEAMS_H
#define FAMILY_TEAM_TEAMS_H

#include <jansson.h>

#include "api/request.h"
#include "store/team/team.h"

/* False when the path's value cannot name a team. */
MUST_USE bool team_from_path(const struct request *req, id *ret_team);
/* Locked, for a change; 404 when the organization has no such team, 412 when If-Match does not match. */
MUST_USE error team_lock(struct request *req, id *ret_id, struct team *ret_team);
/* The list of one entry that the store's functions for many take; `roles` may be NULL. */
json_t *team_entries(struct request *req, id team, const json_t *roles);
/* A document that the database wrote. */
MUST_USE error team_parse(struct request *req, str text, json_t **ret_json);

/* Roles in projects. */
extern const struct schema team_role_schema;
extern const struct read project_team_list, project_team_get;
handler project_teams_add, project_team_update, project_team_remove;

#endif
