/* SPDX-License-Identifier: Apache-2.0 */
/* The texts of units. */
#ifndef AGENT_UNIT_FILE_H
#define AGENT_UNIT_FILE_H

#include "wire/goal.h"

struct unit_wish {
    const struct goal_member *member;
    str user;    /* that it runs as, and a group of the same name */
    str scope;   /* of its cluster, for people */
    str folder;  /* everything of it */
    str command; /* the engine's */
    str agent;   /* path of this program, which prepares what root must */
    str peers;   /* addresses of its cluster's members on this host, itself left out; may be empty */
    str etcd_ports;
    bool is_keyed; /* under a key of its customer's */
};

/* "reeve-member-<id>.service" */
str unit_name(struct arena *arena, id member);
str unit_text(struct arena *arena, const struct unit_wish *wish);

/* What backups need on hosts of members and of repositories, behind the same walls. */
struct unit_beside {
    str description; /* for people */
    str user, folder, command;
    bool is_kept_up; /* started again whenever it ends */
    int memory_mb;
    str places; /* lines that say what it sees in place of its folder; may be empty */
    str more;   /* further lines; may be empty */
};
str unit_text_beside(struct arena *arena, const struct unit_beside *wish);

/* Further lines for what nobody waits for: it gives way also on hosts whose systemd cannot weigh processors and disks, as in containers. */
#define UNIT_GIVES_WAY "Nice=19\nIOSchedulingClass=best-effort\nIOSchedulingPriority=7\n"

/* The last walls of what strangers connect to: it connects to nobody. */
#define UNIT_ONLY_LISTENS                                \
    "ProtectSystem=strict\n"                             \
    "RemoveIPC=yes\n"                                    \
    "RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX\n" \
    "RestrictNamespaces=yes\n"                           \
    "RestrictRealtime=yes\n"                             \
    "RestrictSUIDSGID=yes\n"                             \
    "SystemCallArchitectures=native\n"                   \
    "SystemCallErrorNumber=EPERM\n"                      \
    "SystemCallFilter=@system-service\n"                 \
    "SystemCallFilter=~@privileged\n"                    \
    "SystemCallFilter=~connect\n"                        \
    "UMask=0077\n"

/* Further lines for a stage of a drill: how long it may take, and what shuts the tenant's data in. */
str unit_drill_walls(struct arena *arena, int64_t limit_seconds, bool is_shut_in);

/* The user of members that were made before each had its own. */
#define UNIT_SHARED_USER "postgres"
bool unit_is_shared(str unit);

#endif
