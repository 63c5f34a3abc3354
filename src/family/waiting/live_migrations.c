/* SPDX-License-Identifier: Apache-2.0 */
/* A migration copies, then follows the source by replication until the cutover. */
#include "family/cluster/clusters.h"

static const struct field source_fields[] = {
    ID("groupId", "Project of the source.", REQUIRED),
    TEXT("clusterName", "Name of the source.", REQUIRED, .min = 1, .max = 255, .example = "\"old\""),
    BOOL("ssl", "Whether the source is reached with TLS.", REQUIRED),
    TEXT("caCertificatePath", "File on the migration host with the certificates to trust.", NULLABLE, .max = 4096,
         .example = "\"/etc/ssl/old.pem\""),
    BOOL("managedAuthentication", "Whether the source creates a user for the migration.", REQUIRED),
    TEXT("username", "User at the source, unless the source creates one.", WRITE_ONLY | NULLABLE, .max = 63,
         .example = "\"reeve\""),
    TEXT("password", "Its password.", WRITE_ONLY | NULLABLE, .max = 1024),
    END_OF_FIELDS,
};
static const struct schema source_schema = { "MigrationSource", "The source of a migration.", source_fields };

static const struct field destination_fields[] = {
    ID("groupId", "Project of the cluster; it must be the one in the path.", REQUIRED),
    TEXT("clusterName", "Cluster that the data goes to.", REQUIRED, .min = 1, .max = 64, .pattern = CLUSTER_NAME,
         .example = "\"orders\""),
    TEXT("hostnameSchemaType", "Which of its names the migration host uses.", REQUIRED,
         .one_of = (const char *const[]){ "PUBLIC", "PRIVATE_LINK", "VPC_PEERING", NULL }),
    TEXT("privateLinkId", "With PRIVATE_LINK: the private endpoint.", NULLABLE, .max = 256),
    END_OF_FIELDS,
};
static const struct schema destination_schema = { "MigrationDestination", "The destination of a migration.",
                                                  destination_fields };

static const struct field request_fields[] = {
    OBJECT("source", "The source of a migration.", REQUIRED, .of = &source_schema),
    OBJECT("destination", "The destination of a migration.", REQUIRED, .of = &destination_schema),
    LIST("migrationHosts", "Host that does the work and reaches both sides.", REQUIRED, .item = TYPE_TEXT, .min = 1,
         .max = 1, .pattern = "^[A-Za-z0-9]([A-Za-z0-9.:-]*[A-Za-z0-9])?$", .example = "[\"migrate-1.example.org\"]"),
    BOOL("dropDestinationData", "Whether the cluster's data is deleted first.", WRITE_ONLY, .fallback = "false"),
    END_OF_FIELDS,
};
static const struct schema request_schema = { "MigrationRequest", "A migration to start.", request_fields };

static const struct field migration_fields[] = {
    ID("_id", "Identifier of the migration.", READ_ONLY | ALWAYS),
    TEXT("status", "Current state.", READ_ONLY | ALWAYS | NULLABLE,
         .one_of = (const char *const[]){ "NEW", "WORKING", "FAILED", "COMPLETE", "EXPIRED", NULL }),
    INTEGER("lagTimeSeconds", "How far the cluster is behind the source.", READ_ONLY | NULLABLE),
    BOOL("readyForCutover", "Whether the cutover can begin.", READ_ONLY | ALWAYS),
    LIST("migrationHosts", "Host that does the work.", READ_ONLY | ALWAYS, .item = TYPE_TEXT),
    END_OF_FIELDS,
};
static const struct schema migration_schema = { "LiveMigration", "A migration of a database into a cluster.",
                                                migration_fields };

static const struct field check_fields[] = {
    ID("_id", "Identifier of the check.", READ_ONLY | ALWAYS),
    ID("groupId", "Project of the cluster.", READ_ONLY | ALWAYS),
    ID("sourceGroupId", "Project of the source.", READ_ONLY),
    TEXT("status", "Result of the check.", READ_ONLY | ALWAYS | NULLABLE,
         .one_of = (const char *const[]){ "PENDING", "SUCCESS", "FAILED", NULL }),
    TEXT("errorMessage", "Why it failed.", READ_ONLY | NULLABLE),
    END_OF_FIELDS,
};
static const struct schema check_schema = { "MigrationValidation", "Whether a migration is possible.", check_fields };

static const struct field deployment_fields[] = {
    ID("clusterId", "Identifier of the deployment.", READ_ONLY),
    TEXT("name", "Name of the deployment.", READ_ONLY | ALWAYS),
    TEXT("dbVersion", "Version of its servers.", READ_ONLY | ALWAYS),
    TEXT("featureCompatibilityVersion", "Major version that its data can be used with.", READ_ONLY | ALWAYS),
    TEXT("agentVersion", "Version of the agent beside it.", READ_ONLY),
    INTEGER("dbSizeBytes", "Size of its data.", READ_ONLY),
    BOOL("managed", "Whether the source administers it.", READ_ONLY | ALWAYS),
    BOOL("tlsEnabled", "Whether it is reached with TLS.", READ_ONLY | ALWAYS),
    BOOL("sharded", "Whether its data is spread over shards; then it cannot be migrated.", READ_ONLY | ALWAYS),
    END_OF_FIELDS,
};
static const struct schema deployment_schema = { "MigratableDeployment", "A deployment that can be migrated.",
                                                 deployment_fields };
