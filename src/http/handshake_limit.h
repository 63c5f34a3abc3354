/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Accepts new connections of hosts a few at a time. A TLS handshake with certificates on both sides takes the event
 * loop milliseconds; when all hosts come back at once, a tenant's request would wait for hundreds of them. The waiting
 * ones stay in the kernel and cost nothing there.
 */
#ifndef HTTP_HANDSHAKE_LIMIT_H
#define HTTP_HANDSHAKE_LIMIT_H

#include <ngx_config.h>
#include <ngx_core.h>

#include "base/attributes.h"

/* `address` as in reeve.conf. Without such a listener, or if it is shared with another address, nothing is delayed. */
void handshake_limit_start(ngx_cycle_t *cycle, const char *address);

#endif
