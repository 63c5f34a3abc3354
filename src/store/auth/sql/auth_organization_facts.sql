-- Whether an organization exists, and the limits that are set for it.
-- scope: organization $1
SELECT encode(o.id, 'hex'),
       NULL,
       (SELECT string_agg(l.set_name || ':' || l.capacity || ':' || l.refill, ',')
          FROM limit_override l
         WHERE l.owner = o.id),
       o.lock_reason
  FROM organization o
 WHERE o.id = $1;
