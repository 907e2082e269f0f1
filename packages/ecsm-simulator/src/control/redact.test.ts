/** Secrets do not reach the journal, also where a text is cut in the middle of one. */
import { describe, expect, it } from 'vitest';
import { bodyExcerpt, redactedText } from './redact.ts';

const hidden = 'hunter2';

describe('a text without its secrets', () => {
  it.each([
    [`{"password":"${hidden}","name":"a"}`, '{"password":"<redacted>","name":"a"}'],
    [`{"vsoaPassword" : "${hidden}\\"${hidden}"}`, '{"vsoaPassword" : "<redacted>"}'],
    [`{"PASSWD":12345}`, '{"PASSWD":"<redacted>"}'],
    [`{"env":["DB_PASSWORD=${hidden}","RATE=10"]}`, '{"env":["DB_PASSWORD=<redacted>","RATE=10"]}'],
    [
      `{"config":"{\\"password\\":\\"${hidden}\\",\\"a\\":1}"}`,
      '{"config":"{\\"password\\":\\"<redacted>\\",\\"a\\":1}"}',
    ],
    [`{"c":"{\\"token\\":\\"x\\\\\\"${hidden}\\"}"}`, '{"c":"{\\"token\\":\\"<redacted>\\"}"}'],
    [`/node?password=${hidden}&id=1`, '/node?password=<redacted>&id=1'],
    ['{"name":"telemetry","node":{"names":["a"]}}', '{"name":"telemetry","node":{"names":["a"]}}'],
  ])('%s', (text, expected) => {
    expect(redactedText(text)).toBe(expected);
  });

  it('shows nothing of a secret wherever the text is cut', () => {
    const text = `{"a":1,"image":{"vsoa":{"password":"${hidden}\\\\${hidden}"}},"env":["MY_SECRET=${hidden}"],"config":"{\\"password\\":\\"${hidden}\\"}"}`;
    for (let length = 0; length <= text.length; length++) {
      const shown = redactedText(text.slice(0, length));
      for (let part = 3; part <= hidden.length; part++) expect(shown).not.toContain(hidden.slice(0, part));
    }
  });
});

describe('the beginning of a body', () => {
  it('is the whole of a short one, and says where a long one goes on', () => {
    expect(bodyExcerpt(Buffer.from('{"a":1}'), 100)).toBe('{"a":1}');
    expect(bodyExcerpt(Buffer.from('x'.repeat(200)), 100)).toBe(`${'x'.repeat(100)}…`);
    expect(bodyExcerpt(Buffer.from('服'.repeat(100)), 100)).toBe('服'.repeat(100));
    expect(bodyExcerpt(new Uint8Array(), 100)).toBe('');
  });

  it('shows no bytes that are not text', () => {
    expect(bodyExcerpt(new Uint8Array([0, 1, 2]), 100)).toBe('(3 bytes)');
  });
});
