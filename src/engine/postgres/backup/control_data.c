/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/postgres/backup/control_data.h"

#include "engine/program.h"

enum { SAID_BYTES = 64 * 1024, SEGMENT_LEAST_BYTES = 1 << 20, SEGMENT_MOST_BYTES = 1 << 30 };

error
control_data_read(struct arena *arena, str program, str data, str *ret_said)
{
    const char *const argv[] = { program.data, data.data, NULL };
    return program_ask(arena, argv, STR_EMPTY, SAID_BYTES, ret_said);
}

str
control_data_value(str said, const char *name, str otherwise)
{
    while (said.len > 0) {
        str value = str_cut(&said, '\n'), key = str_cut(&value, ':');
        if (str_is(key, name))
            return str_trim(value);
    }
    return otherwise;
}

error
control_data_segment_bytes(struct arena *arena, str said, uint64_t *ret_bytes)
{
    int64_t bytes;
    if (!str_to_int(control_data_value(said, "Bytes per WAL segment", STR_EMPTY), SEGMENT_LEAST_BYTES,
                    SEGMENT_MOST_BYTES, &bytes))
        return problem(arena, "pg_controldata does not say how large files of WAL are.");
    *ret_bytes = (uint64_t)bytes;
    return OK;
}
