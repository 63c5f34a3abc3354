/* SPDX-License-Identifier: Apache-2.0 */
#include "base/net/kmip_message.h"

#include "base/crypto/crypto.h"

/* Items are tag (3 bytes), type (1), length (4), and the value, filled up to a multiple of 8. */
enum {
    TYPE_STRUCTURE = 1,
    TYPE_INTEGER = 2,
    TYPE_ENUMERATION = 5,
    TYPE_TEXT = 7,
    TYPE_BYTES = 8,
};
enum {
    TAG_BATCH_COUNT = 0x42000D,
    TAG_BATCH_ITEM = 0x42000F,
    TAG_BLOCK_CIPHER_MODE = 0x420011,
    TAG_ALGORITHM = 0x420028,
    TAG_PARAMETERS = 0x42002B,
    TAG_IV = 0x42003D,
    TAG_OPERATION = 0x42005C,
    TAG_PADDING = 0x42005F,
    TAG_VERSION = 0x420069,
    TAG_MAJOR = 0x42006A,
    TAG_MINOR = 0x42006B,
    TAG_REQUEST_HEADER = 0x420077,
    TAG_REQUEST = 0x420078,
    TAG_REQUEST_PAYLOAD = 0x420079,
    TAG_RESPONSE = 0x42007B,
    TAG_RESPONSE_PAYLOAD = 0x42007C,
    TAG_RESULT_MESSAGE = 0x42007D,
    TAG_RESULT_REASON = 0x42007E,
    TAG_RESULT_STATUS = 0x42007F,
    TAG_KEY = 0x420094,
    TAG_DATA = 0x4200C2,
};
enum { MODE_CBC = 1, PADDING_PKCS5 = 3, ALGORITHM_AES = 3, STATUS_SUCCESS = 0, STATUS_FAILED = 1 };
enum { NUMBER_BYTES = 4, MESSAGE_SHOWN = 200, BYTE_BITS = 8, NUMBER_BITS = 32 };
enum { BESIDE_BYTES = 512 }; /* more than all of a question but its key, iv and data */
#define FILLED_UP(length) (((length) + 7) / 8 * 8)

/* ---- Writing ---- */
static void
add_number(struct buf *out, uint32_t number)
{
    for (int shift = NUMBER_BITS - BYTE_BITS; shift >= 0; shift -= BYTE_BITS)
        buf_add_char(out, (char)(number >> shift & UINT8_MAX));
}

static void
add_head(struct buf *out, uint32_t tag, uint32_t type, size_t length)
{
    add_number(out, tag << BYTE_BITS | type);
    add_number(out, (uint32_t)length);
}

static void
add_value(struct buf *out, uint32_t tag, uint32_t type, str value)
{
    add_head(out, tag, type, value.len);
    buf_add(out, value);
    for (size_t at = value.len; at < FILLED_UP(value.len); at++)
        buf_add_char(out, '\0');
}

static void
add_small(struct buf *out, uint32_t tag, uint32_t type, uint32_t number)
{
    add_head(out, tag, type, NUMBER_BYTES);
    add_number(out, number);
    add_number(out, 0);
}

/* With room for all of it: what grows leaves its beginning behind. */
static struct buf
part(struct arena *arena, const struct kmip_question *question)
{
    struct buf made = buf_in(arena, KMIP_MOST_BYTES);
    (void)buf_reserve(&made, BESIDE_BYTES + question->key.len + question->iv.len + question->data.len);
    return made;
}

/* There may be a key in it, which is nowhere else afterwards. */
static void
add_part(struct buf *out, uint32_t tag, struct buf *inner)
{
    out->failed |= inner->failed;
    add_value(out, tag, TYPE_STRUCTURE, buf_str(inner));
    if (inner->data != NULL)
        crypto_wipe(inner->data, inner->len);
}

str
kmip_question_write(struct arena *arena, const struct kmip_question *question)
{
    struct buf version = part(arena, question), header = part(arena, question), parameters = part(arena, question);
    struct buf payload = part(arena, question), item = part(arena, question), message = part(arena, question);
    struct buf out = part(arena, question);
    add_small(&version, TAG_MAJOR, TYPE_INTEGER, 1);
    add_small(&version, TAG_MINOR, TYPE_INTEGER, 2);
    add_part(&header, TAG_VERSION, &version);
    add_small(&header, TAG_BATCH_COUNT, TYPE_INTEGER, 1);

    add_small(&parameters, TAG_BLOCK_CIPHER_MODE, TYPE_ENUMERATION, MODE_CBC);
    add_small(&parameters, TAG_PADDING, TYPE_ENUMERATION, PADDING_PKCS5);
    add_small(&parameters, TAG_ALGORITHM, TYPE_ENUMERATION, ALGORITHM_AES);
    add_value(&payload, TAG_KEY, TYPE_TEXT, question->key);
    add_part(&payload, TAG_PARAMETERS, &parameters);
    add_value(&payload, TAG_DATA, TYPE_BYTES, question->data);
    add_value(&payload, TAG_IV, TYPE_BYTES, question->iv);

    add_small(&item, TAG_OPERATION, TYPE_ENUMERATION, (uint32_t)question->operation);
    add_part(&item, TAG_REQUEST_PAYLOAD, &payload);
    add_part(&message, TAG_REQUEST_HEADER, &header);
    add_part(&message, TAG_BATCH_ITEM, &item);
    add_part(&out, TAG_REQUEST, &message);
    return buf_str(&out);
}

