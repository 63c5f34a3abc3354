// SPDX-License-Identifier: Apache-2.0
// An OpenID Connect provider on loopback: node server.js CONFIG. CONFIG is JSON: port, certificate, key, keys (private JWKs, the first of
// each kind signs). Its tokens are real ones of the token endpoint; what they say about the user comes with the request, because
// who signs in is not what is tested. /sign signs any claims with the same keys: tokens that no honest provider would issue.
import { createPrivateKey, sign } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import Provider from 'oidc-provider';

const config = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const issuer = `https://127.0.0.1:${config.port}`;
const algorithmOf = (key) => (key.kty === 'RSA' ? 'RS256' : 'ES256');

const provider = new Provider(issuer, {
  clients: ['cli', 'other'].map((id) => ({
    client_id: id, client_secret: 'secret', grant_types: ['client_credentials'], redirect_uris: [], response_types: [],
  })),
  jwks: { keys: config.keys },
  features: {
    devInteractions: { enabled: false },
    clientCredentials: { enabled: true },
    resourceIndicators: {
      enabled: true,
      getResourceServerInfo: (ctx, resource) => ({
        scope: 'api', audience: resource, accessTokenTTL: 3600, accessTokenFormat: 'jwt',
        jwt: { sign: { alg: ctx.oidc.body?.alg ?? 'RS256' } },
      }),
    },
  },
  extraTokenClaims: (ctx) => JSON.parse(ctx.oidc.body?.claims ?? '{}'),
});

const encode = (value) => Buffer.from(JSON.stringify(value)).toString('base64url');
provider.use(async (ctx, next) => {
  if (ctx.path !== '/sign') return next();
  const chunks = [];
  for await (const chunk of ctx.req) chunks.push(chunk);
  const { header, claims, kid } = JSON.parse(Buffer.concat(chunks).toString());
  const jwk = config.keys.find((key) => key.kid === kid);
  const text = `${encode({ alg: algorithmOf(jwk), kid, ...header })}.${encode({ iss: issuer, ...claims })}`;
  const key = { key: createPrivateKey({ key: jwk, format: 'jwk' }), dsaEncoding: 'ieee-p1363' };
  ctx.body = `${text}.${sign('sha256', Buffer.from(text), key).toString('base64url')}`;
});

createServer({ cert: readFileSync(config.certificate), key: readFileSync(config.key) }, provider.callback())
  .listen(config.port, '127.0.0.1', () => console.log('listening'));
