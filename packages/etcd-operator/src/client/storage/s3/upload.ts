/**
 * Puts a stream under a new key: small ones in one request, others in parts.
 *
 *   exists? ──▶ one part ──▶ PUT ──────────────────────────────┐
 *          └──▶ more ──▶ create ──▶ parts … ──▶ complete ──────┴──▶ look at the object, compare ──▶ stored
 *                            └── any failure: abort
 */
import type { PutOptions } from '../contract.ts';
import { StorageError } from '../error.ts';
import { type Comparison, compare, type Sent } from './checksum.ts';
import { type Facts, inspect } from './inspect.ts';
import { partBytes } from './limits.ts';
import { MultipartUpload } from './multipart.ts';
import { type Part, PartReader } from './parts.ts';
import { briefAttemptsMax, type Publication } from './publication.ts';
import type { Requests } from './requests.ts';

interface Uploaded {
  readonly facts: Facts;
  readonly sha256: string;
}

/** `readBack` returns the checksum of the object as the store returns it, in hexadecimal. */
export async function upload(
  requests: Requests,
  publication: Publication,
  body: AsyncIterable<Uint8Array>,
  readBack: () => Promise<string>,
  options: PutOptions,
): Promise<Uploaded> {
  const { signal, onProgress } = options;
  await publication.refuseExisting();
  const reader = new PartReader(body, requests.address.label, options);
  let sent: Sent;
  try {
    const buffer = Buffer.allocUnsafeSlow(partBytes(1, requests.limits));
    const first = await reader.read(buffer);
    sent = first.isLast
      ? await putWhole(publication, first, reader)
      : await new MultipartUpload(requests, publication, reader, { signal, onProgress }).run(first, buffer);
  } finally {
    await reader.close();
  }
  const facts = await verified(requests, publication, sent, readBack, signal);
  // The parts were reported as they were accepted.
  if (!sent.isMultipart) onProgress?.(sent.sizeBytes);
  return { facts, sha256: sent.sha256 };
}

async function putWhole(publication: Publication, part: Part, reader: PartReader): Promise<Sent> {
  const sent: Sent = {
    sizeBytes: part.bytes.byteLength,
    sha256: reader.sha256(),
    md5s: [part.md5],
    sha256s: [part.sha256],
    isMultipart: false,
  };
  await publication.publish(
    {
      method: 'PUT',
      headers: publication.metadata,
      body: part.bytes,
      bodySha256: sent.sha256,
      action: 's3:PutObject',
    },
    sent,
  );
  return sent;
}

async function verified(
  requests: Requests,
  publication: Publication,
  sent: Sent,
  readBack: () => Promise<string>,
  signal: AbortSignal | undefined,
): Promise<Facts> {
  const { label } = requests.address;
  const { key } = publication;
  const facts = await inspect(requests, key, signal);
  if (!facts) {
    throw new StorageError('Unavailable', `${label}: ${key} was stored, but cannot be found: try again later`);
  }
  let comparison: Comparison = compare(facts, sent);
  // The ETag of some stores looks like an MD5 and is none: only the bytes tell.
  if (comparison === 'different' && facts.sizeBytes === sent.sizeBytes) {
    comparison = (await readBack()) === sent.sha256 ? 'equal' : 'different';
  }
  if (comparison !== 'different') return facts;
  const removal = await remove(requests, key);
  throw new StorageError(
    'Corrupt',
    `${label}: ${key} differs from what was sent (${facts.sizeBytes} bytes, sent ${sent.sizeBytes}); ${removal}`,
  );
}

async function remove(requests: Requests, key: string): Promise<string> {
  try {
    await requests.run(
      { method: 'DELETE', key, action: 's3:DeleteObject', signal: undefined },
      (reply) => {
        if (reply.isRefused) throw reply.error;
        return reply.answer.text();
      },
      { attemptsMax: briefAttemptsMax },
    );
    return 'it was deleted';
  } catch (error) {
    return `it could not be deleted (${error instanceof Error ? error.message : error}): delete it`;
  }
}
