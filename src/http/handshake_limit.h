/* SPDX-License-Identifier: Apache-2.0 */
/*
 * New connections of hosts come in a few at a time. A TLS handshake with certificates on both sides takes the event loop milliseconds;
 * when all hosts come back at once, a tenant's request would stand behind hundreds of them. Those that wait do so in the
 * kernel, and cost nothing there.
 */
#ifndef HTTP_HANDSHAKE_LIMIT_H
#define HTTP_HANDSHAKE_LIMIT_H

#include <ngx_config.h>
#include <ngx_core.h>

#include "base/attributes.h"

/* `address` as in reeve.conf. Without such a listener, or one that it shares with others, nothing is held back. */
void handshake_limit_start(ngx_cycle_t *cycle, const char *address);

#endif
