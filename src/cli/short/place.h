/* SPDX-License-Identifier: Apache-2.0 */
/* Places in a JSON document, written as a.b[0].c. */
#ifndef CLI_SHORT_PLACE_H
#define CLI_SHORT_PLACE_H

#include <jansson.h>

#include "base/str.h"

/*
 * Puts a value there, and makes the objects and lists that it is in; NULL value: nothing happens. False when there can be no such
 * place. Takes ownership of `value`.
 */
MUST_USE bool place_put(json_t *document, str path, json_t *value);
/* What stands at a place without lists, such as a.b; NULL: nothing. */
json_t *place_find(json_t *document, str path);
/*
 * A copy of the value at every place that a path such as a[*].b means. With `make` a list without items gets one, and what the value is
 * in is made; without it only what there is changes, and it is well when there is nothing.
 */
MUST_USE bool place_put_everywhere(json_t *document, str path, const json_t *value, bool make);

#endif
