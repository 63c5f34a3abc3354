/* SPDX-License-Identifier: Apache-2.0 */
/* Connection strings, for commands that run psql. Their options --user, --root-certificate and --private mean the same. */
#ifndef CLI_DATABASE_CONNECT_H
#define CLI_DATABASE_CONNECT_H

#include "cli/client.h"

/* False: --user is missing, and that was printed. */
MUST_USE bool connect_names_user(struct cli *cli);
/* Of a cluster of the profile's project, without a password; `database` NULL: postgres. Otherwise the problem was printed. */
MUST_USE int connect_string(struct cli *cli, struct client *client, const char *cluster, const char *database,
                            str *ret_string);

#endif
