/* SPDX-License-Identifier: Apache-2.0 */
/* The reference documentation, written from the tables. Its files are kept in the repository and compared in CI. */
#ifndef API_DOCUMENT_REFERENCE_H
#define API_DOCUMENT_REFERENCE_H

#include <stdio.h>

#include "api/catalog.h"

/*
 * Writes errors.md, events.md, metrics.md, rate-limits.md, roles.md, operator.md, api/README.md and api/<family>.md into the
 * directory, which must exist.
 * 0, or 1 when a file could not be written; then standard error says which.
 */
int reference_write(const struct catalog *catalog, const struct catalog *operators, const char *directory);

/* Each page alone. */
void reference_errors(FILE *out);
void reference_events(FILE *out);
void reference_metrics(FILE *out);
void reference_rate_limits(const struct catalog *catalog, FILE *out);
void reference_roles(const struct catalog *catalog, FILE *out);
void reference_index(const struct catalog *catalog, FILE *out);
void reference_family(const struct family *family, FILE *out);
/* All of the operator's API on one page. */
void reference_operator(const struct catalog *catalog, FILE *out);
/* How to call the operation from a shell; ${REEVE}, ${TOKEN} and the parameters of the path are variables. */
void reference_curl(const struct endpoint *endpoint, FILE *out);

#define REFERENCE_NOTE \
    "<!-- Made from the tables in the source by `reeved reference`. Do not edit: change the tables. -->\n"

#endif
