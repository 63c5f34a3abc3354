-- Names the zone that members' names are in, and who answers for it.
-- scope: none, because a deployment has one zone
INSERT INTO dns_zone (id, name, nameservers, contact) VALUES (1, :name, :nameservers::text[], :contact)
ON CONFLICT (id) DO UPDATE SET name = excluded.name, nameservers = excluded.nameservers, contact = excluded.contact
