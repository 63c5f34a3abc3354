/* SPDX-License-Identifier: Apache-2.0 */
/* When a cluster changes its size by itself: each rule alone, and what must be so whatever the load does. */
#include "arena_fixture.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/json.h"
#include "cluster/scaling.h"

enum { END = 1000 * SCALING_MINUTE_MS };

/* ---- Fixtures ---- */
#define NAME(literal)                \
    {                                \
        literal, sizeof(literal) - 1 \
    }
/* Small ones first, as the store gives them. Each has twice as much as the one before; R20 has more memory only, FLEX is of others. */
static const struct fleet_offer offer = {
    .size_count = 6,
    .sizes = { { NAME("FLEX"), 0.25, 256, 5, 50 },
               { NAME("M10"), 1, 2048, 10, 100 },
               { NAME("M20"), 2, 4096, 20, 200 },
               { NAME("R20"), 2, 8192, 20, 200 },
               { NAME("M30"), 4, 8192, 40, 400 },
               { NAME("M40"), 8, 16384, 80, 800 } },
};

/* Few, and far apart: each has four times as much as the one before. */
static const struct fleet_offer sparse_offer = {
    .size_count = 3,
    .sizes = { { NAME("M10"), 1, 2048, 10, 100 },
               { NAME("M30"), 4, 8192, 40, 400 },
               { NAME("M40"), 16, 32768, 80, 800 } },
};

struct world {
    struct scaling_case about;
    struct scaling_member members[3];
};

static void
fill(double values[SCALING_MINUTES], double value)
{
    for (int i = 0; i < SCALING_MINUTES; i++)
        values[i] = value;
}

/* Three members at rest, at this size since long ago, that may become anything from M10 to M30. */
static struct world *
at_rest(const char *size)
{
    struct world *world = ARENA_NEW(arena, struct world);
    world->about = (struct scaling_case){
        .offer = &offer,
        .rules = { true, true, true, STR("M10"), STR("M30") },
        .size = str_from(size),
        .disk_gb = 100,
        .end_ms = END,
        .changed_ms = END - 600 * SCALING_MINUTE_MS,
        .may_shrink = true,
        .member_count = 3,
        .members = world->members,
    };
    for (int m = 0; m < 3; m++) {
        fill(world->members[m].cpu_percent, 60);
        fill(world->members[m].memory_mb, 900);
        fill(world->members[m].connections, 10);
        fill(world->members[m].disk_gb, 50);
    }
    return world;
}

static void
set_last(double values[SCALING_MINUTES], int minutes, double value)
{
    for (int i = SCALING_MINUTES - minutes; i < SCALING_MINUTES; i++)
        values[i] = value;
}

static void
all_cpu(struct world *world, double value)
{
    for (int m = 0; m < 3; m++)
        fill(world->members[m].cpu_percent, value);
}

static void
assert_size(struct world *world, enum scaling_finding finding, const char *size)
{
    struct scaling_decision decision = scaling_decide_size(arena, &world->about);
    if (decision.finding != finding || !str_is(decision.size, size))
        fail_msg("%s %.*s instead of %s %s: %.*s", scaling_finding_names[decision.finding], STR_ARG(decision.size),
                 scaling_finding_names[finding], size, STR_ARG(decision.reason));
    assert_true(decision.reason.len > 0);
    assert_int_equal(decision.disk_gb, world->about.disk_gb);
}

static void
assert_disk(struct world *world, enum scaling_finding finding, int64_t gb)
{
    struct scaling_decision decision = scaling_decide_disk(arena, &world->about);
    if (decision.finding != finding || decision.disk_gb != gb)
        fail_msg("%s %lld instead of %s %lld: %.*s", scaling_finding_names[decision.finding],
                 (long long)decision.disk_gb, scaling_finding_names[finding], (long long)gb, STR_ARG(decision.reason));
    assert_true(str_eq(decision.size, world->about.size));
}

