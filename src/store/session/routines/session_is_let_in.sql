-- Whether the provider with which a session began still stands for its person, as it would have to for a token.
CREATE OR REPLACE FUNCTION session_is_let_in(s console_session) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT s.provider_id IS NULL
           OR EXISTS (SELECT FROM identity_provider p
                        JOIN person n ON n.id = s.person_id
                        JOIN federation_domain d ON d.federation_id = p.federation_id AND d.domain = email_domain(n.username)
                       WHERE p.id = s.provider_id AND p.status = 'ACTIVE' AND p.sessions_from <= s.created_at 
                         AND (d.domain = ANY (p.domains) OR provider_is_tried_out(p)))
$$;
