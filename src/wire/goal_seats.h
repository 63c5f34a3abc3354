/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parts of a goal that are about backups (docs/internals/backups.md): the seats of a repository host, and whom
 * members of a cluster let in to be backed up.
 */
#ifndef WIRE_GOAL_SEATS_H
#define WIRE_GOAL_SEATS_H

#include "base/id.h"
#include "wire/shape.h"

enum {
    GOAL_MAX_SEATS = 4096,
    GOAL_MAX_SEAT_MEMBERS = 64,
    GOAL_MAX_ASSERTIONS = 20,
    GOAL_MAX_ASSERTION_BYTES = 4000,
    GOAL_MAX_EXPORT_LABELS = 50
};

/* FROZEN: nothing is added to it any more, and all of it can be read. */
enum goal_seat_desired { SEAT_RUNNING, SEAT_FROZEN, SEAT_REMOVED };
extern const char *const goal_seat_desired_words[]; /* by the enum; NULL at the end */

struct goal_seat_member {
    id id;
    str name, address;
    int64_t port, backup_port;
};
struct goal_seat_members {
    size_t count;
    struct goal_seat_member *items;
};

struct goal_seat_store { /* a bucket, in place of the host's disk */
    str endpoint;        /* empty: the disk */
    str bucket, region, path, uri_style;
    str folder;          /* below the path, of this seat alone; empty: as seats had it once (agent/seat/seat_files.c) */
    str authority;       /* PEM; empty: those that the system knows */
    str key, secret_key; /* never logged */
    bool object_lock;
};

struct goal_seat_item { /* of a schedule */
    id id;
    str frequency; /* hourly, daily, weekly, monthly, yearly */
    int64_t interval;
    str retention_unit; /* days, weeks, months, years */
    int64_t retention_value;
    bool is_left_out; /* this seat takes nothing because of it; it is part of the names of snapshots all the same */
};
struct goal_seat_items {
    size_t count;
    struct goal_seat_item *items;
};
struct goal_seat_extra { /* days that snapshots of a frequency are kept longer */
    int64_t hourly, daily, weekly, monthly, yearly;
};
struct goal_seat_schedule {
    int64_t reference_hour, reference_minute;
    int64_t window_days;  /* how far back any second can be restored; 0: nobody says, and no WAL is removed */
    bool is_wal_left_out; /* WAL is kept only as far as snapshots need it, and since the newest full one */
    struct goal_seat_items items;
    struct goal_seat_extra extra_days;
};

struct goal_seat_wish { /* a snapshot that somebody asked for */
    id snapshot;
    str type; /* FULL or INCR */
    str expires_at;
};
struct goal_seat_wishes {
    size_t count;
    struct goal_seat_wish *items;
};
struct goal_seat_protection {
    id snapshot;
    str until;
};
struct goal_seat_protections {
    size_t count;
    struct goal_seat_protection *items;
};
struct goal_seat_removal {
    id snapshot;
    str label;
};
struct goal_seat_removals {
    size_t count;
    struct goal_seat_removal *items;
};

struct goal_drill_assertion { /* of the tenant: a query whose one value must be true */
    str name, database, sql;
};
struct goal_drill_assertions {
    size_t count;
    struct goal_drill_assertion *items;
};
struct goal_drill {            /* whether the newest backup can be restored is to be tried (docs/internals/drills.md) */
    id id;                     /* zero: none is wanted */
    int64_t limit_seconds;     /* for each of its two stages */
    int64_t assertion_seconds; /* for each of them */
    struct goal_drill_assertions assertions;
};

struct goal_export_label { /* of the tenant */
    str key, value;
};
struct goal_export_labels {
    size_t count;
    struct goal_export_label *items;
};
enum goal_export_format { EXPORT_AS_DUMP, EXPORT_AS_CSV };
extern const char *const goal_export_format_words[]; /* by the enum; NULL at the end */
struct goal_export {       /* a snapshot is to be written to a bucket of its tenant (docs/internals/exports.md) */
    id id;                 /* zero: none is wanted */
    int64_t limit_seconds; /* for each of its stages */
    id snapshot;
    str snapshot_at; /* when it was taken */
    str label;       /* of its backup here */
    str cluster_name;
    struct goal_export_labels custom_data;
    str service_url, bucket, region, prefix;
    str format_text; /* empty: a dump, for control planes that know nothing else */
    enum goal_export_format format;
    str key, secret_key;        /* never logged */
    struct wire_texts networks; /* that the operator allows beside public addresses */
    str authority;              /* PEM that the store is checked against; empty: those that the system knows */
};

enum goal_download_desired { DOWNLOAD_SERVED, DOWNLOAD_REMOVED };
extern const char *const goal_download_desired_words[]; /* by the enum; NULL at the end */
struct goal_download { /* a backup that is made into a file, which nodes fetch (docs/internals/downloads.md) */
    id id;             /* zero: there is none */
    str desired_text;
    enum goal_download_desired desired;
    str label;
    int64_t port;          /* where it is handed out */
    int64_t limit_seconds; /* for making it */
};

struct
    goal_seat_own { /* how the control plane's own database is reached (docs/internals/own-database.md). No goal has it: a file of the host's root does */
    str connection; /* of libpq, without what follows; empty: it is a seat of a cluster */
    str authority, certificate, key; /* PEM; each may be empty */
    str password;                    /* it and the key are never logged */
    str superuser;                   /* of that server */
    str database;                    /* that the control plane uses */
    int64_t drills;                  /* that were asked for beside those of every day */
};

struct goal_seat {
    id id, cluster;
    str stanza, scope, major_version;
    int64_t ordinal;
    str desired_text;
    enum goal_seat_desired desired;
    str cipher_pass; /* never logged */
    str cluster_authority;
    struct goal_seat_store store;
    struct goal_seat_members members;
    struct goal_seat_schedule schedule;
    struct goal_seat_wishes wanted;
    struct goal_seat_protections protect;
    struct goal_seat_removals remove; /* what is not named here is never removed */
    struct goal_drill drill;
    struct goal_export export_job;
    struct goal_download download;
    struct goal_seat_own own;
};
struct goal_seats {
    size_t count;
    struct goal_seat *items;
};
extern const struct wire_shape goal_seat_shape;

/* Of a cluster on the hosts of its members: who backs it up. */
struct goal_backup_seat {
    id id;
    int64_t ordinal;
    str name;         /* in its certificate */
    str host_address; /* that it comes from */
};
struct goal_backup_seats {
    size_t count;
    struct goal_backup_seat *items;
};
struct goal_backup {
    str stanza; /* empty: it has no backups */
    struct goal_backup_seats seats;
};
extern const struct wire_shape goal_backup_shape;

/* What types and bounds do not say. `index` is the place in the document. */
MUST_USE error goal_seat_check(struct arena *arena, struct goal_seat *seat, size_t index);
MUST_USE error goal_backup_check(struct arena *arena, const struct goal_backup *backup, size_t index);

#endif
