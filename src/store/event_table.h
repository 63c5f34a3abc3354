/* SPDX-License-Identifier: Apache-2.0 */
/* Every type of event, one row each: its name in the API, and what it says. A name, once given, never changes. */
// clang-format off
#ifndef STORE_EVENT_TABLE_H
#define STORE_EVENT_TABLE_H

#define EVENT_TABLE(ROW) \
    ROW(EVENT_ORGANIZATION_CREATED,      "ORG_CREATED",                 "An organization was created.") \
    ROW(EVENT_ORGANIZATION_RENAMED,      "ORG_RENAMED",                 "An organization got another name.") \
    ROW(EVENT_ORGANIZATION_UPDATED,      "ORG_UPDATED",                 "Settings of an organization were changed.") \
    ROW(EVENT_ORGANIZATION_DELETED,      "ORG_DELETED",                 "An organization was deleted.") \
    ROW(EVENT_PROJECT_CREATED,           "GROUP_CREATED",               "A project was created.") \
    ROW(EVENT_PROJECT_UPDATED,           "GROUP_UPDATED",               "A project was changed.") \
    ROW(EVENT_PROJECT_MOVED,             "GROUP_MOVED",                 "A project was moved to another organization.") \
    ROW(EVENT_PROJECT_DELETED,           "GROUP_DELETED",               "A project was deleted.") \
    ROW(EVENT_RESOURCE_CREATED,          "RESOURCE_CREATED",            "A configuration resource was created.") \
    ROW(EVENT_RESOURCE_UPDATED,          "RESOURCE_UPDATED",            "A configuration resource was changed.") \
    ROW(EVENT_RESOURCE_DELETED,          "RESOURCE_DELETED",            "A configuration resource was deleted.") \
    ROW(EVENT_PRIVATE_IP_MODE_CHANGED,   "PRIVATE_IP_MODE_CHANGED",     "The private IP mode of a project was changed.") \
    ROW(EVENT_SERVICE_ACCOUNT_CREATED,   "SERVICE_ACCOUNT_CREATED",     "A service account was created.") \
    ROW(EVENT_SERVICE_ACCOUNT_UPDATED,   "SERVICE_ACCOUNT_UPDATED",     "A service account was changed.") \
    ROW(EVENT_SERVICE_ACCOUNT_DELETED,   "SERVICE_ACCOUNT_DELETED",     "A service account was deleted.") \
    ROW(EVENT_SERVICE_ACCOUNT_SECRET_CREATED, "SERVICE_ACCOUNT_SECRET_CREATED", "A secret of a service account was created.") \
    ROW(EVENT_SERVICE_ACCOUNT_SECRET_DELETED, "SERVICE_ACCOUNT_SECRET_DELETED", "A secret of a service account was deleted.") \
    ROW(EVENT_API_KEY_CREATED,           "API_KEY_CREATED",             "An API key was created.") \
    ROW(EVENT_API_KEY_UPDATED,           "API_KEY_UPDATED",             "An API key was changed.") \
    ROW(EVENT_API_KEY_DELETED,           "API_KEY_DELETED",             "An API key was deleted.") \
    ROW(EVENT_ROLE_GRANTED,              "ROLE_GRANTED",                "A role was granted.") \
    ROW(EVENT_ROLE_REVOKED,              "ROLE_REVOKED",                "A role was taken away.") \
    ROW(EVENT_USER_ROLES_CHANGED,        "USER_ROLES_CHANGED",          "The roles of a person were replaced.") \
    ROW(EVENT_USER_CREATED,              "USER_CREATED",                "A person got an account with roles.") \
    ROW(EVENT_USER_ADDED,                "USER_ADDED",                  "A person was added to a project.") \
    ROW(EVENT_USER_REMOVED,              "USER_REMOVED",                "A person was removed from an organization or project.") \
    ROW(EVENT_INVITATION_CREATED,        "INVITATION_CREATED",          "A person was invited.") \
    ROW(EVENT_INVITATION_CHANGED,        "INVITATION_CHANGED",          "What an invitation grants was changed.") \
    ROW(EVENT_INVITATION_DELETED,        "INVITATION_DELETED",          "An invitation was taken back.") \
    ROW(EVENT_INVITATION_ACCEPTED,       "INVITATION_ACCEPTED",         "A person accepted an invitation.") \
    ROW(EVENT_ORGANIZATION_SETTINGS_CHANGED, "ORG_SETTINGS_CHANGED",    "What an organization demands of its members and credentials was changed.") \
    ROW(EVENT_PROJECT_SETTINGS_CHANGED,  "GROUP_SETTINGS_CHANGED",      "Features of a project were switched on or off.") \
    ROW(EVENT_PROJECT_LIMIT_CHANGED,     "GROUP_LIMIT_CHANGED",         "A limit of a project was changed.") \
    ROW(EVENT_ACCESS_LIST_ENTRY_ADDED,   "ACCESS_LIST_ENTRY_ADDED",     "An address was added to an access list.") \
    ROW(EVENT_ACCESS_LIST_ENTRY_REMOVED, "ACCESS_LIST_ENTRY_REMOVED",   "An address was removed from an access list.") \
    ROW(EVENT_TEAM_CREATED,              "TEAM_CREATED",                "A team was created.") \
    ROW(EVENT_TEAM_RENAMED,              "TEAM_RENAMED",                "A team got another name.") \
    ROW(EVENT_TEAM_DELETED,              "TEAM_DELETED",                "A team was deleted.") \
    ROW(EVENT_TEAM_MEMBER_ADDED,         "TEAM_MEMBER_ADDED",           "People were added to a team.") \
    ROW(EVENT_TEAM_MEMBER_REMOVED,       "TEAM_MEMBER_REMOVED",         "A person was taken out of a team.") \
    ROW(EVENT_TEAM_ADDED_TO_PROJECT,     "TEAM_ADDED_TO_GROUP",         "Teams were given roles in a project.") \
    ROW(EVENT_TEAM_ROLES_CHANGED,        "TEAM_ROLES_CHANGED",          "The roles of a team in a project were changed.") \
    ROW(EVENT_TEAM_REMOVED_FROM_PROJECT, "TEAM_REMOVED_FROM_GROUP",     "The roles of a team in a project were taken away.") \
    ROW(EVENT_RATE_LIMIT_OVERRIDE_CHANGED, "RATE_LIMIT_OVERRIDE_CHANGED", "A rate limit was changed.") \
    ROW(EVENT_WEBHOOK_CREATED,           "WEBHOOK_CREATED",             "A webhook was created.") \
    ROW(EVENT_WEBHOOK_UPDATED,           "WEBHOOK_UPDATED",             "A webhook was changed.") \
    ROW(EVENT_WEBHOOK_DELETED,           "WEBHOOK_DELETED",             "A webhook was deleted.") \
    ROW(EVENT_WEBHOOK_PAUSED,            "WEBHOOK_PAUSED",              "A webhook was paused because it failed for too long.") \
    ROW(EVENT_OPERATION_RETRIED,         "OPERATION_RETRIED",           "An operator had an operation tried again.") \
    ROW(EVENT_OPERATION_CANCELLED,       "OPERATION_CANCELLED",         "An operator cancelled an operation.") \
    ROW(EVENT_TOKEN_REVOKED,             "TOKEN_REVOKED",               "A token was revoked.")

#endif
