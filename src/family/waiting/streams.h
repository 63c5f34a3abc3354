/* SPDX-License-Identifier: Apache-2.0 */
/* The fields of stream processing; the operations are in streams.c. */
#ifndef FAMILY_WAITING_STREAMS_H
#define FAMILY_WAITING_STREAMS_H

#include "api/contract.h"

/* ---- streams_schema.c: workspaces, and the networks that they reach ---- */
extern const struct schema stream_workspace_schema, stream_workspace_change_schema;
extern const struct schema stream_account_schema, stream_peering_schema, stream_peering_accept_schema,
    stream_private_link_schema;
extern const struct field stream_workspace_query[], stream_account_query[], stream_peering_query[], stream_log_query[];

/* ---- streams_connection_schema.c ---- */
extern const struct schema stream_connection_schema, stream_failover_schema;

/* ---- streams_processor_schema.c ---- */
extern const struct schema stream_processor_schema, stream_processor_change_schema, stream_processor_start_schema;

/* Names stand in paths and in pipelines. */
#define STREAM_NAME "^[a-zA-Z0-9][a-zA-Z0-9_.-]*$"
#define STREAM_NAME_FIELD(sentence, flags, name_example) \
    TEXT("name", sentence, flags, .min = 1, .max = 64, .pattern = STREAM_NAME, .example = "\"" name_example "\"")
#define STREAM_TIER_FIELD(field_name, sentence) \
    TEXT(field_name, sentence, 0, .min = 1, .max = 32, .example = "\"SP10\"")
#define STREAM_MODES ((const char *const[]){ "GRACEFUL", "FORCED", NULL })

#endif
