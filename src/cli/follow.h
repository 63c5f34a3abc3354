/* SPDX-License-Identifier: Apache-2.0 */
/* Server-sent events, as they come in pieces of any size. */
#ifndef CLI_FOLLOW_H
#define CLI_FOLLOW_H

#include "base/str.h"

struct follow_message {
    str id, event, data;
};
struct follow_reader {
    char *line;
    size_t line_len, line_size;
    char *id, *event, *data;
    /* Called for each message; false ends the reading. */
    bool (*message)(void *context, const struct follow_message *message);
    void *context;
};

/* False when the receiver wants no more messages, or a message is too large. */
MUST_USE bool follow_read(struct follow_reader *reader, str piece);
void follow_done(struct follow_reader *reader);

#endif
