/**
 * A small S3 server in this process whose answers a test can replace: for answers that real servers give seldom. It keeps
 * objects in memory and checks no signature.
 */
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { type Clock, systemRandom } from '@ecsm/runtime';
import { fasterClock } from '@ecsm/runtime/testing';
import type { ReadS3Credentials, S3Credentials, S3Destination } from '../contract.ts';
import { type S3Limits, s3LimitsDefault } from './limits.ts';
import { S3Storage } from './storage.ts';
import { escapeXml } from './xml.ts';

interface Call {
  readonly method: string;
  /** Without the bucket. */
  readonly key: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
  /** `PUT`, `PART`, `CREATE`, `COMPLETE`, `ABORT`, `HEAD`, `GET`, `LIST` or `DELETE`. */
  readonly operation: string;
  /** Of this operation, from 1. */
  readonly count: number;
}

/** Returns true if it has answered, or will. `serve` does what the server would do, without an answer of its own. */
export type Script = (call: Call, response: ServerResponse, serve: (response?: ServerResponse) => void) => boolean;

interface Stored {
  readonly bytes: Buffer;
  readonly etag: string;
  readonly headers: Readonly<Record<string, string>>;
}

const testLimits: S3Limits = {
  ...s3LimitsDefault,
  partBytes: 1_000,
  latePartBytes: 2_000,
  backoffMsMin: 1,
  backoffMsMax: 5,
};

export const secrets: S3Credentials = {
  accessKeyId: 'the-key-id',
  secretAccessKey: 'the-secret-key',
  sessionToken: 'the-session-token',
};

