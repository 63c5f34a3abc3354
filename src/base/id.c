/* SPDX-License-Identifier: Apache-2.0 */
#include "base/id.h"

#include "base/clock.h"
#include "base/crypto.h"

id
id_new(uint16_t cell)
{
    id value;
    uint32_t seconds = (uint32_t)(clock_now_ms() / 1000);
    value.bytes[0] = (uint8_t)(seconds >> 24);
    value.bytes[1] = (uint8_t)(seconds >> 16);
    value.bytes[2] = (uint8_t)(seconds >> 8);
    value.bytes[3] = (uint8_t)seconds;
    value.bytes[4] = (uint8_t)(cell >> 8);
    value.bytes[5] = (uint8_t)cell;
    crypto_random(value.bytes + 6, 6);
    return value;
}

bool
id_parse(str text, id *ret_id)
{
    if (text.len != ID_DIGITS)
        return false;
    for (size_t i = 0; i < ID_DIGITS; i++) {
        if (text.data[i] >= 'A' && text.data[i] <= 'F')
            return false;
    }
    return str_from_hex(text, ret_id->bytes, ID_BYTES);
}

void
id_write(id value, char ret_text[ID_DIGITS + 1])
{
    static const char digits[] = "0123456789abcdef";
    for (int i = 0; i < ID_BYTES; i++) {
        ret_text[2 * i] = digits[value.bytes[i] >> 4];
        ret_text[2 * i + 1] = digits[value.bytes[i] & 15];
    }
    ret_text[ID_DIGITS] = '\0';
}

str
id_text(struct arena *arena, id value)
{
    return str_hex(arena, value.bytes, ID_BYTES);
}

bool
id_eq(id a, id b)
{
    return memcmp(a.bytes, b.bytes, ID_BYTES) == 0;
}

bool
id_is_zero(id value)
{
    return id_eq(value, (id){ { 0 } });
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
