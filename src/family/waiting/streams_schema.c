/* SPDX-License-Identifier: Apache-2.0 */
/* Workspaces, and the networks that they reach. docs/internals/contract.md says what was left out, and why. */
#include "family/waiting/streams.h"

/* Moments of logs are seconds since 1970; nothing is older than 2008. */
#define FIRST_LOG_S 1199145600

#define PLACE_FIELDS(flags)                                                                                         \
    TEXT("cloudProvider", "Provider of the hosts, by the name that the operator gave.", flags, .min = 1, .max = 32, \
         .example = "\"ONPREM\""),                                                                                  \
        TEXT("region", "Region of the hosts, by the name that the operator gave.", flags, .min = 1, .max = 63,      \
             .example = "\"EU_NORTH\"")

static const struct field region_fields[] = { PLACE_FIELDS(REQUIRED | ALWAYS), END_OF_FIELDS };
static const struct schema region_schema = { "StreamRegion", "Where processors run.", region_fields };

static const struct field config_fields[] = {
    STREAM_TIER_FIELD("tier", "Default size of processors, one that the operator offers."),
    STREAM_TIER_FIELD("maxTierSize", "The largest size that a processor may have."),
    END_OF_FIELDS,
};
static const struct schema config_schema = { "StreamConfig", "Sizes of a workspace's processors.", config_fields };

static const struct field sample_fields[] = {
    BOOL("solar", "Whether to add a connection to sample readings of solar panels.", 0, .fallback = "false"),
    END_OF_FIELDS,
};
static const struct schema sample_schema = { "StreamSampleConnections", "Connections to sample messages.",
                                             sample_fields };

#define FAILOVER_REGIONS_FIELD                                                                          \
    LIST("failoverRegions", "Other regions in which processors may be started when this one fails.", 0, \
         .of = &region_schema, .max = 2, .example = "[{\"cloudProvider\": \"ONPREM\", \"region\": \"EU_SOUTH\"}]")
#define CONFIG_FIELD OBJECT("streamConfig", "Sizes of its processors.", NULLABLE, .of = &config_schema)

static const struct field workspace_fields[] = {
    ID("_id", "Identifier of the workspace.", READ_ONLY | ALWAYS),
    ID("groupId", "Project that it belongs to.", READ_ONLY | ALWAYS),
    STREAM_NAME_FIELD("Name of the workspace, unique in the project.", REQUIRED | CREATE_ONLY | ALWAYS, "orders"),
    OBJECT("dataProcessRegion", "Where its processors run.", REQUIRED | ALWAYS, .of = &region_schema),
    FAILOVER_REGIONS_FIELD,
    CONFIG_FIELD,
    OBJECT("sampleConnections", "Which connections to sample messages it gets.", CREATE_ONLY, .of = &sample_schema),
    LIST("hostnames", "Names under which it is reached.", READ_ONLY | ALWAYS, .item = TYPE_TEXT),
    LIST("connections", "Its connections, when they were asked for.", READ_ONLY, .of = &stream_connection_schema),
    END_OF_FIELDS,
};
const struct schema stream_workspace_schema = { "StreamWorkspace", "A place for connections and processors.",
                                                workspace_fields };

static const struct field status_fields[] = {
    TEXT("status", "New state of all its processors.", REQUIRED,
         .one_of = (const char *const[]){ "STARTED", "STOPPED", "FAILED_OVER", NULL }),
    TEXT("mode", "With FAILED_OVER: whether the old region writes a checkpoint first.", NULLABLE,
         .one_of = STREAM_MODES),
    TEXT("region", "With FAILED_OVER: where they are started.", NULLABLE, .min = 1, .max = 63,
         .example = "\"EU_SOUTH\""),
    END_OF_FIELDS,
};
static const struct schema status_schema = { "StreamProcessorStatus", "New state of all processors of a workspace.",
                                             status_fields };
static const struct field workspace_change_fields[] = {
    PLACE_FIELDS(0), FAILOVER_REGIONS_FIELD,
    CONFIG_FIELD,    OBJECT("processorStatus", "New state of all its processors.", 0, .of = &status_schema),
    END_OF_FIELDS,
};
const struct schema stream_workspace_change_schema = { "StreamWorkspaceChange", "A change of a workspace.",
                                                       workspace_change_fields };

const struct field stream_workspace_query[] = {
    BOOL("includeConnections", "Whether the answer includes the connections.", 0, .fallback = "false"),
    END_OF_FIELDS,
};

const struct field stream_log_query[] = {
    INTEGER("startDate", "First moment, in seconds since 1970.", 0, .min = FIRST_LOG_S, .example = "1741773600"),
    INTEGER("endDate", "Last moment, in seconds since 1970.", 0, .min = FIRST_LOG_S, .example = "1741777200"),
    TEXT("spName", "Only logs of the processor with this name.", 0, .min = 1, .max = 64),
    END_OF_FIELDS,
};

