/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A folder whose files the kernel encrypts (fscrypt, policy of version 2), with a key that it has only while somebody gives it one. Contents by AES-256-XTS,
 * names by AES-256-CTS. Without the key neither can be read, and nothing can be made in it.
 */
#ifndef AGENT_KEY_FOLDER_KEY_H
#define AGENT_KEY_FOLDER_KEY_H

#include "engine/problem.h"

enum { FOLDER_KEY_BYTES = 64, FOLDER_KEY_NAME_BYTES = 16 };

/* As the kernel calls a key, which it works out of the key itself: what has the same name is the same key. */
struct folder_key_name {
    uint8_t bytes[FOLDER_KEY_NAME_BYTES];
};

/* Whether the file system with this folder can encrypt. */
bool folder_key_is_possible(str folder);
/* To the kernel. May be done again. `folder` is any on the file system; the same for the others. */
MUST_USE error folder_key_give(struct arena *arena, str folder, const uint8_t key[FOLDER_KEY_BYTES],
                               struct folder_key_name *ret_name);
/* Of an empty folder: whatever is made in it from now on is encrypted. The kernel has the key. */
MUST_USE error folder_key_set(struct arena *arena, str folder, const struct folder_key_name *name);
/* Away from the kernel, with all that it remembers of the files. A problem while some of them are in use: to be done again. */
MUST_USE error folder_key_take(struct arena *arena, str folder, const struct folder_key_name *name);
bool folder_key_is_given(str folder, const struct folder_key_name *name);

#endif