/* ---- Larger ---- */
static void
a_member_that_is_busy_for_ten_minutes_gets_the_next_size(void **state)
{
    (void)state;
    struct world *world = at_rest("M10");
    set_last(world->members[1].cpu_percent, 10, 74.9);
    assert_size(world, SCALING_CALM, "M10");
    set_last(world->members[1].cpu_percent, 10, 75);
    assert_size(world, SCALING_BUSY, "M20");
    assert_true(str_is(
        scaling_decide_size(arena, &world->about).reason,
        "Processors of a member were 75% in use on average for 10 minutes, and 75% is the limit: from M10 to M20."));
    set_last(world->members[1].cpu_percent, 10, 60);
    set_last(world->members[1].cpu_percent, 9, 76); /* the mean of ten is 74.4 */
    assert_size(world, SCALING_CALM, "M10");
}

static void
a_member_that_is_almost_full_for_three_minutes_does_too(void **state)
{
    (void)state;
    struct world *world = at_rest("M20");
    set_last(world->members[2].cpu_percent, 3, 89);
    assert_size(world, SCALING_CALM, "M20");
    set_last(world->members[2].cpu_percent, 3, 90);
    assert_size(world, SCALING_BUSY, "M30");         /* R20 has no more processors */
    set_last(world->members[2].cpu_percent, 1, NAN); /* of three minutes all must be known */
    assert_size(world, SCALING_CALM, "M20");
}

static void
memory_that_is_full_gets_more_memory(void **state)
{
    (void)state;
    struct world *world = at_rest("M20");
    set_last(world->members[0].memory_mb, 10, 3071);
    assert_size(world, SCALING_CALM, "M20");
    set_last(world->members[0].memory_mb, 10, 3072);
    assert_size(world, SCALING_BUSY, "R20");
    world->about.rules.max = STR("M20");
    assert_size(world, SCALING_AT_MAXIMUM, "M20");
}

static void
nothing_is_taken_beyond_the_bound_or_what_is_offered(void **state)
{
    (void)state;
    struct world *world = at_rest("M30");
    all_cpu(world, 99);
    world->about.changed_ms = END - 5 * SCALING_MINUTE_MS; /* it may have been the size before that was busy */
    assert_size(world, SCALING_COOLS, "M30");
    world->about.changed_ms = 0;
    assert_size(world, SCALING_AT_MAXIMUM, "M30");
    assert_true(str_is(
        scaling_decide_size(arena, &world->about).reason,
        "Processors of a member were 99% in use on average for 10 minutes, and 75% is the limit; it stays at M30, because maxInstanceSize is M30."));
    world->about.rules.max = STR("M40");
    assert_size(world, SCALING_BUSY, "M40");
    world->about.size = STR("M40");
    assert_size(world, SCALING_AT_MAXIMUM, "M40");
    assert_true(str_is(
        scaling_decide_size(arena, &world->about).reason,
        "Processors of a member were 99% in use on average for 10 minutes, and 75% is the limit; it stays at M40, because no larger size is offered."));
    world->about.rules.max = STR("M50"); /* the operator has removed it */
    assert_size(world, SCALING_NOT_OFFERED, "M40");
    world->about.size = STR("M9");
    world->about.rules.max = STR("M40");
    assert_size(world, SCALING_NOT_OFFERED, "M9");
}

/* ---- Smaller ---- */
static void
a_smaller_size_is_taken_when_it_would_have_done_for_an_hour(void **state)
{
    (void)state;
    struct world *world = at_rest("M20");
    all_cpu(world, 24.9); /* 49.8 at M10 */
    assert_size(world, SCALING_QUIET, "M10");
    assert_true(str_is(
        scaling_decide_size(arena, &world->about).reason,
        "At M10, processors of a member would have been 50% in use at most in 10 minutes of the last hour, which is below 50%: from M20 to M10."));
    all_cpu(world, 25);
    assert_size(world, SCALING_CALM, "M20");
    all_cpu(world, 20);
    world->members[0].cpu_percent[5] = 60; /* for one minute in the first quarter: 40 in the mean of three */
    assert_size(world, SCALING_QUIET, "M10");
    world->members[0].cpu_percent[6] = 60;
    world->members[0].cpu_percent[7] = 60; /* for three: at M10 that would be more than there is */
    assert_size(world, SCALING_CALM, "M20");
}

