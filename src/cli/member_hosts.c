/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/member_hosts.h"

#include "base/json.h"

/* "postgresql://<DB_USER>:<DB_PASSWORD>@a:5432,b:5432/postgres?…" */
static str
hosts_in(const json_t *strings, const char *kind)
{
    str string = json_text_at(strings, kind);
    ptrdiff_t at = str_find(string, '@');
    str rest = at < 0 ? STR_EMPTY : str_slice(string, (size_t)at + 1, string.len);
    return str_cut(&rest, '/');
}

str
member_hosts(struct arena *arena, const json_t *cluster)
{
    const json_t *strings = json_object_get(cluster, "connectionStrings");
    str hosts = hosts_in(strings, "standard"), for_analytics = hosts_in(strings, "analytics");
    return str_format(arena, "%.*s%s%.*s", STR_ARG(hosts), hosts.len > 0 && for_analytics.len > 0 ? "," : "",
                      STR_ARG(for_analytics));
}
