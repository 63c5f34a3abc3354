-- Signing in with SAML (docs/internals/sessions.md): when the organizations that use a provider were last told that an answer of it was refused.
ALTER TABLE identity_provider ADD COLUMN refusal_told_at timestamptz;
