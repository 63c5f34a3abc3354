/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Behaviour that families share. A kind with a `fallback` is a singleton: each project has exactly one, which is the
 * fallback until somebody changes it.
 */
#ifndef API_CRUD_H
#define API_CRUD_H

#include "api/contract.h"

extern const struct read crud_get_single;
handler crud_update_single; /* merges the fields that were sent into the document */

#endif
