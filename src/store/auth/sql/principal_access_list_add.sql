-- Puts a block of addresses on the access list of a principal, or changes its comment.
-- scope: organization :organization
INSERT INTO access_list_entry (principal_id, org_id, block, comment)
VALUES (:principal, :organization, :block::text::cidr, :comment::text)
ON CONFLICT (principal_id, block) DO UPDATE SET comment = excluded.comment;
