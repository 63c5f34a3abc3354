/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/own/own_expiry.h"

static bool
is_full(const json_t *backup)
{
    return str_is(json_text_at(backup, "type"), "full");
}

static bool
is_replaced(const struct seat_view *view, const json_t *backup)
{
    const json_t *all = seat_view_backups(view);
    str ignored;
    for (size_t i = json_array_size(all); i > 0 && json_array_get(all, i - 1) != backup; i--) {
        const json_t *later = json_array_get(all, i - 1);
        if (is_full(later) && seat_view_state(view, later, &ignored) == COPY_COMPLETED)
            return true;
    }
    return false;
}

bool
own_backup_is_over(const struct seat_view *view, const json_t *backup, int64_t now_ms)
{
    int64_t expires_ms;
    return str_to_int(seat_annotation(backup, "expires"), 1, INT64_MAX, &expires_ms) && expires_ms < now_ms &&
           !seat_view_clocks_differ(view) && (!is_full(backup) || is_replaced(view, backup));
}
