/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/key/folder_key.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fscrypt.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/crypto/crypto.h"

static int
open_folder(str folder)
{
    return open(folder.data, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
}

static struct fscrypt_key_specifier
specifier(const struct folder_key_name *name)
{
    struct fscrypt_key_specifier made = { .type = FSCRYPT_KEY_SPEC_TYPE_IDENTIFIER };
    memcpy(made.u.identifier, name->bytes, sizeof(name->bytes));
    return made;
}

/* Asked for the policy of a folder without one, a file system that can encrypt says that there is none; the others do not know the question. */
bool
folder_key_is_possible(str folder)
{
    struct fscrypt_get_policy_ex_arg asked = { .policy_size = sizeof(asked.policy) };
    int fd = open_folder(folder);
    if (fd < 0)
        return false;
    bool is_possible = ioctl(fd, FS_IOC_GET_ENCRYPTION_POLICY_EX, &asked) == 0 || errno == ENODATA;
    close(fd);
    return is_possible;
}

error
folder_key_give(struct arena *arena, str folder, const uint8_t key[FOLDER_KEY_BYTES], struct folder_key_name *ret_name)
{
    union {
        struct fscrypt_add_key_arg head;
        char bytes[sizeof(struct fscrypt_add_key_arg) + FOLDER_KEY_BYTES];
    } given;
    memset(&given, 0, sizeof(given));
    given.head.key_spec.type = FSCRYPT_KEY_SPEC_TYPE_IDENTIFIER;
    given.head.raw_size = FOLDER_KEY_BYTES;
    memcpy(given.bytes + sizeof(given.head), key, FOLDER_KEY_BYTES);
    int fd = open_folder(folder), done = fd < 0 ? -1 : ioctl(fd, FS_IOC_ADD_ENCRYPTION_KEY, &given.head), why = errno;
    crypto_wipe(given.bytes + sizeof(given.head), FOLDER_KEY_BYTES);
    if (fd >= 0)
        close(fd);
    if (done != 0)
        return problem(arena, "The kernel does not take a key for %s: %s.", folder.data, strerror(why));
    memcpy(ret_name->bytes, given.head.key_spec.u.identifier, sizeof(ret_name->bytes));
    return OK;
}

error
folder_key_set(struct arena *arena, str folder, const struct folder_key_name *name)
{
    struct fscrypt_policy_v2 policy = {
        .version = FSCRYPT_POLICY_V2,
        .contents_encryption_mode = FSCRYPT_MODE_AES_256_XTS,
        .filenames_encryption_mode = FSCRYPT_MODE_AES_256_CTS,
        .flags = FSCRYPT_POLICY_FLAGS_PAD_32,
    };
    memcpy(policy.master_key_identifier, name->bytes, sizeof(name->bytes));
    int fd = open_folder(folder), done = fd < 0 ? -1 : ioctl(fd, FS_IOC_SET_ENCRYPTION_POLICY, &policy), why = errno;
    if (fd >= 0)
        close(fd);
    return done == 0 ? OK : problem(arena, "%s cannot be encrypted: %s.", folder.data, strerror(why));
}

error
folder_key_take(struct arena *arena, str folder, const struct folder_key_name *name)
{
    struct fscrypt_remove_key_arg taken = { .key_spec = specifier(name) };
    int fd = open_folder(folder);
    if (fd < 0)
        return errno == ENOENT ? OK : problem(arena, "%s cannot be opened: %s.", folder.data, strerror(errno));
    int done = ioctl(fd, FS_IOC_REMOVE_ENCRYPTION_KEY, &taken), why = errno;
    close(fd);
    if (done != 0 && why != ENOKEY)
        return problem(arena, "The kernel does not give back the key of %s: %s.", folder.data, strerror(why));
    if (done == 0 && (taken.removal_status_flags & FSCRYPT_KEY_REMOVAL_STATUS_FLAG_FILES_BUSY) != 0)
        return problem(arena, "Files in %s are still in use, so they can still be read.", folder.data);
    return OK;
}

bool
folder_key_is_given(str folder, const struct folder_key_name *name)
{
    struct fscrypt_get_key_status_arg asked = { .key_spec = specifier(name) };
    int fd = open_folder(folder);
    if (fd < 0)
        return false;
    bool is_given =
        ioctl(fd, FS_IOC_GET_ENCRYPTION_KEY_STATUS, &asked) == 0 && asked.status == FSCRYPT_KEY_STATUS_PRESENT;
    close(fd);
    return is_given;
}
