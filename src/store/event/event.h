/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events: what happened, written in the transaction that made it happen. The events of an organization form a chain:
 * each has SHA-256(hash of the one before || its own document), so that store_audit_verify() finds every event that was
 * changed, removed or exchanged afterwards.
 */
#ifndef STORE_EVENT_EVENT_H
#define STORE_EVENT_EVENT_H

#include <jansson.h>

#include "store/event/event_table.h"
#include "store/store.h"

#define EVENT_ENUM(type, name, sentence) type,
enum event_type { EVENT_TABLE(EVENT_ENUM) EVENT_TYPE_COUNT };
#undef EVENT_ENUM

struct event_row {
    const char *name, *sentence;
};
extern const struct event_row event_rows[EVENT_TYPE_COUNT];
extern const char *const event_type_names[EVENT_TYPE_COUNT + 1]; /* NULL at the end */

/* An actor that is not a principal: an operator, or the service itself. */
struct event_actor {
    str name, kind;          /* OPERATOR and its name; SERVICE */
    str address, request_id; /* empty: not by a request */
};

struct event_draft {
    enum event_type type;
    id organization;
    id project; /* zero: none */
    id actor;   /* zero: the service itself */
    str actor_name, actor_kind;
    str address;                  /* where the request came from */
    str request_id;               /* the X-Request-Id */
    str cluster;                  /* name of the cluster that it is about; empty: none */
    const json_t *before, *after; /* NULL: none. Secrets are already left out. */
};

/* Told to listeners on this channel when an event is committed; the payload is the organization's id. */
#define EVENT_CHANNEL "reeve_event"

/* Locks the organization's chain until the transaction ends: add the event last, so that others wait only briefly.
 * RESOURCE_NOT_FOUND when the project belongs to another organization. */
MUST_USE error store_event_add(struct tx *tx, const struct event_draft *draft, id *ret_event);
/* The same for what a worker did by itself: the worker is the actor, whatever the draft says. */
MUST_USE error store_event_add_by_worker(struct tx *tx, const struct event_draft *draft);

/* Who listens to a walk through the chains. */
struct audit_listener {
    void (*on_problem)(void *context, str sentence);
    void (*on_progress)(void *context, int64_t events); /* after each batch; may be NULL */
    void *context;
};

/*
 * Walks every chain in memory that does not grow and reports what is wrong as sentences. Counts what it read; the number
 * of problems is the number of calls.
 */
MUST_USE error store_audit_verify(const char *dsn, struct arena *arena, const struct audit_listener *listener,
                                  int64_t *ret_events, int64_t *ret_organizations);

/* What both of them compute. False when the arena is full. `previous_hash` is empty for the first event of a chain. */
MUST_USE bool event_hash(struct arena *arena, str previous_hash, str document, uint8_t ret_hash[32]);

#endif
