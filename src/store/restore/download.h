/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Downloads: a restore into a file, which a repository host makes of a snapshot and hands out for a while. Its id is that of its row among restores.
 */
#ifndef STORE_RESTORE_DOWNLOAD_H
#define STORE_RESTORE_DOWNLOAD_H

#include "store/restore/restore.h"

/* ---- What tenants ask for ---- */
enum download_outcome {
    DOWNLOAD_PLACED,
    DOWNLOAD_BUSY, /* another one from the same place is not gone yet */
    DOWNLOAD_FULL, /* the host has no room */
    DOWNLOAD_GONE, /* the place is */
};
/* Of `draft` neither target nor point are used: it is a snapshot. */
MUST_USE error store_download_add(struct tx *tx, const struct restore_draft *draft, int64_t reserved_gb,
                                  enum download_outcome *ret_outcome);
/* False in *ret_changed when it has ended already. */
MUST_USE error store_download_cancel(struct tx *tx, id organization, id download, bool *ret_changed);

/* ---- Whoever has the address ---- */
struct download_place {
    id organization, project;
    str cluster;
    str address; /* of the host; empty: it is gone */
    int64_t port;
    bool is_made, is_used, is_over;
};
MUST_USE error store_download_find(struct store *store, struct arena *arena, id download, bool *ret_found,
                                   struct download_place *ret_place);
/* False in *ret_changed when it was fetched before. */
MUST_USE error store_download_use(struct tx *tx, id organization, id download, bool *ret_changed);

/* ---- What the worker does ---- */
MUST_USE error store_downloads_end_due(struct store *store, struct arena *arena, int *ret_count);
MUST_USE error store_downloads_release_lost(struct store *store, struct arena *arena, int *ret_count);

enum { DOWNLOADS_MAX = 100 };
struct made_download { /* or one that could not be made */
    id download, organization, project;
    str cluster, document;
    bool is_made;
};
MUST_USE error store_downloads_untold(struct store *store, struct arena *arena,
                                      struct made_download ret_downloads[DOWNLOADS_MAX], size_t *ret_count);
/* False in *ret_changed when somebody has told it before. */
MUST_USE error store_download_tell(struct tx *tx, id organization, id download, bool *ret_changed);

/* ---- For agents ---- */
/* The address that its certificate is for may be empty. */
MUST_USE error store_host_download(struct store *store, struct arena *arena, id host, id download, bool *ret_found,
                                   str *ret_address);

#endif
