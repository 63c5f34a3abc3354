/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the agent knows of a database engine: a table of functions. Each works on one member, can be called any number
 * of times, and brings it nearer to the goal. None of them starts or stops anything: systemd and the agent do that.
 */
#ifndef ENGINE_ENGINE_H
#define ENGINE_ENGINE_H

#include "base/crypto/crypto.h"
#include "base/disk.h"
#include "engine/call.h"
#include "wire/goal.h"
#include "wire/report.h"

#define CLUSTER_AUTHORITY "tls/cluster-authority.crt" /* below a member's folder, as everything in tls/ */
#define WAL_VOLUME        "wal"                       /* below a member's folder, when it has volumes */
#define WAL_FOLDER        "wal/pg_wal"                /* what data/pg_wal is a link to then */
#define BOTH_AUTHORITIES  "tls/both-authorities.crt"  /* the fleet's and the cluster's, while it moves over */

/* One member during one pass. */
struct engine_member {
    struct arena *arena; /* of the pass */
    struct caller *caller;
    const struct goal *goal;
    const struct goal_cluster *cluster;
    const struct goal_member *member;
    str folder;                /* all its files: patroni.yml, data/, tls/, run/; agent/prepare.h says who owns them */
    str user;                  /* name of the system user that it has */
    struct disk_owner owner;   /* what it runs as */
    struct disk_owner files;   /* of what the agent writes for it: root, and the group that it runs as */
    bool is_shared;            /* it still runs as the user that all members had before each got its own */
    bool is_closed;            /* it is being restored: nobody but Reeve's own is let in yet */
    bool has_volumes;          /* its folder is a disk of its own, and wal/ in it another one for WAL */
    bool has_etcd_user;        /* it was started as a user of etcd, and not only told to be one since */
    struct call_identity self; /* what it shows other members of its cluster */
    struct call_identity host; /* the host's, for when the member is gone */
};

/* What the engine reports. */
struct engine_observation {
    bool answers;
    enum report_role role;
    str running;                 /* its own word */
    str version;                 /* empty: not known */
    int64_t timeline, lag_bytes; /* -1: not known */
    bool pending_restart;
};

/* What is in force, and what the engine remembers between passes. All zero when the agent starts. */
struct engine_progress {
    int64_t goal_generation, access_generation, restart_nonce;
    int64_t users_generation; /* whose users and roles were made, while it was the primary; 0: none */
    uint8_t
        users_digest[SHA256_BYTES]; /* of the plan that was made last: a new generation may only have other networks */
    char users_problem[REPORT_SENTENCE_BYTES]; /* about one that could not be made as it should be */
    int64_t users_looked_at_ms;                /* when grants on what tenants created meanwhile were looked at */
    int64_t replica_generation, replica_since_ms, replica_looked_at_ms; /* whose users a replica waits for */
    bool replica_is_settled;                                            /* and has, as far as they come */
    bool patroni_is_quiet;                                              /* it asks in sessions that are not recorded */
    int64_t access_loaded;     /* whose doors the server has; others may have more to do */
    bool access_is_new;        /* its files were replaced since the server loaded them */
    bool backup_is_new;        /* the same of what lets repository hosts read its data */
    bool pooler_is_new;        /* its pooler has not read its files yet */
    int64_t pooler_access;     /* generation of the access list by which clients of the pooler were looked at */
    int64_t backup_generation; /* whose role for WAL was made or dropped, while it was the primary */
};

/* How far its own restore is. Texts are as a report has them; empty and -1: not known. */
struct engine_restored {
    bool is_done, has_failed;
    str problem; /* also while it is tried again */
    int64_t done_bytes, total_bytes;
    str reached_lsn, reached_at;
};

/* What an engine keeps between measurements of a member: a session, and what was counted before. */
struct engine_monitor;

/* One measurement. */
struct engine_round {
    int64_t time_ms;     /* of its points */
    bool with_databases; /* and of their tables, too */
    bool with_sizes;     /* which take the server longer */
};

