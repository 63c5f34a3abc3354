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
    ROW(EVENT_ACCESS_LIST_ENTRY_ADDED,   "ACCESS_LIST_ENTRY_ADDED",     "An address was added to an access list.") \
    ROW(EVENT_ACCESS_LIST_ENTRY_REMOVED, "ACCESS_LIST_ENTRY_REMOVED",   "An address was removed from an access list.") \
    ROW(EVENT_RATE_LIMIT_OVERRIDE_CHANGED, "RATE_LIMIT_OVERRIDE_CHANGED", "A rate limit was changed.") \
    ROW(EVENT_WEBHOOK_CREATED,           "WEBHOOK_CREATED",             "A webhook was created.") \
    ROW(EVENT_WEBHOOK_UPDATED,           "WEBHOOK_UPDATED",             "A webhook was changed.") \
    ROW(EVENT_WEBHOOK_DELETED,           "WEBHOOK_DELETED",             "A webhook was deleted.") \
    ROW(EVENT_WEBHOOK_PAUSED,            "WEBHOOK_PAUSED",              "A webhook was paused because it failed for too long.") \
    ROW(EVENT_TOKEN_REVOKED,             "TOKEN_REVOKED",               "A token was revoked.")

#endif
