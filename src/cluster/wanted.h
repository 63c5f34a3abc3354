/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the document of a cluster asks for, for placement: how many members in which region, of which size. Both kinds
 * of documents are read: those of clusters (`replicationSpecs`) and those of flex clusters (`providerSettings`).
 */
#ifndef CLUSTER_WANTED_H
#define CLUSTER_WANTED_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

enum {
    CLUSTER_MAX_REGIONS = 7,
    CLUSTER_MAX_ELECTABLE = 7,
    CLUSTER_MAX_MEMBERS = 50,
    CLASS_ELECTABLE = 0,
    CLASS_READ_ONLY,
    CLASS_ANALYTICS,
    MEMBER_CLASSES,
    WANTED_MAX_GROUPS = MEMBER_CLASSES * CLUSTER_MAX_REGIONS,
    HIGHEST_PRIORITY = 7,
};

/* The parts of a region in the document, and what their members may do. */
struct member_class {
    const char *part;
    bool electable, analytics;
};
extern const struct member_class member_classes[MEMBER_CLASSES];

/* Members that are alike: where they are, whether one of them may become the primary, and whether applications are led to them. */
struct wanted_group {
    str provider, region;
    str size; /* of members for analytics it may be another one than that of the cluster */
    int count;
    bool electable;
    bool analytics; /* nobody is led to them but by a string of their own */
    int priority;   /* of the region; 0 for members that are never elected */
};

struct wanted {
    str size; /* of all members but those for analytics: whoever may lead, and whoever answers the same reads */
    int64_t disk_gb;
    bool paused;
    size_t group_count;
    struct wanted_group groups[WANTED_MAX_GROUPS];
};

/* Texts point into the document. False when it is no document that was checked and completed (family/cluster_document.h). */
MUST_USE bool wanted_from_document(const json_t *document, struct wanted *ret_wanted);
int wanted_members(const struct wanted *wanted);
/* Of members for analytics; empty: there are none. */
str wanted_analytics_size(const struct wanted *wanted);

/* The instance size of flex clusters, and how many members each has. */
#define FLEX_SIZE "FLEX"
enum { FLEX_MEMBERS = 3 };

#endif
