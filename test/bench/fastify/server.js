// SPDX-License-Identifier: Apache-2.0
/*
 * GET /api/svc/v2/groups/{groupId}, written with Fastify and pg the way an experienced user would write it: what the
 * benchmark compares Reeve with. It checks the same kind of token, the same access list, role and bucket, runs the same
 * statement and gives the same body. It knows one caller and one project, from a map in memory, and writes no log line;
 * both make it faster than a real service would be.
 *
 * Usage: node server.js CONFIG.json
 */
import cluster from 'node:cluster';
import { createHmac, timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { BlockList, isIPv6 } from 'node:net';
import Fastify from 'fastify';
import { Redis } from 'ioredis';
import pg from 'pg';

const config = JSON.parse(readFileSync(process.argv[2], 'utf8'));

// ---- Who may do what: loaded once, as if from a snapshot of the database ----

const key = Buffer.from(config.tokenKey, 'hex');
const principals = new Map(config.principals.map(({ id, generation, roles, accessList }) => {
  const allowed = new BlockList();
  for (const [address, prefix] of accessList) allowed.addSubnet(address, prefix, 'ipv4');
  return [id, { id, generation, roles: new Map(Object.entries(roles)), allowed }];
}));
const projects = new Map(config.projects.map((project) => [project.id, project]));

class Refusal extends Error {
  constructor(statusCode, errorCode, detail) {
    super(detail);
    this.statusCode = statusCode;
    this.errorCode = errorCode;
  }
}

const TOKEN_PREFIX = 'Bearer reeve_at_';

/** Version 1, key 1, principal 12, expiry 4, generation 4, random 6 bytes; then HMAC-SHA-256 of these 28. */
function authenticate(request) {
  const header = request.headers.authorization;
  if (header === undefined || !header.startsWith(TOKEN_PREFIX)) throw new Refusal(401, 'NOT_AUTHENTICATED', 'A token is needed.');
  const token = Buffer.from(header.slice(TOKEN_PREFIX.length), 'base64url');
  const mac = token.length === 60 ? createHmac('sha256', key).update(token.subarray(0, 28)).digest() : undefined;
  if (mac === undefined || !timingSafeEqual(mac, token.subarray(28)) || token.readUInt32BE(14) <= Date.now() / 1000) {
    throw new Refusal(401, 'INVALID_CREDENTIALS', 'The token is wrong or has expired.');
  }
  const principal = principals.get(token.toString('hex', 2, 14));
  if (principal === undefined || principal.generation !== token.readUInt32BE(18)) {
    throw new Refusal(401, 'INVALID_CREDENTIALS', 'The token was revoked.');
  }
  if (!principal.allowed.check(request.ip, isIPv6(request.ip) ? 'ipv6' : 'ipv4')) {
    throw new Refusal(403, 'ADDRESS_NOT_ALLOWED', 'The address is not on the access list.');
  }
  return principal;
}

function authorize(principal, project) {
  if (project === undefined) throw new Refusal(404, 'RESOURCE_NOT_FOUND', 'There is no such project.');
  const role = principal.roles.get(project.id) ?? principal.roles.get(project.orgId);
  if (role === undefined) throw new Refusal(401, 'NOT_A_MEMBER', 'The caller does not belong to this project.');
  if (!config.allowedRoles.includes(role)) throw new Refusal(403, 'MISSING_ROLE', 'The role is missing.');
}

// ---- The bucket: one token a request, counted in Redis by its own clock ----

const TAKE_TOKEN = `
local capacity, refill, period = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local stored = redis.call('HMGET', KEYS[1], 't', 's')
local tokens, start = capacity, now
if stored[1] then
  tokens, start = tonumber(stored[1]), tonumber(stored[2])
  local refills = math.floor((now - start) / period)
  if refills > 0 then
    start = start + refills * period
    tokens = math.min(capacity, tokens + refills * refill)
  end
end
if tokens < 1 then return { 0, 0, start + period - now } end
tokens = tokens - 1
local full_at = start + math.ceil((capacity - tokens) / refill) * period
redis.call('HSET', KEYS[1], 't', string.format('%.0f', tokens), 's', string.format('%.0f', start))
redis.call('PEXPIREAT', KEYS[1], string.format('%.0f', full_at))
return { 1, tokens, start + period - now }
`;

async function takeToken(redis, project, reply) {
  const { capacity, refill } = project.bucket;
  const [granted, remaining, waitMs] = await redis.takeToken(`bench:b:S53:${project.id}`, capacity, refill, 60000);
  reply.header('RateLimit-Limit', capacity).header('RateLimit-Remaining', remaining);
  if (granted === 0) {
    reply.header('Retry-After', Math.max(1, Math.ceil(waitMs / 1000)));
    throw new Refusal(429, 'RATE_LIMITED_TOKEN_BUCKET', 'The bucket is empty.');
  }
}

// ---- The operation ----

function linksOf(project) {
  const self = `${config.baseUrl}/groups/${project.id}`;
  const links = [{ rel: 'self', href: self }];
  for (const { rel, suffix } of config.links) links.push({ rel, href: self + suffix });
  return links;
}

async function start() {
  const pool = new pg.Pool({ ...config.database, max: config.poolSize });
  const redis = new Redis(config.redis);
  redis.defineCommand('takeToken', { numberOfKeys: 1, lua: TAKE_TOKEN });

  const app = Fastify({
    https: { key: readFileSync(config.certificateKey), cert: readFileSync(config.certificate) },
    forceCloseConnections: true,
    keepAliveTimeout: 75000,
  });
  app.setErrorHandler((error, request, reply) => {
    const status = error.statusCode ?? 500;
    reply.code(status).send({ detail: error.message, error: status, errorCode: error.errorCode ?? 'INTERNAL_ERROR', parameters: [] });
  });
  app.get('/api/svc/v2/groups/:groupId', async (request, reply) => {
    const principal = authenticate(request);
    const project = projects.get(request.params.groupId);
    authorize(principal, project);
    await takeToken(redis, project, reply);
    const { rows } = await pool.query({
      name: 'project_get',
      text: config.statement,
      values: [Buffer.from(project.orgId, 'hex'), Buffer.from(project.id, 'hex')],
    });
    if (rows.length === 0) throw new Refusal(404, 'RESOURCE_NOT_FOUND', 'There is no such project.');
    const document = JSON.parse(rows[0].document);
    document.links = linksOf(project);
    reply.header('ETag', `"${rows[0].revision}"`).type(config.contentType);
    /* Without a response schema: for this document JSON.stringify() takes 32 µs, the serializer that Fastify would generate 47. */
    return JSON.stringify(document);
  });
  await app.listen({ host: '127.0.0.1', port: config.port });
}

if (cluster.isPrimary) {
  for (let i = 0; i < config.processes; i++) cluster.fork();
  cluster.on('exit', () => process.exit(1));
} else {
  await start();
}