/* ---- Reading ---- */
struct item {
    uint32_t tag, type;
    str value;
};

static uint32_t
number_at(const char *bytes)
{
    uint32_t number = 0;
    for (size_t i = 0; i < NUMBER_BYTES; i++)
        number = number << BYTE_BITS | (uint8_t)bytes[i];
    return number;
}

/* The first of what is left. False: there is none, or it says that it is longer than what is there. */
static bool
next(str *rest, struct item *ret_item)
{
    if (rest->len < KMIP_HEAD_BYTES)
        return false;
    uint32_t head = number_at(rest->data);
    size_t length = number_at(rest->data + NUMBER_BYTES);
    size_t there = rest->len - KMIP_HEAD_BYTES;
    if (length > there || FILLED_UP(length) > there)
        return false;
    *ret_item = (struct item){ .tag = head >> BYTE_BITS,
                               .type = head & UINT8_MAX,
                               .value = { rest->data + KMIP_HEAD_BYTES, length } };
    *rest = str_slice(*rest, KMIP_HEAD_BYTES + FILLED_UP(length), rest->len);
    return true;
}

/* The first with this tag; false when there is none of this type. */
static bool
find(str structure, uint32_t tag, uint32_t type, str *ret_value)
{
    struct item item;
    while (next(&structure, &item)) {
        if (item.tag == tag && item.type == type) {
            *ret_value = item.value;
            return true;
        }
    }
    return false;
}

static bool
find_number(str structure, uint32_t tag, uint32_t *ret_number)
{
    str value;
    if (!find(structure, tag, TYPE_ENUMERATION, &value) || value.len != NUMBER_BYTES)
        return false;
    *ret_number = number_at(value.data);
    return true;
}

size_t
kmip_answer_length(const uint8_t head[KMIP_HEAD_BYTES])
{
    const char *bytes = (const char *)head;
    size_t length = number_at(bytes + NUMBER_BYTES);
    if (number_at(bytes) != (TAG_RESPONSE << BYTE_BITS | TYPE_STRUCTURE) ||
        length > KMIP_MOST_BYTES - KMIP_HEAD_BYTES || length % KMIP_HEAD_BYTES != 0)
        return 0;
    return length + KMIP_HEAD_BYTES;
}

/* What services say of a key that one may not have, or that is not there. All other reasons are about the service, or about us. */
static const struct {
    uint32_t reason;
    const char *what;
} refusals[] = {
    { 0x01, "it has no such key" },
    { 0x03, "it does not let this certificate in" },
    { 0x0B, "it does not do that with this key" },
    { 0x0C, "it does not permit it" },
    { 0x0D, "the key is archived" },
    { 0x13, "the key has no value there" },
    { 0x43, "the key is not in use any more" }, /* of version 2, which some say in answers to version 1 */
};

static enum kmip_outcome
read_failure(struct arena *arena, str item, str *ret_why)
{
    uint32_t reason = 0;
    str said = STR_EMPTY;
    (void)find_number(item, TAG_RESULT_REASON, &reason);
    (void)find(item, TAG_RESULT_MESSAGE, TYPE_TEXT, &said);
    said = str_slice(said, 0, said.len < MESSAGE_SHOWN ? said.len : MESSAGE_SHOWN);
    if (!str_is_text(said) || !str_is_one_line(said))
        said = STR_EMPTY;
    for (size_t i = 0; i < LENGTH(refusals); i++) {
        if (refusals[i].reason == reason) {
            *ret_why = str_format(arena, "The key service refused: %s (%.*s).", refusals[i].what, STR_ARG(said));
            return KMIP_REFUSED;
        }
    }
    *ret_why = str_format(arena, "The key service failed with reason %u (%.*s).", reason, STR_ARG(said));
    return KMIP_SILENT;
}

enum kmip_outcome
kmip_answer_read(struct arena *arena, str answer, enum kmip_operation operation, str *ret_data, str *ret_why)
{
    str message, item, payload, data;
    uint32_t status, done;
    *ret_why = STR("What the key service answered cannot be read.");
    if (!find(answer, TAG_RESPONSE, TYPE_STRUCTURE, &message) ||
        !find(message, TAG_BATCH_ITEM, TYPE_STRUCTURE, &item) || !find_number(item, TAG_RESULT_STATUS, &status))
        return KMIP_SILENT;
    if (status == STATUS_FAILED)
        return read_failure(arena, item, ret_why);
    if (status != STATUS_SUCCESS || !find_number(item, TAG_OPERATION, &done) || done != (uint32_t)operation ||
        !find(item, TAG_RESPONSE_PAYLOAD, TYPE_STRUCTURE, &payload) || !find(payload, TAG_DATA, TYPE_BYTES, &data) ||
        data.len == 0)
        return KMIP_SILENT;
    *ret_data = str_dup(arena, data);
    *ret_why = STR_EMPTY;
    return ret_data->len == data.len ? KMIP_GIVEN : KMIP_SILENT;
}
