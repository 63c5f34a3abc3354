/* SPDX-License-Identifier: Apache-2.0 */
/* The list of all families. Only main/ reads it, to hand it to the catalog. */
#ifndef FAMILY_FAMILIES_H
#define FAMILY_FAMILIES_H

#include "api/contract.h"

/* In reading order, NULL at the end. */
extern const struct family *const all_families[];

#endif
