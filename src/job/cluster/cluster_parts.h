/* SPDX-License-Identifier: Apache-2.0 */
/* What jobs keep as resources of their own, by the names that the family reads them under. */
#ifndef JOB_CLUSTER_CLUSTER_PARTS_H
#define JOB_CLUSTER_CLUSTER_PARTS_H

#define OUTAGE_KIND      "outageSimulation"  /* the name is the cluster's */
#define SAMPLE_LOAD_KIND "sampleDatasetLoad" /* the name is its own id */

#endif
