/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/download/download_unit.h"

#include "agent/unit_file.h"
#include "engine/postgres/backup/pack.h"

#define HEADER "# Written by reeve-agent, which overwrites whatever is changed here.\n"

/* It answers, and connects to nobody. DynamicUser= gives it a /tmp of its own. */
static const char unit[] = HEADER "[Unit]\n"
                                  "Description=Reeve download of a snapshot of %s\n"
                                  "StartLimitIntervalSec=0\n"
                                  "\n"
                                  "[Service]\n"
                                  "Type=exec\n"
                                  "DynamicUser=yes\n"
                                  "ExecStart=" DOWNLOAD_NGINX " -e stderr -p /tmp/ -c /" DOWNLOAD_SERVE "/nginx.conf\n"
                                  "Restart=on-failure\n"
                                  "RestartSec=1\n"
                                  "TimeoutStopSec=10\n"
                                  "KillMode=mixed\n"
                                  "LimitNOFILE=4096\n"
                                  "TasksMax=16\n"
                                  "MemoryMax=128M\n"
                                  "CPUWeight=20\n"
                                  "IOWeight=20\n"
                                  "RootDirectory=%s/" DOWNLOAD_ROOT "\n"
                                  "MountAPIVFS=yes\n"
                                  "BindReadOnlyPaths=/usr /lib -/lib64\n"
                                  "BindReadOnlyPaths=%s/" DOWNLOAD_SERVE ":/" DOWNLOAD_SERVE "\n"
                                  "BindReadOnlyPaths=%s/" PACK_FILES ":/" PACK_FILES "\n"
                                  "InaccessiblePaths=-+/proc -+/sys\n"
                                  "NoNewPrivileges=yes\n"
                                  "CapabilityBoundingSet=\n"
                                  "AmbientCapabilities=\n"
                                  "LockPersonality=yes\n"
                                  "PrivateDevices=yes\n"
                                  "PrivateIPC=yes\n"
                                  "ProtectClock=yes\n"
                                  "ProtectHostname=yes\n"
                                  "ProtectKernelLogs=yes\n" UNIT_ONLY_LISTENS;

/*
 * Only services of the fleet come in: hosts and members have certificates of the same authority, with another organization in them. Whoever they fetch for was looked at
 * by the node.
 */
static const char nginx[] = HEADER "worker_processes 1;\n"
                                   "daemon off;\n"
                                   "pid /tmp/nginx.pid;\n"
                                   "error_log stderr warn;\n"
                                   "events {\n    worker_connections 256;\n}\n"
                                   "http {\n"
                                   "    access_log off;\n"
                                   "    server_tokens off;\n"
                                   "    sendfile on;\n"
                                   "    max_ranges 1;\n"
                                   "    keepalive_timeout 0;\n"
                                   "    client_header_timeout 10s;\n"
                                   "    client_body_timeout 10s;\n"
                                   "    client_max_body_size 1;\n"
                                   "    send_timeout 60s;\n"
                                   "    client_body_temp_path /tmp/body;\n"
                                   "    proxy_temp_path /tmp/proxy;\n"
                                   "    fastcgi_temp_path /tmp/fastcgi;\n"
                                   "    uwsgi_temp_path /tmp/uwsgi;\n"
                                   "    scgi_temp_path /tmp/scgi;\n"
                                   "    default_type application/gzip;\n"
                                   "    server {\n"
                                   "        listen %d ssl;\n%s"
                                   "        ssl_certificate /" DOWNLOAD_SERVE "/server.crt;\n"
                                   "        ssl_certificate_key /" DOWNLOAD_SERVE "/server.key;\n"
                                   "        ssl_client_certificate /" DOWNLOAD_SERVE "/authority.crt;\n"
                                   "        ssl_verify_client on;\n"
                                   "        ssl_verify_depth 1;\n"
                                   "        ssl_protocols TLSv1.2 TLSv1.3;\n"
                                   "        if ($ssl_client_s_dn !~ \"(^|,)O=reeve-service(,|$)\") {\n"
                                   "            return 403;\n"
                                   "        }\n"
                                   "        location = /%s {\n"
                                   "            root /" PACK_FILES ";\n"
                                   "            add_header Content-Disposition attachment;\n"
                                   "        }\n"
                                   "        location / {\n"
                                   "            return 404;\n"
                                   "        }\n"
                                   "    }\n"
                                   "}\n";

str
download_unit_text(struct arena *arena, const struct download_unit_wish *wish)
{
    const char *folder = wish->folder.data;
    return str_format(arena, unit, wish->stanza.data, folder, folder, folder);
}

str
download_nginx_text(struct arena *arena, const struct download_unit_wish *wish)
{
    str v6 = str_format(arena, "        listen [::]:%d ssl ipv6only=on;\n", wish->port);
    return str_format(arena, nginx, wish->port, wish->has_v6 ? v6.data : "", wish->file.data);
}