/* What one statement has cost since its server began to count. */
struct engine_counter {
    int64_t database, query; /* the server's own numbers */
    int64_t calls, rows, bytes;
    double ms, worst_ms; /* of all, and of the slowest since the last look */
};
/* What is remembered of a member's load from one look to the next. All zero before the first. */
struct engine_load {
    bool has_looked;
    struct engine_counter *counters; /* in order of database and query; on the heap */
    size_t count;
};

enum engine_outcome { OUTCOME_DONE, OUTCOME_FAILED, OUTCOME_LATER };

struct engine {
    const char *name;
    /* Whether the host has what it takes, and which versions. An error: the agent must not run here. */
    error (*look_at_host)(struct arena *arena, struct report_facts *facts);
    /* Changes whenever a server's program on this host is replaced; and the versions of those that are there now. */
    uint64_t (*programs_mark)(void);
    struct wire_texts (*installed_versions)(struct arena *arena);
    /*
     * Writes its files, before it starts and whenever the goal changes; `ret_changed` is not touched when nothing was
     * written.
     */
    error (*write_files)(struct engine_member *self, struct engine_progress *progress, bool *ret_changed);
    /* The command line of its process, for the unit. */
    str (*command)(struct engine_member *self);
    /* Of the process that repository hosts read its data through; empty when the cluster has no backups. */
    str (*backup_command)(struct engine_member *self);
    /* Of the pooler beside it; empty when the cluster has none. */
    str (*pooler_command)(struct engine_member *self);
    /* What the primary's server needs for it; before it is started. */
    error (*pooler_prepare)(struct engine_member *self);
    /* Has the pooler read its files again, and ends clients that could not come in any more. */
    error (*pooler_follow)(struct engine_member *self);
    error (*observe)(struct engine_member *self, struct engine_observation *ret_observation);
    /* Whether that member of its cluster leads, and knows how the cluster is configured, as it says itself. */
    bool (*leads)(struct engine_member *self, id member);
    /* What `reeve-agent restore --folder` needs to restore its data, as the cluster's goal says; what came of it; and that nothing of it is left. */
    error (*write_restore)(struct engine_member *self, str agent);
    void (*read_restore)(struct engine_member *self, struct engine_restored *ret_restored);
    error (*drop_restore)(struct engine_member *self);
    /* Applies parameters, access and restarts. Updates `progress` as far as it got. */
    error (*settle)(struct engine_member *self, const struct engine_observation *seen,
                    struct engine_progress *progress);
    /*
     * Whether it may be stopped for a moment now without an outage or loss. If not, the error says what it waits for; a
     * leader hands over. `waited_ms`: how long it has been asking.
     */
    error (*make_way)(struct engine_member *self, int64_t waited_ms);
    /*
     * Measures what the engine itself knows, and adds lines of wire/points.h. Never takes longer than a few seconds, whatever the member does. An error: what
     * was measured before it is added nevertheless.
     */
    struct engine_monitor *(*monitor_new)(
        const char *memory); /* a file in which it keeps what it counted; NULL: none */
    void (*monitor_free)(struct engine_monitor *monitor);
    error (*measure)(struct engine_member *self, struct engine_monitor *monitor, const struct engine_round *round,
                     struct buf *out);
    /* The process that all others of the member's server are children of, as its own files say; 0: none. */
    int64_t (*first_process)(struct engine_member *self);
    /*
     * What statements have cost since the last look, by shape, and which of them were slow; with advice when it is asked for. The document is what
     * fleet/advice.h reads. Nothing that tenants put into statements is in it.
     */
    error (*look_at_load)(struct engine_member *self, struct engine_load *load, bool with_advice, str *ret_document);
    /* `ret_detail` is a sentence when it failed or must wait. */
    enum engine_outcome (*run_task)(struct engine_member *self, const struct goal_task *task, str *ret_detail);
};

extern const struct engine engine_postgres;

#endif
