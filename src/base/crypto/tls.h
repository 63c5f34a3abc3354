/* SPDX-License-Identifier: Apache-2.0 */
/*
 * TLS with certificates on both sides, between a node of the control plane and what a host shows it. Every wait has an
 * end: nobody holds a thread by sending or reading slowly.
 */
#ifndef BASE_CRYPTO_TLS_H
#define BASE_CRYPTO_TLS_H

#include "base/str.h"

enum tls_role { TLS_SERVER, TLS_CLIENT };

/* What one side shows, and whom it believes. Can be used by several threads. */
struct tls_side;
/* All three are PEM; NULL when they cannot be read, or do not belong together. */
MUST_USE struct tls_side *tls_side_new(enum tls_role role, str certificate, str key, str authority);
void tls_side_free(struct tls_side *side);

/* One connection over a socket, which stays the caller's and becomes non-blocking. */
struct tls;
/* The handshake, within this time. A client names who must be there; a server gives NULL. NULL: it did not come about. */
MUST_USE struct tls *tls_open(struct tls_side *side, int socket, const char *name, int64_t limit_ms);
/* Says goodbye when `properly`: without it the other side sees that something is missing. */
void tls_close(struct tls *tls, bool properly);

/* Whether the other side's certificate has this organization in it. */
bool tls_peer_is_of(const struct tls *tls, const char *organization);

/* Whether the other side has left, as far as is known without waiting. */
bool tls_is_left(const struct tls *tls);

/* How many bytes; 0: the other side said goodbye; -1: the connection broke, or nothing came within this time. */
int tls_read(struct tls *tls, void *bytes, size_t count, int64_t limit_ms);
/* All of them; false when the connection broke, or the other side took none within this time. */
MUST_USE bool tls_write(struct tls *tls, const void *bytes, size_t count, int64_t limit_ms);

#endif
