/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>

#include "base/disk_below.h"
#include "engine/postgres/postgres.h"
#include "engine/start_py.gen.h" /* postgres/patroni/start.py, as start_program */

error
start_write(struct engine_member *self)
{
    bool ignored;
    if (!disk_below_keep(self->arena, self->folder.data, START_FILE, str_from(start_program), 0640, self->files,
                         &ignored))
        return problem(self->arena, "%s cannot be written: %s.", member_path(self, START_FILE).data, strerror(errno));
    return OK;
}

/*
 * Isolated: nothing that lies in the member's folder is taken for one of Python's modules. Ignored until that program says otherwise: in a
 * small member Python alone takes half a second to begin.
 */
str
start_command(struct engine_member *self)
{
    return str_format(self->arena, "/usr/bin/env --ignore-signal=HUP /usr/bin/python3 -I %s %s",
                      member_path(self, START_FILE).data, member_path(self, "patroni.yml").data);
}
