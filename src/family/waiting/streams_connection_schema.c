/* SPDX-License-Identifier: Apache-2.0 */
/* Where messages come from and go to. The type of a connection decides how it is described. */
#include "family/cluster/clusters.h"
#include "family/waiting/streams.h"

static const char *const connection_types[] = { "Cluster", "Kafka", "Https", "SchemaRegistry", "Sample", NULL };
static const char *const failover_types[] = { "Cluster", "Kafka", NULL };
static const char *const connection_states[] = { "PENDING", "READY", "DELETING", "FAILED", NULL };

static const struct field no_fields[] = { END_OF_FIELDS };

/* ---- A cluster ---- */
static const struct field role_fields[] = {
    TEXT("role", "Name of the role.", REQUIRED | ALWAYS, .min = 1, .max = 63, .example = "\"readWriteAnyDatabase\""),
    TEXT("type", "Whether the role is built in or custom.", ALWAYS,
         .one_of = (const char *const[]){ "BUILT_IN", "CUSTOM", NULL }, .fallback = "\"BUILT_IN\""),
    END_OF_FIELDS,
};
static const struct schema role_schema = { "StreamDatabaseRole", "What processors may do in a cluster.", role_fields };

static const struct field cluster_fields[] = {
    TEXT("clusterName", "The cluster.", REQUIRED | ALWAYS, .min = 1, .max = 64, .pattern = CLUSTER_NAME,
         .example = "\"orders\""),
    ID("clusterGroupId", "Project of the cluster, when it is another one of the organization.", NULLABLE),
    OBJECT("dbRoleToExecute", "Role with which processors act in the cluster.", NULLABLE, .of = &role_schema),
    END_OF_FIELDS,
};
static const struct schema cluster_variant = { "Cluster", "Tables of a cluster.", cluster_fields };

/* ---- A message broker ---- */
static const struct field authentication_fields[] = {
    TEXT("mechanism", "How the service logs in to the broker.", 0,
         .one_of = (const char *const[]){ "PLAIN", "SCRAM-256", "SCRAM-512", "OAUTHBEARER", NULL }),
    TEXT("method", "Where tokens come from, with OAUTHBEARER.", 0, .one_of = (const char *const[]){ "OIDC", NULL }),
    TEXT("username", "User at the broker.", 0, .max = 256, .example = "\"reeve\""),
    TEXT("password", "Its password.", WRITE_ONLY, .max = 1024),
    TEXT("clientId", "Client at the issuer of tokens.", 0, .max = 256),
    TEXT("clientSecret", "Its secret.", WRITE_ONLY, .max = 4096),
    TEXT("tokenEndpointUrl", "Where tokens are issued.", 0, .max = 2048, .pattern = "^https://[^ ]+$",
         .example = "\"https://login.example.org/token\""),
    TEXT("scope", "Scopes of the tokens, separated by spaces.", 0, .max = 1024),
    TEXT("saslOauthbearerExtensions", "Extensions that are sent with a token, as name=value, separated by commas.", 0,
         .max = 2048),
    TEXT("sslCertificate", "Certificate of the client, as PEM.", 0, .max = 32768),
    TEXT("sslKey", "Private key of that certificate, as PEM.", WRITE_ONLY, .max = 32768),
    TEXT("sslKeyPassword", "Password of that key.", WRITE_ONLY, .max = 1024),
    END_OF_FIELDS,
};
static const struct schema authentication_schema = { "StreamBrokerAuthentication",
                                                     "How the service logs in to a message broker.",
                                                     authentication_fields };

static const struct field security_fields[] = {
    TEXT("protocol", "How the connection to the broker is secured.", 0,
         .one_of = (const char *const[]){ "SASL_PLAINTEXT", "SASL_SSL", "SSL", NULL }),
    TEXT("brokerPublicCertificate", "Certificates to trust, as PEM, if they are not public ones.", 0, .max = 32768),
    END_OF_FIELDS,
};
static const struct schema security_schema = { "StreamBrokerSecurity",
                                               "How the connection to a message broker is secured.", security_fields };

static const struct field peered_fields[] = {
    TEXT("name", "Name of the peering.", 0, .max = 128),
    ID("connectionId", "Identifier of the peering.", 0),
    END_OF_FIELDS,
};
static const struct field linked_fields[] = {
    ID("connectionId", "Identifier of the private link.", REQUIRED | ALWAYS),
    END_OF_FIELDS,
};
static const struct schema public_variant = { "Public", "Through public addresses.", no_fields };
static const struct schema peered_variant = { "Peered", "Through a peering of networks.", peered_fields };
static const struct schema linked_variant = { "Linked", "Through a private link.", linked_fields };
static const struct field_variant access_variants[] = {
    { "PUBLIC", &public_variant },
    { "VPC", &peered_variant },
    { "PRIVATE_LINK", &linked_variant },
    END_OF_VARIANTS,
};
static const struct field access_fields[] = {
    TEXT("type", "Kind of network access.", ALWAYS,
         .one_of = (const char *const[]){ "PUBLIC", "VPC", "PRIVATE_LINK", NULL }, .fallback = "\"PUBLIC\"",
         .variants = access_variants),
    END_OF_FIELDS,
};
static const struct schema access_schema = { "StreamNetworkAccess", "Network access of a connection.", access_fields };
static const struct field networking_fields[] = {
    OBJECT("access", "The network access.", REQUIRED | ALWAYS, .of = &access_schema),
    END_OF_FIELDS,
};
static const struct schema networking_schema = { "StreamNetworking", "How a source or target is reached.",
                                                 networking_fields };

