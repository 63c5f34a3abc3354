/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One database connection in libpq's pipeline mode, driven by an event loop of its user: nginx's in the API, a thread
 * of the store for blocking readers. Statements of one turn of the loop go out together behind one Sync; when one of
 * them fails, those that were aborted with it are sent again alone, so that a failure never touches its neighbours.
 * Only for statements that read.
 *
 * Not thread safe: one loop owns it. Connects, prepares and reconnects by itself and never blocks, except to look up a
 * host name when the DSN has one. The socket must be watched level-triggered: one call of pipeline_readable() need not
 * empty it. After a turn in which a callback or anything else called pipeline_send(), call pipeline_flush().
 */
#ifndef STORE_PIPELINE_H
#define STORE_PIPELINE_H

#include "store/store.h"

struct pipeline;

/* Called exactly once for each accepted statement. `problem` is OK and rows->result is set, or an error that lives as
 * long as `arena`. */
typedef void pipeline_done(void *context, error problem, struct rows rows);

/* Called when the socket to watch changed; fd is -1 while there is none. */
typedef void pipeline_watch(void *owner, int fd);

MUST_USE struct pipeline *pipeline_new(const struct store_config *config, pipeline_watch *watch, void *owner);
/* Fails what is still waiting, then closes. */
void pipeline_free(struct pipeline *pipeline);

/* False when it is not connected or too much is queued: then use another connection. The parameters are copied. */
MUST_USE bool pipeline_send(struct pipeline *pipeline, struct arena *arena, enum sql statement,
                            const struct params *params, pipeline_done *done, void *context);
/* At the end of a turn of the loop: sends the Sync and flushes. */
void pipeline_flush(struct pipeline *pipeline);
/* The socket can be read or written. */
void pipeline_readable(struct pipeline *pipeline);
void pipeline_writable(struct pipeline *pipeline);
bool pipeline_wants_write(const struct pipeline *pipeline);
/* Call about once a second: time-outs and reconnection. */
void pipeline_tick(struct pipeline *pipeline);
bool pipeline_is_ready(const struct pipeline *pipeline);

#endif
