-- Puts a block of addresses on the access list of a principal, or changes its comment; nothing when the organization has no such principal.
-- scope: organization :organization
INSERT INTO access_list_entry AS a (principal_id, org_id, block, comment)
SELECT p.id, p.org_id, :block::text::cidr, :comment::text FROM principal p WHERE p.org_id = :organization AND p.id = :principal
ON CONFLICT (principal_id, block) DO UPDATE SET comment = excluded.comment WHERE a.org_id = excluded.org_id;