export class ScriptedS3 {
  readonly calls: Call[] = [];
  readonly objects = new Map<string, Stored>();
  readonly uploads = new Map<
    string,
    { readonly parts: Map<number, Buffer>; readonly headers: Record<string, string> }
  >();
  script: Script = () => false;
  readonly #sockets = new Set<Socket>();
  readonly #server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => this.#receive(request, Buffer.concat(chunks), response));
  });

  static async start(script?: Script): Promise<ScriptedS3> {
    const server = new ScriptedS3();
    if (script) server.script = script;
    server.#server.on('connection', (socket: Socket) => {
      server.#sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => server.#sockets.delete(socket));
    });
    await new Promise<void>((resolve) => server.#server.listen(0, '127.0.0.1', resolve));
    return server;
  }

  get destination(): S3Destination {
    const { port } = this.#server.address() as AddressInfo;
    return { type: 'S3', bucket: 'backups', endpoint: `http://127.0.0.1:${port}` };
  }

  /** Time passes faster, so that a test of a timeout is short. */
  open(limits: Partial<S3Limits> = {}, credentials: S3Credentials | ReadS3Credentials = secrets, clock?: Clock) {
    const options = { clock: clock ?? fasterClock(100), random: systemRandom, credentials };
    return new S3Storage(this.destination, options, { ...testLimits, ...limits });
  }

  operations(): string {
    return this.calls.map(({ operation }) => operation).join(' ');
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #receive(request: IncomingMessage, body: Buffer, response: ServerResponse): void {
    const url = new URL(request.url ?? '', 'http://host');
    const query = Object.fromEntries(url.searchParams);
    const method = request.method ?? '';
    const key = decodeURIComponent(url.pathname.slice('/backups/'.length));
    const operation = operationOf(method, key, query);
    const count = this.calls.filter((call) => call.operation === operation).length + 1;
    const call = { method, key, query, headers: request.headers, body, operation, count };
    this.calls.push(call);
    const serve = (to?: ServerResponse) => this.#serve(call, to);
    if (!this.script(call, response, serve)) serve(response);
  }

  #serve({ operation, key, query, headers, body }: Call, response: ServerResponse | undefined): void {
    const uploadId = query['uploadId'] ?? '';
    const found = this.objects.get(key);
    const isTaken = headers['if-none-match'] === '*' && found !== undefined;
    const metadata = Object.fromEntries(
      Object.entries(headers).flatMap(([name, value]) =>
        name.startsWith('x-amz-meta-') && typeof value === 'string' ? [[name, value]] : [],
      ),
    );
    switch (operation) {
      case 'PUT':
      case 'COMPLETE': {
        if (isTaken) {
          refuse(response, 412, 'PreconditionFailed');
          return;
        }
        const upload = this.uploads.get(uploadId);
        if (operation === 'COMPLETE' && !upload) {
          refuse(response, 404, 'NoSuchUpload');
          return;
        }
        const parts = upload ? [...upload.parts].sort(([one], [other]) => one - other).map(([, part]) => part) : [body];
        const hashes = Buffer.concat(parts.map((part) => createHash('md5').update(part).digest()));
        const etag = upload ? `${md5(hashes)}-${parts.length}` : md5(body);
        this.objects.set(key, { bytes: Buffer.concat(parts), etag, headers: upload?.headers ?? metadata });
        this.uploads.delete(uploadId);
        const text = '<CompleteMultipartUploadResult></CompleteMultipartUploadResult>';
        response?.writeHead(200, { etag: `"${etag}"` }).end(upload ? text : '');
        return;
      }
      case 'CREATE': {
        const id = `upload-${this.calls.length}`;
        this.uploads.set(id, { parts: new Map(), headers: metadata });
        response?.end(`<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`);
        return;
      }
      case 'PART':
        this.uploads.get(uploadId)?.parts.set(Number(query['partNumber']), body);
        response?.writeHead(200, { etag: `"${md5(body)}"` }).end();
        return;
      case 'LIST': {
        const entries = [...this.objects].map(
          ([name, { bytes }]) => `<Contents><Key>${escapeXml(name)}</Key><Size>${bytes.byteLength}</Size></Contents>`,
        );
        response?.end(`<ListBucketResult><IsTruncated>false</IsTruncated>${entries.join('')}</ListBucketResult>`);
        return;
      }
      case 'HEAD':
      case 'GET': {
        if (!found) {
          refuse(response, 404, 'NoSuchKey');
          return;
        }
        const { bytes, etag, headers: stored } = found;
        if ((headers['if-match'] ?? `"${etag}"`) !== `"${etag}"`) {
          refuse(response, 412, 'PreconditionFailed');
          return;
        }
        const from = Number(/^bytes=(\d+)-/.exec(headers.range ?? '')?.[1] ?? 0);
        const part = bytes.subarray(from);
        response?.writeHead(headers.range === undefined ? 200 : 206, {
          ...stored,
          'last-modified': 'Fri, 02 Jan 2026 03:04:05 GMT',
          etag: `"${etag}"`,
          'content-length': part.byteLength,
          ...(headers.range === undefined
            ? {}
            : { 'content-range': `bytes ${from}-${bytes.byteLength - 1}/${bytes.byteLength}` }),
        });
        response?.end(operation === 'GET' ? part : undefined);
        return;
      }
      default:
        if (operation === 'ABORT') this.uploads.delete(uploadId);
        else this.objects.delete(key);
        response?.writeHead(204).end();
    }
  }
}

export function refuse(
  response: ServerResponse | undefined,
  status: number,
  code: string,
  more: { readonly message?: string; readonly headers?: Readonly<Record<string, string>>; readonly xml?: string } = {},
): void {
  const { message = 'as the script says', headers = {}, xml = '' } = more;
  response?.writeHead(status, { 'content-type': 'application/xml', ...headers });
  response?.end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>${message}</Message>${xml}</Error>`);
}

function operationOf(method: string, key: string, query: Readonly<Record<string, string>>): string {
  if (query['uploadId'] !== undefined) return { PUT: 'PART', POST: 'COMPLETE', DELETE: 'ABORT' }[method] ?? method;
  if (method === 'POST') return 'CREATE';
  return method === 'GET' && key === '' ? 'LIST' : method;
}

function md5(bytes: Uint8Array): string {
  return createHash('md5').update(bytes).digest('hex');
}
