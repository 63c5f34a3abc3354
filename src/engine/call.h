/* SPDX-License-Identifier: Apache-2.0 */
/*
 * HTTPS requests of an agent: to the control plane, to Patroni, to etcd. Always with certificates on both sides; no redirects,
 * no proxies, every answer capped. A caller belongs to one thread and keeps its connections.
 */
#ifndef ENGINE_CALL_H
#define ENGINE_CALL_H

#include "engine/problem.h"

struct call_identity { /* files; NULL: none */
    const char *authority, *certificate, *key;
};

struct caller;

bool call_init(void); /* once, before threads */
MUST_USE struct caller *caller_new(void);
void caller_free(struct caller *caller);
void caller_cleanup(struct caller **caller);
/* Connections that were made with other certificates are not used again. */
void caller_forget(struct caller *caller);

struct call {
    const char *method; /* "GET" */
    str url;
    struct call_identity identity;
    str body;                 /* empty: none */
    const char *content_type; /* of the body; NULL: JSON */
    int timeout_ms;
    size_t cap_bytes; /* of the answer */
};
struct answer {
    int status;
    str body; /* with a NUL behind it */
};
/* An error is an answer that never came, with a sentence; any status is fine. */
MUST_USE error call_make(struct caller *caller, struct arena *arena, const struct call *call,
                         struct answer *ret_answer);

/* The chain that a server shows, unchecked, as PEM. Only for finding an authority by its fingerprint. */
MUST_USE error call_chain(struct caller *caller, struct arena *arena, str url, str *ret_pems);

#endif
