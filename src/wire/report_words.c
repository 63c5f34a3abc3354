/* SPDX-License-Identifier: Apache-2.0 */
#include "wire/report_words.h"

#include <stddef.h>

const char *const report_role_words[] = {
    [REPORT_NO_ROLE] = "NONE",
    [REPORT_PRIMARY] = "PRIMARY",
    [REPORT_REPLICA] = "REPLICA",
    [REPORT_SYNC_STANDBY] = "SYNC_STANDBY",
    NULL,
};
const char *const report_task_words[] = { "FAILED", "DONE", NULL };
const char *const report_log_words[] = { "FAILING", "WORKING", NULL };
const char *const report_gate_words[] = { "CLOSED", "OPEN", "FAILED", NULL };
const char *const report_relay_words[] = { "WAITING", "SERVING", "FAILED", NULL };
const char *const report_pooler_words[] = { "OFF", "WAITING", "SERVING", "FAILED", NULL };
const char *const report_restore_words[] = { "STOPPED", "RESTORING", "RESTORED", "UNDONE", "CLEAN", "FAILED", NULL };
