/* SPDX-License-Identifier: Apache-2.0 */
/* One GET of JSON, for commands that look something up on their way. */
#ifndef CLI_FETCH_H
#define CLI_FETCH_H

#include <jansson.h>

#include "cli/client.h"

/* EXIT_SUCCESS: a document. Otherwise the problem was printed, also when the API answered with an error. */
MUST_USE int fetch_document(struct cli *cli, struct client *client, str target, json_t **ret_document);

#endif
