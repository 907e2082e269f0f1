import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isApiError } from '../errors.ts';
import { Widget } from '../example.kit.ts';
import { KindSet } from '../kind-set.ts';
import { readManifests } from './manifest.ts';
import { formatManifestError, validateManifest } from './validate.ts';

const bytes = (text: string) => new TextEncoder().encode(text);
const read = (input: string | Uint8Array, limits = {}) =>
  readManifests(typeof input === 'string' ? bytes(input) : input, { file: 'f.yaml', limits });
const objects = async (input: string | Uint8Array) => (await read(input)).map((manifest) => manifest.object);

/** The message of the error from the catalogue that reading ends with. */
async function refusal(input: string | Uint8Array, limits = {}): Promise<string> {
  try {
    await read(input, limits);
  } catch (error) {
    if (isApiError(error, 'Malformed') || isApiError(error, 'TooLarge')) return error.message;
    throw error;
  }
  return 'no error';
}

const nested = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;

describe('reading manifests', () => {
  it('reads several documents with their numbers and lines, and skips empty ones', async () => {
    const text =
      '# first\n---\na: 1\n---\n# nothing\n---\n\n--- # more\nb: 2\n...\n# between\n%YAML 1.2\n---\nc: 3\n--- {d: 4}\n---\n';
    const manifests = await read(text);
    expect(manifests.map(({ object, document, line }) => [object, document, line])).toEqual([
      [{ a: 1 }, 1, 3],
      [{ b: 2 }, 2, 9],
      [{ c: 3 }, 3, 14],
      [{ d: 4 }, 4, 15],
    ]);
    expect(await manifests[2]?.positionOf('c')).toEqual({ file: 'f.yaml', line: 14, column: 1 });
    expect(await manifests[3]?.positionOf('d')).toEqual({ file: 'f.yaml', line: 15, column: 6 });
  });

  it.each(['', '\n', '# only a comment', '---', '---\n---\n...\n', '\uFEFF'])('finds nothing in %j', async (text) => {
    expect(await objects(text)).toEqual([]);
  });

  it('does not take a marker inside a block scalar for the end of a document', async () => {
    expect(await objects('a: |\n  ---\n  x\nb: --- y\nc: ...\n---x: 1\n')).toEqual([
      { a: '---\nx\n', b: '--- y', c: '...', '---x': 1 },
    ]);
  });

  it('reads windows line ends and a UTF-8 byte order mark', async () => {
    expect(await objects('\uFEFFa: 1\r\n---\r\nb: é😀\r\n')).toEqual([{ a: 1 }, { b: 'é😀' }]);
  });

  it('reads scalars as YAML 1.2 core does, and dates as text', async () => {
    const text =
      'a: yes\nb: 010\nc: 0o10\nd: 0x1F\ne: 1e3\nf: ~\ng:\nh: 2026-02-03\ni: 12:30\nj: true\nk: "5"\nl: !!str 5\nm: .5\nn: 1_000';
    expect(await objects(text)).toEqual([
      {
        a: 'yes',
        b: 10,
        c: 8,
        d: 31,
        e: 1000,
        f: null,
        g: null,
        h: '2026-02-03',
        i: '12:30',
        j: true,
        k: '5',
        l: '5',
        m: 0.5,
        n: '1_000',
      },
    ]);
  });

  it('reads JSON with tabs, escapes and odd keys', async () => {
    expect(await objects('{\n\t"a": [\n\t\t1, "\\u00e9\\/\\"}:\\\\"\n\t],\n\t"b:\\"": {}\n}')).toEqual([
      { a: [1, 'é/"}:\\'], 'b:"': {} },
    ]);
    expect(await objects('{\n\t"a": 1, # not JSON any more\n\t"b": [\t]}')).toEqual([{ a: 1, b: [] }]);
  });

  it('reads the same from JSON with either of the two readers', async () => {
    /** A double is not an exact integer beyond 2^53, and both readers refuse to guess. */
    const exact = (_key: string, part: unknown) => (Number.isInteger(part) && !Number.isSafeInteger(part) ? 0 : part);
    const value = fc.json({ maxDepth: 4, noUnicodeString: false }).map((text): unknown => JSON.parse(text, exact));
    /** JSON may have these as they are; in a manifest they have to be written as escapes. */
    const escaped = (text: string) =>
      text.replace(/[\u007f-\u009f]/g, (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`);
    await fc.assert(
      fc.asyncProperty(value, fc.constantFrom(undefined, 2, '\t'), async (data, indent) => {
        const text = escaped(JSON.stringify({ data }, null, indent));
        const expected = JSON.stringify([JSON.parse(text)]);
        expect(JSON.stringify(await objects(text))).toBe(expected);
        // A comment is not JSON, so the YAML reader reads this one.
        expect(JSON.stringify(await objects(`${text} # YAML`))).toBe(expected);
      }),
    );
  });

  it('keeps __proto__ as data, in YAML and in JSON', async () => {
    expect(JSON.stringify(await objects('__proto__: {x: 1}'))).toBe('[{"__proto__":{"x":1}}]');
    expect(JSON.stringify(await objects('{"__proto__": {"x": 1}}'))).toBe('[{"__proto__":{"x":1}}]');
  });

  it('expands lists of objects, also inside each other', async () => {
    expect(
      await objects('[{"a": 1}, {"kind": "List", "items": [{"b": 2}, {"kind": "List", "items": [{"c": 3}]}]}]'),
    ).toEqual([{ a: 1 }, { b: 2 }, { c: 3 }]);
    const manifests = await read('kind: List\nitems:\n- a: 1\n- a: 2\n');
    expect(await manifests[1]?.positionOf('a')).toEqual({ file: 'f.yaml', line: 4, column: 3 });
    expect(await objects('kind: List\n')).toEqual([{ kind: 'List' }]);
  });

  it('resolves aliases to the last anchor before them', async () => {
    expect(await objects('a: &x {n: 1}\nb: *x\nc: &x [2]\nd: [*x, *x]\n')).toEqual([
      { a: { n: 1 }, b: { n: 1 }, c: [2], d: [[2], [2]] },
    ]);
  });

  it.each<[string, string]>([
    ['a: 1\nb: [1', 'f.yaml:2:6: Flow sequence in block collection must'],
    ['ok: 1\n---\na: b: c\n', 'f.yaml:3:4: Nested mappings are not allowed'],
    ['a: "x', 'f.yaml:1:6: Missing closing "quote'],
    ['\ta: 1', 'f.yaml:1:1: Tabs are not allowed as indentation'],
    ['{"a": 1} {"b": 2}', 'f.yaml:1:10: '],
    ['a: 1\nb:\n  c: 1\n  c: 2\n', 'f.yaml:4:3: duplicate key "c"'],
    ['{"a": 1,\n "a": 2}', 'f.yaml:2:2: duplicate key "a"'],
    ['{"a": 1,\n "\\u0061": 2}', 'f.yaml:2:2: duplicate key "a"'],
    ['b: *x', 'f.yaml:1:4: there is no anchor &x before this alias'],
    ['a: &x [*x]', 'f.yaml:1:8: the alias *x contains itself'],
    ['a: &x {n: 1}\nb:\n  <<: *x\n', 'f.yaml:3:3: merge keys (<<) are not supported'],
    ['a: !mine x', 'f.yaml:1:4: Unresolved tag: !mine'],
    ['a: !!binary aGk=', 'f.yaml:1:4: Unresolved tag'],
    ['a:\n  1: x', 'f.yaml:2:3: the key 1 is not a string: put it in quotes'],
    ['true: x', 'f.yaml:1:1: the key true is not a string'],
    ['? [a]\n: b', 'f.yaml:1:3: a key must be a string, not a list'],
    ['a: &x k\n*x : 1', 'f.yaml:2:1: a key must be a string, not a list, an object or an alias'],
    [': x', 'f.yaml:1:1: a key must be a string, not null'],
    ['a: 9007199254740993', 'f.yaml:1:4: the number 9007199254740993 cannot be stored exactly'],
    ['{"a":\n 9007199254740993}', 'f.yaml:2:2: the number 9007199254740993 cannot be stored exactly'],
    ['a: 0xFFFFFFFFFFFFFFFFF', 'f.yaml:1:4: the number 0xFFFFFFFFFFFFFFFFF cannot'],
    ['a: .nan', 'f.yaml:1:4: the number .nan cannot'],
    ['{"a": 1e400}', 'f.yaml:1:7: the number 1e400 cannot'],
    ['%YAML 1.1\n---\na: yes', 'f.yaml:1:1: the only supported directive'],
    ['a: 1\n...\n%TAG ! x\n---\nb: 1', 'f.yaml:3:1: the only supported directive'],
    ['just text', 'f.yaml:1:1: expected an object, found the string "just text"'],
    ['a: 1\n---\n\n- {}\n- 5\n', 'f.yaml:5:3: expected an object, found the number 5'],
    ['[[{}]]', 'f.yaml:1:2: expected an object, found a list'],
    ['--- ~', 'f.yaml:1:5: expected an object, found nothing'],
  ])('refuses %j: %s', async (text, expected) => {
    expect(await refusal(text)).toContain(expected);
  });

  it.each<[string, Uint8Array, string]>([
    [
      'a lone byte',
      new Uint8Array([0x61, 0x3a, 0x0a, 0xc3, 0xa9, 0x20, 0xff]),
      'f.yaml:2:3: byte 0xff is not UTF-8: save the file as UTF-8',
    ],
    ['a character cut short', new Uint8Array([0x61, 0xe2, 0x82]), 'f.yaml:1:2: byte 0xe2 is not UTF-8'],
    [
      'a byte after characters of all lengths',
      new Uint8Array([...bytes('aé€😀'), 0x80]),
      'f.yaml:1:6: byte 0x80 is not UTF-8',
    ],
    ['a surrogate', new Uint8Array([0xed, 0xa0, 0x80]), 'f.yaml:1:1: byte 0xed is not UTF-8'],
    [
      'a wrong byte in the second document',
      new Uint8Array([...bytes('a: 1\n---\nb: '), 0xf0, 0x28]),
      'f.yaml:3:4: byte 0xf0 is not UTF-8',
    ],
    [
      'UTF-16, little end first',
      new Uint8Array([0xff, 0xfe, 0x61, 0]),
      'f.yaml:1:1: the file is UTF-16: save it as UTF-8',
    ],
    ['UTF-16, big end first', new Uint8Array([0xfe, 0xff, 0, 0x61]), 'the file is UTF-16'],
    ['NUL', bytes('a: 1\nb: \0'), 'f.yaml:2:4: NUL byte: the file is not plain UTF-8 text'],
    ['a control character', bytes('a: \u001f'), 'f.yaml:1:4: control character U+001F'],
  ])('refuses %s', async (_name, input, expected) => {
    expect(await refusal(input)).toContain(expected);
  });
});

