/** Answers that a platform, a proxy or a bad line could give: valid envelopes, and what becomes of them. */
import { shape } from '@ecsm/runtime';
import type { SeededRandom } from '@ecsm/runtime/simulation';

/** Never to be seen in an error. */
export const secret = 'hunter2';

/** A page, strict enough that most changes of its type are noticed. */
export const pageShape = shape.object({
  total: shape.integer(),
  list: shape.list(
    shape.object({
      id: shape.string(),
      status: shape.nullable(shape.string()),
      healthy: shape.boolean(),
      vsoaPassword: shape.string(),
      cpu: shape.either(shape.number(), shape.object({ total: shape.number() })),
      labels: shape.optional(shape.record(shape.string())),
    }),
  ),
});

export function validEnvelope(random: SeededRandom): unknown {
  const list = Array.from({ length: random.integer(0, 3) }, () => ({
    id: random.uuid(),
    status: random.pick(['complete', '部署中', null]),
    healthy: random.chance(0.5),
    vsoaPassword: secret,
    cpu: random.pick([5, { total: 0.5 }]),
    ...(random.chance(0.5) ? { labels: { a: 'b' } } : {}),
    env: [`DB_PASSWORD=${secret}`],
  }));
  const status = random.pick([200, 200, 200, '200', 31006, 404, 500, 31099]);
  return {
    status,
    message: random.pick(['success', '失败', '']),
    data: { total: list.length, list },
    fieldErrors: null,
  };
}

const oddValues: readonly unknown[] = [
  null,
  true,
  false,
  0,
  -1,
  200,
  1e308,
  '',
  '200',
  'x'.repeat(5_000),
  '\ud800',
  '\u0000\u001b[2J',
  [],
  {},
  [[]],
  [null],
  { status: 200 },
  { length: 5 },
  { toString: 1 },
  { toJSON: 'x' },
  { constructor: null },
  ['--password', secret],
];

const oddKeys = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'status', 'data', '', '\u0000'];

/** The same with one value, somewhere in it, replaced, removed or added. */
function mutated(value: unknown, random: SeededRandom): unknown {
  if (random.chance(0.25) || typeof value !== 'object' || value === null) return random.pick(oddValues);
  if (Array.isArray(value)) {
    const index = random.integer(0, value.length);
    return value.map((item, at) => (at === index ? mutated(item, random) : item));
  }
  const entries = Object.entries(value);
  const chosen = random.integer(0, entries.length);
  if (chosen === entries.length)
    return Object.fromEntries([...entries, [random.pick(oddKeys), random.pick(oddValues)]]);
  if (random.chance(0.2)) return Object.fromEntries(entries.filter((_, at) => at !== chosen));
  return Object.fromEntries(entries.map(([name, field], at) => [name, at === chosen ? mutated(field, random) : field]));
}

export function randomBytes(random: SeededRandom, length: number): Uint8Array {
  return Uint8Array.from({ length }, () => random.integer(0, 255));
}

const oddTexts = [
  '<!DOCTYPE html><html><body>502 Bad Gateway</body></html>',
  '<?xml version="1.0"?><x/>',
  '\ufeff',
  '\ufeff{"status":200}',
  'null',
  '"success"',
  '200',
  '{"status":1e999,"data":1}',
  '{"status":200,"data":1e400}',
  '{"status":00200}',
  'NaN',
  '{"status":123456789012345678901234567890}',
  '{"status":200,"status":500}',
  '{"__proto__":{"status":200},"data":{}}',
  '{"status":200,"data":{"total":0,"list":[]},"__proto__":null}',
  "{'status':200}",
  '{"status":200,}',
  '// no\n{}',
  '\u0000',
];

function text(value: string): Uint8Array {
  return new TextEncoder().encode(value);
}

function splice(bytes: Uint8Array, at: number, remove: number, insert: Uint8Array): Uint8Array {
  return Uint8Array.from([...bytes.subarray(0, at), ...insert, ...bytes.subarray(at + remove)]);
}

/** One body, by one of the ways in which bodies go wrong. */
export function damagedBody(random: SeededRandom): Uint8Array {
  const envelope = validEnvelope(random);
  const whole = text(JSON.stringify(envelope));
  const at = random.integer(0, whole.length);
  const ways: readonly (() => Uint8Array)[] = [
    () => whole,
    () => whole.subarray(0, at),
    () => randomBytes(random, random.integer(0, 200)),
    () => splice(whole, at, random.integer(0, 5), randomBytes(random, random.integer(0, 5))),
    () => splice(whole, at, 0, Uint8Array.from(random.pick([[0xff], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xf5, 0x80]]))),
    () => text(random.pick(oddTexts)),
    () => text(`{"status":200,"data":${random.pick(['[', '{"a":', '{"list":['])}`.repeat(random.integer(1, 60))),
    () =>
      text(
        `{"status":${random.pick([200, 500])},"message":"m","data":null,"fieldErrors":${'['.repeat(3_000)}${']'.repeat(3_000)}}`,
      ),
    () => text(JSON.stringify(mutated(envelope, random))),
    () => text(JSON.stringify(mutated(mutated(envelope, random), random))),
    () => text(JSON.stringify(mutated(mutated(mutated(envelope, random), random), random))),
  ];
  return random.pick(ways)();
}
