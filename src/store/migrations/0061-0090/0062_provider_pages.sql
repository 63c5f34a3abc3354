-- Signing in on the pages of an identity provider (docs/internals/sessions.md): where these pages are, and sessions that began there.

ALTER TABLE identity_provider
    ADD COLUMN pages jsonb,                                     -- what its discovery document says of them; a worker fetches it with the keys. None: nobody is sent there
    ADD COLUMN sessions_from timestamptz NOT NULL DEFAULT now(); -- sessions that began with it earlier do not count any more

ALTER TABLE console_session ADD COLUMN provider_id reeve_id REFERENCES identity_provider ON DELETE CASCADE;
CREATE INDEX console_session_of_provider ON console_session (provider_id);
