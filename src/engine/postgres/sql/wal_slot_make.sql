-- The slot $1 that keeps what the receiver has not got yet, when the server has none. It keeps WAL from this moment on, and not from the first connection.
SELECT pg_create_physical_replication_slot($1, true) WHERE NOT EXISTS (SELECT FROM pg_replication_slots WHERE slot_name = $1)
