// SPDX-License-Identifier: Apache-2.0
// An OpenID Connect provider on loopback: node server.js CONFIG. CONFIG is JSON: port, certificate, key, keys (private JWKs, the first of
// each kind signs), redirects (where the client `console` may send people back). Its tokens are real ones of the token endpoint; what they say
// about the user comes with the request, because who signs in is not what is tested: its pages let in whomever login_hint names.
// /sign signs any claims with the same keys: tokens that no honest provider would issue. What /wrong was told last is what is wrong from then on.
import { createPrivateKey, sign } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import Provider from 'oidc-provider';

const config = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const issuer = `https://127.0.0.1:${config.port}`;
const algorithmOf = (key) => (key.kty === 'RSA' ? 'RS256' : 'ES256');

const provider = new Provider(issuer, {
  clients: [
    ...['cli', 'other'].map((id) => ({
      client_id: id, client_secret: 'secret', grant_types: ['client_credentials'], redirect_uris: [], response_types: [],
    })),
    {
      client_id: 'console', token_endpoint_auth_method: 'none', grant_types: ['authorization_code'], redirect_uris: config.redirects,
      response_types: ['code'], require_auth_time: true,
    },
  ],
  scopes: ['openid', 'email', 'groups'],
  claims: { openid: ['sub'], email: ['email', 'email_verified'], groups: ['groups'] },
  conformIdTokenClaims: false,
  findAccount: (ctx, id) => ({ accountId: id, claims: () => ({ sub: id, email: id, email_verified: true, groups: ['people'] }) }),
  interactions: { url: (ctx, interaction) => `/interaction/${interaction.uid}` },
  loadExistingGrant: async (ctx) => {
    const grant = new ctx.oidc.provider.Grant({ clientId: ctx.oidc.client.clientId, accountId: ctx.oidc.session.accountId });
    grant.addOIDCScope('openid email groups');
    await grant.save();
    return grant;
  },
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
const signed = ({ header, claims, kid }) => {
  const jwk = config.keys.find((key) => key.kid === kid);
  const text = `${encode({ alg: algorithmOf(jwk), kid, ...header })}.${encode({ iss: issuer, ...claims })}`;
  const key = { key: createPrivateKey({ key: jwk, format: 'jwk' }), dsaEncoding: 'ieee-p1363' };
  return `${text}.${sign('sha256', Buffer.from(text), key).toString('base64url')}`;
};
const bodyOf = async (ctx) => {
  const chunks = [];
  for await (const chunk of ctx.req) chunks.push(chunk);
  return JSON.parse(Buffer.concat(chunks).toString());
};

let wrong = {}, asked = 0;
const spoil = (text) => text.replace(/.$/, (letter) => (letter === 'A' ? 'Q' : 'A'));
// The honest answer of the token endpoint, as dishonest as it is asked to be.
const answerWrongly = async (ctx) => {
  if (wrong.waitMs) await new Promise((resolve) => setTimeout(resolve, wrong.waitMs));
  if (wrong.status) [ctx.status, ctx.body] = [wrong.status, wrong.body];
  if (wrong.location) ctx.set('Location', wrong.location);
  if (wrong.bytes) ctx.body = JSON.stringify({ id_token: 'x'.repeat(wrong.bytes) });
  if (wrong.text !== undefined) ctx.body = wrong.text;
  const token = ctx.body?.id_token;
  if (!token) return;
  const [head, body, signature] = token.split('.');
  if (wrong.claims || wrong.kid || wrong.signedHeader) {
    const claims = { ...JSON.parse(Buffer.from(body, 'base64url')), ...wrong.claims };
    for (const name of Object.keys(claims)) if (claims[name] === null) delete claims[name];
    ctx.body = { ...ctx.body, id_token: signed({ claims, kid: wrong.kid ?? JSON.parse(Buffer.from(head, 'base64url')).kid, header: wrong.signedHeader }) };
  }
  if (wrong.header) ctx.body = { ...ctx.body, id_token: [encode(wrong.header), body, wrong.signature ?? signature].join('.') };
  if (wrong.spoilt) ctx.body = { ...ctx.body, id_token: [head, body, spoil(signature)].join('.') };
  if (wrong.drop) ctx.body = { ...ctx.body, [wrong.drop]: undefined };
};

provider.use(async (ctx, next) => {
  if (ctx.path === '/sign') {
    ctx.body = signed(await bodyOf(ctx));
  } else if (ctx.path === '/wrong') {
    [wrong, ctx.body] = [await bodyOf(ctx), { asked }];
  } else if (ctx.path.startsWith('/interaction/')) {
    const { params } = await provider.interactionDetails(ctx.req, ctx.res);
    ctx.redirect(await provider.interactionResult(ctx.req, ctx.res, { login: { accountId: wrong.account ?? params.login_hint } }));
  } else {
    asked += ctx.path === '/token';
    await next();
    if (ctx.path === '/token') await answerWrongly(ctx);
  }
});

createServer({ cert: readFileSync(config.certificate), key: readFileSync(config.key) }, provider.callback())
  .listen(config.port, '127.0.0.1', () => console.log('listening'));
