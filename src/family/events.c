/* SPDX-License-Identifier: Apache-2.0 */
/* The record of what happened. Events are written by every change and can be neither changed nor deleted. */
#include "api/contract.h"

// clang-format off
static const struct endpoint events_endpoints[] = {
    { GET, "/groups/{groupId}/events", S24, ANY_OF(PROJECT_READ_ONLY), "listGroupEvents",
      "Return all events of one project",
      "Lists what happened in the project, newest first. Filter by type, cluster and dates; the count is left out "
      "when it would be expensive.",
      .shape = SHAPE_LIST, .item = "/groups/{groupId}/events/{eventId}", .waits_for = "identity" },
    { GET, "/groups/{groupId}/events/{eventId}", S24, ANY_OF(PROJECT_READ_ONLY), "getGroupEvent",
      "Return one event of one project",
      "Returns one event with who caused it and what it was about.",
      .waits_for = "identity" },

    { GET, "/orgs/{orgId}/events", S25, ANY_OF(ORG_MEMBER), "listOrgEvents",
      "Return all events of one organization",
      "Lists what happened in the organization itself, newest first. Events of its projects are read project by "
      "project.",
      .shape = SHAPE_LIST, .item = "/orgs/{orgId}/events/{eventId}", .waits_for = "identity" },
    { GET, "/orgs/{orgId}/events/{eventId}", S25, ANY_OF(ORG_MEMBER), "getOrgEvent",
      "Return one event of one organization",
      "Returns one event with who caused it and what it was about.",
      .waits_for = "identity" },

    { GET, "/eventTypes", S26, ANY_CALLER, "listEventTypes",
      "Return all types of events",
      "Lists the types that an event can have, with a sentence on each. Use it to build filters instead of "
      "writing names by heart.",
      .shape = SHAPE_LIST, .waits_for = "identity" },
};
// clang-format on

FAMILY(events_family, "events", "Events", "The record of what happened: who changed what, when and from where.",
       events_endpoints);
