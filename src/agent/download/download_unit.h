/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What hands a file out to the nodes of the control plane: nginx, with a root of its own in which there is nothing but programs, that file, and its own certificate. Its
 * user owns nothing and exists only while it runs.
 */
#ifndef AGENT_DOWNLOAD_DOWNLOAD_UNIT_H
#define AGENT_DOWNLOAD_DOWNLOAD_UNIT_H

#include "base/str.h"

#define DOWNLOAD_NGINX "/usr/sbin/nginx"
/* Below the folder of the download, and what its process sees them as. */
#define DOWNLOAD_SERVE "serve" /* /serve: nginx.conf, server.key, server.crt, authority.crt */
#define DOWNLOAD_ROOT  "root"

struct download_unit_wish {
    str stanza; /* for people */
    str folder; /* of the download */
    str file;   /* its name */
    int port;
    bool has_v6; /* the host has addresses of that kind */
};
str download_unit_text(struct arena *arena, const struct download_unit_wish *wish);
str download_nginx_text(struct arena *arena, const struct download_unit_wish *wish);

#endif
