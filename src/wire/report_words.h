/* SPDX-License-Identifier: Apache-2.0 */
/* What agents that write reports and the control plane that reads them must both know. */
#ifndef WIRE_REPORT_WORDS_H
#define WIRE_REPORT_WORDS_H

enum { REPORT_MAX_BYTES = 4 * 1024 * 1024 };

/* What a member is to the others, as its engine says. */
enum report_role { REPORT_NO_ROLE, REPORT_PRIMARY, REPORT_REPLICA, REPORT_SYNC_STANDBY };

/* Its pooler: none is wanted; it waits beside a replica; it serves clients; it should and does not. */
enum report_pooler { POOLER_OFF, POOLER_WAITING, POOLER_SERVING, POOLER_FAILED };

/* A gate is CLOSED until its server runs. */
enum report_gate_state { GATE_CLOSED, GATE_OPEN, GATE_FAILED };
/* What relays private endpoints is WAITING until it listens. */
enum report_relay_state { RELAY_WAITING, RELAY_SERVING, RELAY_FAILED };
enum report_restore_state {
    RESTORE_STOPPED,
    RESTORE_RESTORING,
    RESTORE_RESTORED,
    RESTORE_UNDONE,
    RESTORE_CLEANED,
    RESTORE_FAILED,
};

/* The words of the document, each list with NULL at the end: by the enum; and of what is done, or works (1), and what is not, or does not (0). */
extern const char *const report_role_words[], *const report_task_words[], *const report_log_words[],
                                                                              *const report_gate_words[],
                                                                                  *const report_restore_words[],
                                                                                      *const report_pooler_words[],
                                                                                          *const report_relay_words[];

#endif
