/* SPDX-License-Identifier: Apache-2.0 */
/* What the advisors of members say. */
#ifndef STORE_ADVISOR_ADVICE_H
#define STORE_ADVISOR_ADVICE_H

#include "store/store.h"

/* False in *ret_is_own when the member is not on this host; then nothing is changed. */
MUST_USE error store_advice(struct tx *tx, id host, id member, str document, bool *ret_is_own);

#endif
