-- Whether an organization exists, and the limits that are set for it.
-- scope: organization :id
SELECT encode(o.id, 'hex') AS organization,
       NULL AS project,
       (SELECT string_agg(l.set_name || ':' || l.capacity || ':' || l.refill, ',')
          FROM limit_override l
         WHERE l.owner = o.id) AS overrides,
       o.lock_reason,
       NULL AS switched_off
  FROM organization o
 WHERE o.id = :id;
