-- Sessions of the operator's staff on clusters, while their owners consent (docs/internals/access.md): resources of kind supportSession.

CREATE INDEX resource_support_ends ON resource ((document ->> 'deleteAfterDate') COLLATE "C") WHERE kind = 'supportSession';
