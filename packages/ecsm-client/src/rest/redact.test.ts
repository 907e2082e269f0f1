import { describe, expect, it } from 'vitest';
import { bounded, excerpt, redacted } from './redact.ts';
import { redactText } from './redact-text.ts';

const secret = 'hunter2';

describe('redacted values', () => {
  it('loses every field that is named like a secret, at any depth and in any case', () => {
    const value = {
      name: 'sat-1',
      password: secret,
      nested: [
        { vsoaPassword: secret, Authorization: `Bearer ${secret}`, access_token: 5, clientSecret: { a: secret } },
      ],
      passwd: null,
    };
    expect(redacted(value)).toEqual({
      name: 'sat-1',
      password: '<redacted>',
      nested: [
        {
          vsoaPassword: '<redacted>',
          Authorization: '<redacted>',
          access_token: '<redacted>',
          clientSecret: '<redacted>',
        },
      ],
      passwd: '<redacted>',
    });
    expect(value.password).toBe(secret);
  });

  it('loses secrets of environments, arguments and named values, and keeps the others', () => {
    expect(redacted(['RATE=10', `DB_PASSWORD=${secret} and more`, `foo_token=${secret}`])).toEqual([
      'RATE=10',
      'DB_PASSWORD=<redacted>',
      'foo_token=<redacted>',
    ]);
    expect(redacted(['--password', secret, '--rate', '10'])).toEqual(['--password', '<redacted>', '--rate', '10']);
    expect(redacted({ name: 'DB_PASSWORD', value: secret })).toEqual({ name: 'DB_PASSWORD', value: '<redacted>' });
    expect(redacted({ key: '/db/password', value: secret })).toEqual({ key: '/db/password', value: '<redacted>' });
    expect(redacted({ name: 'RATE', value: '10' })).toEqual({ name: 'RATE', value: '10' });
  });

  it('looks into JSON within strings, also when that is cut off', () => {
    const whole = { rawConfig: JSON.stringify({ vsoa: { password: secret, port: 1 } }) };
    expect(redacted(whole)).toEqual({ rawConfig: '{"vsoa":{"password":"<redacted>","port":1}}' });
    const torn = { rawConfig: `{"vsoa":{"port":1,"password":"${secret}` };
    expect(redacted(torn)).toEqual({ rawConfig: '{"vsoa":{"port":1,"password":<redacted>' });
  });

  it('ends with cycles, bottomless depth, masses and odd keys', () => {
    const cyclic: Record<string, unknown> = { password: secret };
    cyclic['self'] = cyclic;
    expect(redacted(cyclic)).toEqual({ password: '<redacted>', self: '[circular]' });

    let deep: unknown = secret;
    for (let level = 0; level < 100_000; level++) deep = [deep];
    expect(JSON.stringify(redacted(deep))).not.toContain(secret);

    const many = redacted(Array.from({ length: 200_000 }, (_, index) => ({ index }))) as unknown[];
    expect(many.at(-1)).toBe('…');

    const odd = redacted(JSON.parse('{"__proto__":{"password":"hunter2","polluted":1}}'));
    expect(JSON.stringify(odd)).toBe('{"__proto__":{"password":"<redacted>","polluted":1}}');
    expect((odd as { polluted?: number }).polluted).toBeUndefined();
    expect((redacted('x'.repeat(1_000_000)) as string).length).toBeLessThan(70_000);
  });
});

describe('redacted text', () => {
  const inner = JSON.stringify({ password: `a"b\\${secret}`, port: 1 });
  const texts: readonly string[] = [
    `{"name":"x","password":"${secret}","port":1}`,
    `{"password" : "a\\"${secret}", "port":1}`,
    `{"vsoaPassword":"${secret}`,
    `{"password":"ends with a backslash\\\\","token":"${secret}"}`,
    `{"token":${secret}}`,
    `{"secrets":["${secret}"]}`,
    `{'password':'${secret}'}`,
    JSON.stringify({ rawConfig: inner }),
    JSON.stringify({ outer: JSON.stringify({ rawConfig: inner }) }),
    JSON.stringify({ rawConfig: inner }).slice(0, -12),
    `{"env":["A=b","DB_PASSWORD=with spaces ${secret}"]}`,
    `{"env":["A=b","DB_PASSWORD=quote \\" ${secret}`,
    `GET /x?token=${secret}&page=1`,
    `password=${secret}`,
    `password = "${secret}"`,
    `Authorization: Bearer ${secret}`,
    `the header Bearer ${secret} is wrong`,
    `http://admin:${secret}@host/x`,
    `密码：${secret}`,
    `Cookie: a=1; session=${secret}`,
  ];

  it.each(texts)('%s shows no secret', (text) => {
    expect(redactText(text)).not.toContain(secret);
    expect(redactText(text)).toContain('<redacted>');
  });

  it('shows no secret wherever a JSON text is cut', () => {
    const text = JSON.stringify({
      list: [{ name: 'n', password: secret, rawConfig: inner }],
      env: [`X_TOKEN=${secret}`],
    });
    for (let end = 0; end <= text.length; end++) {
      const shown = redactText(text.slice(0, end));
      // Two characters of it could be anything; more would be the secret.
      expect(shown).not.toContain(secret.slice(0, 3));
    }
  });

  it('keeps what is no secret', () => {
    expect(redactText(`{"name":"x","password":"${secret}","port":1}`)).toBe(
      '{"name":"x","password":<redacted>,"port":1}',
    );
    expect(redactText(`GET /x?token=${secret}&page=1`)).toBe('GET /x?token=<redacted>&page=1');
    for (const text of ['', 'the token is invalid', '{"name":"x"}', 'a=b', 'Basic information']) {
      expect(redactText(text)).toBe(text);
    }
  });

  it('takes time in proportion to the text', () => {
    for (const text of [
      'password'.repeat(50_000),
      `password${' '.repeat(400_000)}`,
      'token="'.repeat(50_000),
      '://'.repeat(100_000),
    ]) {
      const startMs = performance.now();
      redactText(text);
      // A quadratic search would take minutes.
      expect(performance.now() - startMs).toBeLessThan(5_000);
    }
  });
});

describe('bounded text', () => {
  it('is one line of at most so many characters, whole ones', () => {
    expect(bounded(' a\n\tb\u001b[31m\u202e c ', 100)).toBe('a b [31m c');
    expect(bounded('abcdef', 6)).toBe('abcdef');
    expect(bounded('abcdefg', 6)).toBe('abcde…');
    expect(bounded('abcd😀fgh', 6)).toBe('abcd…');
    expect(bounded('x'.repeat(10_000_000), 6)).toBe('xxxxx…');
    expect(excerpt('say "hi"')).toBe('"say \\"hi\\""');
  });
});
