/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/unit_file.h"

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
 * - the address is added by a line of its own with full privileges, so that it is there after a reboot without the agent.
 * - LogRateLimitIntervalSec=0: the journal drops no line of an audit, however busy the server is.
 * - of /var/lib/reeve the member sees its own folder only: neither the host's key nor other tenants' data.
 */
static const char text[] = "# Written by reeve-agent, which overwrites whatever is changed here.\n"
                           "[Unit]\n"
                           "Description=Reeve member %s of %s\n"
                           "Wants=network-online.target\n"
                           "After=network-online.target\n"
                           "StartLimitIntervalSec=0\n"
                           "\n"
                           "[Service]\n"
                           "Type=exec\n"
                           "User=postgres\n"
                           "Group=postgres\n"
                           "Environment=HOME=%s LANG=C.UTF-8 PATH=/usr/bin:/bin\n"
                           "ExecStartPre=+%s address add %s/%d\n"
                           "ExecStart=%s\n"
                           "ExecReload=/bin/kill -HUP $MAINPID\n"
                           "Restart=always\n"
                           "RestartSec=1\n"
                           "KillMode=mixed\n"
                           "TimeoutStopSec=120\n"
                           "OOMPolicy=continue\n"
                           "LimitNOFILE=16384\n"
                           "LogRateLimitIntervalSec=0\n"
                           "MemoryMax=%lldM\n"
                           "CPUQuota=%d%%\n"
                           "NoNewPrivileges=yes\n"
                           "CapabilityBoundingSet=\n"
                           "LockPersonality=yes\n"
                           "PrivateTmp=yes\n"
                           "ProtectClock=yes\n"
                           "ProtectControlGroups=yes\n"
                           "ProtectHome=yes\n"
                           "ProtectKernelLogs=yes\n"
                           "ProtectKernelModules=yes\n"
                           "ProtectKernelTunables=yes\n"
                           "ProtectSystem=strict\n"
                           "RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX AF_NETLINK\n"
                           "RestrictNamespaces=yes\n"
                           "RestrictRealtime=yes\n"
                           "RestrictSUIDSGID=yes\n"
                           "TemporaryFileSystem=/var/lib/reeve:ro\n"
                           "BindPaths=%s\n"
                           "UMask=0077\n"
                           "\n"
                           "[Install]\n"
                           "WantedBy=multi-user.target\n";

str
unit_text(struct arena *arena, const struct unit_wish *wish)
{
    const struct goal_member *member = wish->member;
    int quota = (int)(member->cpus * 100);
    return str_format(arena, text, member->name.data, wish->scope.data, wish->folder.data, wish->agent.data,
                      member->address.data, (int)member->prefix, wish->command.data, (long long)member->memory_mb,
                      quota < 1 ? 1 : quota, wish->folder.data);
}
