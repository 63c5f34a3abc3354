/* SPDX-License-Identifier: Apache-2.0 */
/* Processes of the control plane, for people and for Prometheus. */
#include "operator/parts.h"
#include "store/operator/instance.h"

static const char *const kinds[] = { "API", "WORKER", NULL };

static const struct field instance_fields[] = {
    TEXT("name", "The machine, and what distinguishes the process there.", READ_ONLY | ALWAYS),
    TEXT("kind", "API for a node that answers requests, WORKER for one that does jobs.", READ_ONLY | ALWAYS,
         .one_of = kinds),
    TEXT("address", "Where it answers at /metrics. Workers answer nowhere: nodes say what they do.", READ_ONLY),
    BOOL("isEncrypted", "Whether that address speaks TLS.", READ_ONLY | ALWAYS),
    TEXT("version", "Version that runs.", READ_ONLY | ALWAYS),
    BOOL("isThere", "Whether it said so in the last two minutes.", READ_ONLY | ALWAYS),
    DATE("startedAt", "Since when it is there.", READ_ONLY | ALWAYS),
    DATE("seenAt", "When it last said that it is there.", READ_ONLY | ALWAYS),
    END_OF_FIELDS,
};
static const struct schema instance_schema = { "Instance", "A process of the control plane.", instance_fields };

static error
list_instances(struct request *req)
{
    str list;
    TRY(store_instance_list(req->api->store, req->arena, &list));
    return answer_array(req, list, "name");
}

static error
show_targets(struct request *req)
{
    str list;
    TRY(store_instance_targets(req->api->store, req->arena, &list));
    answer_file(req, list);
    return OK;
}

// clang-format off
static const struct endpoint endpoints[] = {
    { GET, "/instances", 0, FOR_OPERATORS, "listInstances", "Return the processes of the control plane",
      "Lists nodes and workers that were there within the last day. Each says every half minute that it is there.",
      SHAPE_LIST, .run = list_instances, .response = &instance_schema },
    { GET, "/targets", 0, FOR_OPERATORS, "showTargets", "Return what Prometheus can ask",
      "Lists nodes as Prometheus' HTTP service discovery reads them: a JSON list without anything around it. A node that is gone stays in it for ten "
      "minutes, so that it is seen to be down. Prometheus itself should ask `/targets` beside `/metrics`, which needs no token.",
      SHAPE_FILE, .run = show_targets, .file = "json" },
};
// clang-format on
FAMILY(operator_instance_family, "instances", "Instances", "The processes of the control plane.", endpoints);