describe('the limits of manifests', () => {
  it('hold for a file, a document and the number of objects', async () => {
    expect(await refusal(new Uint8Array(16 * 1024 * 1024 + 1))).toBe(
      'f.yaml is 16777217 bytes, over the limit of 16777216',
    );
    const large = `a: ${'x'.repeat(1024 * 1024)}`;
    expect(await refusal(`b: 1\n---\n${large}`)).toBe(
      'f.yaml:3: document 2 is 1048583 bytes, over the limit of 1048576',
    );
    expect(await refusal('a: 1\n---\n'.repeat(3), { documentsMax: 2 })).toBe(
      'f.yaml:5:1: more than 2 documents in one file',
    );
    expect(await refusal('- {}\n- {}\n- {}\n', { documentsMax: 2 })).toBe(
      'f.yaml:3:3: more than 2 objects in one file',
    );
    expect(await read('- {}\n- {}\n', { documentsMax: 2 })).toHaveLength(2);
  });

  it('hold for the depth, the same in JSON, YAML and through aliases', async () => {
    expect(await objects(nested(64))).toHaveLength(1);
    expect(await refusal(nested(65))).toMatch(/^f\.yaml:1:32\d: nested deeper than 64 levels$/);
    expect(await refusal(`${'- '.repeat(65)}{}`)).toContain('nested deeper than 64 levels');
    const chain = (links: number) =>
      Array.from({ length: links }, (_, index) => `a${index + 1}: &a${index + 1} [*a${index}]`);
    const chained = (links: number) => ['a0: &a0 []', ...chain(links)].join('\n');
    expect(await objects(chained(62))).toHaveLength(1);
    expect(await refusal(chained(63))).toContain('f.yaml:64:12: nested deeper than 64 levels');
  });

  it('turn every text, valid or not, into objects or an error from the catalogue', async () => {
    const pieces = [
      '[',
      ']',
      '{',
      '}',
      '- ',
      '? ',
      ': ',
      ', ',
      '\n',
      '  ',
      '\t',
      'a',
      '1',
      '&a ',
      '*a ',
      '!!map ',
      '!x ',
      '"',
      "'",
      '|\n',
      '>-\n',
      '#',
      '---\n',
      '...\n',
      '%',
      '<<',
      '~',
      'é',
      '\\',
      '\r\n',
      '@',
      '`',
    ];
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom(...pieces), { maxLength: 30 }), async (chosen) => {
        const text = chosen.join('');
        // `refusal` throws again what is not from the catalogue.
        const message = await refusal(text);
        expect(message === 'no error' || /^f\.yaml:\d+:\d+: ./u.test(message)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it('do not let a deep document overflow the stack or abort the process', async () => {
    for (const text of ['['.repeat(100_000), '- '.repeat(100_000), '{a: '.repeat(100_000), '? '.repeat(100_000)]) {
      expect(await refusal(text)).toContain('nested deeper than 64 levels');
    }
  });

  it('stop an alias bomb while it is small', async () => {
    const level = (index: number) =>
      `l${index}: &l${index} [${Array(10)
        .fill(`*l${index - 1}`)
        .join(', ')}]`;
    const bomb = ['l0: &l0 [lol]', ...Array.from({ length: 30 }, (_, index) => level(index + 1))].join('\n');
    expect(await refusal(bomb)).toMatch(
      /^f\.yaml:\d:\d+: with its aliases expanded, the document is over the limit of 1048576 bytes$/,
    );
    const long = `a: &a ${'x'.repeat(100_000)}\nb: [${Array(20).fill('*a').join(', ')}]`;
    expect(await refusal(long)).toContain('with its aliases expanded');
  });

  it('end a megabyte of commas at the first error', { timeout: 120_000 }, async () => {
    expect(await refusal(`a: [${','.repeat(1024 * 1024 - 4)}`)).toMatch(/^f\.yaml:1:\d+: more than 600000 tokens in/);
    expect(await refusal(`a: [${','.repeat(500_000)}`)).toBe(await refusal('a: [,,'));
  });

  it.each([
    ['a: [', ','],
    ['a: {', ','],
    ['a: {', ': '],
    ['a: [', '? '],
    ['a: [', '"'],
    ['a: [', '!x '],
    ['a: {', '[}'],
    ['a: {', '\n%'],
    ['a: [', '\n- |'],
    ['', ']'],
    ['', '}'],
    ['', '{]'],
    ['', '""'],
    ['', '&a '],
    ['', '*a '],
    ['', '!!x '],
    ['', '\n%'],
    ['a:\n', ',\n'],
  ])('report one error for %j and very many %j', { timeout: 120_000 }, async (start, piece) => {
    const message = await refusal(start + piece.repeat(20_000));
    expect(message).toMatch(/^f\.yaml:\d+:\d+: ./);
    expect(message.length).toBeLessThan(400);
  });

  it('hold for the number of tokens of a document', async () => {
    const limits = { lexemesMax: 100 };
    expect(await read('a: 1\n'.slice(0, -1), limits)).toHaveLength(1);
    expect(await refusal(`a:\n${'- 1\n'.repeat(100)}`, limits)).toMatch(
      /^f\.yaml:\d+:\d+: more than 100 tokens in one document$/,
    );
  });

  it.each([
    ['a key', `? ${'k'.repeat(100_000)}\n: 1\n? ${'k'.repeat(100_000)}\n: 2`],
    ['a number', `a: ${'9'.repeat(100_000)}`],
    ['an anchor', `a: *${'x'.repeat(100_000)}`],
    ['a tag', `a: !${'x'.repeat(100_000)} y`],
  ])('truncate %s that is long in a message', async (_, text) => {
    const message = await refusal(text);
    expect(message).toContain('…');
    expect(message.length).toBeLessThan(400);
  });

  it('read a document with very many keys in linear time', async () => {
    const keys = Array.from({ length: 20_000 }, (_, index) => `k${index}: 1`).join('\n');
    expect(Object.keys((await objects(keys))[0] ?? {})).toHaveLength(20_000);
  });
});

describe('validating a manifest', () => {
  const kinds = new KindSet([Widget]);
  const check = async (text: string) => {
    const errors = await Promise.all((await read(text)).map((manifest) => validateManifest(manifest, kinds)));
    return errors.flat().map(formatManifestError);
  };

  it('accepts what is valid once defaults are filled in', async () => {
    expect(
      await check(
        'apiVersion: example.io/v1\nkind: Widget\nmetadata: {name: a}\nspec: {type: Static, paused: , template: {image: a@1}}\n',
      ),
    ).toEqual([]);
  });

  it('returns file, line and column of every error', async () => {
    const text = `# a comment
apiVersion: example.io/v1
kind: Widget
metadata:
  name: a
  labels:
    example.com/app: a b
spec:
  type: Dynamic
  replica: 3
  template:
    env:
      - name: A
      - name: 5
`;
    expect(await check(text)).toEqual([
      expect.stringMatching(/^f\.yaml:7:5: metadata\.labels\[example\.com\/app\]: Invalid value: "a b": /),
      'f.yaml:10:3: spec.replica: Unknown field: did you mean "replicas"?',
      'f.yaml:11:3: spec.template.image: Required value: must be set',
      'f.yaml:14:9: spec.template.env[1].name: Invalid value: 5: must be a string',
    ]);
  });

  it('reports at most 51 errors of bounded length, however many and long they are', { timeout: 120_000 }, async () => {
    const head = 'apiVersion: example.io/v1\nkind: Widget\nmetadata: {name: a}\nspec: {type: Static}\n';
    const many = await check(head + Array.from({ length: 40_000 }, (_, index) => `x${index}: 1`).join('\n'));
    expect(many).toHaveLength(51);
    expect(many.join('\n')).toContain('only the first 50 errors are shown');
    expect(many.join('\n').length).toBeLessThan(20_000);
    for (const text of [
      `${head}? ${'k'.repeat(500_000)}\n: 1`,
      `apiVersion: example.io/v1\nkind: ${'K'.repeat(500_000)}`,
    ]) {
      const [error = '', ...others] = await check(text);
      expect(error.length).toBeLessThan(3_000);
      expect(others.length).toBeLessThan(5);
    }
  });

  it('finds places in JSON, in lists and through aliases too', async () => {
    expect(
      await check(
        '[\n {"apiVersion": "example.io/v1", "kind": "Widget",\n  "metadata": {"name": "A"}, "spec": {"type": "Static", "template": {"image": "a@1"}}}\n]',
      ),
    ).toEqual([expect.stringMatching(/^f\.yaml:3:16: metadata\.name: Invalid value: "A"/)]);
    expect(
      await check(
        'kind: List\nitems:\n- apiVersion: example.io/v1\n  kind: Widget\n  metadata: &m {name: a, nam: b}\n  spec: {type: Static, template: {image: a@1}}\n- {apiVersion: example.io/v1, kind: Widget, metadata: *m, spec: {type: Static, template: {image: a@1}}}\n',
      ),
    ).toEqual([
      'f.yaml:5:26: metadata.nam: Unknown field: did you mean "name"?',
      'f.yaml:5:26: metadata.nam: Unknown field: did you mean "name"?',
    ]);
  });

  it.each<[string, string[]]>([
    [
      'a: 1',
      [
        'f.yaml:1:1: apiVersion: Required value: must be set to a string',
        'f.yaml:1:1: kind: Required value: must be set to a string',
      ],
    ],
    ['kind: Widget\napiVersion: 1', ['f.yaml:2:1: apiVersion: Required value: must be set to a string']],
    [
      'apiVersion: example.io/v1\nkind: Wigdet',
      ['f.yaml:2:1: kind: Unsupported value: "Wigdet": did you mean "Widget"?'],
    ],
    [
      'apiVersion: example.io/v2\nkind: Widget',
      ['f.yaml:1:1: apiVersion: Unsupported value: "example.io/v2": did you mean "example.io/v1"?'],
    ],
  ])('reports an unknown kind for %j', async (text, expected) => {
    expect(await check(text)).toEqual(expected);
  });
});
