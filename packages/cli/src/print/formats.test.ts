import { describe, expect, it } from 'vitest';
import { choices, FormatError, parseFormat } from './formats.ts';
import { PathError } from './jsonpath.ts';

describe('parseFormat', () => {
  it.each(['table', 'wide', 'yaml', 'json', 'name'] as const)('accepts %s', (name) => {
    expect(parseFormat(name)).toEqual({ kind: name });
  });

  it('defaults to a table', () => {
    expect(parseFormat(undefined, ['json'])).toEqual({ kind: 'table' });
  });

  it('accepts a template or columns', () => {
    expect(parseFormat('jsonpath={.a}={.b}')).toMatchObject({ kind: 'jsonpath', path: { text: '{.a}={.b}' } });
    expect(parseFormat('custom-columns=A:.a,B:.b')).toMatchObject({
      kind: 'custom-columns',
      columns: [{ name: 'A' }, { name: 'B' }],
    });
  });

  it.each([
    [
      'yml',
      'there is no format "yml". Use -o table, wide, yaml, json, name, jsonpath=TEMPLATE or custom-columns=NAME:PATH,...',
    ],
    [
      '',
      'there is no format "". Use -o table, wide, yaml, json, name, jsonpath=TEMPLATE or custom-columns=NAME:PATH,...',
    ],
    ['jsonpath', "the format jsonpath needs a value: -o jsonpath='{.metadata.name}'"],
    ['jsonpath=', "the format jsonpath needs a value: -o jsonpath='{.metadata.name}'"],
    ['custom-columns', 'the format custom-columns needs a value: -o custom-columns=NAME:.metadata.name'],
    ['yaml=x', 'the format yaml takes no value: -o yaml'],
  ])('rejects %j', (text, message) => {
    expect(() => parseFormat(text)).toThrow(new FormatError(message));
  });

  it('rejects a format that the command does not support', () => {
    expect(() => parseFormat('wide', ['yaml', 'json'])).toThrow(
      new FormatError('the format "wide" is not supported by this command. Use -o yaml or json'),
    );
    expect(choices(['json'])).toBe('json');
  });

  it('rejects an invalid template', () => {
    expect(() => parseFormat('jsonpath={.a')).toThrow(PathError);
  });
});
