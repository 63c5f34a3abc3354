/* SPDX-License-Identifier: Apache-2.0 */
/* Checks whether other machines answer, and what they say. Waits at most two seconds for each. */
#ifndef MAIN_PROBE_H
#define MAIN_PROBE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/attributes.h"

/* The serial number of a zone, from this name server and no other. False with the reason. */
MUST_USE bool probe_zone_serial(const char *address, const char *port, const char *zone, uint32_t *ret_serial,
                                const char **ret_why);
/* Whether anybody accepts connections there. */
MUST_USE bool probe_tcp(const char *host, const char *port, const char **ret_why);

#endif
