/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster/scaling.h"

#include <math.h>

#include "base/json.h"
#include "cluster/settings.h"
#include "cluster/wanted.h"

/*
 * The gap between the two columns is what keeps a cluster from going back and forth. A load that makes a size too small is at least 1.3 times what the same size would
 * have to stay below before it is taken again, so no load that stays as it is ever causes both.
 */
const struct scaling_limit scaling_limits[SCALING_LIMITS] = {
    { 10, 75, 50 },
    { 3, 90, 70 },
};

const char *const scaling_finding_names[SCALING_FINDINGS + 1] = {
    [SCALING_OFF] = "OFF",
    [SCALING_CALM] = "FITS",
    [SCALING_BUSY] = "TOO_SMALL",
    [SCALING_QUIET] = "TOO_LARGE",
    [SCALING_FULL] = "DISK_FULL",
    [SCALING_COOLS] = "COOLING_DOWN",
    [SCALING_UNMEASURED] = "NOT_MEASURED",
    [SCALING_AT_MAXIMUM] = "AT_MAXIMUM",
    [SCALING_DISK_AT_MAXIMUM] = "DISK_AT_MAXIMUM",
    [SCALING_AT_MINIMUM] = "AT_MINIMUM",
    [SCALING_SETTLES] = "CHANGING",
    [SCALING_MAINTAINED] = "MAINTENANCE_WAITS",
    [SCALING_NOT_OFFERED] = "NOT_OFFERED",
    [SCALING_NO_ROOM] = "NO_CAPACITY",
    [SCALING_FORBIDDEN] = "FORBIDDEN",
};

enum {
    MOST_TIMES = 10, /* of what a size has: more than this is no measurement */
    MOST_CONNECTIONS = 1000000,
    MOST_CONNECTIONS_PERCENT = 70, /* of those that the smaller size allows */
    BUFFERS_PERCENT = 20,          /* of the memory of the smaller size */
};

/* ---- Documents ---- */
static const json_t *
regions_of(const json_t *document)
{
    return json_object_get(json_array_get(json_object_get(document, "replicationSpecs"), 0), "regionConfigs");
}

struct scaling_rules
scaling_rules_read(const json_t *document)
{
    const json_t *scaling = json_object_get(json_array_get(regions_of(document), 0), "autoScaling");
    const json_t *compute = json_object_get(scaling, "compute"), *disk = json_object_get(scaling, "diskGB");
    return (struct scaling_rules){
        .compute = json_is_true(json_object_get(compute, "enabled")),
        .down = json_is_true(json_object_get(compute, "scaleDownEnabled")),
        .disk = json_is_true(json_object_get(disk, "enabled")),
        .min = json_str(json_object_get(compute, "minInstanceSize")),
        .max = json_str(json_object_get(compute, "maxInstanceSize")),
    };
}

bool
scaling_rules_are_on(const struct scaling_rules *rules)
{
    return rules->compute || rules->disk;
}

json_t *
scaling_without_rules(struct arena *in, const json_t *replication_specs)
{
    json_t *copy = json_in(in, json_deep_copy(replication_specs)), *region;
    size_t index;
    json_array_foreach(json_object_get(json_array_get(copy, 0), "regionConfigs"), index, region)
        json_object_del(region, "autoScaling");
    return copy;
}

json_t *
scaling_document(struct arena *in, const json_t *document, str size, int64_t disk_gb)
{
    json_t *copy = json_in(in, json_deep_copy(document)), *region;
    struct wanted was = { 0 };
    size_t index;
    str analytics = wanted_from_document(document, &was) ? wanted_analytics_size(&was) : STR_EMPTY;
    bool own = analytics.len > 0 && !str_eq(analytics, was.size);
    json_array_foreach(regions_of(copy), index, region)
    {
        for (size_t i = 0; i < MEMBER_CLASSES; i++) {
            json_t *specs = json_object_get(region, member_classes[i].part);
            if (specs == NULL)
                continue;
            if (!member_classes[i].analytics || !own)
                json_object_set_new(specs, "instanceSize", json_stringn(size.data, size.len));
            json_object_set_new(specs, "diskSizeGB", json_integer(disk_gb));
        }
    }
    return copy;
}

