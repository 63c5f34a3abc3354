-- Releases downloads that have ended and whose host does not have their seat any more: nobody is left who could say that they are gone.
-- scope: none, because the worker releases those of all organizations
SELECT encode(d.restore_id, 'hex') AS restore, download_release(d.restore_id) AS is_released
FROM download d
WHERE d.ended_at IS NOT NULL AND d.released_at IS NULL
  AND NOT EXISTS (SELECT FROM stanza_seat t WHERE t.id = d.seat_id AND t.host_id = d.host_id)
