/**
 * Runs the jobs of the etcd agent once, so that its code cache has what they compile: a backup of a member with one key, which
 * is served here, and what a restore does with it.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http2';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { methods } from '../packages/etcd-operator/dist/client/etcd/grpc/messages.js';
import { encodeMessage } from '../packages/etcd-operator/dist/client/etcd/grpc/protobuf.js';

const pageBytes = 4096;
const pages = { root: 2, keys: 3, count: 4 };
const types = { leaf: 2, meta: 4 };

/** Writes each job's code into the cache, beside that of the jobs before it. */
export async function warmUpAgent(launcher) {
  const directory = mkdtempSync(join(tmpdir(), 'ecsm-warm-up-'));
  const member = serveMember();
  await once(member.listen(0, '127.0.0.1'), 'listening');
  try {
    const endpoint = { host: 'localhost', address: '127.0.0.1', port: member.address().port };
    for (const job of jobs(directory, endpoint)) {
      const env = { ...process.env, ...variables(directory, job), ECSM_WRITE_CODE_CACHE: '1' };
      const child = spawn(process.execPath, [launcher, job.do, '--progress-port', '0'], { env, stdio: 'ignore' });
      const [code] = await once(child, 'exit');
      if (code !== 0) throw new Error(`etcd-agent ${job.do}: ${readFileSync(join(directory, 'result'), 'utf8')}`);
    }
  } finally {
    member.close();
    rmSync(directory, { recursive: true, force: true });
  }
}

function variables(directory, job) {
  return { AGENT_JOB: JSON.stringify(job), AGENT_RESULT_FILE: join(directory, 'result'), AGENT_HOST: '127.0.0.1' };
}

function jobs(directory, endpoint) {
  const destination = { type: 'Volume', directory };
  const source = { namespace: 'a', cluster: 'b', clusterUid: 'c', clusterId: '', backup: 'd', backupUid: 'e' };
  const common = { destination, isEncrypted: false, compression: 'none', scratch: directory };
  const key = 'a/b/c.manifest.json';
  const fetch = { do: 'fetch', ...common, key, etcdVersion: '3.5.0', into: join(directory, 'f'), freeFactor: 1 };
  const databaseSha256 = snapshot().subarray(-32).toString('hex');
  return [
    { do: 'backup', ...common, endpoints: [endpoint], tls: false, keyBase: 'a/b/c', source },
    { ...fetch, mayLink: true },
    { ...fetch, mayLink: true, databaseSha256 },
    { do: 'prune', destination, keys: ['a/b/c'] },
  ];
}

function serveMember() {
  const status = { header: { cluster_id: '1', member_id: '1', revision: '1' }, version: '3.5.0', leader: '1' };
  const blob = (bytes) => encodeMessage({ blob: bytes.toString('base64') }, { blob: [3, 'bytes'] });
  const answers = {
    '/etcdserverpb.Maintenance/Status': [encodeMessage(status, methods['/v3/maintenance/status'].response)],
    '/etcdserverpb.Maintenance/Snapshot': [blob(snapshot().subarray(0, -32)), blob(snapshot().subarray(-32))],
  };
  return createServer().on('stream', (stream, { ':path': path }) => {
    const answer = answers[path];
    stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': answer ? '0' : '12' }));
    stream.end(Buffer.concat((answer ?? []).flatMap((message) => [prefixOf(message), message])));
  });
}

function prefixOf(message) {
  const prefix = Buffer.alloc(5);
  prefix.writeUInt32BE(message.byteLength, 1);
  return prefix;
}

/** The smallest database of etcd: the bucket `key` with one record. */
function snapshot() {
  const revision = Buffer.from('0000000000000001_0000000000000000'.replace('_', '5f'), 'hex');
  const record = encodeMessage(
    { key: 'YQ==', revision: '1', version: '1' },
    { key: [1, 'bytes'], revision: [3, 'int64'], version: [4, 'int64'] },
  );
  const bucket = Buffer.alloc(16);
  bucket.writeUInt32LE(pages.keys);
  const database = Buffer.concat([
    page(0, types.meta, meta(1)),
    page(1, types.meta, meta(2)),
    page(pages.root, types.leaf, leaf(1, Buffer.from('key'), bucket)),
    page(pages.keys, types.leaf, leaf(0, revision, record)),
  ]);
  return Buffer.concat([database, createHash('sha256').update(database).digest()]);
}

function page(id, type, content) {
  const bytes = Buffer.alloc(pageBytes);
  bytes.writeUInt32LE(id);
  bytes.writeUInt16LE(type, 8);
  bytes.writeUInt16LE(1, 10);
  content.copy(bytes, 16);
  return bytes;
}

function meta(transaction) {
  const bytes = Buffer.alloc(64);
  for (const [at, value] of [0xed0cdaed, 2, pageBytes].entries()) bytes.writeUInt32LE(value, 4 * at);
  bytes.writeUInt32LE(pages.root, 16);
  bytes.writeUInt32LE(pages.count, 40);
  bytes.writeUInt32LE(transaction, 48);
  let hash = 0xcbf29ce484222325n;
  for (const byte of bytes.subarray(0, 56)) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  bytes.writeBigUInt64LE(hash, 56);
  return bytes;
}

/** With one element. */
function leaf(flags, key, value) {
  const element = Buffer.alloc(16);
  for (const [at, field] of [flags, 16, key.byteLength, value.byteLength].entries()) {
    element.writeUInt32LE(field, 4 * at);
  }
  return Buffer.concat([element, key, value]);
}