/* ---- Sizes ---- */
bool
scaling_is_within(const struct offered_size *size, const struct offered_size *low, const struct offered_size *high)
{
    bool is_over = low == NULL || (size->cpus >= low->cpus && size->memory_mb >= low->memory_mb);
    return is_over && (high == NULL || (size->cpus <= high->cpus && size->memory_mb <= high->memory_mb));
}

static double
weight(const struct offered_size *size)
{
    return size->cpus * (double)size->memory_mb;
}

/* What would help: more of what there was too little of. */
struct need {
    bool cpus, memory;
};

static bool
helps(const struct offered_size *size, const struct offered_size *than, struct need need)
{
    return (need.cpus && size->cpus > than->cpus) || (need.memory && size->memory_mb > than->memory_mb);
}

/* The smallest within the bounds that has as much of everything and more of what is needed. NULL: there is none. */
static const struct offered_size *
next_larger(const struct fleet_offer *offer, const struct offered_size *now, struct need need,
            const struct offered_size *low, const struct offered_size *high)
{
    const struct offered_size *best = NULL;
    for (size_t i = 0; i < offer->size_count; i++) {
        const struct offered_size *size = &offer->sizes[i];
        if (!str_is(size->name, FLEX_SIZE) && scaling_is_within(size, now, NULL) && helps(size, now, need) &&
            scaling_is_within(size, low, high) && (best == NULL || weight(size) < weight(best)))
            best = size;
    }
    return best;
}

/* The largest within the bounds that has no more of anything. */
static const struct offered_size *
next_smaller(const struct fleet_offer *offer, const struct offered_size *now, const struct offered_size *low,
             const struct offered_size *high)
{
    const struct need any = { true, true };
    const struct offered_size *best = NULL;
    for (size_t i = 0; i < offer->size_count; i++) {
        const struct offered_size *size = &offer->sizes[i];
        if (!str_is(size->name, FLEX_SIZE) && scaling_is_within(size, NULL, now) && helps(now, size, any) &&
            scaling_is_within(size, low, high) && (best == NULL || weight(size) > weight(best)))
            best = size;
    }
    return best;
}

/* ---- Means ---- */
/* Something that is measured of a member. */
struct thing {
    const char *what;
    const double *values; /* a minute each */
    double whole;         /* which is 100% */
    double most;          /* what is more than this is no measurement */
};

static bool
is_measured(double value, double most)
{
    return value >= 0 && value <= most; /* what is no number is neither */
}

/* In percent, of `count` minutes from `first` on; false unless `least` of them were measured. */
static bool
mean_of(const struct thing *thing, int first, int count, int least, double *ret_percent)
{
    double sum = 0;
    int measured = 0;
    for (int i = first; i < first + count; i++) {
        if (!is_measured(thing->values[i], thing->most))
            continue;
        sum += thing->values[i];
        measured++;
    }
    if (measured < least || measured == 0)
        return false;
    *ret_percent = sum / measured / thing->whole * 100;
    return true;
}

static struct thing
processors_of(const struct scaling_member *member)
{
    return (struct thing){ "processors", member->cpu_percent, 100, MOST_TIMES * 100 };
}

static struct thing
memory_of(const struct scaling_member *member, const struct offered_size *size)
{
    return (struct thing){ "memory", member->memory_mb, (double)size->memory_mb, MOST_TIMES * (double)size->memory_mb };
}

static struct thing
connections_of(const struct scaling_member *member, const struct offered_size *size)
{
    double whole = (double)(size->max_connections > 0 ? size->max_connections : 1);
    return (struct thing){ "connections", member->connections, whole, MOST_CONNECTIONS };
}

/* Nine of ten minutes are enough; of three, all are needed. */
static int
enough_of(int minutes)
{
    return minutes - minutes / 10;
}

/* How many whole minutes there are since the last change. */
static int
minutes_since(const struct scaling_case *about)
{
    int64_t minutes = (about->end_ms - about->changed_ms) / SCALING_MINUTE_MS;
    return about->end_ms < about->changed_ms ? 0 : minutes > SCALING_MINUTES ? SCALING_MINUTES : (int)minutes;
}

static struct scaling_decision
keep(const struct scaling_case *about, enum scaling_finding finding, str reason)
{
    return (struct scaling_decision){
        .verdict = SCALING_KEEP, .finding = finding, .size = about->size, .disk_gb = about->disk_gb, .reason = reason
    };
}

