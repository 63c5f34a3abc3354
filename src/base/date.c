/* SPDX-License-Identifier: Apache-2.0 */
#include "base/date.h"

#include "base/clock.h"

static const int days_in_month[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };

static bool
is_leap(int year)
{
    return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

int
date_days_in_month(int year, int month)
{
    return days_in_month[month - 1] + (month == 2 && is_leap(year));
}

/* Counted in eras of 400 years. */
int64_t
date_day_number(int year, int month, int day)
{
    year -= month <= 2;
    int64_t era = (year >= 0 ? year : year - 399) / 400;
    int64_t year_of_era = year - era * 400;
    int64_t day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    int64_t day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    return era * 146097 + day_of_era - 719468;
}

void
date_of_day(int64_t days, int *ret_year, int *ret_month, int *ret_day)
{
    days += 719468;
    int64_t era = (days >= 0 ? days : days - 146096) / 146097;
    int64_t day_of_era = days - era * 146097;
    int64_t year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
    int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    int64_t shifted_month = (5 * day_of_year + 2) / 153;
    *ret_day = (int)(day_of_year - (153 * shifted_month + 2) / 5 + 1);
    *ret_month = (int)(shifted_month < 10 ? shifted_month + 3 : shifted_month - 9);
    *ret_year = (int)(year_of_era + era * 400 + (*ret_month <= 2));
}

str
date_text(struct arena *arena, int64_t ms)
{
    int64_t seconds = ms / 1000, millis = ms % 1000;
    if (millis < 0) {
        millis += 1000;
        seconds--;
    }
    int64_t days = seconds / 86400, rest = seconds % 86400;
    if (rest < 0) {
        rest += 86400;
        days--;
    }
    int year, month, day;
    date_of_day(days, &year, &month, &day);
    str text = str_format(arena, "%04d-%02d-%02dT%02d:%02d:%02d", year, month, day, (int)(rest / 3600),
                          (int)(rest / 60 % 60), (int)(rest % 60));
    if (millis != 0)
        return str_format(arena, "%.*s.%03dZ", STR_ARG(text), (int)millis);
    return str_format(arena, "%.*sZ", STR_ARG(text));
}

/* Exactly `count` digits, cut off the front. */
static bool
take_number(str *rest, size_t count, int *ret)
{
    int64_t value;
    if (rest->len < count || rest->data[0] == '-' || !str_to_int(str_slice(*rest, 0, count), 0, 9999, &value))
        return false;
    *rest = str_slice(*rest, count, rest->len);
    *ret = (int)value;
    return true;
}

static bool
take_char(str *rest, char c)
{
    if (rest->len == 0 || rest->data[0] != c)
        return false;
    *rest = str_slice(*rest, 1, rest->len);
    return true;
}

static bool
take_day(str *rest, int *year, int *month, int *day)
{
    if (!take_number(rest, 4, year) || !take_char(rest, '-') || !take_number(rest, 2, month) || !take_char(rest, '-') ||
        !take_number(rest, 2, day))
        return false;
    if (*year < 1 || *month < 1 || *month > 12 || *day < 1)
        return false;
    return *day <= date_days_in_month(*year, *month);
}

/* Fractions of a second, cut to milliseconds. */
static bool
take_fraction(str *rest, int *millis)
{
    *millis = 0;
    if (!take_char(rest, '.'))
        return true;
    int digits = 0;
    for (; rest->len > 0 && rest->data[0] >= '0' && rest->data[0] <= '9'; digits++) {
        if (digits < 3)
            *millis = *millis * 10 + (rest->data[0] - '0');
        *rest = str_slice(*rest, 1, rest->len);
    }
    for (int i = digits; i < 3; i++)
        *millis *= 10;
    return digits >= 1 && digits <= 9;
}

/* "Z", "+02:00", or nothing. */
static bool
take_zone(str *rest, int *minutes)
{
    *minutes = 0;
    if (rest->len == 0 || take_char(rest, 'Z') || take_char(rest, 'z'))
        return true;
    int sign = take_char(rest, '+') ? 1 : take_char(rest, '-') ? -1 : 0;
    int hours, mins;
    if (sign == 0 || !take_number(rest, 2, &hours) || hours > 23)
        return false;
    if (!take_char(rest, ':') || !take_number(rest, 2, &mins) || mins > 59)
        return false;
    *minutes = sign * (hours * 60 + mins);
    return true;
}

bool
date_parse(str text, int64_t *ret_ms)
{
    int year, month, day, hour = 0, minute = 0, second = 0, millis = 0, zone = 0;
    if (!take_day(&text, &year, &month, &day))
        return false;
    if (text.len > 0) {
        if (!take_char(&text, 'T') && !take_char(&text, 't'))
            return false;
        if (!take_number(&text, 2, &hour) || !take_char(&text, ':') || !take_number(&text, 2, &minute))
            return false;
        if (take_char(&text, ':') && (!take_number(&text, 2, &second) || !take_fraction(&text, &millis)))
            return false;
        if (hour > 23 || minute > 59 || second > 60 || !take_zone(&text, &zone) || text.len > 0)
            return false;
    }
    int64_t seconds = date_day_number(year, month, day) * 86400 + hour * 3600 + minute * 60 + second - zone * 60;
    /* The zone or a leap second may have moved it out of the years that can be written. */
    if (seconds < date_day_number(1, 1, 1) * 86400 || seconds >= date_day_number(10000, 1, 1) * 86400)
        return false;
    *ret_ms = seconds * 1000 + millis;
    return true;
}

bool
date_parse_day(str text, int *ret_yyyymmdd)
{
    int year, month, day;
    if (!take_day(&text, &year, &month, &day) || text.len > 0)
        return false;
    *ret_yyyymmdd = year * 10000 + month * 100 + day;
    return true;
}

str
date_now(struct arena *arena)
{
    return date_text(arena, clock_now_ms() / 1000 * 1000);
}
