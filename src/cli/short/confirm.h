/* SPDX-License-Identifier: Apache-2.0 */
/* Before what cannot be undone: a person types the name of what will be gone. */
#ifndef CLI_SHORT_CONFIRM_H
#define CLI_SHORT_CONFIRM_H

#include "cli/cli.h"

/* The line that a person types, without spaces around it; empty at the end of the input. */
str confirm_typed(struct arena *arena);

/* True when nobody has to be asked, or the name was typed. `named`: what the command line calls it. */
MUST_USE bool confirm_loss(struct cli *cli, const char *named);

#endif
