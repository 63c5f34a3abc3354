/* SPDX-License-Identifier: Apache-2.0 */
#include "wire/extension/extension.h"

#define OUTSIDE "its functions run outside of the database, as the system user that the server has"
#define DIALS \
    "it connects from the server to others, and to the server itself, where no access list and no password stops it"

// clang-format off
/*
 * Offered is what a superuser can make without giving anybody more than their own rights: its functions check who calls, or work on nothing but
 * their arguments. Each was made and used by a tenant's user in test/cluster/extensions_test.py.
 */
const struct extension_row extension_rows[] = {
    { "adminpack",          "it writes and removes files of the server" },
    { "amcheck",            "drills look at tables and indexes with it, in what was restored from backups" },
    { "bloom",              .description = "Indexes over many columns that are compared for equality." },
    { "btree_gin",          .description = "GIN indexes over plain types." },
    { "btree_gist",         .description = "GiST indexes over plain types, for exclusion constraints." },
    { "citext",             .description = "Text that is compared without regard to case." },
    { "cube",               .description = "Points and boxes in several dimensions." },
    { "dblink",             DIALS },
    { "dict_int",           .description = "A dictionary of numbers for text search." },
    { "dict_xsyn",          .description = "A dictionary of synonyms for text search." },
    { "earthdistance",      .needs = "cube", .description = "Distances on the surface of the Earth." },
    { "file_fdw",           "it reads files of the server" },
    { "fuzzystrmatch",      .description = "Similarities and distances between texts." },
    { "hstore",             .description = "Pairs of keys and values in one column." },
    { "hypopg",             "the advisor makes and removes it for itself; `reeve advisor` tells what indexes would do" },
    { "intarray",           .description = "Functions and indexes for lists of whole numbers." },
    { "isn",                .description = "ISBN, ISSN, EAN and other numbers of products." },
    { "lo",                 "no role that is offered can be granted rights on large objects" },
    { "ltree",              .description = "Labels in a tree." },
    { "moddatetime",        .description = "A trigger that notes when a row was changed." },
    { "pageinspect",        "it reads pages of every table past all rights, and ends the server with bad input" },
    { "pg_buffercache",     .description = "What is in shared memory, for who may monitor." },
    { "pg_cron",            .library = "pg_cron", .description = "Statements that are run at set times, in one database of a cluster.",
                            .is_in_catalog = true, .database_setting = "cron.database_name", .settings = { "cron.use_background_workers", "on" } },
    { "pg_partman",         .description = "Partitions of tables, made and dropped by time or number." },
    { "pg_prewarm",         "it lets everybody start a process of the server" },
    { "pg_repack",          "it works for superusers only" },
    { "pg_stat_statements", .library = "pg_stat_statements", .description = "What statements cost." },
    { "pg_surgery",         "it changes rows past all rules, and damages tables" },
    { "pg_trgm",            .description = "Similarity of texts, and indexes for LIKE." },
    { "pg_visibility",      "it discards what the server knows about tables" },
    { "pg_walinspect",      "it reads what is written in every database of the server" },
    { "pgaudit",            .library = "pgaudit", .description = "Records of statements that define something. Auditing itself is a setting of the project." },
    { "pgcrypto",           .description = "Hashes and encryption." },
    { "pgrowlocks",         .description = "Who holds locks on rows, for who may monitor." },
    { "pgstattuple",        .description = "How much of a table is in use, for who may monitor." },
    { "plperlu",            OUTSIDE },
    { "plpython3u",         OUTSIDE },
    { "pltclu",             OUTSIDE },
    { "postgis",            .description = "Places, lines and areas." },
    { "postgis_raster",     .needs = "postgis", .description = "Images of places." },
    { "postgres_fdw",       DIALS },
    { "seg",                .description = "Ranges of numbers with their precision." },
    { "sslinfo",            .description = "Facts about the certificate of a session." },
    { "tablefunc",          .description = "Pivots, and other functions that return tables." },
    { "tcn",                .description = "Notifications about changed rows." },
    { "tsm_system_rows",    .description = "Samples of a number of rows." },
    { "tsm_system_time",    .description = "Samples that take a set time." },
    { "unaccent",           .description = "Text search without accents." },
    { "uuid-ossp",          .description = "UUIDs of every kind." },
    { "vector",             .description = "Vectors and the nearest of them (pgvector)." },
    { "xml2",               "it is deprecated, and what it is given to read can name files of the server" },
    { .name = NULL },
};
// clang-format on

const struct extension_row *
extension_find(str name)
{
    for (const struct extension_row *row = extension_rows; row->name != NULL; row++) {
        if (str_is(name, row->name))
            return row;
    }
    return NULL;
}

bool
extension_is_offered(const struct extension_row *row)
{
    return row != NULL && row->refused == NULL;
}

const char *
extension_refusal(const struct extension_row *row)
{
    return row == NULL ? "nobody has looked yet whether tenants can be given it without harm" : row->refused;
}
