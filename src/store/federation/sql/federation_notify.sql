-- Tells every node that what it knows about the people who signed in to an organization is out of date.
-- scope: organization :organization
SELECT pg_notify(:channel::text, 'principal:' || encode(f.person_id, 'hex')) FROM federated_member f WHERE f.org_id = :organization
