-- A process is there. Several processes of a node say it for all of them, so what was said a moment ago is not said again.
-- scope: none, because processes of the control plane belong to nobody
INSERT INTO instance (kind, name, address, is_encrypted, version) VALUES (:kind, :name, :address, :is_encrypted::boolean, :version)
ON CONFLICT (kind, name) DO UPDATE
SET seen_at = now(), address = excluded.address, is_encrypted = excluded.is_encrypted, version = excluded.version,
    started_at = CASE WHEN instance.seen_at < now() - interval '2 minutes' THEN now() ELSE instance.started_at END
WHERE instance.seen_at < now() - interval '10 seconds'
   OR (instance.address, instance.is_encrypted, instance.version) IS DISTINCT FROM (excluded.address, excluded.is_encrypted, excluded.version)
