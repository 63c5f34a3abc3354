/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/unit_file.h"

#include "engine/engine.h"

str
unit_name(struct arena *arena, id member)
{
    return str_format(arena, "reeve-member-%s.service", id_text(arena, member).data);
}

/*
 * Why so:
 * - mixed: Patroni gets SIGTERM and stops PostgreSQL in order; whatever is left when Patroni has ended, for whatever reason,
 *   is killed. Without a watchdog a PostgreSQL that outlived its Patroni could stay primary beside the next one.
 * - OOMPolicy=continue: PostgreSQL recovers by itself from a backend that the kernel ended.
 * - what root must do before is a line of its own with full privileges, so that it is done after a reboot without the agent:
 *   the address, who owns the files, the rules of the network.
 * - LogRateLimitIntervalSec=0: the journal drops no line of an audit, however busy the server is.
 */
static const char text[] = "# Written by reeve-agent, which overwrites whatever is changed here.\n"
                           "[Unit]\n"
                           "Description=Reeve member %s of %s\n"
                           "Wants=network-online.target\n"
                           "After=network-online.target\n"
                           "RequiresMountsFor=%s\n"
                           "StartLimitIntervalSec=0\n"
                           "\n"
                           "[Service]\n"
                           "Type=exec\n"
                           "User=%s\n"
                           "Group=%s\n"
                           "Environment=HOME=%s LANG=C.UTF-8 PATH=/usr/bin:/bin\n"
                           "ExecStartPre=+%s prepare --folder %s --user %s --address %s/%d --port %d%s%s%s%s\n"
                           "ExecStart=%s\n"
                           "ExecReload=/bin/kill -HUP $MAINPID\n"
                           "Restart=always\n"
                           "RestartSec=1\n"
                           "KillMode=mixed\n"
                           "TimeoutStartSec=900\n"
                           "TimeoutStopSec=%d\n"
                           "OOMPolicy=continue\n"
                           "LimitNOFILE=16384\n"
                           "LogRateLimitIntervalSec=0\n"
                           "MemoryMax=%lldM\n"
                           "CPUQuota=%d%%\n";

/*
 * The walls around it; test/cluster/walls_test.py takes each down and shows what comes through then.
 * - of /var/lib/reeve it sees its own folder only: neither the host's key nor other tenants' data.
 * - of /run it sees how names are resolved: no D-Bus, no systemd, no sockets of others.
 * - /proc has its own processes only; control groups, locks and keys, which tell about others, are not there. Not ProcSubset=pid:
 *   Patroni looks at PostgreSQL with psutil, which needs /proc/stat.
 * - /dev/shm is not part of an IPC namespace: a file system of its own.
 * - no netlink: it would list everybody's connections. The C library does without.
 */
static const char walls[] =
    "NoNewPrivileges=yes\n"
    "CapabilityBoundingSet=\n"
    "AmbientCapabilities=\n"
    "InaccessiblePaths=/sys/fs/cgroup -/proc/locks -/proc/keys -/proc/key-users -/var/log\n"
    "LockPersonality=yes\n"
    "MemoryPressureWatch=off\n"
    "PrivateDevices=yes\n"
    "PrivateIPC=yes\n"
    "PrivateTmp=yes\n"
    "PrivateUsers=yes\n"
    "ProtectClock=yes\n"
    "ProtectControlGroups=yes\n"
    "ProtectHome=yes\n"
    "ProtectHostname=yes\n"
    "ProtectKernelLogs=yes\n"
    "ProtectKernelModules=yes\n"
    "ProtectKernelTunables=yes\n"
    "ProtectProc=invisible\n"
    "ProtectSystem=strict\n"
    "RemoveIPC=yes\n"
    "RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX\n"
    "RestrictNamespaces=yes\n"
    "RestrictRealtime=yes\n"
    "RestrictSUIDSGID=yes\n"
    "SystemCallArchitectures=native\n"
    "SystemCallErrorNumber=EPERM\n"
    "SystemCallFilter=@system-service\n"
    "SystemCallFilter=~@privileged\n"
    "TemporaryFileSystem=/dev/shm:mode=1777,nodev,nosuid\n"
    "TemporaryFileSystem=/run:ro\n"
    "TemporaryFileSystem=/var/lib/reeve:ro\n"
    "BindReadOnlyPaths=-/run/systemd/resolve -/run/resolvconf -/run/NetworkManager/resolv.conf\n"
    "%s"
    "UMask=0077\n"
    "\n"
    "[Install]\n"
    "WantedBy=multi-user.target\n";

/*
 * What backups need beside the databases. It gives way to them: a backup that takes longer is better than a database that answers late.
 * Not of the kind that systemd waits for until it has ended: a backup may take hours.
 */
