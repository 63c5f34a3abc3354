/* SPDX-License-Identifier: Apache-2.0 */
#include "monitor/steps.h"

struct steps
steps_over(int64_t from_ms, int64_t to_ms, int64_t length_ms)
{
    int64_t start_ms = from_ms - from_ms % length_ms;
    int64_t count = to_ms <= start_ms ? 0 : (to_ms - start_ms + length_ms - 1) / length_ms;
    return (struct steps){ .start_ms = start_ms, .length_ms = length_ms, .end_ms = to_ms, .count = (size_t)count };
}

int64_t
steps_look_back_ms(const struct steps *steps)
{
    return steps->start_ms - STEPS_LONGEST_GAP_MS;
}

static bool
find_step(const struct steps *steps, int64_t at_ms, size_t *ret_index)
{
    if (at_ms < steps->start_ms || at_ms >= steps->end_ms)
        return false;
    *ret_index = (size_t)((at_ms - steps->start_ms) / steps->length_ms);
    return *ret_index < steps->count;
}

static void
add(const struct steps *steps, int64_t at_ms, double amount, struct step *values)
{
    size_t index;
    if (!find_step(steps, at_ms, &index))
        return;
    values[index].sum += amount;
    values[index].count++;
}

/* A share for each step between the two, by its part of the time; the last takes what is left, so that rounding loses nothing. */
static void
spread(const struct steps *steps, int64_t from_ms, int64_t to_ms, double rise, struct step *values)
{
    double left = rise;
    int64_t next;
    for (int64_t at = from_ms; to_ms > from_ms && (next = at - at % steps->length_ms + steps->length_ms) <= to_ms;
         at = next) {
        double share = rise * (double)(next - at) / (double)(to_ms - from_ms);
        add(steps, at, share, values);
        left -= share;
    }
    add(steps, to_ms, left, values);
}

/* Within the hour of the later point, so that an hour is made of its own points and the one before them, whatever the steps are. */
static void
add_rise(const struct steps *steps, const struct sample *before, const struct sample *after, struct step *values)
{
    int64_t between = after->at_ms - before->at_ms, hour_ms = after->at_ms - after->at_ms % STEPS_HOUR_MS;
    bool has_restarted = after->value < before->value;
    double rise = has_restarted ? after->value : after->value - before->value;
    if (between > STEPS_LONGEST_GAP_MS)
        return;                                         /* when it rose is not known: somewhere in all that time */
    if (between <= STEPS_USUAL_GAP_MS || has_restarted) /* the restart was not long ago: agents look at once */
        add(steps, after->at_ms, rise, values);
    else
        spread(steps, before->at_ms > hour_ms ? before->at_ms : hour_ms, after->at_ms, rise, values);
}

void
steps_add(const struct steps *steps, const struct series *series, struct step *values)
{
    bool is_counter = series->metric->kind == METRIC_COUNTER;
    for (size_t i = 0; i < series->count; i++) {
        if (!is_counter)
            add(steps, series->samples[i].at_ms, series->samples[i].value, values);
        else if (i > 0)
            add_rise(steps, &series->samples[i - 1], &series->samples[i], values);
    }
}

bool
steps_value(const struct steps *steps, const struct metric *metric, const struct step *values, size_t i,
            double *ret_value)
{
    if (values[i].count == 0)
        return false;
    if (metric->kind == METRIC_GAUGE) {
        *ret_value = values[i].sum / (double)values[i].count;
        return true;
    }
    int64_t begin_ms = steps->start_ms + (int64_t)i * steps->length_ms, end_ms = begin_ms + steps->length_ms;
    int64_t covered_ms = (end_ms < steps->end_ms ? end_ms : steps->end_ms) - begin_ms;
    /* A step under way may have seconds only, and a first point that says what happened since the one before it. */
    int64_t told_ms = values[i].count * SAMPLES_EVERY_MS;
    if (end_ms > steps->end_ms && covered_ms < told_ms)
        covered_ms = told_ms < steps->length_ms ? told_ms : steps->length_ms;
    *ret_value = values[i].sum * 1000 / (double)(covered_ms > 0 ? covered_ms : 1);
    return true;
}
