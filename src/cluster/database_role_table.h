/* SPDX-License-Identifier: Apache-2.0 */
/* The built-in roles that can be granted in databases. The engine makes them true (docs/internals/engine.md). */
#ifndef CLUSTER_DATABASE_ROLE_TABLE_H
#define CLUSTER_DATABASE_ROLE_TABLE_H

// clang-format off
/* ROW(name, whether it holds in all databases, whether it can be held on one table, sentence) */
#define DATABASE_ROLE_TABLE(ROW) \
    ROW("read",                 false, true,  "Reads tables.") \
    ROW("readWrite",            false, true,  "Reads and changes tables, and creates them.") \
    ROW("dbAdmin",              false, false, "Creates, changes and removes what is in the database.") \
    ROW("readAnyDatabase",      true,  false, "Reads tables in every database.") \
    ROW("readWriteAnyDatabase", true,  false, "Reads and changes tables in every database, and creates them.") \
    ROW("dbAdminAnyDatabase",   true,  false, "Creates, changes and removes databases and everything in them.") \
    ROW("clusterMonitor",       true,  false, "Sees what the servers do: activity, sizes, settings.") \
    ROW("backup",               true,  false, "Reads everything, for dumps.") \
    ROW("serviceAdmin",         true,  false, "Everything in every database that does not need the superuser.")
// clang-format on

#endif