/* ---- Larger ---- */
/* The member and the limit that was passed by most; its `what` is NULL when none was. */
static struct scaling_decision
find_busiest(const struct scaling_case *about, const struct offered_size *size, struct need *ret_need)
{
    struct scaling_decision worst = { .verdict = SCALING_UP, .finding = SCALING_BUSY };
    *ret_need = (struct need){ 0 };
    for (size_t m = 0; m < about->member_count; m++) {
        for (int l = 0; l < SCALING_LIMITS && !about->members[m].analytics; l++) {
            const struct scaling_limit *limit = &scaling_limits[l];
            const struct thing things[] = { processors_of(&about->members[m]), memory_of(&about->members[m], size) };
            bool *const is_needed[] = { &ret_need->cpus, &ret_need->memory };
            for (size_t t = 0; t < LENGTH(things); t++) {
                double mean;
                if (!mean_of(&things[t], SCALING_MINUTES - limit->minutes, limit->minutes, enough_of(limit->minutes),
                             &mean) ||
                    mean < limit->up_percent)
                    continue;
                *is_needed[t] = true;
                if (worst.what != NULL && mean - limit->up_percent <= worst.percent - worst.limit)
                    continue;
                worst.what = things[t].what;
                worst.percent = mean;
                worst.limit = limit->up_percent;
                worst.minutes = limit->minutes;
            }
        }
    }
    return worst;
}

static str
say_busy(struct arena *in, const struct scaling_decision *busiest)
{
    bool is_memory = busiest->what[0] == 'm';
    return str_format(in, "%s of a member %s %.0f%% in use on average for %d minutes, and %.0f%% is the limit",
                      is_memory ? "Memory" : "Processors", is_memory ? "was" : "were", busiest->percent,
                      busiest->minutes, busiest->limit);
}

static struct scaling_decision
decide_larger(struct arena *in, const struct scaling_case *about, const struct offered_size *size,
              const struct offered_size *low, const struct offered_size *high, struct need need,
              struct scaling_decision busiest)
{
    str busy = say_busy(in, &busiest);
    int since = minutes_since(about);
    const struct offered_size *larger = next_larger(about->offer, size, need, low, high);
    struct scaling_decision held = busiest;
    held.verdict = SCALING_KEEP;
    held.size = about->size;
    held.disk_gb = about->disk_gb;
    /* Some of these minutes may be of the size before. */
    if (since < SCALING_COOL_MINUTES) {
        held.finding = SCALING_COOLS;
        held.reason = str_format(in, "%.*s; the next change comes %d minutes after the last one at the earliest.",
                                 STR_ARG(busy), SCALING_COOL_MINUTES);
        return held;
    }
    if (larger == NULL) {
        bool is_bound = next_larger(about->offer, size, need, NULL, NULL) != NULL;
        held.finding = SCALING_AT_MAXIMUM;
        held.reason = is_bound ? str_format(in, "%.*s; it stays at %.*s, because maxInstanceSize is %.*s.",
                                            STR_ARG(busy), STR_ARG(about->size), STR_ARG(about->rules.max))
                               : str_format(in, "%.*s; it stays at %.*s, because no larger size is offered.",
                                            STR_ARG(busy), STR_ARG(about->size));
        return held;
    }
    busiest.size = larger->name;
    busiest.disk_gb = about->disk_gb;
    busiest.reason =
        str_format(in, "%.*s: from %.*s to %.*s.", STR_ARG(busy), STR_ARG(about->size), STR_ARG(larger->name));
    return busiest;
}

/* ---- Smaller ---- */
/*
 * What memory would be in use at the smaller size. Shared buffers become smaller with it; but whether they were filled nobody measures, so little of that
 * is counted on: not more than a load that would soon need the larger size again.
 */
static double
memory_at(double memory_mb, const struct offered_size *now, const struct offered_size *smaller)
{
    double fewer =
        (double)(settings_shared_buffers_mb(now->memory_mb) - settings_shared_buffers_mb(smaller->memory_mb));
    double most = (double)smaller->memory_mb * BUFFERS_PERCENT / 100;
    double at = memory_mb - (fewer < most ? fewer : most),
           least = (double)settings_shared_buffers_mb(smaller->memory_mb);
    return at > least || !(memory_mb >= 0) ? at : least;
}