static void
memory_and_sessions_keep_a_size_too(void **state)
{
    (void)state;
    struct world *world = at_rest("M20");
    all_cpu(world, 5);
    for (int m = 0; m < 3; m++)
        fill(world->members[m].memory_mb, 1400); /* 512 MB less of buffers, of which 410 are counted on: 48% of M10 */
    assert_size(world, SCALING_QUIET, "M10");
    fill(world->members[2].memory_mb, 1450);
    assert_size(world, SCALING_CALM, "M20");
    fill(world->members[2].memory_mb, 1400);
    world->members[1].connections[30] = 69; /* M10 allows 100 */
    assert_size(world, SCALING_QUIET, "M10");
    world->members[1].connections[30] = 70;
    assert_size(world, SCALING_CALM, "M20");
}

static void
nothing_becomes_smaller_unless_asked_for(void **state)
{
    (void)state;
    struct world *world = at_rest("M20");
    all_cpu(world, 1);
    world->about.may_shrink = false;
    assert_size(world, SCALING_MAINTAINED, "M20");
    world->about.may_shrink = true;
    world->about.rules.min = STR("M20");
    assert_size(world, SCALING_AT_MINIMUM, "M20");
    world->about.rules.down = false;
    assert_size(world, SCALING_CALM, "M20");
    world->about.rules.compute = false;
    assert_size(world, SCALING_OFF, "M20");
    struct world *smallest = at_rest("M10");
    all_cpu(smallest, 1);
    smallest->about.rules.min = STR_EMPTY;
    assert_size(smallest, SCALING_CALM, "M10"); /* FLEX is none */
}

/* ---- After a change ---- */
static void
what_was_measured_before_a_change_does_not_count(void **state)
{
    (void)state;
    struct world *world = at_rest("M10");
    all_cpu(world, 99);
    world->about.changed_ms = END - 9 * SCALING_MINUTE_MS - 59999;
    assert_size(world, SCALING_COOLS, "M10");
    world->about.changed_ms = END - 10 * SCALING_MINUTE_MS;
    assert_size(world, SCALING_BUSY, "M20");
    world->about.changed_ms = END + 5; /* a clock that went back */
    assert_size(world, SCALING_COOLS, "M10");
    world = at_rest("M20");
    all_cpu(world, 1);
    world->about.changed_ms = END - 59 * SCALING_MINUTE_MS;
    assert_size(world, SCALING_CALM, "M20");
    world->about.changed_ms = END - 60 * SCALING_MINUTE_MS;
    assert_size(world, SCALING_QUIET, "M10");
}

