/* SPDX-License-Identifier: Apache-2.0 */
/* An operation of the API as a command: sent, shown, waited for. */
#ifndef CLI_RUN_H
#define CLI_RUN_H

#include "cli/body.h"
#include "cli/cli.h"
#include "cli/client.h"

MUST_USE int run_command(struct cli *cli);

#endif
