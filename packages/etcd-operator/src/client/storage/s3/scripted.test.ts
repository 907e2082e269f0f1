/** Answers that a real store gives seldom: failures, cut connections, lost answers, refusals. Method: a scripted server. */
import { sleep, systemClock } from '@ecsm/runtime';
import { afterEach, describe, expect, it } from 'vitest';
import type { S3Credentials } from '../contract.ts';
import { chunked, collect, keysOf, messageOf, outcome, pattern } from '../suite.kit.ts';
import { refuse, type Script, ScriptedS3, secrets } from './scripted.kit.ts';
import type { S3Storage } from './storage.ts';

let server: ScriptedS3;
const start = async (script?: Script) => {
  server = await ScriptedS3.start(script);
  return server;
};
afterEach(() => server.close());

const small = () => chunked('content');
const bytes = pattern(3_500);
const large = () => chunked(bytes, 300);

describe('a failure that may pass', () => {
  it.each([
    [500, 'InternalError'],
    [503, 'SlowDown'],
    [429, 'TooManyRequests'],
    [400, 'RequestTimeout'],
    [400, 'BadDigest'],
    [502, ''],
  ])('with status %i %s is repeated, for every operation', async (status, code) => {
    await start(({ count }, response) => {
      if (count > 1) return false;
      refuse(response, status, code);
      return true;
    });
    const client = server.open();
    expect(await client.put('one.db', large())).toMatchObject({ sizeBytes: 3_500 });
    expect(await keysOf(client)).toEqual(['one.db']);
    expect((await collect((await client.get('one.db')).body)).equals(bytes)).toBe(true);
    await client.delete('one.db');
    expect(server.objects.size).toBe(0);
    expect(server.uploads.size).toBe(0);
    client.close();
  });

  it('is given up after the limit of attempts, and the upload is aborted', async () => {
    await start(({ operation }, response) => {
      if (operation !== 'PART') return false;
      refuse(response, 503, 'SlowDown');
      return true;
    });
    const client = server.open({ attemptsMax: 3 });
    expect(await outcome(client.put('one.db', large()))).toBe('Unavailable');
    expect(server.calls.filter(({ query }) => query['partNumber'] === '1')).toHaveLength(3);
    expect(server.operations()).toMatch(/ABORT$/);
    expect([server.uploads.size, server.objects.size]).toEqual([0, 0]);
    client.close();
  });

  it('of the connection is repeated, also in the middle of an answer', async () => {
    await start(({ count, operation }, response) => {
      if (count > 1) return false;
      if (operation === 'LIST') {
        response.writeHead(200, { 'content-length': 1_000 }).write('<ListBucketResult>');
        setImmediate(() => response.destroy());
      } else response.destroy();
      return true;
    });
    const client = server.open();
    await client.put('one.db', large());
    expect(await keysOf(client)).toEqual(['one.db']);
    client.close();
  });

  it('is a store that does not answer in time', async () => {
    await start(({ count, operation }) => operation === 'HEAD' && count <= 2);
    const client = server.open({ idleMsMax: 2_000, attemptsMax: 2 });
    expect(await outcome(client.head('one.db'))).toBe('Timeout');
    expect(await outcome(client.head('one.db'))).toBe('ok');
    client.close();
  });

  it('is not a list that never ends, or a page of another server', async () => {
    const page = '<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>x</NextContinuationToken>';
    await start(({ operation, count }, response) => {
      if (operation === 'LIST' && count <= 2) response.end(`${page}</ListBucketResult>`);
      else response.writeHead(operation === 'LIST' ? 200 : 404).end('<html></html>');
      return true;
    });
    const client = server.open();
    expect(await messageOf(keysOf(client))).toContain('the list does not end');
    expect(await messageOf(keysOf(client))).toContain('check the endpoint');
    expect(await messageOf(client.get('one.db'))).toContain('is not the answer of an S3 store');
    client.close();
  });
});

