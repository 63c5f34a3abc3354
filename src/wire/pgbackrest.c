/* SPDX-License-Identifier: Apache-2.0 */
#include "wire/pgbackrest.h"

#include "wire/version.h"

bool
pgbackrest_is_new_enough(str version)
{
    return version_is_at_least(version, STR(PGBACKREST_LEAST));
}
