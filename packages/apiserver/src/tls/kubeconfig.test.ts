import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { kubeconfigFor } from './kubeconfig.ts';

const base = { server: 'https://127.0.0.1:6443', caPem: 'CA', user: 'jane', token: 'ecsm_a_b' };

describe('kubeconfigFor', () => {
  it('writes a context with a token', () => {
    expect(parse(kubeconfigFor({ ...base, namespace: 'ground', contextName: 'site-7' }))).toEqual({
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name: 'site-7', cluster: { server: base.server, 'certificate-authority-data': 'Q0E=' } }],
      contexts: [{ name: 'site-7', context: { cluster: 'site-7', namespace: 'ground', user: 'jane' } }],
      'current-context': 'site-7',
      preferences: {},
      users: [{ name: 'jane', user: { token: 'ecsm_a_b' } }],
    });
  });

  it('writes a context with a client certificate', () => {
    const { server, caPem, user } = base;
    const text = kubeconfigFor({ server, caPem, user, certificatePem: 'C', keyPem: 'K' });
    expect(parse(text).users).toEqual([
      { name: 'jane', user: { 'client-certificate-data': 'Qw==', 'client-key-data': 'Sw==' } },
    ]);
  });

  it.each([
    'true',
    'No',
    'null',
    '~',
    '12',
    '1e3',
    '0x1f',
    '2026-01-02',
    '# a',
    'a: b',
    'a #b',
    '- a',
    '"a"',
    'a\nb: c',
    '{}',
    '*a',
    '!a',
    '%a',
    '@a',
    '',
    ' a ',
    'ü 中文',
    'a\u2028b\u0085c\u007f',
    'system:node:a',
  ])('keeps the user %j as it is', (user) => {
    for (const version of ['1.1', '1.2'] as const) {
      const read = parse(kubeconfigFor({ ...base, user }), { version });
      expect(read.users[0].name).toBe(user);
      expect(read.contexts[0].context.user).toBe(user);
    }
  });

  it('rejects a text without an encoding', () => {
    expect(() => kubeconfigFor({ ...base, user: '\ud800' })).toThrow('valid Unicode');
  });
});
