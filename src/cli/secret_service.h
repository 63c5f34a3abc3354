/* SPDX-License-Identifier: Apache-2.0 */
/* The desktop's secret service, through its command `secret-tool`: no library is linked for it, and it is optional. */
#ifndef CLI_SECRET_SERVICE_H
#define CLI_SECRET_SERVICE_H

#include "cli/cli.h"

MUST_USE bool secret_service_store(struct cli *cli, const char *profile, str secret);
MUST_USE bool secret_service_look_up(struct cli *cli, const char *profile, str *ret_secret);
void secret_service_forget(struct cli *cli, const char *profile);

#endif
