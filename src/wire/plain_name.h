/* SPDX-License-Identifier: Apache-2.0 */
/* Names that become parts of file names and lines of configuration. */
#ifndef WIRE_PLAIN_NAME_H
#define WIRE_PLAIN_NAME_H

#include "base/str.h"

/* Letters, digits, '-', '_', and '.' except as the first; not empty. */
bool plain_name(str name);

#endif