/* ---- Networks ---- */
const struct field stream_account_query[] = {
    TEXT("cloudProvider", "Provider of the hosts, by the name that the operator gave.", REQUIRED, .min = 1, .max = 32,
         .example = "\"ONPREM\""),
    TEXT("regionName", "Region of the hosts, by the name that the operator gave.", REQUIRED, .min = 1, .max = 63,
         .example = "\"EU_NORTH\""),
    END_OF_FIELDS,
};
static const struct field account_fields[] = {
    TEXT("cloudProvider", "Provider of the hosts.", READ_ONLY | ALWAYS),
    TEXT("accountId", "Account that the network belongs to.", READ_ONLY),
    TEXT("vpcId", "The network.", READ_ONLY | ALWAYS),
    TEXT("cidrBlock", "Its addresses.", READ_ONLY | ALWAYS),
    END_OF_FIELDS,
};
const struct schema stream_account_schema = { "StreamAccountDetails", "The network that stream processing uses.",
                                              account_fields };

static const char *const peering_states[] = {
    "NONE",
    "SCAN_FAILED",
    "UPDATE_FAILED",
    "REQUEST_ACCEPT",
    "ACCEPT_REQUESTED",
    "REQUEST_REJECT",
    "REJECT_REQUESTED",
    "REQUEST_DELETE",
    "DELETE_REQUESTED",
    "ACTIVE",
    NULL,
};
static const struct field peering_fields[] = {
    ID("_id", "Identifier of the peering.", READ_ONLY | ALWAYS),
    ID("groupId", "Project that it belongs to.", READ_ONLY | ALWAYS),
    TEXT("name", "Name of the peering.", READ_ONLY),
    TEXT("requesterAccountId", "Account of the network that asked for it.", READ_ONLY | ALWAYS),
    TEXT("requesterVpcId", "The network that asked for it.", READ_ONLY | ALWAYS),
    TEXT("requesterCidr", "Addresses of that network.", READ_ONLY),
    TEXT("accepterAccountId", "Account of the network of stream processing.", READ_ONLY),
    TEXT("accepterVpcId", "The network of stream processing.", READ_ONLY),
    TEXT("accepterCidr", "Addresses of that network.", READ_ONLY),
    TEXT("cloudStatus", "State at the provider.", READ_ONLY),
    TEXT("localStatus", "Requested state.", READ_ONLY | ALWAYS, .one_of = peering_states),
    TEXT("statusMessage", "Reason of the state.", READ_ONLY),
    DATE("expirationTime", "When the request expires.", READ_ONLY),
    END_OF_FIELDS,
};
const struct schema stream_peering_schema = { "StreamPeering",
                                              "A connection between the network of stream processing and another.",
                                              peering_fields };
const struct field stream_peering_query[] = {
    TEXT("requesterAccountId", "Account of the networks that asked.", REQUIRED, .min = 1, .max = 128,
         .example = "\"platform\""),
    END_OF_FIELDS,
};
/* Whoever accepts must know who asks. */
static const struct field peering_accept_fields[] = {
    TEXT("requesterAccountId", "Account of the requesting network; it must be the one in the request.", 0, .min = 1,
         .max = 128, .example = "\"platform\""),
    TEXT("requesterVpcId", "The requesting network; it must be the one in the request.", 0, .min = 1, .max = 128,
         .example = "\"net-7\""),
    END_OF_FIELDS,
};
const struct schema stream_peering_accept_schema = { "StreamPeeringAcceptance", "Whose request is accepted.",
                                                     peering_accept_fields };

static const struct field private_link_fields[] = {
    ID("_id", "Identifier of the private link.", READ_ONLY | ALWAYS),
    TEXT("provider", "Provider of the network, by the name that the operator gave.", REQUIRED | ALWAYS, .min = 1,
         .max = 32, .example = "\"ONPREM\""),
    TEXT("region", "Region of its end at stream processing.", 0, .min = 1, .max = 63, .example = "\"EU_NORTH\""),
    TEXT("serviceEndpointId", "The target service.", 0, .min = 1, .max = 256, .example = "\"brokers\""),
    TEXT("dnsDomain", "Domain of the service's names.", 0, .min = 1, .max = 253, .example = "\"brokers.example.org\""),
    LIST("dnsSubDomain", "Names in that domain that the service uses.", 0, .item = TYPE_TEXT, .max = 100),
    TEXT("interfaceEndpointId", "Its end at stream processing.", READ_ONLY),
    TEXT("interfaceEndpointName", "Name of that end.", READ_ONLY),
    TEXT("providerAccountId", "Account of stream processing.", READ_ONLY),
    TEXT("state", "Whether it can be used.", READ_ONLY | ALWAYS),
    TEXT("errorMessage", "Why it failed.", READ_ONLY),
    END_OF_FIELDS,
};
const struct schema stream_private_link_schema = {
    "StreamPrivateLink", "A private link from stream processing to a message broker or a store.", private_link_fields
};
