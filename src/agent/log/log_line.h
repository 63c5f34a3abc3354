/* SPDX-License-Identifier: Apache-2.0 */
/* What one line of a member's unit in the journal is. Nothing here reads or sends anything. */
#ifndef AGENT_LOG_LOG_LINE_H
#define AGENT_LOG_LOG_LINE_H

#include "wire/goal.h"

enum log_type { LOG_POSTGRES, LOG_POSTGRES_AUDIT, LOG_PATRONI, LOG_TYPE_COUNT };
extern const char *const log_type_names[LOG_TYPE_COUNT]; /* as the goal has them */

enum log_severity { SEVERITY_NONE, SEVERITY_DEBUG, SEVERITY_INFO, SEVERITY_WARNING, SEVERITY_ERROR, SEVERITY_FATAL };

struct log_line {
    const struct goal_cluster *cluster;
    const struct goal_member *member;
    enum log_type type;
    int64_t time_us;
    str text;  /* UTF-8 */
    str place; /* in the journal, of the first of its member and log in a batch of objects; empty of all others */
};

/* In a server's message of several lines, the further lines begin with a tab; they have the type of the first one. */
enum { LOG_MEMORY_SLOTS = 64 };
struct log_memory {
    struct {
        int64_t pid;
        enum log_type type;
    } last[LOG_MEMORY_SLOTS];
};

/* `program` is the name of the process, empty when it was gone too soon to be asked. False: no line of a log. */
bool log_line_classify(struct log_memory *memory, str program, int64_t pid, str text, enum log_type *ret_type);
/* The first word of a severity in it, as the server or Patroni writes it: "ERROR". Empty when there is none. */
enum log_severity log_line_severity(str text, str *ret_word);
/* As it is when it is UTF-8; otherwise with a question mark for every byte that is not ASCII. */
str log_line_text(struct arena *arena, str bytes);

#endif
