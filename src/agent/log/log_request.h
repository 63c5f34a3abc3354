/* SPDX-License-Identifier: Apache-2.0 */
/* What somebody at the door asks for. Nothing here reads or sends anything. */
#ifndef AGENT_LOG_LOG_REQUEST_H
#define AGENT_LOG_LOG_REQUEST_H

#include "agent/log/log_range.h"

enum { LOG_REQUEST_BYTES = 4096, LOGINS_MOST = 20000, LOGINS_BYTES = 8 * 1024 * 1024 };

struct log_request {
    bool is_head;
    bool is_logins;         /* or lines of a log */
    struct log_range range; /* of logins without a kind */
    int64_t most, bytes;    /* of logins: no more are looked for then */
    int authenticated;      /* of logins: 1 and 0: only those that succeeded or failed; -1: both */
    str address;            /* of logins: only from there; may be empty */
    int64_t skip_bytes;     /* of a log: begin behind so many; 0: with the first */
    str if_range;           /* then only when this is still its mark; may be empty */
};

/* The head of a request, up to its empty line. False: it is none that there is. */
MUST_USE bool log_request_read(str head, struct log_request *ret_request);

#endif