/* ---- What is not known ---- */
static void
nothing_is_decided_about_what_is_not_known(void **state)
{
    (void)state;
    static const double nothing[] = { NAN, -NAN, INFINITY, -INFINITY, -1, -DBL_MAX, DBL_MAX, 1e18 };
    for (size_t i = 0; i < LENGTH(nothing); i++) {
        struct world *world = at_rest("M20");
        all_cpu(world, nothing[i]);
        assert_size(world, SCALING_UNMEASURED, "M20");
        all_cpu(world, 1);
        fill(world->members[2].memory_mb, nothing[i]);
        assert_size(world, SCALING_UNMEASURED, "M20");
        fill(world->members[2].memory_mb, 900);
        fill(world->members[2].connections, nothing[i]);
        assert_size(world, SCALING_UNMEASURED, "M20");
        fill(world->members[2].connections, 1);
        assert_size(world, SCALING_QUIET, "M10");
        for (int m = 0; m < 3; m++)
            fill(world->members[m].disk_gb, nothing[i]);
        assert_disk(world, SCALING_UNMEASURED, 100);
    }
    struct world *world = at_rest("M20");
    all_cpu(world, 1);
    set_last(world->members[0].cpu_percent, 1, NAN); /* one of ten minutes, and of sixty, may be missing */
    assert_size(world, SCALING_QUIET, "M10");
    for (int i = 0; i < 7; i++)
        world->members[0].cpu_percent[i] = NAN;
    assert_size(world, SCALING_CALM, "M20"); /* eight of sixty may not */
    /* A member of which nothing is known keeps none of the others from more, but all from less. */
    all_cpu(world, 80);
    fill(world->members[0].cpu_percent, NAN);
    assert_size(world, SCALING_BUSY, "M30");
    world->about.member_count = 0;
    assert_size(world, SCALING_UNMEASURED, "M20");
    assert_disk(world, SCALING_UNMEASURED, 100);
}

/* ---- Disks ---- */
static void
a_disk_that_is_full_grows_until_it_is_not(void **state)
{
    (void)state;
    struct world *world = at_rest("M20");
    fill(world->members[1].disk_gb, 89.9);
    assert_disk(world, SCALING_CALM, 100);
    fill(world->members[1].disk_gb, 90);
    assert_disk(world, SCALING_FULL, 129);
    assert_true(str_is(scaling_decide_disk(arena, &world->about).reason,
                       "Of 100 GB of disk 90% were used, and 90% is the limit: from 100 to 129 GB."));
    world->members[1].disk_gb[57] = 80; /* for a moment only it was fuller */
    assert_disk(world, SCALING_CALM, 100);
    fill(world->members[1].disk_gb, NAN);
    set_last(world->members[1].disk_gb, 1, 95); /* measured every few minutes */
    assert_disk(world, SCALING_FULL, 136);
    set_last(world->members[1].disk_gb, 1, 300); /* nobody holds a disk of several members to its size */
    assert_disk(world, SCALING_FULL, 200);
    world->about.changed_ms = END - 9 * SCALING_MINUTE_MS;
    assert_disk(world, SCALING_COOLS, 100);
    world->about.changed_ms = 0;
    world->about.disk_gb = 60000;
    set_last(world->members[1].disk_gb, 1, 59000);
    assert_disk(world, SCALING_FULL, SCALING_MAX_DISK_GB);
    world->about.disk_gb = SCALING_MAX_DISK_GB;
    set_last(world->members[1].disk_gb, 1, 65000);
    assert_disk(world, SCALING_DISK_AT_MAXIMUM, SCALING_MAX_DISK_GB);
    world->about.rules.disk = false;
    assert_disk(world, SCALING_OFF, SCALING_MAX_DISK_GB);
}

/* ---- Whatever the load does ---- */
static double
chance(void)
{
    return (double)rand() / RAND_MAX;
}

/* From `low` to 256 times as much, each size as likely as another. */
static double
any_from(double low)
{
    for (int doublings = rand() % 8; doublings > 0; doublings--)
        low *= 2;
    return low * (1 + chance());
}

/*
 * A cluster that lives through simulated minutes under a load: in processors, and in memory that is not shared buffers. Shared buffers fill within half an hour, or never, as the data is
 * large. A change takes some minutes in which it is not looked at.
 */
struct life {
    struct world *world;
    struct arena *own; /* of its decisions */
    size_t size;       /* in the offer */
    int64_t minute, busy_until;
    double filled; /* of shared buffers */
    int ups, downs, turns, last_turn;
    int64_t last_change;
    int64_t least_between;
};