static const struct field available_fields[] = {
    ID("projectId", "Identifier of the project.", READ_ONLY | ALWAYS),
    TEXT("name", "Name of the project.", READ_ONLY | ALWAYS, .min = 1, .max = 64),
    LIST("deployments", "Deployments that can be migrated.", READ_ONLY | ALWAYS, .of = &deployment_schema),
    LIST("migrationHosts", "Hosts that can do the work.", READ_ONLY | ALWAYS, .item = TYPE_TEXT),
    END_OF_FIELDS,
};
static const struct schema available_schema = { "MigratableProject", "A project of a linked source.",
                                                available_fields };

static const struct field token_request_fields[] = {
    LIST("accessListIps", "Addresses from which the token works; by default anywhere.", 0, .item = TYPE_CIDR,
         .max = 200, .example = "[\"203.0.113.7\"]"),
    END_OF_FIELDS,
};
static const struct schema token_request_schema = { "LinkTokenRequest", "A link token to create.",
                                                    token_request_fields };
static const struct field token_fields[] = {
    TEXT("linkToken", "The token. It is only in this answer.", READ_ONLY | ALWAYS),
    END_OF_FIELDS,
};
static const struct schema token_schema = { "LinkToken", "Links a source to an organization.", token_fields };

// clang-format off
static const struct endpoint live_migrations_endpoints[] = {
    { POST, "/groups/{groupId}/liveMigrations", S12, ANY_OF(ORG_OWNER), "createGroupLiveMigration",
      "Start one live migration",
      "Starts copying a source into a cluster of this project, and then keeps the cluster in step with it. Asynchronous; "
      "applications use the source until the cutover.",
      .since = "2024-05-30", .item = "/groups/{groupId}/liveMigrations/{liveMigrationId}",
      .waits_for = "migrations",
      .request = &request_schema, .response = &migration_schema,
      .example = "{\"source\": {\"groupId\": \"650000000000000000000001\", \"clusterName\": \"old\", \"ssl\": "
                 "true, \"managedAuthentication\": false, \"username\": \"reeve\"}, \"destination\": "
                 "{\"groupId\": \"650000000000000000000002\", \"clusterName\": \"orders\", "
                 "\"hostnameSchemaType\": \"PUBLIC\"}, \"migrationHosts\": [\"migrate-1.example.org\"]}" },
    { POST, "/groups/{groupId}/liveMigrations/validate", S12, ANY_OF(ORG_OWNER), "validateGroupLiveMigrations",
      "Check one live migration without starting it",
      "Starts checking that the source can be reached, that the versions fit and that the rights suffice. Read the result with "
      "the id in the answer.",
      .success = 200, .since = "2024-05-30", .item = "/groups/{groupId}/liveMigrations/validate/{validationId}",
      .waits_for = "migrations",
      .request = &request_schema, .response = &check_schema,
      .example = "{\"source\": {\"groupId\": \"650000000000000000000001\", \"clusterName\": \"old\", \"ssl\": "
                 "true, \"managedAuthentication\": false, \"username\": \"reeve\"}, \"destination\": "
                 "{\"groupId\": \"650000000000000000000002\", \"clusterName\": \"orders\", "
                 "\"hostnameSchemaType\": \"PUBLIC\"}, \"migrationHosts\": [\"migrate-1.example.org\"]}" },
    { GET, "/groups/{groupId}/liveMigrations/validate/{validationId}", S12, ANY_OF(ORG_OWNER),
      "getGroupLiveMigrationValidateStatus",
      "Return the result of one migration check",
      "Returns the state of the check and what it found.",
      .waits_for = "migrations",
      .response = &check_schema },
    { GET, "/groups/{groupId}/liveMigrations/{liveMigrationId}", S12, ANY_OF(ORG_MEMBER), "getGroupLiveMigration",
      "Return one live migration",
      "Returns one migration with its state, how far it is behind the source and whether it is ready for the "
      "cutover.",
      .waits_for = "migrations",
      .response = &migration_schema },
    { PUT, "/groups/{groupId}/liveMigrations/{liveMigrationId}/cutover", S12, ANY_OF(ORG_OWNER),
      "cutoverGroupLiveMigration",
      "Cut over one live migration",
      "Ends the migration: the remaining changes are applied and replication stops. Stop writes to the source first, and use "
      "the cluster afterwards.",
      .shape = SHAPE_NOTHING, .success = 202, .waits_for = "migrations", .query = no_parameters },

    { GET, "/orgs/{orgId}/liveMigrations/availableProjects", S13, ANY_OF(ORG_OWNER),
      "listOrgLiveMigrationAvailableProjects",
      "Return all projects that can be migrated",
      "Lists the projects of the linked source with their deployments.",
      .shape = SHAPE_LIST, .waits_for = "migrations",
      .response = &available_schema },
    { DELETE, "/orgs/{orgId}/liveMigrations/linkTokens", S13, ANY_OF(ORG_OWNER), "deleteOrgLiveMigrationLinkTokens",
      "Delete the link token of one organization",
      "Ends the link to a source. Running migrations are not affected.",
      .shape = SHAPE_NOTHING, .waits_for = "migrations" },
    { POST, "/orgs/{orgId}/liveMigrations/linkTokens", S13, ANY_OF(ORG_OWNER), "createOrgLiveMigrationLinkToken",
      "Create one link token for one organization",
      "Creates a token that links a source to this organization. It is shown once and works only from the addresses that are "
      "sent.",
      .success = 200, .waits_for = "migrations",
      .request = &token_request_schema, .response = &token_schema,
      .example = "{\"accessListIps\": [\"203.0.113.7\"]}" },
};
// clang-format on

FAMILY(live_migrations_family, "live-migrations", "Live migrations",
       "Moves a running database into a cluster with replication. You choose the moment of the cutover.",
       live_migrations_endpoints);
