/* SPDX-License-Identifier: Apache-2.0 */
#include "wire/patroni.h"

#include "wire/version.h"

bool
patroni_is_new_enough(str version)
{
    return version_is_at_least(version, STR(PATRONI_LEAST));
}
