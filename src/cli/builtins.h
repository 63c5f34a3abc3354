/* SPDX-License-Identifier: Apache-2.0 */
/* The commands that are not operations of the API, one function each. */
#ifndef CLI_BUILTINS_H
#define CLI_BUILTINS_H

#include "cli/cli.h"

extern const struct builtin builtins[];
extern const size_t builtin_count;

int builtin_login(struct cli *cli);
int builtin_logout(struct cli *cli);
int builtin_profiles_list(struct cli *cli);
int builtin_profiles_set(struct cli *cli);
int builtin_profiles_use(struct cli *cli);
int builtin_profiles_delete(struct cli *cli);
int builtin_api(struct cli *cli);
int builtin_status(struct cli *cli);
int builtin_connect(struct cli *cli);
int builtin_restore_table(struct cli *cli);
int builtin_logs(struct cli *cli);
int builtin_top(struct cli *cli);
int builtin_fleet_top(struct cli *cli);
int builtin_advisor(struct cli *cli);
int builtin_advisor_apply(struct cli *cli);
int builtin_follow(struct cli *cli);
int builtin_wait(struct cli *cli);
int builtin_fleet_login(struct cli *cli);
int builtin_fleet_logout(struct cli *cli);
int builtin_fleet_wait(struct cli *cli);
int builtin_fleet_update(struct cli *cli);
int builtin_fleet_update_stop(struct cli *cli);
int builtin_fleet_update_continue(struct cli *cli);
int builtin_explain(struct cli *cli);
int builtin_completion(struct cli *cli);
int builtin_complete(struct cli *cli);
int builtin_man(struct cli *cli);
int builtin_reference(struct cli *cli);
int builtin_help(struct cli *cli);

#endif
