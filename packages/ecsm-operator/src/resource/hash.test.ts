import { describe, expect, it } from 'vitest';
import { ECSMService, type ECSMServiceInput } from '../apis/ecsm-service.ts';
import { fullService, smallService } from '../apis/service.kit.ts';
import { canonicalJson, revisionHash } from './hash.ts';

type TemplateInput = ECSMServiceInput['spec']['template'];

const templateOf = (template: TemplateInput) => ECSMService.default(smallService({ template })).spec.template;
const hashOf = (template: TemplateInput, restartedAt?: string) =>
  revisionHash({ template: templateOf(template), restartedAt });

function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([name, field]) => [name, reversed(field)]),
  );
}

/** Every way to change one value of a template, or to leave one out. */
function* changes(value: unknown): Generator<unknown> {
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      for (const change of changes(item)) yield value.with(index, change);
      yield value.toSpliced(index, 1);
    }
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, field] of Object.entries(value)) {
      for (const change of changes(field)) yield { ...value, [name]: change };
    }
  } else if (typeof value === 'number') yield value + 1;
  else if (typeof value === 'boolean') yield !value;
  else if (typeof value === 'string') yield `${value}x`;
}

describe('the hash of a revision', () => {
  it('has 8 hexadecimal digits, and never changes', () => {
    // A change here rolls out every service of every site: it may not happen by accident.
    expect(hashOf({ image: 'worker@1.0.0' })).toBe('cb3e4cb5');
    expect(hashOf({ image: 'worker@1.0.0' }, '2026-01-01T00:00:00Z')).toBe('0024e93d');
    expect(hashOf(fullService.spec.template)).toBe('14f0e3fe');
  });

  it('does not depend on the order of fields', () => {
    const template = ECSMService.parse({ ...fullService, spec: Object(reversed(fullService.spec)) }).spec.template;
    expect(Object.keys(template)[0]).not.toBe('image');
    expect(revisionHash({ template })).toBe(hashOf(fullService.spec.template));
  });

  it.each<[what: string, short: TemplateInput, long: TemplateInput]>([
    [
      'defaults of the kind',
      { image: 'a@1.0.0' },
      { image: 'a@1.0.0', prepull: false, platformSpecific: { action: 'Run' } },
    ],
    ['the operating system', { image: 'a@1.0.0' }, { image: 'a@1.0.0#sylixos' }],
    ['the pull policy', { image: 'a@1.0.0' }, { image: 'a@1.0.0', imagePullPolicy: 'IfNotPresent' }],
    ['the pull policy of latest', { image: 'a@latest' }, { image: 'a@latest', imagePullPolicy: 'Always' }],
    [
      'defaults inside lists',
      { image: 'a@1.0.0', env: [{ name: 'A' }] },
      { image: 'a@1.0.0', env: [{ name: 'A', value: '' }] },
    ],
    [
      'defaults inside objects',
      { image: 'a@1.0.0', vsoa: { healthCheck: { path: '/' } } },
      { image: 'a@1.0.0', vsoa: { port: 0, healthCheck: { path: '/', periodSeconds: 5, failureThreshold: 3 } } },
    ],
  ])('is the same when %s are spelled out', (_, short, long) => {
    expect(hashOf(long)).toBe(hashOf(short));
    // Also without defaults: old revisions are read as they were stored.
    expect(revisionHash({ template: Object({ platformSpecific: {}, ...short }) })).toBe(hashOf(short));
  });

  it('differs for every change', () => {
    const hashes = [hashOf(fullService.spec.template)];
    for (const template of changes(fullService.spec.template))
      hashes.push(revisionHash({ template: Object(template) }));
    expect(hashes.length).toBeGreaterThan(30);
    expect(new Set(hashes).size).toBe(hashes.length);
  });

  it('differs for the tag latest with another pull policy, and for another system', () => {
    const hashes = [
      hashOf({ image: 'a@latest' }),
      hashOf({ image: 'a@latest', imagePullPolicy: 'IfNotPresent' }),
      hashOf({ image: 'a@latest', platformSpecific: { platform: { os: 'linux' } } }),
      hashOf({ image: 'a@latest', command: ['a'] }),
      hashOf({ image: 'a@latest', command: ['a', ''] }),
      hashOf({ image: 'a@latest' }, 'now'),
      hashOf({ image: 'a@latest' }, 'later'),
    ];
    expect(new Set(hashes).size).toBe(hashes.length);
  });

  it('is evenly distributed', () => {
    const hashes = Array.from({ length: 20_000 }, (_, index) => hashOf({ image: `a@${index}` }));
    expect(new Set(hashes).size).toBeGreaterThan(19_998);
    const firstDigits = new Set(hashes.slice(0, 300).map((hash) => hash[0]));
    expect(firstDigits.size).toBe(16);
  });
});

describe('canonical JSON', () => {
  it('sorts fields, keeps lists, and omits undefined', () => {
    expect(canonicalJson({ b: [2, 1, { d: undefined, c: null }], a: 'ä' })).toBe('{"a":"ä","b":[2,1,{"c":null}]}');
    expect(canonicalJson(undefined)).toBe('null');
    expect(canonicalJson(JSON.parse('{"__proto__":1,"a":2}'))).toBe('{"__proto__":1,"a":2}');
  });
});
