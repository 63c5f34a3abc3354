-- The providers to whose pages somebody with this address can be sent, and the one that they name (or null) if it is being tried out. Whether there is such a person is
-- not looked at.
-- scope: none, because whoever signs in is not known yet
SELECT json_agg(identity_provider_facts(p) ORDER BY p.id)::text AS providers
  FROM federation_domain d JOIN identity_provider p ON p.federation_id = d.federation_id AND (d.domain = ANY (p.domains) OR (p.id = :provider::bytea AND provider_is_tried_out(p)))
 WHERE d.domain = email_domain(:address::text) AND provider_takes_people(p)
