-- Where a project lives, and the limits that are set for it; its own come before its organization's.
-- scope: none, because it answers which organization a project belongs to, before anything is shown
SELECT encode(p.org_id, 'hex') AS organization,
       encode(p.id, 'hex') AS project,
       (SELECT string_agg(l.set_name || ':' || l.capacity || ':' || l.refill, ',' ORDER BY l.owner = p.id DESC)
          FROM limit_override l
         WHERE l.owner IN (p.id, p.org_id)) AS overrides,
       (SELECT o.lock_reason FROM organization o WHERE o.id = p.org_id) AS lock_reason,
       array_to_string(project_switched_off(p.id), ',') AS switched_off
  FROM project p
 WHERE p.id = :id;
