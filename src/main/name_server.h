/* SPDX-License-Identifier: Apache-2.0 */
/* Asks the server that answers for the names of clusters, and nobody else. */
#ifndef MAIN_NAME_SERVER_H
#define MAIN_NAME_SERVER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/attributes.h"

/* The serial number of a zone. False with the reason when there is no such answer within two seconds. */
MUST_USE bool name_server_serial(const char *address, const char *port, const char *zone, uint32_t *ret_serial,
                                 const char **ret_why);
/* Whether anybody accepts connections there, within two seconds. */
MUST_USE bool tcp_answers(const char *host, const char *port, const char **ret_why);

#endif
