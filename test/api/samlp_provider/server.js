// SPDX-License-Identifier: Apache-2.0
// A SAML 2.0 provider on loopback: node server.js CONFIG. CONFIG is JSON: port, issuer, tlsCertificate, tlsKey, certificate, key (PEM texts), and services, what our own metadata says:
// entity ID and address. It signs in whoever /who was told last.
import { createServer } from 'node:https';
import { readFileSync } from 'node:fs';
import samlp from 'samlp';

const config = JSON.parse(readFileSync(process.argv[2], 'utf8'));
let who = { address: '', groups: [] };

const bodyOf = async (request) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
};

const mapper = (user) => ({
  getClaims: () => (user.groups.length > 0 ? { memberOf: user.groups } : {}),
  getNameIdentifier: () => ({ nameIdentifier: user.address, nameIdentifierFormat: 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress' }),
});

const answer = (request) => new Promise((done, failed) => {
  samlp.parseRequest(request, (problem, asked) => {
    if (problem) return failed(problem);
    const service = config.services.find((one) => one.audience === asked.issuer && one.acs === asked.assertionConsumerServiceURL);
    if (!service) return failed(new Error(`unknown service ${asked.issuer}`));
    const options = {
      issuer: config.issuer, cert: config.certificate, key: config.key, audience: service.audience, recipient: service.acs, destination: service.acs, inResponseTo: asked.id,
      profileMapper: mapper, signatureAlgorithm: 'rsa-sha256', digestAlgorithm: 'sha256', lifetimeInSeconds: 300,
    };
    samlp.getSamlResponse(options, who, (wrong, xml) => (wrong ? failed(wrong) : done({ xml, acs: service.acs })));
  });
});

const serve = async (request, response) => {
  const url = new URL(request.url, 'https://here');
  const form = new URLSearchParams(request.method === 'POST' ? await bodyOf(request) : url.search);
  if (url.pathname === '/who') {
    who = JSON.parse(form.get('who'));
    return response.end('{}');
  }
  const fields = Object.fromEntries(form);
  const { xml, acs } = await answer({ method: request.method, query: request.method === 'GET' ? fields : {}, body: request.method === 'POST' ? fields : {}, headers: request.headers });
  response.setHeader('Content-Type', 'text/html');
  return response.end(`<!doctype html><form id=f method=post action="${acs}"><input type=hidden name=SAMLResponse value="${Buffer.from(xml).toString('base64')}">`
    + `<input type=hidden name=RelayState value="${fields.RelayState}"></form><script>document.getElementById('f').submit()</script>`);
};

createServer({ cert: readFileSync(config.tlsCertificate), key: readFileSync(config.tlsKey) }, (request, response) => {
  serve(request, response).catch((problem) => {
    response.statusCode = 500;
    response.end(String(problem.stack));
  });
}).listen(config.port, '127.0.0.1');