describe('a lost answer', () => {
  it.each(['PUT', 'COMPLETE'])('to %s is looked up: the object is found, and not sent again', async (lost) => {
    await start(({ operation, count }, response, serve) => {
      if (operation !== lost || count > 1) return false;
      serve();
      response.destroy();
      return true;
    });
    const client = server.open();
    expect(await client.put('one.db', lost === 'PUT' ? small() : large())).toMatchObject({ key: 'one.db' });
    expect(server.calls.filter(({ operation }) => operation === lost)).toHaveLength(1);
    client.close();
  });

  it.each(['PUT', 'COMPLETE'])('to every %s is not an error if the object is there in the end', async (lost) => {
    await start(({ operation, count }, response, serve) => {
      if (operation !== lost) return false;
      if (count === 3) serve();
      response.destroy();
      return true;
    });
    const client = server.open({ attemptsMax: 3 });
    expect(await outcome(client.put('one.db', lost === 'PUT' ? small() : large()))).toBe('ok');
    client.close();
  });

  it.each(['PUT', 'COMPLETE'])('to %s that takes effect later does not make the repeated one fail', async (lost) => {
    let late = () => {};
    await start(({ operation, count }, response, serve) => {
      if (operation !== lost) return false;
      if (count === 1) {
        late = () => serve();
        response.destroy();
        return true;
      }
      // The first request arrives at last, just before the second.
      late();
      return false;
    });
    const client = server.open();
    expect(await outcome(client.put('one.db', lost === 'PUT' ? small() : large()))).toBe('ok');
    client.close();
  });

  it('is AlreadyExists if another writer was faster', async () => {
    await start(({ operation, count }, response) => {
      if (operation !== 'PUT' || count > 1) return false;
      const headers = { 'x-amz-meta-etcd-operator-put': 'another' };
      server.objects.set('one.db', { bytes: Buffer.from('content'), etag: 'x', headers });
      response.destroy();
      return true;
    });
    const client = server.open();
    expect(await outcome(client.put('one.db', small()))).toBe('AlreadyExists');
    client.close();
  });

  it('of a store without metadata is recognized by the bytes', async () => {
    await start(({ operation, count, body, key }, response) => {
      if (operation !== 'PUT' || count > 1) return false;
      server.objects.set(key, { bytes: body, etag: '9a0364b9e99bb480dd25e1f0284c8555', headers: {} });
      response.destroy();
      return true;
    });
    const client = server.open();
    expect(await outcome(client.put('one.db', small()))).toBe('ok');
    client.close();
  });
});

describe('a completion', () => {
  const answer =
    (code: string, times: number): Script =>
    ({ operation, count }, response) => {
      if (operation !== 'COMPLETE' || count > times) return false;
      response.writeHead(200).write(' ');
      response.end(`<Error><Code>${code}</Code><Message>later</Message></Error>`);
      return true;
    };

  it('that is a success with an error in its body is repeated', async () => {
    await start(answer('InternalError', 2));
    const client = server.open();
    expect(await outcome(client.put('one.db', large()))).toBe('ok');
    client.close();
  });

  it('that fails with an error in its body fails the put, and nothing is left', async () => {
    await start(answer('AccessDenied', 1));
    const client = server.open();
    expect(await outcome(client.put('one.db', large()))).toBe('Denied');
    expect([server.uploads.size, server.objects.size]).toEqual([0, 0]);
    client.close();
  });
});

describe('a store without conditional puts', () => {
  it.each([
    [501, 'NotImplemented', 'A header you provided implies functionality that is not implemented'],
    [400, 'InvalidArgument', 'Unsupported header If-None-Match'],
  ])('that answers %i %s is asked before instead', async (status, code, message) => {
    await start(({ headers }, response) => {
      if (headers['if-none-match'] === undefined) return false;
      refuse(response, status, code, { message });
      return true;
    });
    const client = server.open();
    expect(await outcome(client.put('one.db', large()))).toBe('ok');
    expect(await outcome(client.put('two.db', small()))).toBe('ok');
    expect(await outcome(client.put('two.db', small()))).toBe('AlreadyExists');
    expect(server.calls.filter(({ headers }) => headers['if-none-match'] !== undefined)).toHaveLength(1);
    client.close();
  });
});

