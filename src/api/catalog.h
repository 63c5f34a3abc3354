/* SPDX-License-Identifier: Apache-2.0 */
/* All endpoints of all families, checked once at the start, with the router built from them. */
#ifndef API_CATALOG_H
#define API_CATALOG_H

#include <stdio.h>

#include "api/endpoint.h"

struct catalog;

/*
 * main has the list of families (family/families.c); the catalog only takes it. Every mistake in the tables is written
 * to `problems`; with any, NULL is returned and nothing starts.
 */
MUST_USE const struct catalog *catalog_new(const struct family *const *families, FILE *problems);
void catalog_free(const struct catalog *catalog);

size_t catalog_count(const struct catalog *catalog);
/* In the order of set, path, method as in the specification's list. */
const struct endpoint *catalog_at(const struct catalog *catalog, size_t index);
size_t catalog_index(const struct catalog *catalog, const struct endpoint *endpoint);
const struct family *catalog_family(const struct catalog *catalog, const struct endpoint *endpoint);
const struct family *const *catalog_families(const struct catalog *catalog);

/* Extension relation types need an address that nobody else can ever own: `.example` is reserved. */
#define RELATION_PREFIX "https://reeve.example/rel"
/*
 * Where an entity at `entity_template` links to: `suffixes` ("/clusters") of the GETs that have behaviour and need no further
 * parameter, neither in the path nor in the query.
 * The text of the links is the same for all entities of a template but for their own address. So it is kept in pieces:
 * pieces[0], the address, pieces[1], the address, ... pieces[count + 1]; `bytes` is the length of the pieces together.
 */
struct links {
    size_t count;
    const char *const *suffixes;
    const str *pieces;
    size_t bytes;
};
/*
 * The choice: all of them, or what an answer has unless it was asked for all. That is the same where there are few. Of many it is the
 * main ones (MAIN_LINK) and one that leads to the entity with all: a project's would be six times as large as the project itself.
 */
enum { FEW_LINKS = 8 };
enum link_choice { LINKS_MAIN, LINKS_ALL, LINK_CHOICES };
#define ALL_LINKS_RELATION "/links"
#define ALL_LINKS_SUFFIX   "?links=all"
struct links catalog_links(const struct catalog *catalog, const char *entity_template, enum link_choice choice);

/* ---- Router ---- */
struct route {
    const struct endpoint *endpoint; /* NULL: nothing matched path and method */
    str values[8];                   /* path parameters, in the order of the template */
    size_t count;
    unsigned allowed; /* bit per enum method: what the matching paths support; 0 when no path matches */
};
enum { MAX_PATH_SEGMENTS = 24 };
/*
 * `segments` are the decoded parts between the slashes after /api/svc/v2. Literal segments win over parameters; a
 * parameter with a suffix such as `:verb` or `.gz` wins over the parameter alone. METHOD_COUNT as method matches
 * nothing but still tells what is allowed.
 */
void catalog_route(const struct catalog *catalog, enum method method, const str *segments, size_t count,
                   struct route *ret_route);

/* ---- Listings for `reeved catalog` ---- */
void catalog_print_tsv(const struct catalog *catalog, FILE *out);
void catalog_print_status(const struct catalog *catalog, FILE *out);

#endif