static void
live_one_minute(struct life *life, double cpus, double private_mb, double share)
{
    struct scaling_case *about = &life->world->about;
    const struct offered_size *size = &about->offer->sizes[life->size];
    double cpu = cpus / size->cpus * 100;
    life->filled += (share - life->filled) / 10;
    for (int m = 0; m < 3; m++) {
        struct scaling_member *member = &life->world->members[m];
        double part = m == 0 ? 1 : 0.5;
        memmove(member->cpu_percent, member->cpu_percent + 1, (SCALING_MINUTES - 1) * sizeof(double));
        memmove(member->memory_mb, member->memory_mb + 1, (SCALING_MINUTES - 1) * sizeof(double));
        member->cpu_percent[SCALING_MINUTES - 1] = (cpu > 100 ? 100 : cpu) * part;
        member->memory_mb[SCALING_MINUTES - 1] = private_mb * part + (double)size->memory_mb / 4 * life->filled;
    }
    life->minute++;
    about->size = size->name;
    about->end_ms = life->minute * SCALING_MINUTE_MS;
    if (life->minute <= life->busy_until) {
        about->changed_ms = about->end_ms;
        return;
    }
    struct scaling_decision decision = scaling_decide_size(life->own, about);
    if (decision.verdict == SCALING_KEEP) {
        assert_true(str_eq(decision.size, about->size));
        return;
    }
    const struct offered_size *next = offer_size(about->offer, decision.size);
    assert_non_null(next);
    /* One step, in the right direction, within the bounds. */
    assert_true(
        scaling_is_within(next, offer_size(about->offer, STR("M10")), offer_size(about->offer, about->rules.max)));
    assert_true(decision.verdict == SCALING_UP ? scaling_is_within(next, size, NULL)
                                               : scaling_is_within(next, NULL, size));
    int turn = decision.verdict == SCALING_UP ? 1 : -1;
    life->ups += turn > 0;
    life->downs += turn < 0;
    life->turns += life->last_turn != 0 && turn != life->last_turn;
    life->last_turn = turn;
    if (life->last_change > 0) {
        int64_t between = life->minute - life->last_change;
        assert_true(between >= (turn > 0 ? SCALING_COOL_MINUTES : SCALING_MINUTES));
    }
    life->last_change = life->minute;
    life->size = (size_t)(next - about->offer->sizes);
    life->busy_until = life->minute + 1 + (int64_t)(chance() * 5);
    life->filled = 0; /* members were restarted */
    about->changed_ms = about->end_ms;
}

static struct life
begin_life(const struct fleet_offer *of, const char *size, const char *max)
{
    struct life life = { .world = at_rest(size), .own = arena_new(64 << 20), .minute = 1000 };
    assert_non_null(life.own);
    const struct offered_size *begin = offer_size(of, str_from(size));
    assert_non_null(begin);
    life.world->about.offer = of;
    life.size = (size_t)(begin - of->sizes);
    life.world->about.rules.max = str_from(max);
    life.world->about.changed_ms = life.minute * SCALING_MINUTE_MS;
    return life;
}

/* A load that stays what it is, with noise around it, never makes a cluster turn around: up and then down, perhaps, but never up again. */
static void
a_steady_load_never_makes_a_cluster_go_back_and_forth(void **state)
{
    static const char *const sizes[] = { "M10", "M20", "R20", "M30", "M40" }, *const sparse[] = { "M10", "M30", "M40" };
    enum { LIVES = 400, MINUTES = 12 * 60 };
    (void)state;
    srand(1);
    for (int i = 0; i < LIVES; i++) {
        struct life life = i % 2 == 0 ? begin_life(&offer, sizes[rand() % 5], "M40")
                                      : begin_life(&sparse_offer, sparse[rand() % 3], "M40");
        double cpus = any_from(0.05), private_mb = any_from(40), share = chance();
        double noise = chance() * 0.2; /* a tenth to each side */
        for (int minute = 0; minute < MINUTES; minute++) {
            double wobble = 1 + noise * (chance() - 0.5);
            live_one_minute(&life, cpus * wobble, private_mb * wobble, share);
        }
        if (life.turns > 1)
            fail_msg("life %d: %.2f processors, %.0f MB, noise %.2f: %d up, %d down, %d turns", i, cpus, private_mb,
                     noise, life.ups, life.downs, life.turns);
        arena_free(life.own);
    }
}

