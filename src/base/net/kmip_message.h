/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two questions of KMIP 1.2, and their answers: encrypt and decrypt a few bytes with a key that stays where it is. Bytes only; who they go to is said by
 * kmip.h. An answer is somebody else's: whatever it says of its own lengths is checked, and no part of it is read twice or deeper than four levels.
 */
#ifndef BASE_NET_KMIP_MESSAGE_H
#define BASE_NET_KMIP_MESSAGE_H

#include "base/str.h"

enum { KMIP_HEAD_BYTES = 8, KMIP_MOST_BYTES = 16 * 1024, KMIP_IV_BYTES = 16 };

/* By their numbers in the protocol. */
enum kmip_operation { KMIP_ENCRYPT = 0x1F, KMIP_DECRYPT = 0x20 };

struct kmip_question {
    enum kmip_operation operation;
    str key; /* its name at the service */
    str iv;  /* KMIP_IV_BYTES */
    str data;
};
/* AES in CBC mode with padding; empty when memory is short. What it is made of is wiped, and who asked wipes it. */
str kmip_question_write(struct arena *arena, const struct kmip_question *question);

/* How long the whole answer is, from its first KMIP_HEAD_BYTES; 0: it is none, or longer than anything that was asked for. */
size_t kmip_answer_length(const uint8_t head[KMIP_HEAD_BYTES]);

enum kmip_outcome {
    KMIP_GIVEN,
    KMIP_REFUSED, /* the service says no about this key: somebody has taken it back, or it is not there */
    KMIP_SILENT,  /* nothing can be concluded: nobody answered, or something else is wrong there */
};
/* `ret_data` is a copy. `ret_why` is a sentence for the owner of the key, and says why when nothing is given. */
MUST_USE enum kmip_outcome kmip_answer_read(struct arena *arena, str answer, enum kmip_operation operation,
                                            str *ret_data, str *ret_why);

#endif