static const struct field kafka_fields[] = {
    TEXT("bootstrapServers", "Where the brokers are: names with ports, separated by commas.", REQUIRED | ALWAYS,
         .min = 1, .max = 4096, .pattern = "^[^ ,]+:[0-9]+(,[^ ,]+:[0-9]+)*$",
         .example = "\"broker-1.example.org:9092,broker-2.example.org:9092\""),
    OBJECT("authentication", "How the service logs in to the brokers.", 0, .of = &authentication_schema),
    OBJECT("security", "How the connection is secured.", 0, .of = &security_schema),
    OBJECT("networking", "How the brokers are reached.", 0, .of = &networking_schema),
    OBJECT("config", "Further settings of the client, by their names.", 0,
           .example = "{\"auto.offset.reset\": \"earliest\"}"),
    END_OF_FIELDS,
};
static const struct schema kafka_variant = { "Kafka", "Topics of message brokers that speak this protocol.",
                                             kafka_fields };

/* ---- A web address ---- */
static const struct field https_fields[] = {
    TEXT("url", "Where messages are sent.", REQUIRED | ALWAYS, .min = 9, .max = 2048, .pattern = "^https://[^ ]+$",
         .example = "\"https://hooks.example.org/orders\""),
    OBJECT("headers", "Headers of each message, by name.", 0, .example = "{\"X-Source\": \"orders\"}"),
    END_OF_FIELDS,
};
static const struct schema https_variant = { "Https", "A web address.", https_fields };

/* ---- A registry of schemas ---- */
static const struct field user_info_fields[] = {
    TEXT("username", "User at the registry.", REQUIRED | ALWAYS, .min = 1, .max = 256),
    TEXT("password", "Its password.", WRITE_ONLY, .max = 1024),
    END_OF_FIELDS,
};
static const struct schema user_info_variant = { "UserInfo", "With a user and a password.", user_info_fields };
static const struct schema inherited_variant = { "Inherited", "The same as for the brokers.", no_fields };
static const struct field_variant registry_authentication_variants[] = {
    { "USER_INFO", &user_info_variant },
    { "SASL_INHERIT", &inherited_variant },
    END_OF_VARIANTS,
};
static const struct field registry_authentication_fields[] = {
    TEXT("type", "Whether the registry has its own users or uses those of the brokers.", REQUIRED | ALWAYS,
         .one_of = (const char *const[]){ "USER_INFO", "SASL_INHERIT", NULL },
         .variants = registry_authentication_variants),
    END_OF_FIELDS,
};
static const struct schema registry_authentication_schema = { "StreamRegistryAuthentication",
                                                              "How the service logs in to a schema registry.",
                                                              registry_authentication_fields };
static const struct field registry_fields[] = {
    LIST("schemaRegistryUrls", "Where the registry is; the first that answers is used.", REQUIRED | ALWAYS,
         .item = TYPE_TEXT, .min = 1, .max = 10, .pattern = "^https?://[^ ]+$",
         .example = "[\"https://schemas.example.org\"]"),
    OBJECT("schemaRegistryAuthentication", "How the service logs in to the registry.", 0,
           .of = &registry_authentication_schema),
    END_OF_FIELDS,
};
static const struct schema registry_variant = { "SchemaRegistry", "A registry of message schemas.", registry_fields };

static const struct schema sample_variant = { "Sample", "A source of sample messages.", no_fields };

/* ---- All of them ---- */
static const struct field_variant connection_variants[] = {
    { "Cluster", &cluster_variant },         { "Kafka", &kafka_variant },   { "Https", &https_variant },
    { "SchemaRegistry", &registry_variant }, { "Sample", &sample_variant }, END_OF_VARIANTS,
};
static const struct field connection_fields[] = {
    ID("id", "Identifier of the connection.", READ_ONLY | ALWAYS),
    STREAM_NAME_FIELD("Name of the connection, unique in the workspace. Pipelines use it.",
                      REQUIRED | CREATE_ONLY | ALWAYS, "incoming"),
    TEXT("type", "Type of the source or target. It cannot be changed.", REQUIRED | ALWAYS, .one_of = connection_types,
         .variants = connection_variants),
    TEXT("region", "Region from which it is reached; by default that of the workspace.", 0, .min = 1, .max = 63,
         .example = "\"EU_NORTH\""),
    TEXT("state", "Whether it can be used.", READ_ONLY | ALWAYS, .one_of = connection_states),
    END_OF_FIELDS,
};
const struct schema stream_connection_schema = { "StreamConnection", "Where messages come from or go to.",
                                                 connection_fields };

static const struct field_variant failover_variants[] = {
    { "Cluster", &cluster_variant },
    { "Kafka", &kafka_variant },
    END_OF_VARIANTS,
};
static const struct field failover_fields[] = {
    ID("id", "Identifier of the replacement.", READ_ONLY | ALWAYS),
    STREAM_NAME_FIELD("Your own label.", 0, "incoming-south"),
    TEXT("type", "Type of the source or target, the same as that of the original connection.", REQUIRED | ALWAYS,
         .one_of = failover_types, .variants = failover_variants),
    TEXT("region", "Region in which it is used: one of the workspace's failover regions.", REQUIRED | ALWAYS, .min = 1,
         .max = 63, .example = "\"EU_SOUTH\""),
    TEXT("state", "Whether it can be used.", READ_ONLY | ALWAYS, .one_of = connection_states),
    END_OF_FIELDS,
};
const struct schema stream_failover_schema = { "StreamFailoverConnection",
                                               "A replacement for a connection in another region.", failover_fields };