/* Its peaks fit: what is quiet in between is not quiet for an hour. */
static void
a_load_that_swings_within_the_hour_leaves_the_size_at_its_peak(void **state)
{
    static const int periods[] = { 4, 10, 20, 30, 50, 58 };
    (void)state;
    for (size_t p = 0; p < LENGTH(periods); p++) {
        struct life life = begin_life(&offer, "M10", "M40");
        for (int minute = 0; minute < 10 * 60; minute++) {
            bool is_high = minute % periods[p] < periods[p] / 2;
            live_one_minute(&life, is_high ? 1.4 : 0.4, 200, 0.5);
        }
        if (life.downs != 0 || life.ups > 1 || (periods[p] >= 10 && life.ups == 0))
            fail_msg("a period of %d minutes: %d up, %d down", periods[p], life.ups, life.downs);
        arena_free(life.own);
    }
}

/* Nothing that is measured ends it, or makes it do what must never be. live_one_minute() asserts the rest. */
static void
any_load_at_all_stays_within_the_rules(void **state)
{
    static const double strange[] = { NAN, INFINITY, -INFINITY, -5, 1e300, 0 };
    enum { LIVES = 100, MINUTES = 8 * 60 };
    (void)state;
    srand(2);
    for (int i = 0; i < LIVES; i++) {
        struct life life = begin_life(&offer, "M20", "M30");
        double cpus = 1;
        for (int minute = 0; minute < MINUTES; minute++) {
            cpus *= chance() < 0.5 ? 0.5 + chance() / 2 : 1 + chance();
            cpus = cpus < 0.01 ? 0.01 : cpus > 20 ? 20 : cpus;
            live_one_minute(&life, chance() < 0.05 ? strange[rand() % 6] : cpus,
                            chance() < 0.05 ? strange[rand() % 6] : 300, chance());
        }
        assert_true(life.ups + life.downs <= MINUTES / SCALING_COOL_MINUTES);
        assert_true(life.downs <= MINUTES / SCALING_MINUTES);
        arena_free(life.own);
    }
}

/* ---- Members for analytics ---- */
static void
reports_change_no_size_but_their_disk_counts(void **state)
{
    (void)state;
    struct world *world = at_rest("M20");
    world->members[2].analytics = true;
    fill(world->members[2].cpu_percent, 100);
    fill(world->members[2].memory_mb, 4000);
    assert_size(world, SCALING_CALM, "M20");
    all_cpu(world, 5);
    fill(world->members[2].cpu_percent, NAN);
    assert_size(world, SCALING_QUIET, "M10");
    set_last(world->members[2].disk_gb, SCALING_DISK_MINUTES, 95);
    assert_disk(world, SCALING_FULL, 136);
}

static void
members_for_analytics_follow_unless_they_have_a_size_of_their_own(void **state)
{
    (void)state;
    static const struct {
        const char *analytics, *then;
    } rows[] = { { "M10", "M20" }, { "M30", "M30" } };
    for (size_t i = 0; i < LENGTH(rows); i++) {
        const json_t *document = json_parse_own(
            arena,
            str_format(
                arena,
                "{\"replicationSpecs\": [{\"regionConfigs\": [{\"electableSpecs\": {\"instanceSize\": \"M10\", \"nodeCount\": 3, \"diskSizeGB\": 10}, "
                "\"analyticsSpecs\": {\"instanceSize\": \"%s\", \"nodeCount\": 1, \"diskSizeGB\": 10}}]}]}",
                rows[i].analytics));
        const json_t *after = json_object_get(scaling_document(arena, document, STR("M20"), 33), "replicationSpecs");
        const json_t *region = json_array_get(json_object_get(json_array_get(after, 0), "regionConfigs"), 0);
        const json_t *analytics = json_object_get(region, "analyticsSpecs");
        assert_true(str_is(json_text_at(json_object_get(region, "electableSpecs"), "instanceSize"), "M20"));
        assert_true(str_is(json_text_at(analytics, "instanceSize"), rows[i].then));
        assert_int_equal(json_integer_value(json_object_get(analytics, "diskSizeGB")), 33); /* everybody has all data */
    }
}