describe('verification', () => {
  it.each(['small', 'large'])('refuses a %s object whose bytes differ, and deletes it', async (size) => {
    await start(({ operation, key }, _response, serve) => {
      const isLast = operation === 'PUT' || operation === 'COMPLETE';
      if (!isLast) return false;
      serve(_response);
      const stored = server.objects.get(key);
      if (stored) {
        const changed = Buffer.from(stored.bytes);
        changed[0] = (changed[0] ?? 0) ^ 1;
        const etag = stored.etag.replace(/^./, (digit) => (digit === '0' ? '1' : '0'));
        server.objects.set(key, { ...stored, bytes: changed, etag });
      }
      return true;
    });
    const client = server.open();
    const message = await messageOf(client.put('one.db', size === 'small' ? small() : large()));
    expect(message).toContain('differs from what was sent');
    expect(message).toContain('it was deleted');
    expect(server.objects.size).toBe(0);
    client.close();
  });

  it('refuses an object of another size', async () => {
    await start(({ operation, key, body }, response) => {
      if (operation !== 'PUT') return false;
      server.objects.set(key, { bytes: body.subarray(1), etag: 'opaque', headers: {} });
      response.end();
      return true;
    });
    const client = server.open();
    expect(await outcome(client.put('one.db', small()))).toBe('Corrupt');
    client.close();
  });

  it('accepts an ETag that is no checksum of the bytes, after reading them', async () => {
    await start(({ operation, key, body }, response) => {
      if (operation !== 'PUT') return false;
      server.objects.set(key, { bytes: body, etag: '0'.repeat(32), headers: {} });
      response.end();
      return true;
    });
    const client = server.open();
    expect(await outcome(client.put('one.db', small()))).toBe('ok');
    expect(server.operations()).toBe('HEAD PUT HEAD GET');
    client.close();
  });

  it('does not compare the ETag of an object that the store encrypts with a key of its own', async () => {
    await start(({ operation, key, body }, response) => {
      if (operation !== 'PUT') return false;
      const headers = { 'x-amz-server-side-encryption': 'aws:kms' };
      server.objects.set(key, { bytes: body, etag: '0'.repeat(32), headers });
      response.end();
      return true;
    });
    const client = server.open();
    expect(await outcome(client.put('one.db', small()))).toBe('ok');
    expect(server.operations()).toBe('HEAD PUT HEAD');
    client.close();
  });
});

