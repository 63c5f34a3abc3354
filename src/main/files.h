/* SPDX-License-Identifier: Apache-2.0 */
/* Files that a node writes for itself. errno says what went wrong. */
#ifndef MAIN_FILES_H
#define MAIN_FILES_H

#include <stdbool.h>

#include "base/str.h"

/* Writes the file whole or not at all: under another name, then renamed. */
MUST_USE bool files_replace(const char *path, str text);
/* A folder of mode 0755 with all folders above it; one that is there already is fine. */
MUST_USE bool files_make_folder(const char *path);

#endif
