-- What members are told about auditing and about a directory: beside who may connect, because it follows the same number and is in force in the same
-- way (docs/internals/audit.md). The rest of the function is as 0014 has it.
-- was: acd34b6ce646e02132dd695e880ad5c651c3a5330f8820e237d8206afaf8f8b5

-- Users from before there was another way than passwords and certificates.
UPDATE resource SET document = document || '{"ldapAuthType": "NONE"}' WHERE kind = 'databaseUser' AND NOT document ? 'ldapAuthType';
