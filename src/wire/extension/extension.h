/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The extensions of PostgreSQL that tenants can have, and those that they cannot, with the reason. Control plane and agents share the list: the one
 * refuses with a sentence, and the other makes nothing that is not on it, whoever asks (docs/internals/extensions.md).
 */
#ifndef WIRE_EXTENSION_EXTENSION_H
#define WIRE_EXTENSION_EXTENSION_H

#include "base/str.h"

/* What is made for tenants is made here, unless it can only be in PostgreSQL's own schema. The superuser's, and nobody else makes anything in it. */
#define EXTENSION_SCHEMA "reeve_extensions"

struct extension_row {
    const char *name;
    const char *refused;     /* why it is not made, as half a sentence; NULL: it is offered */
    const char *library;     /* that servers must load when they start; NULL: none */
    const char *needs;       /* another extension that must be there before; NULL: none */
    const char *description; /* of what is offered */
    bool is_in_catalog;      /* it can only be in pg_catalog */
    const char *
        database_setting; /* it works in one database of the server, which this parameter names; NULL: in all of them */
    const char *settings[2]; /* another parameter that servers need with the library, and its value */
};

extern const struct extension_row extension_rows[]; /* by name; the last one has none */

/* NULL: nobody has thought about it, so it is not offered. */
const struct extension_row *extension_find(str name);
bool extension_is_offered(const struct extension_row *row);
/* Why one is not offered, as half a sentence. `row` may be NULL. */
const char *extension_refusal(const struct extension_row *row);

#endif
