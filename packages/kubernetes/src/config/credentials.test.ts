import { chmod, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock } from '@ecsm/runtime';
import { VirtualClock } from '@ecsm/runtime/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { clientCertificate, clientKey } from './certificates.kit.ts';
import { failure, files, oneContext, removeDirectories, temporaryDirectory } from './config.kit.ts';
import { tokenFileCredentials } from './credentials.ts';
import { connectionOf } from './open.ts';

afterEach(removeDirectories);

describe('a token file', () => {
  async function rotating(fallback?: string) {
    const path = join(await files({ token: 'first\n' }), 'token');
    const clock = new VirtualClock();
    const credentials = tokenFileCredentials({
      path,
      clock,
      credential: { headers: {} },
      ...(fallback === undefined ? {} : { fallback }),
    });
    const token = async () => (await credentials.current()).headers['authorization'];
    return { path, clock, credentials, token };
  }

  it('is read again after a while, and the last token is kept while it cannot be read', async () => {
    const { path, clock, token } = await rotating();
    expect(await token()).toBe('Bearer first');
    await writeFile(path, 'second');
    expect(await token()).toBe('Bearer first');
    await clock.advance(10_000);
    expect(await token()).toBe('Bearer second');
    await rm(path);
    await clock.advance(10_000);
    expect(await token()).toBe('Bearer second');
  });

  it('is read again at once after the server has rejected the token', async () => {
    const { path, credentials, token } = await rotating();
    expect(credentials.discard()).toBe(false);
    await token();
    await writeFile(path, 'second');
    expect(credentials.discard()).toBe(true);
    expect(await token()).toBe('Bearer second');
  });

  it('falls back to the token of the user', async () => {
    const { path, token } = await rotating('fixed');
    await rm(path);
    expect(await token()).toBe('Bearer fixed');
  });
});