describe('a get', () => {
  it('fails if the object ends early, or stands still', async () => {
    await start(({ operation, count }, response) => {
      if (operation !== 'GET') return false;
      // Once the half is sent: a connection that ends before the header is another request.
      response.writeHead(200, { 'content-length': 1_000 }).write('half', () => {
        if (count === 1) response.destroy();
      });
      return true;
    });
    const client = server.open({ idleMsMax: 2_000 });
    expect(await outcome(client.get('one.db').then(({ body }) => collect(body)))).toBe('Unavailable');
    expect(await outcome(client.get('one.db').then(({ body }) => collect(body)))).toBe('Timeout');
    client.close();
  });

  /** Each connection breaks after so many bytes, or later. */
  const cutting =
    (bytesMax: number, onCut: (count: number) => void = () => {}): Script =>
    ({ operation, count, headers }, response, serve) => {
      if (operation !== 'GET') return false;
      const end = response.end.bind(response);
      response.end = (content?: unknown) => {
        if (!(content instanceof Uint8Array) || content.byteLength <= bytesMax) return end(content);
        response.write(content.subarray(0, bytesMax), () => {
          onCut(count);
          response.destroy();
        });
        return response;
      };
      expect(headers['if-match']).toBe(count === 1 ? undefined : '"one"');
      serve(response);
      return true;
    };
  const read = async (client: S3Storage) => collect((await client.get('one.db')).body);

  it('continues where it was cut', async () => {
    await start(cutting(1_000));
    server.objects.set('one.db', { bytes, etag: 'one', headers: {} });
    const client = server.open();
    expect((await read(client)).equals(bytes)).toBe(true);
    expect(server.calls.map(({ headers }) => headers.range)).toEqual([
      undefined,
      'bytes=1000-',
      'bytes=2000-',
      'bytes=3000-',
    ]);
    client.close();
  });

  it('is not continued with another object', async () => {
    await start(cutting(1_000, () => server.objects.set('one.db', { bytes, etag: 'other', headers: {} })));
    server.objects.set('one.db', { bytes, etag: 'one', headers: {} });
    const client = server.open();
    expect(await messageOf(read(client))).toContain('was replaced while it was read');
    client.close();
  });

  it.each([
    ['206 of another object', 206, { etag: '"other"', 'content-range': 'bytes 1000-3499/3500' }, 'was replaced'],
    ['206 of other bytes', 206, { etag: '"one"', 'content-range': 'bytes 999-3498/3500' }, 'does not return parts'],
    ['200 with all bytes', 200, { etag: '"one"' }, 'does not return parts'],
  ])('is not continued by a store that answers %s', async (_, status, headers, problem) => {
    await start((call, response, serve) => {
      if (call.count === 1) return cutting(1_000)(call, response, serve);
      response.writeHead(status, headers).end(bytes.subarray(1_000));
      return true;
    });
    server.objects.set('one.db', { bytes, etag: 'one', headers: {} });
    const client = server.open();
    expect(await messageOf(read(client))).toContain(problem);
    client.close();
  });

  it('is continued a limited number of times', async () => {
    await start(cutting(100));
    server.objects.set('one.db', { bytes, etag: 'one', headers: {} });
    const client = server.open({ resumesMax: 2 });
    expect(await outcome(read(client))).toBe('Unavailable');
    expect(server.operations()).toBe('GET GET GET');
    client.close();
  });

  it('does not count the time that its reader needs', async () => {
    await start();
    server.objects.set('one.db', { bytes: Buffer.alloc(4_000_000), etag: 'x', headers: {} });
    const client = server.open({ idleMsMax: 3_000 });
    const { body } = await client.get('one.db');
    let readBytes = 0;
    for await (const chunk of body) {
      // Longer than the limit of the faster clock.
      if (readBytes === 0) await sleep(systemClock, 50);
      readBytes += chunk.byteLength;
    }
    expect(readBytes).toBe(4_000_000);
    client.close();
  });

  it('ends when the client is closed', async () => {
    await start(({ operation }, response) => {
      if (operation !== 'GET') return false;
      response.writeHead(200, { 'content-length': 1_000 }).write('half');
      return true;
    });
    const client = server.open();
    const { body } = await client.get('one.db');
    const reading = outcome(collect(body));
    client.close();
    expect(await reading).toBe('Unavailable');
  });
});