static const char beside[] = "# Written by reeve-agent, which overwrites whatever is changed here.\n"
                             "[Unit]\n"
                             "Description=Reeve %s\n"
                             "Wants=network-online.target\n"
                             "After=network-online.target\n"
                             "RequiresMountsFor=%s\n"
                             "StartLimitIntervalSec=0\n"
                             "\n"
                             "[Service]\n"
                             "Type=exec\n"
                             "User=%s\n"
                             "Group=%s\n"
                             "Environment=HOME=%s LANG=C.UTF-8 PATH=/usr/bin:/bin\n"
                             "ExecStart=%s\n"
                             "ExecReload=/bin/kill -HUP $MAINPID\n"
                             "Restart=%s\n"
                             "RestartSec=1\n"
                             "TimeoutStopSec=30\n"
                             "LimitNOFILE=16384\n"
                             "TasksMax=128\n"
                             "MemoryMax=%dM\n"
                             "CPUWeight=20\n"
                             "IOWeight=20\n";

/*
 * What was restored is run without a network, and without anything to read but its own folder. Everything is bounded that could be used up:
 * memory (what is in /tmp counts), processors, processes, time.
 */
#define DRILL_WALLS                                              \
    "PrivateNetwork=yes\n"                                       \
    "RestrictAddressFamilies=\n"                                 \
    "RestrictAddressFamilies=AF_UNIX\n"                          \
    "PrivateTmp=no\n"                                            \
    "TemporaryFileSystem=/tmp:mode=1777,nodev,nosuid,size=64M\n" \
    "MemorySwapMax=0\n"                                          \
    "CPUQuota=100%\n"                                            \
    "LimitCORE=0\n"                                              \
    "OOMPolicy=continue\n"

/*
 * Of a member under its customer's key: what it writes is on its volumes or in memory, and no memory of it gets to the host's disk. One that does not stop is ended, so
 * that its data are closed in time.
 */
#define KEYED_WALLS                                                  \
    "PrivateTmp=no\n"                                                \
    "TemporaryFileSystem=/tmp:mode=1777,nodev,nosuid,size=64M\n"     \
    "TemporaryFileSystem=/var/tmp:mode=1777,nodev,nosuid,size=64M\n" \
    "MemorySwapMax=0\n"                                              \
    "LimitCORE=0\n"
enum { STOP_SECONDS = 120, KEYED_STOP_SECONDS = 8 };

static str
with_walls(struct arena *arena, str first, str more)
{
    str second = str_format(arena, walls, more.data);
    return first.len == 0 || second.len == 0 || more.len == 0 ? STR_EMPTY
                                                              : str_format(arena, "%s%s", first.data, second.data);
}

str
unit_drill_walls(struct arena *arena, int64_t limit_seconds, bool is_shut_in)
{
    return str_format(arena, "%sRuntimeMaxSec=%lld\n", is_shut_in ? DRILL_WALLS : "", (long long)limit_seconds);
}

/* A member's volumes, if it has any, are mounted before anything of it runs, and nothing runs when they cannot be. */
static str
places_of(struct arena *arena, str folder)
{
    return str_format(arena, "%s %s/" WAL_VOLUME, folder.data, folder.data);
}

str
unit_text(struct arena *arena, const struct unit_wish *wish)
{
    const struct goal_member *member = wish->member;
    int quota = (int)(member->cpus * 100);
    const char *user = wish->user.data, *folder = wish->folder.data;
    str first = str_format(arena, text, member->name.data, wish->scope.data, places_of(arena, wish->folder).data, user,
                           user, folder, wish->agent.data, folder, user, member->address.data, (int)member->prefix,
                           (int)member->port, wish->peers.len > 0 ? " --peers " : "", wish->peers.data,
                           wish->etcd_ports.len > 0 ? " --etcd-ports " : "", wish->etcd_ports.data, wish->command.data,
                           wish->is_keyed ? KEYED_STOP_SECONDS : STOP_SECONDS, (long long)member->memory_mb,
                           quota < 1 ? 1 : quota);
    return with_walls(arena, first, str_format(arena, "BindPaths=%s\n%s", folder, wish->is_keyed ? KEYED_WALLS : ""));
}

str
unit_text_beside(struct arena *arena, const struct unit_beside *wish)
{
    const char *user = wish->user.data, *folder = wish->folder.data;
    str first = str_format(arena, beside, wish->description.data, places_of(arena, wish->folder).data, user, user,
                           folder, wish->command.data, wish->is_kept_up ? "always" : "no", wish->memory_mb);
    str own = str_format(arena, "BindPaths=%s\n", folder);
    return with_walls(arena, first,
                      str_format(arena, "%s%s", wish->places.len > 0 ? wish->places.data : own.data,
                                 wish->more.len > 0 ? wish->more.data : ""));
}

bool
unit_is_shared(str unit)
{
    return unit.len > 0 && strstr(unit.data, "\nUser=" UNIT_SHARED_USER "\n") != NULL;
}
