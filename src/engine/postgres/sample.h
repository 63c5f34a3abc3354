/* SPDX-License-Identifier: Apache-2.0 */
/* A small sample data set: a shop with customers, products, orders and their lines, the same on every run. */
#ifndef ENGINE_POSTGRES_SAMPLE_H
#define ENGINE_POSTGRES_SAMPLE_H

#include "engine/engine.h"

#define SAMPLE_DATABASE "sample_shop"

/* Loads it into the database sample_shop, which is created; if it was loaded before, nothing happens. */
MUST_USE error sample_load(struct engine_member *self);

#endif
