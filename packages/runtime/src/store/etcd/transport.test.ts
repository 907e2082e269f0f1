/** Which calls are repeated, where, and with which token. Method: HTTP servers that answer as a test asks for. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../ports/clock.ts';
import { parseEndpoints } from './endpoint.ts';
import { afterwards, cleanup, serve } from './testing.kit.ts';
import { type Credentials, Transport } from './transport.ts';

afterEach(cleanup);

type Answer = 'fine' | 'token' | 'denied' | 'unavailable' | 'broken';
const failures = {
  token: { message: 'etcdserver: invalid auth token', code: 16 },
  denied: { message: 'etcdserver: permission denied', code: 7 },
  unavailable: { message: 'etcdserver: no leader', code: 14 },
};

/** Answers sign-ins with the tokens `t1`, `t2` …, and calls as told, the last answer again and again. */
class Member {
  readonly calls: string[] = [];
  signIns = 0;
  answers: Answer[] = ['fine'];
  endpoint = '';

  async start(): Promise<this> {
    this.endpoint = await serve((request, response) => this.#answer(request, response));
    return this;
  }

  #answer({ url, headers }: IncomingMessage, response: ServerResponse): void {
    if (url === '/v3/auth/authenticate') {
      this.signIns++;
      response.end(JSON.stringify({ token: `t${this.signIns}` }));
      return;
    }
    this.calls.push(`${url} ${headers.authorization ?? 'no token'}`);
    const answer = (this.answers.length > 1 ? this.answers.shift() : this.answers[0]) ?? 'fine';
    if (answer === 'fine') response.end('{"ok":true}');
    else if (answer === 'broken') response.socket?.destroy();
    else response.writeHead(500).end(JSON.stringify(failures[answer]));
  }
}

function transportTo(endpoints: readonly string[], credentials?: Credentials): Transport {
  const options = { endpoints: parseEndpoints(endpoints, undefined), clock: systemClock, timeoutMs: 30_000 };
  const transport = new Transport({ ...options, credentials });
  afterwards(async () => transport.destroy());
  return transport;
}

const user = { username: 'jane', password: 'secret' };
const read = { repeatable: true };
const write = { repeatable: false };
const kindOf = (work: Promise<unknown>) =>
  work.then(
    () => 'fine',
    (error: { kind?: string }) => error.kind ?? String(error),
  );

describe('the token of a call', () => {
  it('is asked for once, also by calls at the same time, and not without a user', async () => {
    const member = await new Member().start();
    const transport = transportTo([member.endpoint], user);
    await Promise.all([transport.call('/a', {}, read), transport.call('/b', {}, write)]);
    await transport.call('/c', {}, read);
    expect([member.signIns, member.calls.sort()]).toEqual([1, ['/a t1', '/b t1', '/c t1']]);
    await transportTo([member.endpoint]).call('/d', {}, read);
    expect([member.signIns, member.calls.at(-1)]).toEqual([1, '/d no token']);
  });

  it('is replaced once when it is refused, and the call is repeated, even a commit', async () => {
    const member = await new Member().start();
    const transport = transportTo([member.endpoint], user);
    member.answers = ['token', 'fine'];
    expect(await transport.call('/a', {}, write)).toEqual({ ok: true });
    expect(member.calls).toEqual(['/a t1', '/a t2']);
    member.answers = ['token'];
    expect(await kindOf(transport.call('/b', {}, write))).toBe('token');
    expect(member.calls.slice(2)).toEqual(['/b t2', '/b t3']);
  });

  it('is asked for again after it was forgotten', async () => {
    const member = await new Member().start();
    const transport = transportTo([member.endpoint], user);
    await transport.call('/a', {}, read);
    transport.forgetToken();
    await transport.call('/a', {}, read);
    expect(member.calls).toEqual(['/a t1', '/a t2']);
  });

  it('is no reason to repeat a call that failed otherwise', async () => {
    const member = await new Member().start();
    const transport = transportTo([member.endpoint], user);
    for (const answer of ['denied', 'unavailable', 'broken'] as const) {
      member.answers = [answer];
      expect(await kindOf(transport.call(`/${answer}`, {}, write))).toBe(
        answer === 'denied' ? 'denied' : 'unavailable',
      );
    }
    expect(member.calls).toEqual(['/denied t1', '/unavailable t1', '/broken t1']);
    expect(member.signIns).toBe(1);
  });

  it('of a user is not repeated without one', async () => {
    const member = await new Member().start();
    member.answers = ['token'];
    expect(await kindOf(transportTo([member.endpoint]).call('/a', {}, read))).toBe('token');
    expect(member.calls).toHaveLength(1);
  });
});

describe('a call to several endpoints', () => {
  it('is repeated at the next one if it is a read, and stays there', async () => {
    const [one, two] = [await new Member().start(), await new Member().start()];
    const transport = transportTo([one.endpoint, two.endpoint]);
    one.answers = ['unavailable'];
    await transport.call('/a', {}, read);
    await transport.call('/b', {}, write);
    expect([one.calls.length, two.calls.length]).toEqual([1, 2]);
  });

  it('is not repeated if it is a commit that may have arrived, and the next one goes elsewhere', async () => {
    const [one, two] = [await new Member().start(), await new Member().start()];
    const transport = transportTo([one.endpoint, two.endpoint]);
    one.answers = ['broken'];
    expect(await kindOf(transport.call('/a', {}, write))).toBe('unavailable');
    expect([one.calls.length, two.calls.length]).toEqual([1, 0]);
    await transport.call('/b', {}, write);
    expect([one.calls.length, two.calls.length]).toEqual([1, 1]);
  });

  it('is repeated if it is a commit that cannot have arrived', async () => {
    const member = await new Member().start();
    const transport = transportTo(['127.0.0.1:1', member.endpoint]);
    await transport.call('/a', {}, write);
    expect(member.calls).toEqual(['/a no token']);
  });

  it('is tried once more than there are endpoints, and then fails', async () => {
    const [one, two] = [await new Member().start(), await new Member().start()];
    const transport = transportTo([one.endpoint, two.endpoint]);
    one.answers = ['unavailable'];
    two.answers = ['unavailable'];
    expect(await kindOf(transport.call('/a', {}, read))).toBe('unavailable');
    expect([one.calls.length, two.calls.length]).toEqual([2, 1]);
  });

  it('is tried only at the endpoint that is named, once', async () => {
    const [one, two] = [await new Member().start(), await new Member().start()];
    const transport = transportTo([one.endpoint, two.endpoint]);
    two.answers = ['unavailable'];
    const [, endpoint] = parseEndpoints([one.endpoint, two.endpoint], undefined);
    const options = endpoint === undefined ? read : { ...read, endpoint };
    expect(await kindOf(transport.call('/a', {}, options))).toBe('unavailable');
    expect([one.calls.length, two.calls.length]).toEqual([0, 1]);
    endpoint?.destroy();
  });

  it('is not repeated after an answer that another one would give, too', async () => {
    const [one, two] = [await new Member().start(), await new Member().start()];
    const transport = transportTo([one.endpoint, two.endpoint]);
    one.answers = ['denied'];
    expect(await kindOf(transport.call('/a', {}, read))).toBe('denied');
    expect([one.calls.length, two.calls.length]).toEqual([1, 0]);
  });

  it('ends with its signal, and is not repeated then', async () => {
    const [one, two] = [await new Member().start(), await new Member().start()];
    const transport = transportTo([one.endpoint, two.endpoint]);
    expect(await kindOf(transport.call('/a', {}, { ...read, signal: AbortSignal.abort() }))).toBe('aborted');
    expect(two.calls).toEqual([]);
  });
});
