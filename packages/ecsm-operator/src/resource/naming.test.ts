import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isNameOf, ownerKeysOf, platformName, rolloutName } from './naming.ts';

describe('names on the platform', () => {
  it('leave out the default namespace', () => {
    expect(platformName('default', 'telemetry')).toBe('telemetry');
    expect(platformName('ground', 'telemetry')).toBe('ground.telemetry');
    expect(rolloutName('ground.telemetry', '0a1b2c3d')).toBe('ground.telemetry-0a1b2c3d');
  });

  it.each([
    ['telemetry', 'telemetry', true],
    ['telemetry', 'telemetry-0a1b2c3d', true],
    ['ground.telemetry', 'ground.telemetry-0a1b2c3d', true],
    ['telemetry', 'telemetry-0a1b2c3', false],
    ['telemetry', 'telemetry-0a1b2c3de', false],
    ['telemetry', 'telemetry-0A1B2C3D', false],
    ['telemetry', 'telemetry-0a1b2c3g', false],
    ['telemetry', 'telemetry-2', false],
    ['telemetry', 'my-telemetry', false],
    ['telemetry', 'ground.telemetry', false],
    ['telemetry', 'Telemetry', false],
    ['a.b', 'aXb', false],
    ['telemetry', 'telemetry-0a1b2c3d-0a1b2c3d', false],
  ])('%s: %s is one of its names: %s', (base, candidate, isOne) => {
    expect(isNameOf(base, candidate)).toBe(isOne);
  });

  it.each([
    ['telemetry', [['default', 'telemetry']]],
    ['ground.telemetry', [['ground', 'telemetry']]],
    [
      'telemetry-0a1b2c3d',
      [
        ['default', 'telemetry-0a1b2c3d'],
        ['default', 'telemetry'],
      ],
    ],
    [
      'ground.telemetry-0a1b2c3d',
      [
        ['ground', 'telemetry-0a1b2c3d'],
        ['ground', 'telemetry'],
      ],
    ],
    ['default.telemetry', []],
    ['a.b.c', []],
    ['Telemetry', []],
    ['', []],
    ['.a', []],
    ['a.', []],
    ['-0a1b2c3d', []],
    ['数据', []],
    [`${'a'.repeat(63)}-0a1b2c3d`, [['default', 'a'.repeat(63)]]],
  ])('%s could be of %j', (name, owners) => {
    expect(ownerKeysOf(name)).toEqual(owners.map(([namespace, owner]) => ({ namespace, name: owner })));
  });

  it('can be mapped back to their owners for any names', () => {
    const label = fc.stringMatching(/^[a-z0-9]([-a-z0-9]{0,20}[a-z0-9])?$/);
    const namespace = fc.oneof(fc.constant('default'), label);
    fc.assert(
      fc.property(namespace, label, fc.stringMatching(/^[0-9a-f]{8}$/), (space, name, hash) => {
        const base = platformName(space, name);
        for (const one of [base, rolloutName(base, hash)]) {
          expect(isNameOf(base, one)).toBe(true);
          expect(ownerKeysOf(one)).toContainEqual({ namespace: space, name });
          for (const owner of ownerKeysOf(one)) {
            expect(isNameOf(platformName(owner.namespace, owner.name), one)).toBe(true);
          }
        }
      }),
    );
  });
});
