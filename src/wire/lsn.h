/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WIRE_LSN_H
#define WIRE_LSN_H

#include "base/str.h"

/* Whether a text is a place in WAL as PostgreSQL writes one: two hexadecimal numbers of 32 bits, "0/5000148". */
bool lsn_is_valid(str text);

#endif
