/* SPDX-License-Identifier: Apache-2.0 */
/* What hangs on a cluster, as requests ask for it and jobs do it: simulated outages, loads of sample data, and extensions. */
#ifndef CLUSTER_PART_H
#define CLUSTER_PART_H

#include "store/cluster/cluster.h"

#define OUTAGE_KIND      "outageSimulation"  /* the name is the cluster's */
#define SAMPLE_LOAD_KIND "sampleDatasetLoad" /* the name is its own id */
#define EXTENSION_KIND   "databaseExtension" /* the name is extension_part_name() */

/* Field of a cluster's document, shown nowhere: libraries that extensions need, each with the parameters that it needs. */
#define EXTENSION_LIBRARIES "libraries"

enum outage_state {
    OUTAGE_START_REQUESTED,
    OUTAGE_STARTING,
    OUTAGE_SIMULATING,
    OUTAGE_RECOVERY_REQUESTED,
    OUTAGE_RECOVERING,
    OUTAGE_COMPLETE,
};
enum sample_load_state { SAMPLE_LOAD_WORKING, SAMPLE_LOAD_COMPLETED, SAMPLE_LOAD_FAILED };
enum extension_state { EXTENSION_CREATING, EXTENSION_ACTIVE, EXTENSION_FAILED, EXTENSION_DELETING };
/* NULL at the end */
extern const char *const outage_state_names[], *const sample_load_state_names[], *const extension_state_names[];

/* "orders/shop/vector" */
str extension_part_name(struct arena *arena, str cluster, str database, str extension);

bool outage_is_over(const struct cluster_part *outage);
/* It is over, or somebody has asked for its end. */
bool outage_is_ending(const struct cluster_part *outage);

/* The state stands in the document, for who is shown it, and beside it, for who looks for it. `document` becomes the part's. */
void part_set(struct arena *arena, struct cluster_part *part, json_t *document, const char *state);

#endif
