/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/postgres/backup/newest_program.h"

#include <glob.h>

#define VERSIONS "/usr/lib/postgresql/"

str
newest_program(struct arena *arena, const char *name)
{
    glob_t found;
    str newest = STR_EMPTY, pattern = str_format(arena, VERSIONS "*/bin/%s", name);
    int64_t newest_major = 0;
    if (glob(pattern.data, 0, NULL, &found) != 0)
        return newest;
    for (size_t i = 0; i < found.gl_pathc; i++) {
        str rest = str_from(found.gl_pathv[i] + strlen(VERSIONS));
        int64_t major;
        if (str_to_int(str_cut(&rest, '/'), 1, 1000, &major) && major > newest_major) {
            newest_major = major;
            newest = str_dup(arena, str_from(found.gl_pathv[i]));
        }
    }
    globfree(&found);
    return newest;
}
