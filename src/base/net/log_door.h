/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The door through which a host shows the logs of its members to nodes of the control plane (docs/internals/logs.md):
 * what both sides must know, and one short question. Long answers go through the node's nginx.
 */
#ifndef BASE_NET_LOG_DOOR_H
#define BASE_NET_LOG_DOOR_H

#include "base/crypto/tls.h"

enum { LOG_DOOR_PORT = 27300 };
#define LOG_DOOR_NAME         "reeve-log-"    /* and the id of the host: the name in its certificate */
#define LOG_DOOR_ORGANIZATION "reeve-service" /* of those who are let in */

/* Of what the door is asked for: /logs/MEMBER/LOG?from=…&to=…, /logins/MEMBER?from=…&to=…&most=… */
#define LOG_DOOR_LOGS   "/logs/"
#define LOG_DOOR_LOGINS "/logins/"

struct log_door {
    str address; /* of the host */
    str host;    /* its id */
};

enum log_door_outcome { LOG_DOOR_ANSWERED, LOG_DOOR_SILENT, LOG_DOOR_BUSY };
/* One GET. The body has at most `cap_bytes`; all of it comes within `limit_ms`, or nothing does. */
MUST_USE enum log_door_outcome log_door_ask(struct tls_side *side, struct arena *arena, const struct log_door *door,
                                            str target, size_t cap_bytes, int64_t limit_ms, str *ret_body);

#endif