/* ---- Documents ---- */
static void
documents_say_what_is_asked_for_and_get_what_is_decided(void **state)
{
    (void)state;
    const json_t *document = json_parse_own(
        arena,
        STR("{\"replicationSpecs\": [{\"regionConfigs\": [{\"electableSpecs\": {\"instanceSize\": \"M10\", \"diskSizeGB\": 10}, \"autoScaling\": {\"compute\": "
            "{\"enabled\": true, \"scaleDownEnabled\": true, \"minInstanceSize\": \"M10\", \"maxInstanceSize\": \"M30\"}, \"diskGB\": {\"enabled\": true}}}, "
            "{\"readOnlySpecs\": {\"instanceSize\": \"M10\", \"diskSizeGB\": 10}}]}]}"));
    struct scaling_rules rules = scaling_rules_read(document), none = scaling_rules_read(NULL);
    assert_true(rules.compute && rules.down && rules.disk && str_is(rules.min, "M10") && str_is(rules.max, "M30"));
    assert_true(scaling_rules_are_on(&rules) && !scaling_rules_are_on(&none));
    const json_t *regions = json_object_get(
        json_array_get(json_object_get(scaling_document(arena, document, STR("M20"), 33), "replicationSpecs"), 0),
        "regionConfigs");
    assert_true(
        str_is(json_text_at(json_object_get(json_array_get(regions, 1), "readOnlySpecs"), "instanceSize"), "M20"));
    assert_int_equal(json_integer_value(
                         json_object_get(json_object_get(json_array_get(regions, 0), "electableSpecs"), "diskSizeGB")),
                     33);
    assert_null(json_object_get(
        json_array_get(
            json_object_get(
                json_array_get(scaling_without_rules(arena, json_object_get(document, "replicationSpecs")), 0),
                "regionConfigs"),
            0),
        "autoScaling"));
    for (int i = 0; i < SCALING_FINDINGS; i++)
        assert_int_equal(str_word(str_from(scaling_finding_names[i]), scaling_finding_names), i);
    assert_int_equal(str_word(STR("ELSE"), scaling_finding_names), -1);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_member_that_is_busy_for_ten_minutes_gets_the_next_size),
        cmocka_unit_test(a_member_that_is_almost_full_for_three_minutes_does_too),
        cmocka_unit_test(memory_that_is_full_gets_more_memory),
        cmocka_unit_test(nothing_is_taken_beyond_the_bound_or_what_is_offered),
        cmocka_unit_test(a_smaller_size_is_taken_when_it_would_have_done_for_an_hour),
        cmocka_unit_test(memory_and_sessions_keep_a_size_too),
        cmocka_unit_test(nothing_becomes_smaller_unless_asked_for),
        cmocka_unit_test(what_was_measured_before_a_change_does_not_count),
        cmocka_unit_test(nothing_is_decided_about_what_is_not_known),
        cmocka_unit_test(a_disk_that_is_full_grows_until_it_is_not),
        cmocka_unit_test(a_steady_load_never_makes_a_cluster_go_back_and_forth),
        cmocka_unit_test(a_load_that_swings_within_the_hour_leaves_the_size_at_its_peak),
        cmocka_unit_test(any_load_at_all_stays_within_the_rules),
        cmocka_unit_test(reports_change_no_size_but_their_disk_counts),
        cmocka_unit_test(members_for_analytics_follow_unless_they_have_a_size_of_their_own),
        cmocka_unit_test(documents_say_what_is_asked_for_and_get_what_is_decided),
    };
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
