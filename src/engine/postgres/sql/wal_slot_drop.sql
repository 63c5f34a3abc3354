-- A slot whose WAL is gone cannot be used again; Patroni makes another one.
SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE slot_name = $1 AND wal_status = 'lost' AND NOT active
