// SPDX-License-Identifier: Apache-2.0
// Prints private JWKs: node keys.js KID:RSA KID:EC …
import { generateKeyPairSync } from 'node:crypto';

const keys = process.argv.slice(2).map((argument) => {
  const [kid, kind] = argument.split(':');
  const { privateKey } = kind === 'RSA' ? generateKeyPairSync('rsa', { modulusLength: 2048 }) : generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return { ...privateKey.export({ format: 'jwk' }), kid, use: 'sig', alg: kind === 'RSA' ? 'RS256' : 'ES256' };
});
console.log(JSON.stringify(keys));
