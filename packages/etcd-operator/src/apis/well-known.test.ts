import { describe, expect, it } from 'vitest';
import { conditionReasons, conditionTypes, eventReasons } from './reasons.ts';
import { compareVersions, imageTag, parseVersion } from './version.ts';
import { labelsOf, names, selectorOf, slotOf } from './well-known.ts';

describe('well-known names', () => {
  it('name the objects of a cluster', () => {
    expect(names.host('main', 'default', 2)).toBe('main-2.main-peer.default.svc');
    expect(names.claim('main', 0)).toBe('data-main-0');
    expect(names.configKey('main', 0)).toBe('main-0.yaml');
  });

  it.each([
    ['main-0', 0],
    ['main-12', 12],
    ['main-01', undefined],
    ['main-', undefined],
    ['main', undefined],
    ['other-1', undefined],
    ['main-x-1', undefined],
  ])('find the slot of the pod %s', (pod, slot) => {
    expect(slotOf('main', pod)).toBe(slot);
  });

  it('select with labels that all objects have', () => {
    expect(labelsOf('main')).toMatchObject(selectorOf('main'));
  });
});

describe('reasons', () => {
  it.each(Object.entries({ conditionTypes, conditionReasons, eventReasons }))(
    '%s are words with a sentence',
    (_, table) => {
      for (const [reason, sentence] of Object.entries(table)) {
        expect(reason).toMatch(/^[A-Z][A-Za-z]+$/);
        expect(sentence).toMatch(/^[A-Za-z].*\.$/s);
      }
    },
  );
});

describe('versions', () => {
  it('are parsed with and without v', () => {
    expect(parseVersion('3.5.21')).toEqual({ major: 3, minor: 5, patch: 21, suffix: '' });
    expect(parseVersion('v3.6.0-rc.1')).toEqual({ major: 3, minor: 6, patch: 0, suffix: 'rc.1' });
    expect(parseVersion('3.5')).toBeUndefined();
    expect(imageTag('3.5.21')).toBe(imageTag('v3.5.21'));
  });

  it('are ordered', () => {
    const sorted = ['3.4.9', '3.5.2', '3.5.10', '3.6.0-alpha.0', '3.6.0-rc.0', '3.6.0'];
    const parsed = [...sorted].reverse().flatMap((text) => parseVersion(text) ?? []);
    parsed.sort(compareVersions);
    expect(parsed).toEqual(sorted.map(parseVersion));
  });
});
