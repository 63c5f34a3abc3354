/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Dates as the API writes and reads them: ISO 8601 in the profile of RFC 3339, answered in UTC. When read, the time, its seconds
 * and the time zone (then UTC) may be left out.
 */
#ifndef BASE_DATE_H
#define BASE_DATE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

/* "2025-03-12T10:15:30Z", milliseconds only when there are any. */
str date_text(struct arena *arena, int64_t ms);
/* Of now, in whole seconds. */
str date_now(struct arena *arena);

/*
 * "2025-03-12", "2025-03-12T10:15Z", "2025-03-12T10:15:30.250+02:00" and what lies between; years 1 to 9999.
 * A leap second (60) is read as the next second.
 */
MUST_USE bool date_parse(str text, int64_t *ret_ms);

/* A calendar day "2025-03-12" that exists, as 20250312. */
MUST_USE bool date_parse_day(str text, int *ret_yyyymmdd);

/* Days since 1970-01-01 of a day in the proleptic Gregorian calendar, and back; months count from 1. */
int64_t date_day_number(int year, int month, int day);
void date_of_day(int64_t days, int *ret_year, int *ret_month, int *ret_day);
int date_days_in_month(int year, int month);

#endif
