/** What a store knows about an object. */
import { timeMsOf } from '@ecsm/runtime';
import { StorageError } from '../error.ts';
import type { Answer } from './connections.ts';
import { TransientError } from './failure.ts';
import type { Requests } from './requests.ts';

/** Metadata of an object: the put that stored it. So a put recognizes its own object after an answer was lost. */
export const putIdHeader = 'x-amz-meta-etcd-operator-put';

export interface Facts {
  readonly sizeBytes: number;
  readonly modifiedAtMs: number;
  /** Without quotes. */
  readonly etag: string;
  /** In base64, with a suffix `-N` for a checksum of N checksums of parts. Empty unless the store has it. */
  readonly sha256: string;
  /** The ETag of such an object is not derived from its bytes. */
  readonly isEtagOpaque: boolean;
  /** Empty if the object has none. */
  readonly putId: string;
}

/** Returns undefined if there is none. The store answers 404 also for a bucket that does not exist: see `why`. */
export function inspect(
  requests: Requests,
  key: string,
  signal: AbortSignal | undefined,
  attemptsMax?: number,
): Promise<Facts | undefined> {
  return requests.run<Facts | undefined>(
    { method: 'HEAD', key, action: 's3:GetObject', signal },
    async (reply) => {
      if (!reply.isRefused) {
        await reply.answer.text();
        return factsOf(reply.answer);
      }
      if (reply.refusal.status === 404) return undefined;
      const reason = reply.refusal.code === '' ? await why(requests, key, signal) : reply.error;
      if (reason?.code === 'NotFound') return undefined;
      // It is not refused any more.
      throw reason ?? new TransientError('Unavailable', reply.error.message);
    },
    attemptsMax === undefined ? {} : { attemptsMax },
  );
}

/**
 * The answer to HEAD has no body, so it does not name the reason of a refusal. The answer to GET does. Returns undefined if
 * GET is not refused.
 */
export async function why(
  requests: Requests,
  key: string,
  signal: AbortSignal | undefined,
): Promise<StorageError | undefined> {
  const reason = await requests.run<StorageError | undefined>(
    { method: 'GET', key, headers: { range: 'bytes=0-0' }, action: 's3:GetObject', signal },
    (reply) => {
      if (reply.isRefused) return reply.error;
      reply.answer.discard();
      return undefined;
    },
  );
  if (reason?.code !== 'Denied' || !reason.message.includes('AccessDenied')) return reason;
  return new StorageError(
    'Denied',
    `${reason.message}; "s3:ListBucket" is needed too: without it, a missing object looks like a forbidden one`,
  );
}

export function factsOf(answer: Answer): Facts {
  const size = answer.header('content-length');
  const encryption = answer.header('x-amz-server-side-encryption');
  return {
    sizeBytes: /^\d+$/.test(size) ? Number(size) : Number.NaN,
    modifiedAtMs: httpTimeMs(answer.header('last-modified')) ?? 0,
    etag: withoutQuotes(answer.header('etag')),
    sha256: answer.header('x-amz-checksum-sha256'),
    isEtagOpaque:
      encryption.startsWith('aws:kms') || answer.header('x-amz-server-side-encryption-customer-algorithm') !== '',
    putId: answer.header(putIdHeader),
  };
}

export function withoutQuotes(etag: string): string {
  return etag.replace(/^(?:W\/)?"?|"$/g, '');
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** Of `Wed, 21 Oct 2015 07:28:00 GMT`. Returns undefined for other formats. */
function httpTimeMs(text: string): number | undefined {
  const [, day, name, year, time] = /^\w{3}, (\d\d) (\w{3}) (\d{4}) (\d\d:\d\d:\d\d) GMT$/.exec(text) ?? [];
  const month = months.indexOf(name ?? '') + 1;
  if (month === 0) return undefined;
  return timeMsOf(`${year}-${String(month).padStart(2, '0')}-${day}T${time}Z`);
}