/* The largest mean of so many minutes on end in the whole time. */
static double
largest_mean(const struct thing *thing, int minutes)
{
    double largest = 0, mean;
    for (int first = 0; first + minutes <= SCALING_MINUTES; first++) {
        if (mean_of(thing, first, minutes, 1, &mean) && mean > largest)
            largest = mean;
    }
    return largest;
}

static bool
is_known(struct thing thing, int minutes)
{
    double ignored;
    return mean_of(&thing, SCALING_MINUTES - minutes, minutes, enough_of(minutes), &ignored);
}

/* Whether everything about every member is known for so long. */
static bool
are_all_known(const struct scaling_case *about, const struct offered_size *size, int minutes)
{
    for (size_t m = 0; m < about->member_count; m++) {
        const struct scaling_member *member = &about->members[m];
        if (member->analytics)
            continue;
        if (!is_known(processors_of(member), minutes) || !is_known(memory_of(member, size), minutes) ||
            !is_known(connections_of(member, size), minutes))
            return false;
    }
    return about->member_count > 0;
}

/* Whether the member would have had enough of everything. What was the least enough is in `ret_closest`. */
static bool
would_fit(const struct scaling_member *member, const struct offered_size *now, const struct offered_size *smaller,
          struct scaling_decision *ret_closest)
{
    double memory[SCALING_MINUTES];
    struct thing things[] = { processors_of(member), memory_of(member, now) };
    struct thing connections = connections_of(member, smaller);
    for (int i = 0; i < SCALING_MINUTES; i++)
        memory[i] = memory_at(member->memory_mb[i], now, smaller);
    things[0].whole = 100 * smaller->cpus / now->cpus;
    things[1].whole = (double)smaller->memory_mb;
    things[1].values = memory;
    if (largest_mean(&connections, 1) >= MOST_CONNECTIONS_PERCENT)
        return false;
    for (size_t t = 0; t < LENGTH(things); t++) {
        for (int l = 0; l < SCALING_LIMITS; l++) {
            const struct scaling_limit *limit = &scaling_limits[l];
            double most = largest_mean(&things[t], limit->minutes);
            if (most >= limit->down_percent)
                return false;
            if (ret_closest->what == NULL || most - limit->down_percent > ret_closest->percent - ret_closest->limit) {
                ret_closest->what = things[t].what;
                ret_closest->percent = most;
                ret_closest->limit = limit->down_percent;
                ret_closest->minutes = limit->minutes;
            }
        }
    }
    return true;
}

static struct scaling_decision
decide_smaller(struct arena *in, const struct scaling_case *about, const struct offered_size *size,
               const struct offered_size *low, const struct offered_size *high)
{
    const struct offered_size *smaller = next_smaller(about->offer, size, low, high);
    struct scaling_decision down = { .verdict = SCALING_DOWN, .finding = SCALING_QUIET, .disk_gb = about->disk_gb };
    str fits = STR("The size fits what was measured.");
    if (!about->rules.down || minutes_since(about) < SCALING_MINUTES || !are_all_known(about, size, SCALING_MINUTES))
        return keep(about, SCALING_CALM, fits);
    const struct offered_size *tried = smaller != NULL ? smaller : next_smaller(about->offer, size, NULL, NULL);
    if (tried == NULL)
        return keep(about, SCALING_CALM, fits);
    for (size_t m = 0; m < about->member_count; m++) {
        if (!about->members[m].analytics && !would_fit(&about->members[m], size, tried, &down))
            return keep(about, SCALING_CALM, fits);
    }
    if (smaller == NULL)
        return keep(about, SCALING_AT_MINIMUM,
                    str_format(in, "A smaller size would do; it stays at %.*s, because minInstanceSize is %.*s.",
                               STR_ARG(about->size), STR_ARG(about->rules.min)));
    if (!about->may_shrink)
        return keep(about, SCALING_MAINTAINED,
                    STR("A smaller size would do; nothing is made smaller while maintenance waits for its window."));
    down.size = smaller->name;
    down.reason = str_format(
        in,
        "At %.*s, %s of a member would have been %.0f%% in use at most in %d minutes of the last hour, which is below %.0f%%: from %.*s to %.*s.",
        STR_ARG(smaller->name), down.what, down.percent, down.minutes, down.limit, STR_ARG(about->size),
        STR_ARG(smaller->name));
    return down;
}

