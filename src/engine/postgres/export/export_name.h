/* SPDX-License-Identifier: Apache-2.0 */
/* Names of tenants as names of files and folders: of objects in any store, and of files on any disk afterwards. */
#ifndef ENGINE_POSTGRES_EXPORT_EXPORT_NAME_H
#define ENGINE_POSTGRES_EXPORT_EXPORT_NAME_H

#include "base/str.h"

/*
 * The name itself when it has letters, digits, '_', '-' and '.' only, does not begin with one of the last two, and cannot be taken for something else here. Else `kind` and a
 * number: "table-7".
 */
str export_name(struct arena *arena, str name, const char *kind, size_t number);

#endif
