/* SPDX-License-Identifier: Apache-2.0 */
#include "base/id.h"

#include "base/clock.h"
#include "base/crypto/crypto.h"

id
id_from(uint16_t cell, int64_t at_ms, const uint8_t rest[ID_REST_BYTES])
{
    id value = { .is_there = true };
    uint32_t seconds = (uint32_t)(at_ms / 1000);
    value.bytes[0] = (uint8_t)(seconds >> 24);
    value.bytes[1] = (uint8_t)(seconds >> 16);
    value.bytes[2] = (uint8_t)(seconds >> 8);
    value.bytes[3] = (uint8_t)seconds;
    value.bytes[4] = (uint8_t)(cell >> 8);
    value.bytes[5] = (uint8_t)cell;
    memcpy(value.bytes + ID_BYTES - ID_REST_BYTES, rest, ID_REST_BYTES);
    return value;
}

id
id_new(uint16_t cell)
{
    uint8_t rest[ID_REST_BYTES];
    crypto_random(rest, sizeof(rest));
    return id_from(cell, clock_now_ms(), rest);
}

id
id_of_bytes(const void *bytes)
{
    id value = { .is_there = true };
    memcpy(value.bytes, bytes, ID_BYTES);
    return value;
}

bool
id_parse(str text, id *ret_id)
{
    *ret_id = ID_NONE;
    if (text.len != ID_DIGITS)
        return false;
    for (size_t i = 0; i < ID_DIGITS; i++) {
        if (text.data[i] >= 'A' && text.data[i] <= 'F')
            return false;
    }
    id value = { .is_there = true };
    if (!str_from_hex(text, value.bytes, ID_BYTES))
        return false;
    *ret_id = value;
    return true;
}

void
id_write(id value, char ret_text[ID_DIGITS + 1])
{
    static const char digits[] = "0123456789abcdef";
    ret_text[0] = '\0';
    for (int i = 0; value.is_there && i < ID_BYTES; i++) {
        ret_text[2 * i] = digits[value.bytes[i] >> 4];
        ret_text[2 * i + 1] = digits[value.bytes[i] & 15];
        ret_text[2 * i + 2] = '\0';
    }
}

str
id_text(struct arena *arena, id value)
{
    return value.is_there ? str_hex(arena, value.bytes, ID_BYTES) : STR_EMPTY;
}

bool
id_eq(id a, id b)
{
    return a.is_there && b.is_there && memcmp(a.bytes, b.bytes, ID_BYTES) == 0;
}

bool
id_same(id a, id b)
{
    return id_eq(a, b) || (!id_is_there(a) && !id_is_there(b));
}

bool
id_is_there(id value)
{
    return value.is_there;
}

id
id_or(id first, id second)
{
    return first.is_there ? first : second;
}

uint64_t
id_hash(id value)
{
    /* The last six bytes are random already; the first mix in so that hand-made test ids spread too. */
    uint64_t tail;
    uint32_t head;
    memcpy(&head, value.bytes, sizeof(head));
    memcpy(&tail, value.bytes + 4, sizeof(tail));
    return (tail ^ head * 0x9E3779B97F4A7C15u) * 0xD6E8FEB86659FD93u;
}

uint16_t
id_cell(id value)
{
    return (uint16_t)(value.bytes[4] << 8 | value.bytes[5]);
}
