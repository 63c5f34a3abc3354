-- Where the file of a download is fetched, for whoever has its address. It is over when its time is, or when its snapshot is gone.
-- scope: none, because whoever asks has proven with the address that it is theirs
SELECT encode(d.org_id, 'hex') AS organization, encode(r.project_id, 'hex') AS project, r.cluster_name, r.state, host(h.address) AS address, d.port,
       d.used_at IS NOT NULL AS is_used,
       d.ended_at IS NOT NULL OR coalesce(d.expires_at <= now(), false)
       OR NOT EXISTS (SELECT FROM snapshot n WHERE n.id = r.snapshot_id AND n.hidden_at IS NULL) AS is_over
FROM download d JOIN restore_job r ON r.id = d.restore_id LEFT JOIN host h ON h.id = d.host_id AND h.state <> 'REMOVED'
WHERE d.restore_id = :restore
