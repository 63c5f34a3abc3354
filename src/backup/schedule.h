/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When snapshots of a cluster are due, how long they are kept, and whether one copies everything. The repository host takes them by these
 * functions, without the control plane; the API shows by the same ones what is going to happen. Arithmetic only: all moments are
 * milliseconds since 1970, the caller passes the current one, and all days are days of UTC.
 */
#ifndef BACKUP_SCHEDULE_H
#define BACKUP_SCHEDULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* From often to seldom: a later one outranks an earlier one. */
enum schedule_frequency {
    SCHEDULE_HOURLY,
    SCHEDULE_DAILY,
    SCHEDULE_WEEKLY,
    SCHEDULE_MONTHLY,
    SCHEDULE_YEARLY,
};
enum schedule_unit {
    SCHEDULE_DAYS,
    SCHEDULE_WEEKS,
    SCHEDULE_MONTHS,
    SCHEDULE_YEARS,
};
enum schedule_type {
    SCHEDULE_FULL,
    SCHEDULE_INCR, /* what has changed since the newest full one */
};
enum {
    SCHEDULE_FREQUENCIES = SCHEDULE_YEARLY + 1,
    SCHEDULE_MOST_ITEMS = 20,
    SCHEDULE_LAST_DAY = 40,       /* the interval that means the last day of a month */
    SCHEDULE_FULL_LASTS_DAYS = 8, /* a full one that is older is not built upon */
};

/* The words of the API and of the goal, in the order of the numbers, with NULL at the end: see str_word(). */
extern const char *const schedule_frequency_words[], *const schedule_unit_words[], *const schedule_type_words[];

/*
 * interval:
 *   hourly   1, 2, 4, 6, 8 or 12: every so many hours, counted from the reference time, the same hours each day
 *   daily    1: at the reference time
 *   weekly   1 (Monday) to 7 (Sunday)
 *   monthly  1 to 28, or SCHEDULE_LAST_DAY
 *   yearly   1 to 12: the first day of that month
 */
struct schedule_item {
    enum schedule_frequency frequency;
    int interval;
    enum schedule_unit unit;
    int value;
};

struct schedule {
    int reference_hour, reference_minute;
    size_t count;
    struct schedule_item items[SCHEDULE_MOST_ITEMS];
    int extra_days[SCHEDULE_FREQUENCIES]; /* kept longer than its item says */
};

/* A set of items: bit i is items[i]. Empty: taken on demand. */
typedef uint32_t schedule_items;

bool schedule_interval_is_allowed(enum schedule_frequency frequency, int interval);

/* ---- When ---- */

/* The first moment after `after_ms` at which something is due, and all that is due then. False when there are no items. */
bool schedule_next(const struct schedule *schedule, int64_t after_ms, int64_t *ret_at_ms, schedule_items *ret_items);
/*
 * What was due at least once after `after_ms` and not after `until_ms`. Who was away takes one snapshot for all of it: nobody
 * can take a snapshot of an hour that is over.
 */
schedule_items schedule_missed(const struct schedule *schedule, int64_t after_ms, int64_t until_ms);
/* The last moment of it; `after_ms` itself when nothing was due. */
int64_t schedule_last(const struct schedule *schedule, int64_t after_ms, int64_t until_ms);

/* ---- What ---- */

/* Which rule a snapshot for these items goes by: the most seldom one. The set must not be empty. */
enum schedule_frequency schedule_frequency_of(const struct schedule *schedule, schedule_items items);
/* `newest_full_ms`: when the newest full one that can be built upon was taken; negative when there is none. */
enum schedule_type schedule_type_of(const struct schedule *schedule, schedule_items items, int64_t newest_full_ms,
                                    int64_t at_ms);

/* ---- How long ---- */

/* A month later is the same day of that month, or its last day when it is shorter. */
int64_t schedule_add(int64_t from_ms, enum schedule_unit unit, int value);
/* Until when an item wants to keep what is taken at `at_ms`, extra days included. */
int64_t schedule_item_expires(const struct schedule *schedule, size_t item, int64_t at_ms);
/* Until the last of the items lets go. The set must not be empty. */
int64_t schedule_expires(const struct schedule *schedule, schedule_items items, int64_t at_ms);

#endif
