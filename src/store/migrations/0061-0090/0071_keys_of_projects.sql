-- Keys that projects keep at services of their own (docs/internals/keys.md): which of them are to be asked again.
CREATE INDEX resource_key_service ON resource ((document -> 'kmip' ->> 'checkedAt')) WHERE kind = 'encryptionAtRest';
CREATE INDEX resource_keyed_cluster ON resource (scope) WHERE kind = 'cluster' AND document ->> 'encryptionAtRestProvider' = 'KMIP';
