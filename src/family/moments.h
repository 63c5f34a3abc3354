/* SPDX-License-Identifier: Apache-2.0 */
/* Bounds of moments that clients write as numbers: from the beginning of 2008 to that of 2100. */
#ifndef FAMILY_MOMENTS_H
#define FAMILY_MOMENTS_H

#define FIRST_MOMENT_S  1199145600
#define LAST_MOMENT_S   4102444800
#define FIRST_MOMENT_MS 1199145600000
#define LAST_MOMENT_MS  4102444800000

#endif
