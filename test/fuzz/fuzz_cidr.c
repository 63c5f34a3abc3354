/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses and blocks: one form is written for each, and it reads back as the same block. */
#include "fuzz.h"

#include "base/net/net.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *arena = arena_new(1 << 16);
    struct net_block block, again;
    struct net_address address, back;
    if (net_parse_block(input(data, size), &block)) {
        str text = net_block_text(arena, &block);
        MUST(block.prefix <= 128);
        MUST(net_parse_block(text, &again));
        MUST(memcmp(&block.base, &again.base, sizeof(block.base)) == 0 && block.prefix == again.prefix);
        MUST(net_contains(&block, &block.base));
        /* The neighbour behind the last bit of the prefix is outside. */
        if (block.prefix > 0) {
            address = block.base;
            address.bytes[(block.prefix - 1) / 8] ^= (uint8_t)(0x80 >> (block.prefix - 1) % 8);
            MUST(!net_contains(&block, &address));
        }
    }
    if (net_parse_address(input(data, size), &address)) {
        MUST(net_parse_address(net_address_text(arena, &address), &back));
        MUST(memcmp(&address, &back, sizeof(address)) == 0);
        MUST(net_parse_block(input(data, size), &block)); /* an address is a block of one */
        MUST(block.prefix == 128);
    }
    arena_free(arena);
    return 0;
}