describe('an exec plugin', () => {
  /** A plugin that runs a script of the shell; `$DIRECTORY` is its own. */
  async function plugin(script: string, fields: object = {}, clock = systemClock) {
    const directory = await temporaryDirectory();
    await writeFile(join(directory, 'plugin.sh'), `#!/bin/sh\nDIRECTORY=$(dirname "$0")\n${script}\n`);
    await chmod(join(directory, 'plugin.sh'), 0o700);
    const exec = { apiVersion: 'client.authentication.k8s.io/v1', command: './plugin.sh', ...fields };
    await writeFile(join(directory, 'config'), JSON.stringify(oneContext({ user: { exec } })));
    const env = { PATH: process.env['PATH'], KUBECONFIG: join(directory, 'config'), GREETING: 'hello' };
    const open = async () => (await connectionOf('kubernetes:', { env, clock })).credentials;
    return { directory, open };
  }
  const answer = (status: object, apiVersion = 'client.authentication.k8s.io/v1') =>
    `cat <<'END'\n${JSON.stringify({ apiVersion, kind: 'ExecCredential', status })}\nEND`;

  it('gets its arguments, its environment and the cluster, and returns a token', async () => {
    const script = `
      [ "$1 $2" = "get token" ] && [ "$GREETING $OWN" = "hello x" ] || exit 3
      echo "$KUBERNETES_EXEC_INFO" | grep -q '"cluster":{"server":"https://127.0.0.1:6443"' || exit 4
      ${answer({ token: 'from-plugin' })}`;
    const fields = { args: ['get', 'token'], env: [{ name: 'OWN', value: 'x' }], provideClusterInfo: true };
    const credentials = await (await plugin(script, fields)).open();
    expect(await credentials.current()).toEqual({ headers: { authorization: 'Bearer from-plugin' } });
  });

  it('returns a client certificate', async () => {
    const status = { clientCertificateData: clientCertificate, clientKeyData: clientKey };
    const credentials = await (await plugin(answer(status))).open();
    expect((await credentials.current()).certificate).toEqual({ cert: clientCertificate, key: clientKey });
  });

  it('runs once for requests at the same time, and again after the expiration or a rejection', async () => {
    const clock = { ...systemClock, now: () => nowMs };
    let nowMs = Date.UTC(2030, 0, 1);
    const status = { token: 'run-$n', expirationTimestamp: '2030-01-01T01:00:00Z' };
    const count = `echo x >> "$DIRECTORY/runs"; n=$(wc -l < "$DIRECTORY/runs" | tr -d ' ')`;
    const { open } = await plugin(`${count}\n${answer(status).replace("'END'", 'END')}`, {}, clock);
    const credentials = await open();
    const token = async () => (await credentials.current()).headers['authorization'];
    expect(await Promise.all([token(), token(), token()])).toEqual(Array(3).fill('Bearer run-1'));
    expect(await token()).toBe('Bearer run-1');
    expect(credentials.discard()).toBe(true);
    expect(await token()).toBe('Bearer run-2');
    nowMs += 3_600_000;
    expect(await token()).toBe('Bearer run-3');
  });

  it('that runs after a rejection serves the requests that are rejected meanwhile', async () => {
    const count = `echo x >> "$DIRECTORY/runs"; n=$(wc -l < "$DIRECTORY/runs" | tr -d ' ')`;
    const { open } = await plugin(`${count}\n${answer({ token: 'run-$n' }).replace("'END'", 'END')}`);
    const credentials = await open();
    await credentials.current();
    expect(credentials.discard()).toBe(true);
    const next = credentials.current();
    expect(credentials.discard()).toBe(true);
    expect((await next).headers['authorization']).toBe('Bearer run-2');
    expect((await credentials.current()).headers['authorization']).toBe('Bearer run-2');
  });

  const failing: readonly [what: string, script: string, fields: object, code: string, message: string][] = [
    ['fails', 'echo hidden-word; echo "log in first" >&2; exit 7', {}, 'Unavailable', 'failed (7): log in first'],
    ['prints no JSON', 'echo hidden-word', {}, 'Unavailable', 'the output should be an object'],
    [
      'prints another kind',
      'echo \'{"apiVersion":"v1","kind":"x","status":{}}\'',
      {},
      'Unavailable',
      'the output.kind',
    ],
    ['prints another version', answer({ token: 'x' }, 'v9'), {}, 'Unavailable', 'is not of client.authentication'],
    ['prints no credential', answer({}), {}, 'Unavailable', 'neither a token nor a client certificate'],
    ['prints half a certificate', answer({ clientKeyData: 'x', token: 'y' }), {}, 'Unavailable', 'without its key'],
    ['prints a strange time', answer({ token: 'x', expirationTimestamp: 'soon' }), {}, 'Unavailable', 'is not a time'],
    [
      'is not installed',
      '',
      { command: 'no-such-plugin', installHint: 'get it' },
      'Unavailable',
      'not installed: get it',
    ],
    ['has no command', '', { command: '' }, 'BadRequest', 'it has no command'],
    ['has an old version', '', { apiVersion: 'v1alpha1' }, 'BadRequest', 'its apiVersion has to be'],
    ['needs a terminal', '', { interactiveMode: 'Always' }, 'BadRequest', 'it needs a terminal'],
  ];
  it.each(failing)('that %s is an error that says so', async (_, script, fields, code, message) => {
    const { open } = await plugin(script, fields);
    const error = await failure(open().then((credentials) => credentials.current()));
    expect(error).toEqual({ code, message: expect.stringContaining(message) });
    expect(error.message).not.toContain('hidden-word');
  });

  it('that does not end is killed', async () => {
    const clock = {
      ...systemClock,
      after: (delayMs: number, call: () => void) => systemClock.after(delayMs / 200, call),
    };
    const { open } = await plugin('exec sleep 600', {}, clock);
    const error = await failure(open().then((credentials) => credentials.current()));
    expect(error.message).toContain('did not end within 60000 ms');
  });
});
