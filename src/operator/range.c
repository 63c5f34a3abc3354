/* SPDX-License-Identifier: Apache-2.0 */
#include "operator/range.h"

#include <arpa/inet.h>

/* How many addresses lie from one to the other, both counted; 0 when they are not of one kind or too many. */
static int64_t
count_range(const struct net_address *first, const struct net_address *last)
{
    enum { COUNTED_BYTES = 4 };
    if (memcmp(first->bytes, last->bytes, sizeof(first->bytes) - COUNTED_BYTES) != 0)
        return 0;
    uint32_t from, to;
    memcpy(&from, first->bytes + sizeof(first->bytes) - COUNTED_BYTES, COUNTED_BYTES);
    memcpy(&to, last->bytes + sizeof(last->bytes) - COUNTED_BYTES, COUNTED_BYTES);
    int64_t count = (int64_t)ntohl(to) - (int64_t)ntohl(from) + 1;
    return count < 1 || count > RANGE_MOST_ADDRESSES ? 0 : count;
}

bool
range_fits(const struct net_address *first, int64_t count)
{
    uint32_t from;
    memcpy(&from, first->bytes + sizeof(first->bytes) - sizeof(from), sizeof(from));
    return (int64_t)ntohl(from) + count - 1 <= (int64_t)UINT32_MAX;
}

static bool
read_block(str text, struct net_address *ret_first, int64_t *ret_count)
{
    enum { ADDRESS_BITS = 128, MOST_BITS = 16 };
    struct net_block block;
    if (!net_parse_block(text, &block) || ADDRESS_BITS - block.prefix > MOST_BITS)
        return false;
    int bits = ADDRESS_BITS - block.prefix;
    bool is_v4 = net_is_v4(&block.base);
    int64_t skipped = is_v4 && bits > 1 ? 1 : 0; /* the network's own and the broadcast address */
    *ret_first = block.base;
    ret_first->bytes[15] = (uint8_t)(ret_first->bytes[15] + skipped);
    *ret_count = ((int64_t)1 << bits) - 2 * skipped;
    return true;
}

bool
range_read(struct arena *arena, str text, struct address_range *ret_range)
{
    struct net_address first, last;
    if (str_find(text, '/') >= 0) {
        if (!read_block(text, &first, &ret_range->count))
            return false;
    } else {
        str rest = text, from = str_trim(str_cut(&rest, '-'));
        rest = str_find(text, '-') < 0 ? from : str_trim(rest);
        if (!net_parse_address(from, &first) || !net_parse_address(rest, &last))
            return false;
        ret_range->count = count_range(&first, &last);
    }
    ret_range->first = net_address_text(arena, &first);
    return ret_range->count > 0;
}
