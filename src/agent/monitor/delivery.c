/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/monitor/delivery.h"

#include <stdio.h>

#include "base/disk.h"

enum { FILE_BYTES = 4096, NO_MARK = -1 };

bool
delivery_acknowledged(struct delivery *delivery, int64_t next, str started, int64_t now_ms)
{
    bool is_same = str_is(started, delivery->started);
    int64_t confirmed = delivery->confirmed;
    if (started.len > DELIVERY_STARTED_BYTES)
        started.len = DELIVERY_STARTED_BYTES;
    if (!is_same) {
        bool is_first = delivery->started[0] == '\0'; /* since this agent started: it sends from the position anyway */
        memcpy(delivery->started, started.data, started.len);
        delivery->started[started.len] = '\0';
        delivery->mark = NO_MARK;
        delivery->sent = is_first ? next : confirmed;
        return false;
    }
    delivery->sent = next;
    if (delivery->mark != NO_MARK && now_ms - delivery->mark_ms < DELIVERY_SETTLES_MS)
        return false;
    if (delivery->mark != NO_MARK)
        delivery->confirmed = delivery->mark;
    delivery->mark = next;
    delivery->mark_ms = now_ms;
    return delivery->confirmed != confirmed;
}

/* ---- On the disk: how many stores, then a position a line ---- */
static int64_t
within(int64_t position, int64_t oldest, int64_t end)
{
    return position < oldest ? oldest : position > end ? end : position;
}

void
deliveries_read(struct arena *arena, const char *path, int64_t oldest, int64_t end, struct deliveries *ret_deliveries)
{
    str text = STR_EMPTY;
    int64_t stores;
    *ret_deliveries = (struct deliveries){ .stores = -1 };
    if (!disk_read(arena, path, FILE_BYTES, &text) ||
        !str_to_int(str_cut(&text, '\n'), -1, DELIVERY_MOST_STORES, &stores)) {
        stores = -1;
        text = STR_EMPTY;
    }
    ret_deliveries->stores = stores;
    for (size_t i = 0; i < DELIVERY_MOST_STORES; i++) {
        int64_t position;
        if (!str_to_int(str_cut(&text, '\n'), 0, INT64_MAX, &position))
            position = oldest;
        position = within(position, oldest, end);
        ret_deliveries->of[i] = (struct delivery){ .confirmed = position, .sent = position, .mark = NO_MARK };
    }
}

bool
deliveries_write(struct arena *arena, const char *path, const struct deliveries *deliveries)
{
    static const struct disk_owner self = { (uid_t)-1, (gid_t)-1 };
    struct buf out = buf_in(arena, FILE_BYTES);
    buf_format(&out, "%lld\n", (long long)deliveries->stores);
    for (size_t i = 0; i < DELIVERY_MOST_STORES; i++)
        buf_format(&out, "%lld\n", (long long)deliveries->of[i].confirmed);
    str text = buf_str(&out);
    return text.len > 0 && disk_replace(path, text, 0600, self);
}

int64_t
deliveries_confirmed(const struct deliveries *deliveries, int64_t end)
{
    int64_t least = end;
    for (int64_t i = 0; i < deliveries->stores; i++) {
        if (deliveries->of[i].confirmed < least)
            least = deliveries->of[i].confirmed;
    }
    return deliveries->stores > 0 ? least : 0;
}
