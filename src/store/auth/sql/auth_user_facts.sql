-- The limits that are set for a caller's own buckets; its own come before its organization's.
-- scope: principal :id
SELECT encode(p.org_id, 'hex') AS organization,
       NULL AS project,
       (SELECT string_agg(l.set_name || ':' || l.capacity || ':' || l.refill, ',' ORDER BY l.owner = p.id DESC)
          FROM limit_override l
         WHERE l.owner IN (p.id, p.org_id)) AS overrides,
       NULL AS lock_reason,
       NULL AS switched_off
  FROM principal p
 WHERE p.id = :id;
