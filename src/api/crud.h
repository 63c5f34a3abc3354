/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Behaviour that families share: reading, listing, creating, changing and removing configuration resources as their
 * struct kind (api/contract.h) says. An endpoint names the kind and one of these functions; `check` has what is special
 * about a kind.
 */
#ifndef API_CRUD_H
#define API_CRUD_H

#include "api/request.h"

/* A kind of which a project has one. */
extern const struct read crud_get_single;
handler crud_update_single; /* merges the fields that were sent into the document */

/* A kind with names. */
extern const struct read crud_get, crud_list;
handler crud_create, crud_delete;
handler crud_update; /* merges the fields that were sent; null takes one away */

/* What is about to happen to a resource, for the kind's `check`. */
struct change {
    id id;
    str name;
    const json_t *before; /* NULL: it is created */
    json_t *after;        /* as it will be stored, to be completed; NULL: it is removed */
    int64_t revision;     /* before */
};

/* ---- The parts, for handlers that do more ---- */
/* The project or organization that the path names. */
id crud_scope(const struct request *req);
/* The one that the path names, locked; 404 when there is none, 412 when If-Match does not match. */
MUST_USE error crud_lock(struct request *req, struct change *ret_change);
/* The one of a kind of which there is one, locked; 412 when If-Match does not match. */
MUST_USE error crud_lock_single(struct request *req, struct change *ret_change);
/* Checks and stores the change and writes its event. Returns the document as it is shown; the caller answers. */
MUST_USE error crud_store(struct request *req, struct change *change, str *ret_document, int64_t *ret_revision);
/* The same, answered with the document. */
MUST_USE error crud_store_and_answer(struct request *req, struct change *change);
/* A document without what its kind hides. */
json_t *crud_shown(struct request *req, const json_t *document);

#endif
