/* SPDX-License-Identifier: Apache-2.0 */
/* A small data set to try things with: a shop with customers, products, orders and their lines, the same on every run. */
#ifndef ENGINE_POSTGRES_SAMPLE_H
#define ENGINE_POSTGRES_SAMPLE_H

#include "engine/engine.h"

#define SAMPLE_DATABASE "sample_shop"

/* Into the database sample_shop, which is made; when it was loaded before, nothing happens. */
MUST_USE error sample_load(struct engine_member *self);

#endif
