/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/restore/gate_unit.h"

#include "agent/unit_file.h"

/*
 * Whoever comes in with pgBackRest chooses the folder that is read: `--repo1-path=/`. So there is a root with nothing in it but programs, which everybody
 * may have, and what this gate is for, which cannot be written. /proc and /sys of that root (+) are not there either: a process finds its environment and
 * its memory in them. PrivateUsers= would need them. Clients also choose the kind of repository, a bucket or another host among them, so it connects to
 * nobody; and what they could write goes into a megabyte of memory.
 */
static const char text[] = "# Written by reeve-agent, which overwrites whatever is changed here.\n"
                           "[Unit]\n"
                           "Description=Reeve gate to the backups of %s\n"
                           "StartLimitIntervalSec=0\n"
                           "\n"
                           "[Service]\n"
                           "Type=exec\n"
                           "User=%s\n"
                           "Group=%s\n"
                           "Environment=HOME=/ LANG=C.UTF-8 PATH=/usr/bin:/bin\n"
                           "EnvironmentFile=%s/" GATE_ENVIRONMENT "\n"
                           "ExecStart=/usr/bin/pgbackrest --config=" GATE_INSIDE "/" GATE_CONFIG_NAME " server\n"
                           "Restart=no\n"
                           "TimeoutStopSec=30\n"
                           "LimitNOFILE=16384\n"
                           "TasksMax=128\n"
                           "MemoryMax=1024M\n"
                           "CPUWeight=20\n"
                           "IOWeight=20\n"
                           "RootDirectory=%s/root\n"
                           "MountAPIVFS=yes\n"
                           "BindReadOnlyPaths=/usr /lib -/lib64\n"
                           "BindReadOnlyPaths=%s/gate:" GATE_INSIDE "\n"
                           "BindReadOnlyPaths=%s/last:" GATE_LAST "\n"
                           "BindReadOnlyPaths=%s:" GATE_REPOSITORY "\n"
                           "InaccessiblePaths=-+/proc -+/sys\n"
                           "NoNewPrivileges=yes\n"
                           "CapabilityBoundingSet=\n"
                           "AmbientCapabilities=\n"
                           "LockPersonality=yes\n"
                           "PrivateDevices=yes\n"
                           "PrivateIPC=yes\n"
                           "TemporaryFileSystem=/tmp:size=1M,mode=1777,nodev,nosuid\n"
                           "ProtectClock=yes\n"
                           "ProtectHostname=yes\n"
                           "ProtectKernelLogs=yes\n" UNIT_ONLY_LISTENS;

str
gate_unit_text(struct arena *arena, const struct gate_unit_wish *wish)
{
    const char *folder = wish->folder.data;
    return str_format(arena, text, wish->stanza.data, wish->user.data, wish->user.data, folder, folder, folder, folder,
                      wish->repository.data);
}
