/* SPDX-License-Identifier: Apache-2.0 */
/* The commands of reeved that concern the API node. Each returns the exit status of the process. */
#ifndef MAIN_COMMAND_API_H
#define MAIN_COMMAND_API_H

#include "main/config.h"

/* `reeved api`: becomes nginx with Reeve's module; returns only when that fails. */
int command_api(int argc, char **argv);
/* `reeved config`: prints a sample or the reference, or checks a file. */
int command_config(int argc, char **argv);

/* The path of the module: next to the program, in the build folder, or where packages install it. */
str api_module_path(struct arena *arena, const struct config *config);

#endif
