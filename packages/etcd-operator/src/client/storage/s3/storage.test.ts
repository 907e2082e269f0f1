/** S3 with real servers: the suite, and what happens with wrong credentials, buckets and certificates, and lost servers. */
import { systemClock, systemRandom } from '@ecsm/runtime';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { S3Credentials, S3Destination } from '../contract.ts';
import { describeStorage } from '../storage.suite.ts';
import { chunked, collect, keysOf, messageOf, outcome, pattern } from '../suite.kit.ts';
import { s3LimitsDefault } from './limits.ts';
import { type S3Program, S3Server, skipWithoutS3 } from './s3-server.kit.ts';
import { S3Storage } from './storage.ts';

const mebibyte = 1024 * 1024;
/** The smallest parts that S3 allows, and pages that are soon full. */
const limits = { ...s3LimitsDefault, partBytes: 5 * mebibyte, pageKeysMax: 3, backoffMsMin: 20 };
/** Up to 20 s, because a server takes its time to start on a busy machine. */
const patient = { ...limits, attemptsMax: 11 };

const programs: readonly (readonly [S3Program, boolean, boolean])[] = [
  ['rclone', false, false],
  ['versitygw', true, true],
];
for (const [program, isExclusive, tls] of programs) {
  describe.skipIf(skipWithoutS3(program))(`the S3 server ${program}${tls ? ' with TLS' : ''}`, () => {
    let server: S3Server;
    beforeAll(async () => {
      server = await S3Server.start(program, { tls });
    });
    afterAll(() => server?.close());

    const open = (
      destination: S3Destination,
      credentials: S3Credentials = server.credentials,
      ownLimits: typeof limits = limits,
    ) => {
      const ca = server.ca;
      const options = { clock: systemClock, random: systemRandom, credentials, ...(ca === undefined ? {} : { ca }) };
      return new S3Storage(destination, options, ownLimits);
    };

    describeStorage({
      isExclusive,
      largeBytes: limits.partBytes,
      async create() {
        const destination = await server.bucket();
        return {
          open: (path) => open(path === undefined ? destination : { ...destination, path }),
          close: async () => {},
        };
      },
    });

    it('denies a wrong secret and an unknown access key id, with a message that says so and shows neither', async () => {
      const destination = await server.bucket();
      const wrongSecret = open(destination, { ...server.credentials, secretAccessKey: 'wrong-secret' });
      const unknownId = open(destination, { ...server.credentials, accessKeyId: 'unknown' });
      for (const client of [wrongSecret, unknownId]) {
        expect(await outcome(client.head('one.db'))).toBe('Denied');
        expect(await outcome(client.put('one.db', chunked('content')))).toBe('Denied');
        expect(await outcome(keysOf(client))).toBe('Denied');
        const message = await messageOf(client.get('one.db'));
        expect(message).toContain('check the Secret');
        expect(message).not.toContain('wrong-secret');
        client.close();
      }
    });

    it('names a bucket that does not exist', async () => {
      const client = open({ ...(await server.bucket()), bucket: 'missing-bucket' });
      const calls = [
        client.head('one.db'),
        client.get('one.db'),
        client.put('one.db', chunked('content')),
        client.put('one.db', chunked(pattern(limits.partBytes + 1))),
        keysOf(client),
      ];
      expect(await Promise.all(calls.map(outcome))).toEqual(calls.map(() => 'NoBucket'));
      expect(await messageOf(keysOf(client))).toContain('"missing-bucket"');
      client.close();
    });

    it('can be killed while an object is read: the rest is read when it is back', async () => {
      const client = open(await server.bucket(), server.credentials, patient);
      const bytes = pattern(3 * limits.partBytes + 7);
      await client.put('one.db', chunked(bytes));
      const parts: Buffer[] = [];
      for await (const chunk of (await client.get('one.db')).body) {
        parts.push(Buffer.from(chunk));
        if (parts.length > 1) continue;
        await server.kill();
        setTimeout(() => void server.resume(), 100);
      }
      expect(Buffer.concat(parts).equals(bytes)).toBe(true);
      client.close();
    });

    it('can be killed while parts are sent: the put fails or is whole, and a later one works', async () => {
      const client = open(await server.bucket(), server.credentials, patient);
      const bytes = pattern(3 * limits.partBytes + 7);
      let isKilled = false;
      const body = async function* () {
        for await (const chunk of chunked(bytes, mebibyte)) {
          yield chunk;
          if (isKilled) continue;
          isKilled = true;
          await server.kill();
          setTimeout(() => void server.resume(), 100);
        }
      };
      const ended = await outcome(client.put('one.db', body()));
      const stored = await client.head('one.db');
      if (ended === 'ok') expect(stored?.sizeBytes).toBe(bytes.byteLength);
      else expect(stored).toBeUndefined();
      await client.put('two.db', chunked(bytes));
      expect((await collect((await client.get('two.db')).body)).equals(bytes)).toBe(true);
      client.close();
    });
  });
}

describe.skipIf(skipWithoutS3('versitygw'))('an S3 server with TLS', () => {
  it('is not trusted without its certificate authority', async () => {
    const server = await S3Server.start('versitygw', { tls: true });
    const options = { clock: systemClock, random: systemRandom, credentials: server.credentials };
    const client = new S3Storage(await server.bucket(), options);
    expect(await outcome(client.head('one.db'))).toBe('Denied');
    expect(await messageOf(client.head('one.db'))).toContain('certificate authority');
    client.close();
    await server.close();
  });
});