/* ---- Sizes ---- */
struct scaling_decision
scaling_decide_size(struct arena *in, const struct scaling_case *about)
{
    const struct offered_size *size = offer_size(about->offer, about->size);
    const struct offered_size *low = offer_size(about->offer, about->rules.min),
                              *high = offer_size(about->offer, about->rules.max);
    struct need need;
    if (!about->rules.compute)
        return keep(about, SCALING_OFF, STR("Sizes are not changed automatically."));
    str missing = size == NULL                              ? about->size
                  : high == NULL                            ? about->rules.max
                  : low == NULL && about->rules.min.len > 0 ? about->rules.min
                                                            : STR_EMPTY;
    if (size == NULL || missing.len > 0)
        return keep(about, SCALING_NOT_OFFERED,
                    str_format(in, "The operator does not offer the size %.*s any more.", STR_ARG(missing)));
    struct scaling_decision busiest = find_busiest(about, size, &need);
    if (busiest.what != NULL)
        return decide_larger(in, about, size, low, high, need, busiest);
    if (minutes_since(about) >= SCALING_COOL_MINUTES && !are_all_known(about, size, SCALING_COOL_MINUTES))
        return keep(about, SCALING_UNMEASURED,
                    STR("Too little was measured in the last minutes to know whether the size fits."));
    return decide_smaller(in, about, size, low, high);
}

/* ---- Disks ---- */
/* What was used all the time; false when nothing is known. */
static bool
disk_used(const struct scaling_member *member, int64_t disk_gb, double *ret_gb)
{
    double least = INFINITY;
    for (int i = SCALING_MINUTES - SCALING_DISK_MINUTES; i < SCALING_MINUTES; i++) {
        if (is_measured(member->disk_gb[i], (double)disk_gb * MOST_TIMES) && member->disk_gb[i] < least)
            least = member->disk_gb[i];
    }
    *ret_gb = least;
    return isfinite(least);
}

struct scaling_decision
scaling_decide_disk(struct arena *in, const struct scaling_case *about)
{
    double most = -1, used;
    if (!about->rules.disk)
        return keep(about, SCALING_OFF, STR("The disk is not changed automatically."));
    for (size_t m = 0; m < about->member_count; m++) {
        if (disk_used(&about->members[m], about->disk_gb, &used) && used > most)
            most = used;
    }
    if (most < 0)
        return keep(about, SCALING_UNMEASURED, STR("How much of the disk is used was not measured."));
    double percent = most / (double)about->disk_gb * 100;
    if (percent < SCALING_DISK_PERCENT)
        return keep(about, SCALING_CALM, STR("The disk is large enough."));
    str full = str_format(in, "Of %lld GB of disk %.0f%% were used, and %d%% is the limit", (long long)about->disk_gb,
                          percent, SCALING_DISK_PERCENT);
    struct scaling_decision grow = keep(about, SCALING_FULL, STR_EMPTY);
    grow.what = "disk";
    grow.percent = percent;
    grow.limit = SCALING_DISK_PERCENT;
    grow.minutes = SCALING_DISK_MINUTES;
    if (about->disk_gb >= SCALING_MAX_DISK_GB) {
        grow.finding = SCALING_DISK_AT_MAXIMUM;
        grow.reason = str_format(in, "%.*s; a disk has %d GB at most.", STR_ARG(full), SCALING_MAX_DISK_GB);
        return grow;
    }
    if (minutes_since(about) < SCALING_COOL_MINUTES) {
        grow.finding = SCALING_COOLS;
        grow.reason = str_format(in, "%.*s; the next change comes %d minutes after the last one at the earliest.",
                                 STR_ARG(full), SCALING_COOL_MINUTES);
        return grow;
    }
    double goal_gb = most * 100 / SCALING_DISK_GOAL_PERCENT;
    int64_t twice = 2 * about->disk_gb, wanted = goal_gb >= (double)twice ? twice : (int64_t)goal_gb + 1;
    grow.verdict = SCALING_GROW;
    grow.disk_gb = wanted > SCALING_MAX_DISK_GB ? SCALING_MAX_DISK_GB : wanted;
    grow.reason = str_format(in, "%.*s: from %lld to %lld GB.", STR_ARG(full), (long long)about->disk_gb,
                             (long long)grow.disk_gb);
    return grow;
}
