-- Sets the limits of one endpoint set for an organization, a project or a user.
-- scope: none, because the owner :owner may be any of the three; the caller has checked that it may
INSERT INTO limit_override (owner, set_name, capacity, refill)
VALUES (:owner, :set::text, :capacity::bigint, :refill::bigint)
ON CONFLICT (owner, set_name) DO UPDATE SET capacity = excluded.capacity, refill = excluded.refill;
