/* SPDX-License-Identifier: Apache-2.0 */
/* Practising failure: members in chosen regions are cut off until the simulation ends. */
#include "api/contract.h"

// clang-format off
static const struct endpoint outage_simulation_endpoints[] = {
    { DELETE, "/groups/{groupId}/clusters/{clusterName}/outageSimulation", S16,
      ANY_OF(PROJECT_CLUSTER_MANAGER | PROJECT_CLUSTER_RESILIENCE_TESTER | PROJECT_REPLICA_SET_MANAGER),
      "endGroupClusterOutageSimulation",
      "End one outage simulation",
      "Starts bringing the members back that were cut off. Asynchronous: they catch up before the simulation "
      "counts as ended.",
      .waits_for = "clusters" },
    { GET, "/groups/{groupId}/clusters/{clusterName}/outageSimulation", S16,
      ANY_OF(PROJECT_CLUSTER_MANAGER | PROJECT_CLUSTER_RESILIENCE_TESTER), "getGroupClusterOutageSimulation",
      "Return one outage simulation",
      "Returns which regions are cut off and how far the simulation is.",
      .waits_for = "clusters" },
    { POST, "/groups/{groupId}/clusters/{clusterName}/outageSimulation", S16,
      ANY_OF(PROJECT_CLUSTER_MANAGER | PROJECT_CLUSTER_RESILIENCE_TESTER | PROJECT_REPLICA_SET_MANAGER),
      "startGroupClusterOutageSimulation",
      "Start one outage simulation",
      "Cuts off all members of the cluster in the regions that are sent. With a minority gone the cluster fails "
      "over; with a majority gone it stops taking writes until the simulation ends.",
      .success = 200, .waits_for = "clusters" },
};
// clang-format on

FAMILY(outage_simulation_family, "outage-simulation", "Outage simulation",
       "Making regions of a cluster unreachable on purpose, to see what applications do.", outage_simulation_endpoints);
