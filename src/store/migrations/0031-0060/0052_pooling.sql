-- Whether a pooler runs beside the members of a cluster and how it shares sessions; the mode is kept while it is off. What agents saw of it.
ALTER TABLE cluster ADD COLUMN pooling boolean NOT NULL DEFAULT false,
                    ADD COLUMN pooling_mode text NOT NULL DEFAULT 'TRANSACTION' CHECK (pooling_mode IN ('TRANSACTION', 'SESSION'));
ALTER TABLE cluster_member ADD COLUMN pooler text NOT NULL DEFAULT 'OFF' CHECK (pooler IN ('OFF', 'WAITING', 'SERVING', 'FAILED'));
