/* SPDX-License-Identifier: Apache-2.0 */
/* Versions of programs, compared number by number. */
#ifndef WIRE_VERSION_H
#define WIRE_VERSION_H

#include <stdbool.h>

#include "base/str.h"

/* False for an empty version, and for one that is none. */
bool version_is_at_least(str version, str least);

#endif
