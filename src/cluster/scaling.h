/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When a cluster changes its size by itself. Functions of what was measured, of the sizes that are offered, of the tenant's bounds and of the time: nothing
 * is read or kept here, so what follows from what can be tried with numbers alone (docs/internals/scaling.md).
 */
#ifndef CLUSTER_SCALING_H
#define CLUSTER_SCALING_H

#include <jansson.h>

#include "store/offer/fleet_offer.h"

enum {
    SCALING_MINUTES = 60,      /* how far back is looked, and how long after a change no smaller size is taken */
    SCALING_COOL_MINUTES = 10, /* how long after a change no larger one is taken */
    SCALING_DISK_MINUTES = 6,  /* sizes of databases are measured every five minutes */
    SCALING_MINUTE_MS = 60 * 1000,
    SCALING_DISK_PERCENT = 90,      /* a disk that is as full as this grows … */
    SCALING_DISK_GOAL_PERCENT = 70, /* … until it is as full as this; at most to twice its size in a step */
    SCALING_MAX_DISK_GB = 65536,
};

/* Of the mean of so many minutes: from when on a larger size is taken, and below what it must stay at a smaller one. */
struct scaling_limit {
    int minutes;
    double up_percent, down_percent;
};
enum { SCALING_LIMITS = 2 };
extern const struct scaling_limit scaling_limits[SCALING_LIMITS];

/* What a tenant asked for, as the document of a cluster says it: the same for all of its members. */
struct scaling_rules {
    bool compute, down, disk;
    str min, max; /* sizes; empty: none was named */
};
struct scaling_rules scaling_rules_read(const json_t *document);
bool scaling_rules_are_on(const struct scaling_rules *rules);
/* The same regions and members without what they say about scaling: whether a change needs work. Of `in`. */
json_t *scaling_without_rules(struct arena *in, const json_t *replication_specs);
/* The document with another size and disk. Members for analytics that have a size of their own keep it. Of `in`. */
json_t *scaling_document(struct arena *in, const json_t *document, str size, int64_t disk_gb);

/* Whether a size is at least as large as `low` and at most as large as `high`, in processors and in memory. NULL: no bound. */
bool scaling_is_within(const struct offered_size *size, const struct offered_size *low,
                       const struct offered_size *high);

/* A minute each, the oldest first; NAN: not measured. What cannot be is taken for that, too. */
struct scaling_member {
    bool analytics; /* only its disk counts: reports make no cluster larger, and their pauses none smaller */
    double cpu_percent[SCALING_MINUTES]; /* of the processors of its size */
    double memory_mb[SCALING_MINUTES], connections[SCALING_MINUTES], disk_gb[SCALING_MINUTES];
};

struct scaling_case {
    const struct fleet_offer *offer;
    struct scaling_rules rules;
    str size;
    int64_t disk_gb;
    int64_t end_ms;     /* of the last minute */
    int64_t changed_ms; /* when the cluster was last another one, or not yet settled */
    bool may_shrink;    /* false: maintenance waits for its window */
    size_t member_count;
    const struct scaling_member *members;
};

enum scaling_verdict { SCALING_KEEP, SCALING_UP, SCALING_DOWN, SCALING_GROW };
/* Why, as people who look at a cluster are told. scaling_finding_names has them as the API shows them. */
enum scaling_finding {
    SCALING_OFF,
    SCALING_CALM,       /* the size fits */
    SCALING_BUSY,       /* it was too small */
    SCALING_QUIET,      /* it was too large */
    SCALING_FULL,       /* the disk was */
    SCALING_COOLS,      /* something would be done, but the last change was not long ago */
    SCALING_UNMEASURED, /* too little is known */
    SCALING_AT_MAXIMUM, /* the bound, or the largest there is */
    SCALING_DISK_AT_MAXIMUM,
    SCALING_AT_MINIMUM,
    SCALING_SETTLES,     /* the cluster is changing */
    SCALING_MAINTAINED,  /* maintenance waits: nothing is made smaller meanwhile */
    SCALING_NOT_OFFERED, /* the operator has no such size any more */
    SCALING_NO_ROOM,     /* no host has any */
    SCALING_FORBIDDEN,   /* by a resource policy, or the organization is locked */
    SCALING_FINDINGS,
};
extern const char *const scaling_finding_names[SCALING_FINDINGS + 1]; /* NULL at the end */

struct scaling_decision {
    enum scaling_verdict verdict;
    enum scaling_finding finding;
    const char *what; /* "processors", "memory" or "disk"; NULL: nothing of the kind */
    double percent;   /* that was measured, or would be at the smaller size */
    double limit;     /* that it was compared with */
    int minutes;      /* for so long */
    str size;         /* from now on */
    int64_t disk_gb;  /* from now on */
    str reason;       /* a sentence */
};

/* Sizes: one step up or down, or none. Disks: larger, or nothing. Texts are of `in`. */
struct scaling_decision scaling_decide_size(struct arena *in, const struct scaling_case *about);
struct scaling_decision scaling_decide_disk(struct arena *in, const struct scaling_case *about);

#endif
