-- Names for private addresses (docs/internals/network.md, "Names"): their strings are shown while a project uses custom DNS, and every member has such a name.

-- Whoever could see the strings until now still does.
INSERT INTO resource (scope, kind, id, name, org_id, document)
SELECT DISTINCT ON (c.project_id) c.project_id, 'customDns', substring(c.project_id FROM 1 FOR 6) || substring(uuid_send(gen_random_uuid()) FROM 1 FOR 6), '', c.org_id, '{"enabled": true}'::jsonb
FROM dns_record d JOIN cluster c ON c.id = d.cluster_id
WHERE split_part(d.name, '.', 1) LIKE '%-pri'
ON CONFLICT DO NOTHING;

-- Members with one address: the private name leads to that one.
INSERT INTO dns_record (name, type, content, ttl, org_id, cluster_id)
SELECT regexp_replace(d.name, '^(_postgresql\._tcp\.)?([^.]+)', '\1\2-pri'), d.type,
       CASE WHEN d.type = 'SRV' THEN regexp_replace(d.content, '^(\S+ \S+ \S+ [^.]+)', '\1-pri') ELSE d.content END, d.ttl, d.org_id, d.cluster_id
FROM dns_record d
WHERE d.type IN ('A', 'AAAA', 'SRV') AND split_part(replace(d.name, '_postgresql._tcp.', ''), '.', 1) NOT LIKE '%-pri'
  AND NOT EXISTS (SELECT FROM dns_record o WHERE d.type <> 'SRV' AND o.type IN ('A', 'AAAA') AND o.name = regexp_replace(d.name, '\.', '-pri.'))
ON CONFLICT DO NOTHING;

-- Whoever once said that private IP mode was on saw nothing of it. Names that others reach go on leading where they led: it is switched on anew.
UPDATE resource SET document = '{"enabled": false}'::jsonb, revision = nextval('revision') WHERE kind = 'privateIpMode' AND (document -> 'enabled')::boolean;