describe('a refusal', () => {
  const refusing =
    (status: number, code: string, more?: Parameters<typeof refuse>[3]): Script =>
    ({ method }, response) => {
      if (method === 'HEAD') response.writeHead(status, more?.headers ?? {}).end();
      else refuse(response, status, code, more);
      return true;
    };

  it.each([
    [403, 'AccessDenied', 'Denied', 's3:ListBucket'],
    [403, 'InvalidAccessKeyId', 'Denied', 'does not know the access key id'],
    [403, 'SignatureDoesNotMatch', 'Denied', 'secret access key'],
    [403, 'RequestTimeTooSkewed', 'Denied', 'clocks'],
    [400, 'ExpiredToken', 'Expired', 'renew them'],
    [400, 'InvalidToken', 'Denied', 'session token'],
    [404, 'NoSuchBucket', 'NoBucket', 'create the bucket'],
    [403, 'QuotaExceeded', 'Full', 'raise the quota'],
    [507, 'XMinioStorageFull', 'Full', 'delete old backups'],
    [418, 'Teapot', 'Other', 'Teapot'],
  ] as const)('%i %s is %s', async (status, code, expected, advice) => {
    await start(refusing(status, code));
    const client = server.open();
    const calls = [() => client.head('a'), () => client.get('a'), () => keysOf(client), () => client.put('a', small())];
    for (const call of calls) expect(await outcome(call())).toBe(expected);
    expect(await messageOf(client.head('a'))).toContain(advice);
    client.close();
  });

  it.each([
    [301, 'PermanentRedirect'],
    [400, 'AuthorizationHeaderMalformed'],
  ])('%i %s names the region of the bucket', async (status, code) => {
    await start(refusing(status, code, { headers: { 'x-amz-bucket-region': 'eu-west-1' } }));
    const client = server.open();
    expect(await messageOf(client.put('a', small()))).toContain('is in the region "eu-west-1", not in "us-east-1"');
    expect(await messageOf(keysOf(client))).toContain('set that region');
    client.close();
  });

  it('contains no secret, even if the store repeats it', async () => {
    const message = `you sent ${secrets.secretAccessKey} and ${secrets.sessionToken}`;
    await start(refusing(403, 'SignatureDoesNotMatch', { message }));
    const client = server.open();
    const text = await messageOf(client.get('a'));
    expect(text).toContain('you sent *** and ***');
    client.close();
  });

  it('of a look at a missing object does not prevent a conditional put', async () => {
    await start(({ operation, key }, response) => {
      if (!['HEAD', 'GET'].includes(operation) || server.objects.has(key)) return false;
      if (operation === 'HEAD') response.writeHead(403).end();
      else refuse(response, 403, 'AccessDenied');
      return true;
    });
    const client = server.open();
    expect(await outcome(client.put('one.db', small()))).toBe('ok');
    expect(await outcome(client.put('one.db', small()))).toBe('AlreadyExists');
    expect(await messageOf(client.head('two.db'))).toContain('a missing object looks like a forbidden one');
    client.close();
  });

  it('because of rotated credentials is repeated with the new ones', async () => {
    const old: S3Credentials = { accessKeyId: 'old-key', secretAccessKey: 'old' };
    const current = { accessKeyId: 'new-key', secretAccessKey: 'new' };
    let reads = 0;
    await start(({ headers, method }, response) => {
      if (!String(headers.authorization).includes('old-key')) return false;
      if (method === 'HEAD') response.writeHead(400).end();
      else refuse(response, 400, 'ExpiredToken');
      return true;
    });
    const client = server.open({}, async () => (++reads === 1 ? old : current));
    expect(await outcome(client.put('one.db', small()))).toBe('ok');
    client.close();
  });
});

describe('an upload in parts', () => {
  it('is refused beyond the largest size, and aborted', async () => {
    await start();
    const client = server.open({ partsMax: 4 });
    expect(await outcome(client.put('one.db', chunked(pattern(6_000))))).toBe('ok');
    expect(server.objects.get('one.db')?.bytes.equals(pattern(6_000))).toBe(true);
    expect(await messageOf(client.put('two.db', chunked(pattern(6_001))))).toContain('the most that is uploaded');
    expect(server.uploads.size).toBe(0);
    client.close();
  });

  it('holds two parts in memory, and waits for the store', async () => {
    const release: (() => void)[] = [];
    await start(({ operation }, response, serve) => {
      if (operation === 'PART') release.push(() => serve(response));
      return operation === 'PART';
    });
    let readBytes = 0;
    const body = async function* () {
      for await (const chunk of chunked(pattern(5_000), 500)) {
        readBytes += chunk.byteLength;
        yield chunk;
      }
    };
    const client = server.open({ idleMsMax: 100_000 });
    const put = client.put('one.db', body());
    await expect.poll(() => release.length).toBe(2);
    // Two parts, and the chunk that shows that there is a third one.
    expect(readBytes).toBe(2_500);
    const drain = setInterval(() => release.shift()?.(), 1);
    await put;
    clearInterval(drain);
    expect(server.objects.get('one.db')?.bytes.equals(pattern(5_000))).toBe(true);
    client.close();
  });

  it('fails without credentials that are complete', async () => {
    await start();
    const client = server.open({}, { accessKeyId: '', secretAccessKey: 'x' });
    expect(await outcome(client.put('one.db', small()))).toBe('Denied');
    expect(server.calls).toEqual([]);
    client.close();
  });
});
