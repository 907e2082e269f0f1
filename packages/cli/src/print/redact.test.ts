import { type ECSMServiceInput, operatorKinds } from '@ecsm/operator';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findJsonPath, parsePath } from './jsonpath.ts';
import { isSecretName, redact, redactText } from './redact.ts';

describe('hiding secrets', () => {
  it("hides the password of a service's template, and nothing else", () => {
    const serviceWith = (password: string) =>
      ({
        apiVersion: 'ecsm.sh/v1',
        kind: 'ECSMService',
        metadata: { name: 'telemetry', labels: { app: '遥测' } },
        spec: {
          deploymentStrategy: { type: 'Dynamic', replicas: 3, nodePool: ['node-1', 'node-2'] },
          template: {
            image: 'telemetry@1.0.0#sylixos',
            command: ['/apps/telemetry', '-v'],
            env: [{ name: 'RATE', value: '10' }],
            vsoa: { port: 0, password },
          },
        },
      }) satisfies ECSMServiceInput;
    const service = serviceWith('hunter2');
    expect(redact(service)).toEqual(serviceWith('<hidden>'));
    expect(service).toEqual(serviceWith('hunter2'));
  });

  it('hides every field that the kinds mark as secret', () => {
    const names = operatorKinds.flatMap((kind) =>
      findJsonPath(parsePath('..properties'), kind.jsonSchema())
        .flatMap((properties) => Object.entries(Object(properties)))
        .filter(([, schema]) => Object(schema).writeOnly === true)
        .map(([name]) => name),
    );
    expect(names).toContain('password');
    expect(names.filter((name) => !isSecretName(name))).toEqual([]);
  });

  it.each([
    'password',
    'PASSWORD',
    'dbPassword',
    'passwd',
    'pass-phrase',
    'accessToken',
    'client_secret',
    'apiKey',
    'API_KEY',
    'x-api-key',
    'Authorization',
    'Set-Cookie',
    'privateKey',
    'credentials',
    '密码',
  ])('knows that %s is a secret', (name) => {
    expect(isSecretName(name)).toBe(true);
    expect(redact({ [name]: 'hunter2' })).toEqual({ [name]: '<hidden>' });
    expect(redact({ [name]: { deep: ['hunter2'] } })).toEqual({ [name]: '<hidden>' });
  });

  it.each(['name', 'image', 'key', 'path', 'compass', 'passed', 'node'])('knows that %s is none', (name) => {
    expect(isSecretName(name)).toBe(false);
    expect(redact({ [name]: 'hunter2' })).toEqual({ [name]: 'hunter2' });
  });

  it('hides in environments of both kinds', () => {
    expect(
      redact({
        env: [
          { name: 'DB_PASSWORD', value: 'hunter2' },
          { name: 'RATE', value: '10' },
        ],
        lines: ['DB_PASSWORD=hun ter=2', 'RATE=10', 'TOKEN='],
        map: { Key: '/db/password', Value: 'hunter2' },
      }),
    ).toEqual({
      env: [
        { name: 'DB_PASSWORD', value: '<hidden>' },
        { name: 'RATE', value: '10' },
      ],
      lines: ['DB_PASSWORD=<hidden>', 'RATE=10', 'TOKEN='],
      map: { Key: '/db/password', Value: '<hidden>' },
    });
  });

  it('hides in arguments, URLs, headers and JSON within strings', () => {
    expect(
      redact([
        ['run', '--password', 'hunter2', '--token=hunter2', '-v'],
        'sh -c "export DB_PASSWORD=hunter2; run"',
        'https://admin:hunter2@host:80/path',
        'Bearer hunter2hunter2',
        '{"vsoa":{"password":"hunter2","port":1}}',
        '{"port": 1}',
      ]),
    ).toEqual([
      ['run', '--password', '<hidden>', '--token=<hidden>', '-v'],
      'sh -c "export DB_PASSWORD=<hidden>; run"',
      'https://admin:<hidden>@host:80/path',
      'Bearer <hidden>',
      '{"vsoa":{"password":"<hidden>","port":1}}',
      '{"port": 1}',
    ]);
    expect(redactText('the token= was missing')).toBe('the token= was missing');
  });

  it.each([
    ['X-Api-Key: hunter2 and more', 'X-Api-Key: <hidden>'],
    ['{"a":1,"password":"hun\\\\ter2","port":1', '{"a":1,"password":"<hidden>","port":1'],
    ['answer {"dbPassword":"hun\\"ter2","port":1', 'answer {"dbPassword":"<hidden>","port":1'],
    ['answer {"password" : "hunter2', 'answer {"password" : "<hidden>"'],
    ['answer {"token":42,"port":1}', 'answer {"token":"<hidden>","port":1}'],
    ['spec.template.vsoa.password: must be text', 'spec.template.vsoa.password: must be text'],
    ['the password must not be empty', 'the password must not be empty'],
  ])('makes of the text %j %j', (text, shown) => {
    expect(redactText(text)).toBe(shown);
    expect(redact([text])).toEqual([shown]);
  });

  it('does not take forever over a long text', () => {
    for (const piece of ['a', 'token', '"', 'token"', 'password=', '\\\\', '://a:', 'Bearer ']) {
      const text = piece.repeat(1_000_000 / piece.length);
      expect(redactText(`x ${text}`).length).toBeGreaterThan(0);
    }
  });

  it('shows whether there is one', () => {
    const value = { password: '', token: null, secret: false };
    expect(redact(value)).toEqual(value);
  });

  it('bounds the depth, and does not fall for __proto__', () => {
    let deep: unknown = 'leaf';
    for (let level = 0; level < 10_000; level++) deep = [deep];
    expect(JSON.stringify(redact(deep))).toContain('…');
    expect(JSON.stringify(redact(JSON.parse('{"__proto__":{"password":"hunter2"}}')))).toBe(
      '{"__proto__":{"password":"<hidden>"}}',
    );
  });

  it('copies all other values as they are', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        fc.pre(!/pass|secret|token|auth|cookie|key|cred|:\/\/|basic|bearer/i.test(JSON.stringify(value)));
        expect(redact(value)).toEqual(value);
      }),
    );
  });
});
