/** An upload in parts. The store shows the object when the upload is complete; a failed upload is aborted. */
import { createHash } from 'node:crypto';
import { StorageError } from '../error.ts';
import type { Sent } from './checksum.ts';
import { TransientError } from './failure.ts';
import { withoutQuotes } from './inspect.ts';
import { objectBytesMax, partBytes } from './limits.ts';
import type { Part, PartReader } from './parts.ts';
import { briefAttemptsMax, type Publication } from './publication.ts';
import type { Requests } from './requests.ts';
import { escapeXml, parseXml, textOf } from './xml.ts';

interface MultipartOptions {
  readonly signal: AbortSignal | undefined;
  readonly onProgress: ((bytes: number) => void) | undefined;
}

/** A buffer, and the sending of the part that is in it. */
interface Slot {
  buffer: Buffer;
  sending: Promise<void>;
}

export class MultipartUpload {
  readonly #requests: Requests;
  readonly #publication: Publication;
  readonly #reader: PartReader;
  readonly #options: MultipartOptions;
  readonly #etags: string[] = [];
  readonly #md5s: Buffer[] = [];
  readonly #sha256s: Buffer[] = [];
  readonly #slots: Slot[] = [];
  /** Ends the sending of parts when the upload has failed. */
  readonly #failed = new AbortController();
  #acceptedBytes = 0;

  constructor(requests: Requests, publication: Publication, reader: PartReader, options: MultipartOptions) {
    this.#requests = requests;
    this.#publication = publication;
    this.#reader = reader;
    this.#options = options;
  }

  /** The first part was read to know that there are more. */
  async run(first: Part, buffer: Buffer): Promise<Sent> {
    const uploadId = await this.#create();
    const onAbort = () => this.#failed.abort();
    this.#options.signal?.addEventListener('abort', onAbort, { once: true });
    try {
      await this.#sendAll(uploadId, first, buffer);
      const sent: Sent = {
        sizeBytes: this.#reader.sizeBytes,
        sha256: this.#reader.sha256(),
        md5s: this.#md5s,
        sha256s: this.#sha256s,
        isMultipart: true,
      };
      await this.#complete(uploadId, sent);
      return sent;
    } catch (error) {
      this.#failed.abort();
      // A part that arrives after the upload was aborted could stay in the store.
      await Promise.allSettled(this.#slots.map(({ sending }) => sending));
      await this.#abort(uploadId);
      throw error;
    } finally {
      this.#options.signal?.removeEventListener('abort', onAbort);
    }
  }

  #create(): Promise<string> {
    const request = { method: 'POST', key: this.#publication.key, query: { uploads: '' } } as const;
    return this.#requests.run(
      {
        ...request,
        headers: this.#publication.metadata,
        action: 's3:PutObject',
        signal: this.#options.signal,
      },
      async (reply) => {
        if (reply.isRefused) throw reply.error;
        const uploadId = textOf(parseXml(await reply.answer.text()), 'UploadId');
        if (uploadId !== '') return uploadId;
        throw new TransientError('Unavailable', `${this.#requests.address.label}: the store named no upload`);
      },
    );
  }

  async #sendAll(uploadId: string, first: Part, firstBuffer: Buffer): Promise<void> {
    const { limits } = this.#requests;
    let part = first;
    let slot: Slot = { buffer: firstBuffer, sending: Promise.resolve() };
    for (let number = 1; ; number++) {
      this.#md5s.push(part.md5);
      this.#sha256s.push(part.sha256);
      slot.sending = this.#send(uploadId, number, part);
      // It is awaited later; until then a failure must not count as unhandled.
      slot.sending.catch(() => {});
      if (!this.#slots.includes(slot)) this.#slots.push(slot);
      if (part.isLast) break;
      if (number >= limits.partsMax) throw this.#tooLarge();
      slot = await this.#freeSlot(number + 1);
      part = await this.#reader.read(slot.buffer);
    }
    await Promise.all(this.#slots.map(({ sending }) => sending));
  }

  /** Buffers are used in turns, so this one held the oldest part. */
  async #freeSlot(number: number): Promise<Slot> {
    const { limits } = this.#requests;
    const sizeBytes = partBytes(number, limits);
    const slot = this.#slots[(number - 1) % limits.partsInMemoryMax];
    if (!slot) return { buffer: Buffer.allocUnsafeSlow(sizeBytes), sending: Promise.resolve() };
    await slot.sending;
    if (slot.buffer.byteLength !== sizeBytes) slot.buffer = Buffer.allocUnsafeSlow(sizeBytes);
    return slot;
  }

  #send(uploadId: string, number: number, { bytes, sha256 }: Part): Promise<void> {
    return this.#requests.run(
      {
        method: 'PUT',
        key: this.#publication.key,
        query: { partNumber: String(number), uploadId },
        body: bytes,
        bodySha256: sha256.toString('hex'),
        action: 's3:PutObject',
        signal: this.#failed.signal,
      },
      async (reply) => {
        if (reply.isRefused) throw reply.error;
        const etag = reply.answer.header('etag');
        await reply.answer.text();
        if (etag === '') throw new StorageError('Other', `${this.#requests.address.label}: a part got no ETag`);
        this.#etags[number - 1] = withoutQuotes(etag);
        this.#acceptedBytes += bytes.byteLength;
        this.#options.onProgress?.(this.#acceptedBytes);
      },
    );
  }

  #complete(uploadId: string, sent: Sent): Promise<void> {
    const parts = this.#etags.map(
      (etag, index) => `<Part><PartNumber>${index + 1}</PartNumber><ETag>"${escapeXml(etag)}"</ETag></Part>`,
    );
    const xmlns = 'http://s3.amazonaws.com/doc/2006-03-01/';
    const body = Buffer.from(`<CompleteMultipartUpload xmlns="${xmlns}">${parts.join('')}</CompleteMultipartUpload>`);
    return this.#publication.publish(
      {
        method: 'POST',
        query: { uploadId },
        headers: { 'content-type': 'application/xml' },
        body,
        bodySha256: createHash('sha256').update(body).digest('hex'),
        action: 's3:PutObject',
        idleMsMax: this.#requests.limits.completeIdleMsMax,
      },
      sent,
    );
  }

  /** What cannot be aborted is invisible, and is removed by a rule of the bucket for incomplete uploads. */
  async #abort(uploadId: string): Promise<void> {
    const request = { method: 'DELETE', key: this.#publication.key, query: { uploadId } } as const;
    try {
      await this.#requests.run(
        { ...request, action: 's3:AbortMultipartUpload', signal: undefined },
        (reply) => (reply.isRefused ? '' : reply.answer.text()),
        { attemptsMax: briefAttemptsMax },
      );
    } catch {
      // The error of the upload is the one that matters.
    }
  }

  #tooLarge(): StorageError {
    const { limits } = this.#requests;
    const gibibytes = Math.floor(objectBytesMax(limits) / 1024 ** 3);
    return new StorageError('Other', `${this.#publication.key} is over ${gibibytes} GiB, the most that is uploaded`);
  }
}
