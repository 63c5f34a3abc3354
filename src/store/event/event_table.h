/* SPDX-License-Identifier: Apache-2.0 */
/* Every type of event, one row each: its name in the API, and what it says. A name, once given, never changes. */
// clang-format off
#ifndef STORE_EVENT_EVENT_TABLE_H
#define STORE_EVENT_EVENT_TABLE_H

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
    ROW(EVENT_PEER_CREATED,              "NETWORK_PEER_CREATED",        "A peering with a project's network was asked for.") \
    ROW(EVENT_PEER_UPDATED,              "NETWORK_PEER_UPDATED",        "A peering with a project's network was changed.") \
    ROW(EVENT_PEER_DELETED,              "NETWORK_PEER_DELETED",        "A peering with a project's network was removed.") \
    ROW(EVENT_CONTAINER_CREATED,         "NETWORK_CONTAINER_CREATED",   "A block of addresses was reserved for a project.") \
    ROW(EVENT_CONTAINER_UPDATED,         "NETWORK_CONTAINER_UPDATED",   "A network container of a project got another block of addresses.") \
    ROW(EVENT_CONTAINER_DELETED,         "NETWORK_CONTAINER_DELETED",   "A block of addresses is no longer reserved for a project.") \
    ROW(EVENT_ENDPOINT_SERVICE_CREATED,  "PRIVATE_ENDPOINT_SERVICE_CREATED", "A private endpoint service was created.") \
    ROW(EVENT_ENDPOINT_SERVICE_UPDATED,  "PRIVATE_ENDPOINT_SERVICE_UPDATED", "A private endpoint service leads to other regions.") \
    ROW(EVENT_ENDPOINT_SERVICE_DELETED,  "PRIVATE_ENDPOINT_SERVICE_DELETED", "A private endpoint service was deleted.") \
    ROW(EVENT_ENDPOINT_CREATED,          "PRIVATE_ENDPOINT_CREATED",    "A private endpoint was created.") \
    ROW(EVENT_ENDPOINT_DELETED,          "PRIVATE_ENDPOINT_DELETED",    "A private endpoint was deleted.") \
    ROW(EVENT_REGIONAL_MODE_CHANGED,     "PRIVATE_ENDPOINT_REGIONAL_MODE_CHANGED", "The regional mode of private endpoints was switched on or off.") \
    ROW(EVENT_CUSTOM_DNS_CHANGED,        "CUSTOM_DNS_CHANGED",          "Custom DNS of a project was switched on or off.") \
    ROW(EVENT_DATABASE_USER_CREATED,     "DATABASE_USER_CREATED",       "A database user was created.") \
    ROW(EVENT_DATABASE_USER_UPDATED,     "DATABASE_USER_UPDATED",       "A database user was changed.") \
    ROW(EVENT_DATABASE_USER_DELETED,     "DATABASE_USER_DELETED",       "A database user was deleted.") \
    ROW(EVENT_DATABASE_USER_EXPIRED,     "DATABASE_USER_EXPIRED",       "A temporary database user expired and was removed.") \
    ROW(EVENT_USER_CERTIFICATE_ENDS,     "DATABASE_USER_CERTIFICATE_ENDS_SOON", "The last certificate of a database user ends within two weeks.") \
    ROW(EVENT_USER_CERTIFICATE_CREATED,  "DATABASE_USER_CERTIFICATE_CREATED", "A certificate of a database user was issued.") \
    ROW(EVENT_KEY_SERVICE_CHANGED,       "ENCRYPTION_KEY_CHANGED",      "The key service of a project was changed.") \
    ROW(EVENT_KEY_USABLE,                "ENCRYPTION_KEY_USABLE",       "The key service of a project lets its key be used.") \
    ROW(EVENT_KEY_NOT_USABLE,            "ENCRYPTION_KEY_NOT_USABLE",   "The key of a project cannot be used: its key service refuses it, or is not reached.") \
    ROW(EVENT_USER_SECURITY_CHANGED,     "USER_SECURITY_CHANGED",       "The login settings of database users were changed.") \
    ROW(EVENT_AUDIT_SETTINGS_CHANGED,    "AUDIT_LOG_CONFIGURATION_UPDATED", "The audit settings of a project were changed.") \
    ROW(EVENT_DIRECTORY_CHECK_REQUESTED, "LDAP_VERIFICATION_REQUESTED", "A check of a directory was requested.") \
    ROW(EVENT_DIRECTORY_GROUP_CHANGED,   "LDAP_GROUP_PEOPLE_CHANGED",   "Other people are in a group of the directory: they are users of the databases, or are none any more.") \
    ROW(EVENT_DIRECTORY_GROUP_EMPTY,     "LDAP_GROUP_EMPTY",            "The directory names nobody in a group that had several people. They stay users for ten minutes, unless it names somebody before.") \
    ROW(EVENT_DIRECTORY_NAMES_SKIPPED,   "LDAP_GROUP_NAMES_SKIPPED",    "People of a group of the directory cannot be users of the databases.") \
    ROW(EVENT_DIRECTORY_SYNC_FAILED,     "LDAP_GROUPS_NOT_READ",        "The directory does not tell who is in its groups. Users stay as they are.") \
    ROW(EVENT_DIRECTORY_SYNC_RECOVERED,  "LDAP_GROUPS_READ_AGAIN",      "The directory tells again who is in its groups.") \
    ROW(EVENT_INDEX_REQUESTED,           "INDEX_REQUESTED",             "An index was requested.") \
    ROW(EVENT_INDEX_CREATED,             "INDEX_CREATED",               "An index was built.") \
    ROW(EVENT_INDEX_FAILED,              "INDEX_FAILED",                "An index could not be built.") \
    ROW(EVENT_EXTENSION_REQUESTED,       "EXTENSION_REQUESTED",         "An extension was requested for a database.") \
    ROW(EVENT_EXTENSION_CREATED,         "EXTENSION_CREATED",           "An extension was made in a database.") \
    ROW(EVENT_EXTENSION_FAILED,          "EXTENSION_FAILED",            "An extension could not be made in a database.") \
    ROW(EVENT_EXTENSION_REMOVAL_REQUESTED, "EXTENSION_REMOVAL_REQUESTED", "The removal of an extension from a database was requested.") \
    ROW(EVENT_EXTENSION_REMOVED,         "EXTENSION_REMOVED",           "An extension was removed from a database.") \
    ROW(EVENT_EXTENSION_REMOVAL_FAILED,  "EXTENSION_REMOVAL_FAILED",    "An extension could not be removed from a database: something depends on it.") \
    ROW(EVENT_POOLING_CHANGED,           "CLUSTER_POOLING_CHANGED",     "Pooling of a cluster was switched on or off, or changed.") \
    ROW(EVENT_PINNED_TABLES_CHANGED,     "PINNED_TABLES_CHANGED",       "Other tables of a cluster are always measured.") \
    ROW(EVENT_MANAGED_SLOW_MS_CHANGED,   "MANAGED_SLOW_MS_CHANGED",     "How the limit for slow queries is found was changed.") \
    ROW(EVENT_CUSTOM_ROLE_CREATED,       "CUSTOM_ROLE_CREATED",         "A custom database role was created.") \
    ROW(EVENT_CUSTOM_ROLE_UPDATED,       "CUSTOM_ROLE_UPDATED",         "A custom database role was changed.") \
    ROW(EVENT_CUSTOM_ROLE_DELETED,       "CUSTOM_ROLE_DELETED",         "A custom database role was deleted.") \
    ROW(EVENT_NETWORK_ENTRY_ADDED,       "NETWORK_PERMISSION_ENTRY_ADDED",   "Addresses were added to the access list of a project.") \
    ROW(EVENT_NETWORK_ENTRY_REMOVED,     "NETWORK_PERMISSION_ENTRY_REMOVED", "An address was removed from the access list of a project.") \
    ROW(EVENT_NETWORK_ENTRY_EXPIRED,     "NETWORK_PERMISSION_ENTRY_EXPIRED", "A temporary entry of a project's access list expired and was removed.") \
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
    ROW(EVENT_INVITATION_CHANGED,        "INVITATION_CHANGED",          "The roles of an invitation were changed.") \
    ROW(EVENT_INVITATION_DELETED,        "INVITATION_DELETED",          "An invitation was cancelled.") \
    ROW(EVENT_INVITATION_ACCEPTED,       "INVITATION_ACCEPTED",         "A person accepted an invitation.") \
    ROW(EVENT_ORGANIZATION_SETTINGS_CHANGED, "ORG_SETTINGS_CHANGED",    "The rules of an organization for its members and credentials were changed.") \
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
    ROW(EVENT_CLUSTER_CREATED, "CLUSTER_CREATED", "A cluster was requested, and places for its members were reserved.") \
    ROW(EVENT_CLUSTER_READY, "CLUSTER_READY", "A cluster can be used.") \
    ROW(EVENT_CLUSTER_UPDATE_SUBMITTED, "CLUSTER_UPDATE_SUBMITTED", "A change of a cluster was accepted.") \
    ROW(EVENT_CLUSTER_UPDATE_COMPLETED, "CLUSTER_UPDATE_COMPLETED", "A change of a cluster is in force on every member.") \
    ROW(EVENT_COMPUTE_SCALED, "COMPUTE_AUTO_SCALE_INITIATED_BASE", "A cluster takes another size by itself.") \
    ROW(EVENT_COMPUTE_AT_MAXIMUM, "COMPUTE_AUTO_SCALE_MAX_INSTANCE_SIZE_FAIL_BASE", "A cluster is too small for its load, and may not take a larger size by itself.") \
    ROW(EVENT_COMPUTE_NO_CAPACITY, "COMPUTE_AUTO_SCALE_NO_CAPACITY", "A cluster is too small for its load, and no host has room for a larger size.") \
    ROW(EVENT_COMPUTE_FORBIDDEN, "COMPUTE_AUTO_SCALE_FORBIDDEN", "A cluster may not take another size by itself: a resource policy forbids it, or its organization is locked.") \
    ROW(EVENT_DISK_SCALED, "DISK_AUTO_SCALE_INITIATED", "The disks of a cluster grow by themselves.") \
    ROW(EVENT_DISK_AT_MAXIMUM, "DISK_AUTO_SCALE_MAX_DISK_SIZE_FAIL", "The disks of a cluster are full, and are as large as they can be.") \
    ROW(EVENT_DISK_NO_CAPACITY, "DISK_AUTO_SCALE_NO_CAPACITY", "The disks of a cluster are full, and no host has room for larger ones.") \
    ROW(EVENT_DISK_FORBIDDEN, "DISK_AUTO_SCALE_FORBIDDEN", "The disks of a cluster may not grow by themselves: a resource policy forbids it, or its organization is locked.") \
    ROW(EVENT_CLUSTER_DELETE_SUBMITTED, "CLUSTER_DELETE_SUBMITTED", "The deletion of a cluster was requested.") \
    ROW(EVENT_CLUSTER_DELETED, "CLUSTER_DELETED", "A cluster and its data are gone.") \
    ROW(EVENT_CLUSTER_PAUSED, "CLUSTER_PAUSED", "A cluster was stopped, with its data kept.") \
    ROW(EVENT_CLUSTER_RESUMED, "CLUSTER_RESUMED", "A cluster that was paused runs again.") \
    ROW(EVENT_CLUSTER_SETTINGS_CHANGED, "CLUSTER_PROCESS_ARGS_UPDATE_SUBMITTED", "Server settings of a cluster were changed.") \
    ROW(EVENT_CLUSTER_RESTART_SUBMITTED, "CLUSTER_PRIMARY_RESTART_SUBMITTED", "A switch of a cluster's primary was requested.") \
    ROW(EVENT_CLUSTER_PRIMARY_RESTARTED, "CLUSTER_PRIMARY_RESTARTED", "Another member of a cluster became the primary on request.") \
    ROW(EVENT_CLUSTER_MEMBERS_MOVED, "CLUSTER_MEMBERS_MOVED", "Members of a cluster moved to other hosts because their host is drained.") \
    ROW(EVENT_CLUSTER_VERSION_UPDATED, "CLUSTER_VERSION_UPDATED", "Every member of a cluster runs a newer minor version.") \
    ROW(EVENT_CLUSTER_VERSION_UPDATE_FAILED, "CLUSTER_VERSION_UPDATE_FAILED", "A cluster could not be brought to a newer minor version.") \
    ROW(EVENT_NO_PRIMARY, "NO_PRIMARY", "A cluster has had no primary for 45 seconds: nothing can be written to it.") \
    ROW(EVENT_ONE_PRIMARY, "ONE_PRIMARY", "A cluster has a primary again.") \
    ROW(EVENT_MAINTENANCE_WINDOW_CHANGED, "MAINTENANCE_WINDOW_CHANGED", "The maintenance window of a project was changed.") \
    ROW(EVENT_MAINTENANCE_WINDOW_RESET,   "MAINTENANCE_WINDOW_RESET",   "The maintenance window of a project was removed.") \
    ROW(EVENT_MAINTENANCE_SCHEDULED,      "MAINTENANCE_SCHEDULED",      "Maintenance of a cluster waits for the project's window.") \
    ROW(EVENT_MAINTENANCE_DEFERRED,       "MAINTENANCE_DEFERRED",       "Maintenance of a project was put off by a week.") \
    ROW(EVENT_CLUSTER_VERSION_PINNED, "CLUSTER_FCV_PINNED", "The version of a cluster was pinned.") \
    ROW(EVENT_CLUSTER_VERSION_UNPINNED, "CLUSTER_FCV_UNPINNED", "The version of a cluster is no longer pinned.") \
    ROW(EVENT_SUPPORT_ACCESS_GRANTED, "EMPLOYEE_ACCESS_GRANTED", "The operator's support staff got access to a cluster.") \
    ROW(EVENT_SUPPORT_SESSION_OPENED, "EMPLOYEE_ACCESS_OPENED", "Somebody of the operator's staff opened a session on a cluster: who, why, from where and until when.") \
    ROW(EVENT_SUPPORT_SESSION_CLOSED, "EMPLOYEE_ACCESS_CLOSED", "A session of the operator's staff on a cluster was ended; its user is removed.") \
    ROW(EVENT_SUPPORT_ACCESS_REVOKED, "EMPLOYEE_ACCESS_REVOKED", "The operator's support staff no longer has access to a cluster.") \
    ROW(EVENT_CLUSTER_OUTAGE_REQUESTED, "CLUSTER_REGION_OUTAGE_REQUESTED", "The simulation of an outage was requested.") \
    ROW(EVENT_CLUSTER_OUTAGE_STARTED, "CLUSTER_REGION_OUTAGE_STARTED", "Members of a cluster are stopped for a simulated outage.") \
    ROW(EVENT_CLUSTER_OUTAGE_END_REQUESTED, "CLUSTER_REGION_OUTAGE_END_REQUESTED", "The end of a simulated outage was requested.") \
    ROW(EVENT_CLUSTER_OUTAGE_ENDED, "CLUSTER_REGION_OUTAGE_ENDED", "A simulated outage ended: its members follow the primary again.") \
    ROW(EVENT_SAMPLE_DATA_REQUESTED, "SAMPLE_DATASET_LOAD_REQUESTED", "Sample data was requested.") \
    ROW(EVENT_SAMPLE_DATA_LOADED, "SAMPLE_DATASET_LOADED", "Sample data was loaded into a cluster.") \
    ROW(EVENT_SAMPLE_DATA_FAILED, "SAMPLE_DATASET_LOAD_FAILED", "Sample data could not be loaded.") \
    ROW(EVENT_SNAPSHOT_REQUESTED, "BACKUP_SNAPSHOT_REQUESTED", "A snapshot of a cluster was requested.") \
    ROW(EVENT_SNAPSHOT_RETENTION_CHANGED, "BACKUP_SNAPSHOT_RETENTION_CHANGED", "A snapshot is kept longer or less long than before.") \
    ROW(EVENT_SNAPSHOT_DELETED, "BACKUP_SNAPSHOT_DELETED", "A snapshot was deleted before its time.") \
    ROW(EVENT_SNAPSHOT_LATE, "BACKUP_SNAPSHOT_LATE", "A snapshot of a cluster's schedule was not taken in time.") \
    ROW(EVENT_SNAPSHOT_IN_TIME, "BACKUP_SNAPSHOT_IN_TIME", "Snapshots of a cluster are taken in time again.") \
    ROW(EVENT_RESTORE_REQUESTED, "BACKUP_RESTORE_REQUESTED", "A restore into a cluster was requested.") \
    ROW(EVENT_RESTORE_CANCEL_REQUESTED, "BACKUP_RESTORE_CANCEL_REQUESTED", "Somebody asked for the end of a restore.") \
    ROW(EVENT_RESTORE_COMPLETED, "BACKUP_RESTORE_COMPLETED", "A cluster has the data of a backup, and can be used.") \
    ROW(EVENT_RESTORE_CANCELLED, "BACKUP_RESTORE_CANCELLED", "A restore was cancelled; the cluster has its data from before.") \
    ROW(EVENT_RESTORE_FAILED, "BACKUP_RESTORE_FAILED", "A restore into a cluster failed.") \
    ROW(EVENT_DOWNLOAD_REQUESTED, "BACKUP_DOWNLOAD_REQUESTED", "Somebody asked for a snapshot as a file.") \
    ROW(EVENT_DOWNLOAD_READY, "BACKUP_DOWNLOAD_READY", "The file of a snapshot can be fetched.") \
    ROW(EVENT_DOWNLOAD_FAILED, "BACKUP_DOWNLOAD_FAILED", "The file of a snapshot could not be made.") \
    ROW(EVENT_DOWNLOAD_FETCHED, "BACKUP_DOWNLOAD_FETCHED", "Somebody with its address fetched the file of a snapshot for the first time.") \
    ROW(EVENT_DOWNLOAD_CANCELLED, "BACKUP_DOWNLOAD_CANCELLED", "The file of a snapshot was withdrawn.") \
    ROW(EVENT_DRILL_REQUESTED, "BACKUP_DRILL_REQUESTED", "Somebody asked to try whether backups of a cluster can be restored.") \
    ROW(EVENT_DRILL_SUCCEEDED, "BACKUP_DRILL_SUCCEEDED", "Backups of a cluster were restored, and everything was there.") \
    ROW(EVENT_DRILL_FAILED, "BACKUP_DRILL_FAILED", "Backups of a cluster could not be restored, or not everything was there.") \
    ROW(EVENT_DRILL_NOT_RUN, "BACKUP_DRILL_NOT_RUN", "Whether backups of a cluster can be restored could not be tried.") \
    ROW(EVENT_DRILL_OVERDUE, "BACKUP_DRILL_OVERDUE", "It was not proven for too long that backups of a cluster can be restored.") \
    ROW(EVENT_DRILL_IN_TIME, "BACKUP_DRILL_IN_TIME", "It is proven in time again that backups of a cluster can be restored.") \
    ROW(EVENT_EXPORT_BUCKET_CREATED, "BACKUP_EXPORT_BUCKET_CREATED", "A bucket for exports of snapshots was registered.") \
    ROW(EVENT_EXPORT_BUCKET_CHANGED, "BACKUP_EXPORT_BUCKET_CHANGED", "The keys of a bucket for exports were changed.") \
    ROW(EVENT_EXPORT_BUCKET_DELETED, "BACKUP_EXPORT_BUCKET_DELETED", "A bucket for exports of snapshots was removed from its project; what is in it stays.") \
    ROW(EVENT_PROVIDER_ROLE_CREATED, "CLOUD_PROVIDER_ACCESS_ROLE_CREATED", "A role for the operator's object stores was made for a project.") \
    ROW(EVENT_PROVIDER_ROLE_AUTHORIZED, "CLOUD_PROVIDER_ACCESS_ROLE_UPDATED", "A role in an object store was assumed by a project.") \
    ROW(EVENT_PROVIDER_ROLE_DELETED, "CLOUD_PROVIDER_ACCESS_ROLE_DELETED", "A role for the operator's object stores was removed from its project.") \
    ROW(EVENT_EXPORT_REQUESTED, "BACKUP_EXPORT_REQUESTED", "Somebody asked to export a snapshot to a bucket.") \
    ROW(EVENT_EXPORT_SUCCEEDED, "BACKUP_EXPORT_SUCCEEDED", "A snapshot was exported, and all of it is in the bucket.") \
    ROW(EVENT_EXPORT_FAILED, "BACKUP_EXPORT_FAILED", "A snapshot could not be exported.") \
    ROW(EVENT_DRILL_SETTINGS_CHANGED, "BACKUP_DRILL_SETTINGS_CHANGED", "When backups are tried, or what they must hold, was changed.") \
    ROW(EVENT_BACKUP_DAMAGED, "BACKUP_DAMAGED", "Something that was kept of a cluster is missing or damaged: some moments or snapshots cannot be restored any more.") \
    ROW(EVENT_BACKUP_SOUND, "BACKUP_SOUND", "What a cluster writes now can be restored again.") \
    ROW(EVENT_BACKUP_FAILING, "BACKUP_FAILING", "What a cluster writes is not kept as it should be.") \
    ROW(EVENT_BACKUP_WORKING, "BACKUP_WORKING", "What a cluster writes is kept again.") \
    ROW(EVENT_BACKUP_SCHEDULE_CHANGED, "BACKUP_SCHEDULE_CHANGED", "The backup schedule of a cluster was changed.") \
    ROW(EVENT_COMPLIANCE_POLICY_SET, "BACKUP_COMPLIANCE_POLICY_SET", "The backup compliance policy of a project was set.") \
    ROW(EVENT_COMPLIANCE_POLICY_ENDED, "BACKUP_COMPLIANCE_POLICY_ENDED", "The backup compliance policy of a project was ended.") \
    ROW(EVENT_OPERATION_RETRIED,         "OPERATION_RETRIED",           "An operator retried an operation.") \
    ROW(EVENT_OPERATION_CANCELLED,       "OPERATION_CANCELLED",         "An operator cancelled an operation.") \
    ROW(EVENT_ALERT_CONFIG_CREATED,      "ALERT_CONFIG_CREATED",        "An alert configuration was created.") \
    ROW(EVENT_ALERT_CONFIG_UPDATED,      "ALERT_CONFIG_UPDATED",        "An alert configuration was changed.") \
    ROW(EVENT_ALERT_CONFIG_DELETED,      "ALERT_CONFIG_DELETED",        "An alert configuration was deleted.") \
    ROW(EVENT_ALERT_OPENED,              "ALERT_OPENED",                "An alert was raised.") \
    ROW(EVENT_ALERT_CLOSED,              "ALERT_CLOSED",                "An alert was closed.") \
    ROW(EVENT_ALERT_ACKNOWLEDGED,        "ALERT_ACKNOWLEDGED",          "An alert was acknowledged, or its acknowledgement ended.") \
    ROW(EVENT_ALERT_NOTIFICATION_FAILED, "ALERT_NOTIFICATION_FAILED",   "A notification of an alert could not be sent and is not retried.") \
    ROW(EVENT_INTEGRATION_CREATED,       "INTEGRATION_CREATED",         "A project was connected to an outside service.") \
    ROW(EVENT_INTEGRATION_UPDATED,       "INTEGRATION_UPDATED",         "The settings for an outside service were changed.") \
    ROW(EVENT_INTEGRATION_DELETED,       "INTEGRATION_DELETED",         "A project was disconnected from an outside service.") \
    ROW(EVENT_LOG_INTEGRATION_CREATED,   "LOG_INTEGRATION_CREATED",     "Logs of a project are sent to an outside service from now on.") \
    ROW(EVENT_LOG_INTEGRATION_UPDATED,   "LOG_INTEGRATION_UPDATED",     "A log integration of a project was changed.") \
    ROW(EVENT_LOG_INTEGRATION_DELETED,   "LOG_INTEGRATION_DELETED",     "Logs of a project are no longer sent to an outside service.") \
    ROW(EVENT_LOG_EXPORT_CREATED,        "PUSH_BASED_LOG_EXPORT_CREATED", "Logs of a project are written to a bucket from now on.") \
    ROW(EVENT_LOG_EXPORT_UPDATED,        "PUSH_BASED_LOG_EXPORT_UPDATED", "Where logs of a project are written was changed.") \
    ROW(EVENT_LOG_EXPORT_DELETED,        "PUSH_BASED_LOG_EXPORT_DELETED", "Logs of a project are no longer written to a bucket.") \
    ROW(EVENT_INVOICE_CLOSED,            "INVOICE_CLOSED",              "The invoice of a month was closed.") \
    ROW(EVENT_ORGANIZATION_LOCKED,       "ORG_LOCKED",                  "An organization was locked by the operator or for an overdue invoice.") \
    ROW(EVENT_ORGANIZATION_UNLOCKED,     "ORG_UNLOCKED",                "An organization was unlocked.") \
    ROW(EVENT_INVOICE_PAID,              "INVOICE_PAID",                "The operator recorded the payment of an invoice.") \
    ROW(EVENT_PAYMENT_AGREED,            "PAYMENT_AGREED",              "The operator agreed on a date until which an organization is not locked for unpaid invoices.") \
    ROW(EVENT_RESOURCE_POLICY_CREATED,   "RESOURCE_POLICY_CREATED",     "A resource policy was created.") \
    ROW(EVENT_RESOURCE_POLICY_MODIFIED,  "RESOURCE_POLICY_MODIFIED",    "A resource policy was changed.") \
    ROW(EVENT_RESOURCE_POLICY_DELETED,   "RESOURCE_POLICY_DELETED",     "A resource policy was deleted.") \
    ROW(EVENT_FEDERATION_SETTINGS_DELETED, "FEDERATION_SETTINGS_DELETED", "The settings of a federation were deleted, with its identity providers.") \
    ROW(EVENT_CONNECTED_ORG_CHANGED,     "CONNECTED_ORG_CHANGED",       "An organization's settings in its federation were changed.") \
    ROW(EVENT_CONNECTED_ORG_REMOVED,     "CONNECTED_ORG_REMOVED",       "An organization left a federation.") \
    ROW(EVENT_ROLE_MAPPING_CREATED,      "ROLE_MAPPING_CREATED",        "A group of an identity provider was mapped to roles.") \
    ROW(EVENT_ROLE_MAPPING_CHANGED,      "ROLE_MAPPING_CHANGED",        "The roles of a group of an identity provider were changed.") \
    ROW(EVENT_ROLE_MAPPING_DELETED,      "ROLE_MAPPING_DELETED",        "A group of an identity provider is no longer mapped to roles.") \
    ROW(EVENT_IDENTITY_PROVIDER_CREATED, "IDENTITY_PROVIDER_CREATED",   "An identity provider was created.") \
    ROW(EVENT_IDENTITY_PROVIDER_CHANGED, "IDENTITY_PROVIDER_CHANGED",   "An identity provider was changed.") \
    ROW(EVENT_IDENTITY_PROVIDER_DELETED, "IDENTITY_PROVIDER_DELETED",   "An identity provider was deleted.") \
    ROW(EVENT_IDENTITY_PROVIDER_KEYS_REVOKED, "IDENTITY_PROVIDER_JWKS_REVOKED", "The public keys of an identity provider were forgotten.") \
    ROW(EVENT_IDENTITY_PROVIDER_ANSWER_REFUSED, "IDENTITY_PROVIDER_ANSWER_REFUSED", "What an identity provider answered about a person was refused.") \
    ROW(EVENT_FEDERATED_USER_SIGNED_IN,  "FEDERATED_USER_SIGNED_IN",    "A person signed in through an identity provider with other groups than before.") \
    ROW(EVENT_USER_SIGNED_IN,            "USER_SIGNED_IN",              "A person signed in with a browser.") \
    ROW(EVENT_USER_SESSION_ENDED,        "USER_SESSION_ENDED",          "A person ended a session of theirs.") \
    ROW(EVENT_USER_PASSKEY_ADDED,        "USER_PASSKEY_ADDED",          "A person added a passkey.") \
    ROW(EVENT_USER_PASSKEY_REMOVED,      "USER_PASSKEY_REMOVED",        "A person removed a passkey.") \
    ROW(EVENT_USER_PASSWORD_CHANGED,     "USER_PASSWORD_CHANGED",       "A person set or changed their password.") \
    ROW(EVENT_USER_PASSWORD_REMOVED,     "USER_PASSWORD_REMOVED",       "A person removed their password.") \
    ROW(EVENT_USER_RECOVERED,            "USER_RECOVERED",              "All that a person signed in with was replaced, with a token of the operator.") \
    ROW(EVENT_TOKEN_REVOKED,             "TOKEN_REVOKED",               "A token was revoked.")

#endif
