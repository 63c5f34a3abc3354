/* SPDX-License-Identifier: Apache-2.0 */
/* The report: what an agent sees on its host, as one document (docs/internals/fleet.md). */
#ifndef WIRE_REPORT_H
#define WIRE_REPORT_H

#include "base/id.h"
#include "wire/peering/report_peering.h"
#include "wire/relay/report_relays.h"
#include "wire/report_restore.h"
#include "wire/report_seats.h"
#include "wire/report_words.h"
#include "wire/shape.h"

enum { REPORT_SENTENCE_BYTES = 512 };

struct report_facts {
    str agent_version, patroni_version;
    struct wire_texts postgres_versions;
    int64_t cpus, memory_mb, disk_gb;
    struct wire_texts walls;      /* "<member id>=<phase>" of what is in force */
    str pgbackrest_version;       /* empty: it is not installed */
    struct wire_texts extensions; /* "17 vector 0.8.0" */
    bool encrypts;                /* volumes of new members can be under keys of their projects */
    struct wire_texts keys;       /* "<member id>=<name of the key of its project that wraps its own>" */
};

struct report_member {
    id id;
    str unit; /* active, inactive, failed, absent … as systemd says */
    enum report_role role;
    str running;                 /* Patroni's word */
    int64_t timeline, lag_bytes; /* -1: not known, written as null */
    str version;                 /* of the server; empty: not known */
    int64_t goal_generation, access_generation, restart_nonce;
    bool pending_restart;
    str problem; /* a sentence, or empty */
    enum report_pooler pooler;
    struct report_restore restore;
};

struct report_task {
    id id;
    bool done; /* otherwise it failed */
    str detail;
};

struct report_log { /* how logs get to one target */
    id target;
    bool works;
    str problem; /* a sentence, or empty */
};

struct report {
    int64_t epoch, version;
    str boot_id;
    struct report_facts facts;
    size_t member_count, task_count, log_count, seat_count, gate_count, relay_count, peering_count;
    const struct report_member *members;
    const struct report_task *tasks;
    const struct report_log *logs;
    const str *seats; /* each as report_seat_text() wrote it */
    str own_database; /* the same for the control plane's own database; empty: this host does not keep it */
    const struct report_gate *gates;
    const struct report_relay *relays;
    const struct report_peering *peerings;
    struct wire_texts strays;
};

/* Empty when it does not fit into REPORT_MAX_BYTES or the arena is full. Sentences are cut and made UTF-8. */
str report_write(struct arena *arena, const struct report *report);

#endif
