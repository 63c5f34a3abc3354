-- One provider to whose pages people can be sent.
-- scope: none, because whoever comes back from there is not known yet
SELECT json_build_array(identity_provider_facts(p))::text AS providers FROM identity_provider p WHERE p.id = :provider AND provider_takes_people(p)
