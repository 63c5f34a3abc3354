/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A view that goes on: it asks, draws, and asks again. Here is what every view shares; what is asked and shown is in cluster_view.c and
 * fleet_view.c. A view has the last state that was whole: a round that failed changes nothing but the line that says so.
 */
#ifndef CLI_TOP_TOP_H
#define CLI_TOP_TOP_H

#include <jansson.h>

#include "cli/cli.h"
#include "cli/output/grid.h"
#include "cli/round.h"

enum { TOP_MOST_ASKS = 256, TOP_HEAD_LINES = 8, TOP_PROBLEM_BYTES = 400 };

/* What a view shows: lines above, a heading with rows that can be moved through, and lines below. */
struct page {
    struct arena *arena;
    int width;
    bool color;
    str head[TOP_HEAD_LINES];
    size_t head_count;
    str *rows; /* the first is the heading */
    size_t row_count;
    str foot[TOP_HEAD_LINES];
    size_t foot_count;
};
void page_head(struct page *page, enum style style, str text);
void page_foot(struct page *page, enum style style, str text);

struct top {
    struct cli *cli;
    const struct top_kind *kind;
    void *view;
    struct arena *arena; /* of the round under way */
    struct ask asks[TOP_MOST_ASKS];
    size_t ask_count;
    int stage;   /* of the round: what is asked for may depend on what was answered */
    size_t sort; /* a place in the kind's sorts */
};

struct top_kind {
    const char *const *sorts; /* NULL at the end; the first is "problem" */
    /* How long to rest between two rounds. */
    int (*rest_ms)(const struct top *top);
    /* What to ask in this stage with top_ask(). Nothing: the round is over. */
    void (*ask)(struct top *top);
    /* The answers, all of which are there. False: the round failed, and top_document() said why. */
    bool (*take)(struct top *top);
    /* The round was whole: its state is the one to show. top->arena stays as long as it. */
    void (*keep)(struct top *top);
    void (*draw)(struct top *top, struct page *page);
    json_t *(*document)(struct top *top);
};

/* The worst that is wrong with something. */
struct verdict {
    int weight;  /* 0: nothing */
    str problem; /* in words */
};
/* When it holds and is worse than what was found before. */
void top_blame(struct verdict *verdict, bool holds, int weight, str what);

void top_ask(struct top *top, str target);
/* Parses an answer with status 200; otherwise NULL, and the round's problem is what the server said. */
json_t *top_document(struct top *top, const struct ask *ask);
/* Of a document: null where a number is not known. */
json_t *top_text(str text);
json_t *top_number(double value);
/* "503 MEASUREMENTS_UNAVAILABLE: …" */
str top_said(struct arena *arena, const struct answer *answer);

/* Live on a terminal, one frame elsewhere or with --once. The exit status. */
MUST_USE int top_run(struct cli *cli, struct client *client, const struct top_kind *kind, void *view);

#endif
