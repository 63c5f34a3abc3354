/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/facts.h"

#include <glob.h>
#include <stdio.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "agent/member_backup.h"
#include "agent/restore/member_restore.h"
#include "agent/state.h"
#include "agent/unit_file.h"

enum { SMALL_BYTES = 64 * 1024 };

#define UNIT_PATTERN UNITS_FOLDER "/reeve-member-*.service"

static int64_t
disk_gb(void)
{
    struct statvfs status;
    if (statvfs("/var/lib", &status) != 0)
        return 0;
    return (int64_t)((double)status.f_blocks * (double)status.f_frsize / (1024.0 * 1024 * 1024));
}

error
facts_read(struct arena *arena, const struct engine *engine, struct report_facts *ret_facts)
{
    struct report_facts facts = {
        .agent_version = STR(REEVE_VERSION),
        .cpus = sysconf(_SC_NPROCESSORS_ONLN),
        .memory_mb = (int64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE) / (1024 * 1024),
        .disk_gb = disk_gb(),
    };
    TRY(engine->look_at_host(arena, &facts));
    *ret_facts = facts;
    return OK;
}

struct wire_texts
facts_versions(struct facts_watch *watch, struct arena *arena, const struct engine *engine)
{
    /* Before they are asked: what is replaced meanwhile is seen the next time. */
    uint64_t mark = engine->programs_mark();
    struct wire_texts versions = { .items = ARENA_ARRAY(arena, str, FACTS_MOST_VERSIONS) };
    if (!watch->has_looked || watch->mark != mark) {
        struct wire_texts found = engine->installed_versions(arena);
        watch->count = found.count < FACTS_MOST_VERSIONS ? found.count : FACTS_MOST_VERSIONS;
        for (size_t i = 0; i < watch->count; i++)
            snprintf(watch->versions[i], FACTS_VERSION_BYTES, "%.*s", STR_ARG(found.items[i]));
        watch->mark = mark;
        watch->has_looked = true;
    }
    for (size_t i = 0; versions.items != NULL && i < watch->count; i++)
        versions.items[versions.count++] = str_from(watch->versions[i]);
    return versions;
}

str
facts_text(struct arena *arena, const struct report_facts *facts)
{
    struct buf out = buf_in(arena, SMALL_BYTES);
    buf_add_text(&out, "{\"agentVersion\":");
    buf_add_json(&out, facts->agent_version);
    buf_add_text(&out, ",\"patroniVersion\":");
    buf_add_json(&out, facts->patroni_version);
    buf_add_text(&out, ",\"pgbackrestVersion\":");
    buf_add_json(&out, facts->pgbackrest_version);
    buf_add_text(&out, ",\"postgresVersions\":[");
    for (size_t i = 0; i < facts->postgres_versions.count; i++) {
        buf_add_text(&out, i == 0 ? "" : ",");
        buf_add_json(&out, facts->postgres_versions.items[i]);
    }
    buf_format(&out, "],\"walls\":[],\"cpus\":%lld,\"memoryMb\":%lld,\"diskGb\":%lld}", (long long)facts->cpus,
               (long long)facts->memory_mb, (long long)facts->disk_gb);
    return buf_str(&out);
}

str
facts_boot_id(struct arena *arena)
{
    str text;
    if (!disk_read(arena, "/proc/sys/kernel/random/boot_id", SMALL_BYTES, &text))
        return STR_EMPTY;
    return str_cut(&text, '\n');
}

static bool
is_wanted(struct arena *arena, const struct goal *goal, str unit)
{
    for (size_t i = 0; goal != NULL && i < goal->members.count; i++) {
        id member = goal->members.items[i].id;
        if (str_eq(unit_name(arena, member), unit) || str_eq(member_backup_unit(arena, member), unit) ||
            str_eq(member_restore_unit(arena, member), unit))
            return true;
    }
    return false;
}

struct wire_texts
facts_strays(struct arena *arena, const struct goal *goal)
{
    struct wire_texts strays = { 0 };
    glob_t found;
    if (glob(UNIT_PATTERN, 0, NULL, &found) != 0)
        return strays;
    strays.items = ARENA_ARRAY(arena, str, found.gl_pathc + 1);
    for (size_t i = 0; strays.items != NULL && i < found.gl_pathc; i++) {
        str unit = str_from(found.gl_pathv[i] + sizeof(UNITS_FOLDER));
        if (!is_wanted(arena, goal, unit))
            strays.items[strays.count++] = str_dup(arena, unit);
    }
    globfree(&found);
    return strays;
}
