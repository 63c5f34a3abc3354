/* SPDX-License-Identifier: Apache-2.0 */
/* Gives memory that a process has freed back to the system. */
#ifndef HTTP_MEMORY_H
#define HTTP_MEMORY_H

/* Before the first thread. */
void memory_start(void);
/* Each second. */
void memory_tick(void);

#endif
