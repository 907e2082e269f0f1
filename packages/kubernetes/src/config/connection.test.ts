import { join } from 'node:path';
import { systemClock } from '@ecsm/runtime';
import { afterEach, describe, expect, it } from 'vitest';
import { authority, clientCertificate, clientKey } from './certificates.kit.ts';
import {
  base64,
  type ConfigFields,
  certificateFields,
  failure,
  files,
  oneContext,
  removeDirectories,
} from './config.kit.ts';
import { connectionOf } from './open.ts';

afterEach(removeDirectories);

/** The connection of a kubeconfig with one context, and of other files beside it. */
async function connect(fields: ConfigFields, others: Readonly<Record<string, string>> = {}, url = 'kubernetes:') {
  const directory = await files({ config: oneContext(fields), ...others });
  return connectionOf(url, { env: { KUBECONFIG: join(directory, 'config') }, clock: systemClock });
}

describe('a context', () => {
  it('has the server, the namespace, the authority and the token', async () => {
    const connection = await connect({
      cluster: { server: 'https://10.0.0.1:6443/', 'certificate-authority-data': base64(authority) },
      context: { namespace: 'site' },
    });
    expect(connection).toMatchObject({
      server: 'https://10.0.0.1:6443',
      name: 'context "one"',
      namespace: 'site',
      trust: { ca: authority, isInsecure: false },
    });
    expect(await connection.credentials.current()).toEqual({ headers: { authorization: 'Bearer secret-token' } });
  });

  it('reads files relative to the kubeconfig', async () => {
    const connection = await connect(
      {
        cluster: { 'certificate-authority': 'ca.crt', 'tls-server-name': 'kubernetes.test' },
        user: { 'client-certificate': 'client.crt', 'client-key': 'client.key', tokenFile: 'token' },
      },
      { 'ca.crt': authority, 'client.crt': clientCertificate, 'client.key': clientKey, token: 'from-file\n' },
    );
    expect(connection.trust).toEqual({ ca: authority, serverName: 'kubernetes.test', isInsecure: false });
    expect(await connection.credentials.current()).toEqual({
      headers: { authorization: 'Bearer from-file' },
      certificate: { cert: clientCertificate, key: clientKey },
    });
  });

  it('may have a password, another user to act as, and an insecure server', async () => {
    const { credentials, trust } = await connect({
      cluster: { 'insecure-skip-tls-verify': true },
      user: { username: 'u', password: 'p', as: 'other', 'as-groups': ['a', 'b'], 'as-user-extra': { scope: ['x'] } },
    });
    expect(trust).toEqual({ isInsecure: true });
    expect((await credentials.current()).headers).toEqual({
      authorization: `Basic ${base64('u:p')}`,
      'impersonate-user': 'other',
      'impersonate-group': ['a', 'b'],
      'impersonate-extra-scope': ['x'],
    });
  });

  it('may have no user', async () => {
    const { credentials, namespace } = await connect({ context: { user: '' } });
    expect(await credentials.current()).toEqual({ headers: {} });
    expect(namespace).toBe('default');
  });

  const wrong: readonly [what: string, fields: ConfigFields, message: string][] = [
    ['an unknown cluster', { context: { cluster: 'won' } }, 'there is no cluster "won" in'],
    ['an unknown user', { context: { user: 'ine' } }, 'did you mean "one"?'],
    ['no cluster', { context: { cluster: null } }, 'context "one" in'],
    ['no server', { cluster: { server: null } }, 'the server has to be a URL of the form https://host:6443'],
    ['a password in the URL', { cluster: { server: 'https://u:hidden-word@host' } }, 'has to be a URL of the form'],
    ['a proxy', { cluster: { 'proxy-url': 'http://proxy' } }, 'proxy-url is not supported'],
    [
      'an authority that is not trusted',
      { cluster: { 'insecure-skip-tls-verify': true, 'certificate-authority-data': base64(authority) } },
      'exclude each other',
    ],
    ['data that is not PEM', { cluster: { 'certificate-authority-data': base64('x') } }, 'is not in PEM format'],
    ['a missing file', { cluster: { 'certificate-authority': 'none.crt' } }, 'cannot be read: ENOENT'],
    ['a certificate without a key', { user: { ...certificateFields, 'client-key-data': '' } }, 'go together'],
    ['a token and a password', { user: { token: 'hidden-word', username: 'u' } }, 'exclude each other'],
    ['a token of two lines', { user: { token: 'hidden\nword' } }, 'is empty or has invalid characters'],
    ['an old provider', { user: { 'auth-provider': { name: 'gcp' } } }, 'use an exec plugin'],
    ['groups of nobody', { user: { 'as-groups': ['a'] } }, 'need "as"'],
    ['a field of a wrong type', { user: { token: 7 } }, 'token should be a string, but is 7'],
  ];
  it.each(wrong)('with %s is refused', async (_, fields, message) => {
    const { code, message: said } = await failure(connect(fields));
    expect(code).toBe('BadRequest');
    expect(said).toContain(message);
    expect(said).not.toMatch(/hidden.word/s);
  });
});

describe('a registry URL', () => {
  const none = { env: {}, clock: systemClock };

  it('names a context, and a missing one is answered with the nearest', async () => {
    expect((await connect({}, {}, 'kubernetes:one')).name).toBe('context "one"');
    expect((await failure(connect({}, {}, 'kubernetes:on'))).message).toMatch(
      /no context "on" in .*did you mean "one"/,
    );
  });

  it('of a host takes the token and the authority from files, and reads the token again', async () => {
    const directory = await files({ 'ca.crt': authority, token: 'first' });
    const options = { tokenFile: join(directory, 'token'), certificateAuthority: join(directory, 'ca.crt') };
    const connection = await connectionOf('https://10.0.0.1:6443', { ...none, ...options });
    expect(connection).toMatchObject({
      server: 'https://10.0.0.1:6443',
      namespace: 'default',
      trust: { ca: authority },
    });
    expect((await connection.credentials.current()).headers).toEqual({ authorization: 'Bearer first' });
    expect((await failure(connectionOf('kubernetes:', { ...none, ...options }))).message).toContain(
      'only with an https',
    );
    const missing = await connectionOf('https://h', { ...none, tokenFile: join(directory, 'none') });
    expect((await failure(missing.credentials.current())).message).toContain('cannot be read: ENOENT');
  });

  it('without a kubeconfig is the service account of the pod', async () => {
    const directory = await files({ 'ca.crt': authority, token: 'mounted', namespace: 'site\n' });
    const env = { KUBERNETES_SERVICE_HOST: 'fd00::1', KUBERNETES_SERVICE_PORT: '443' };
    const connection = await connectionOf('kubernetes:', { clock: systemClock, env, serviceAccount: directory });
    expect(connection).toMatchObject({ server: 'https://[fd00::1]', namespace: 'site', trust: { ca: authority } });
    expect((await connection.credentials.current()).headers).toEqual({ authorization: 'Bearer mounted' });
  });

  it('says what is missing if there is no configuration at all', async () => {
    expect((await failure(connectionOf('kubernetes:', none))).message).toContain(
      'there is no kubeconfig: set KUBECONFIG',
    );
    expect((await failure(connectionOf('http://host', none))).message).toContain('is not kubernetes:');
  });
});
