/* SPDX-License-Identifier: Apache-2.0 */
/* What families share that take keys and addresses of other services. */
#ifndef FAMILY_GIVEN_SECRET_H
#define FAMILY_GIVEN_SECRET_H

#include "api/request.h"

/* An address with https that the operator does not forbid. `place` is the field's name for the error. */
MUST_USE error given_secret_check_url(struct request *req, str place, str text);

/* One field of a document that is a secret. */
struct given_secret_field {
    const char *name;
    str place; /* its name for errors */
    bool is_url;
};
/*
 * Moves the secret, if it was sent, from `shown` to `own` and leaves a mask. If a mask was sent, the secret of `before`
 * (may be NULL) is kept.
 */
MUST_USE error given_secret_take(struct request *req, const struct given_secret_field *field, json_t *shown,
                                 const json_t *before, json_t *own);

#endif
