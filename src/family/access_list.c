/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who may open a connection to a project's clusters. The access lists of API callers are kept with keys and
 * service accounts.
 */
#include "api/contract.h"

// clang-format off
static const struct endpoint access_list_endpoints[] = {
    { GET, "/groups/{groupId}/accessList", S52, ANY_OF(PROJECT_READ_ONLY), "listGroupAccessListEntries",
      "Return the access list of one project",
      "Lists the addresses and blocks from which the project's clusters take connections. An empty list means "
      "that nobody gets through.",
      .shape = SHAPE_LIST, .item = "/groups/{groupId}/accessList/{entryValue}", .waits_for = "clusters" },
    { POST, "/groups/{groupId}/accessList", S52, ANY_OF(PROJECT_NETWORK_ACCESS_MANAGER),
      "createGroupAccessListEntry",
      "Add entries to the access list of one project",
      "Adds addresses or blocks, for good or until a date; the others stay. Answers with the list; clusters "
      "follow within seconds.",
      .shape = SHAPE_LIST, .success = 200, .item = "/groups/{groupId}/accessList/{entryValue}",
      .waits_for = "clusters" },
    { DELETE, "/groups/{groupId}/accessList/{entryValue}", S52, ANY_OF(PROJECT_NETWORK_ACCESS_MANAGER),
      "deleteGroupAccessListEntry",
      "Remove one entry from the access list of one project",
      "Takes one address or block off the list. New connections from there are refused; open ones may last until "
      "they end.",
      .shape = SHAPE_NOTHING, .waits_for = "clusters" },
    { GET, "/groups/{groupId}/accessList/{entryValue}", S52, ANY_OF(PROJECT_READ_ONLY), "getGroupAccessListEntry",
      "Return one entry of the access list of one project",
      "Returns one address or block with its comment and end date. Write the slash of a block as %2F.",
      .waits_for = "clusters" },
    { GET, "/groups/{groupId}/accessList/{entryValue}/status", S52, ANY_OF(PROJECT_READ_ONLY),
      "getGroupAccessListStatus",
      "Return whether one access list entry is in effect",
      "Tells whether all clusters of the project know the entry yet: PENDING, ACTIVE or FAILED.",
      .waits_for = "clusters" },
};
// clang-format on

FAMILY(access_list_family, "access-list", "Project access list",
       "The addresses from which a project's clusters may be reached.", access_list_endpoints);
