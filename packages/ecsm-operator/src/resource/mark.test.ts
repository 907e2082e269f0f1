import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isOurs, markLines, markText, readMark } from './mark.ts';
import type { Mark } from './model.ts';

const mark: Mark = { registry: 'r-1', namespace: 'ground', name: 'telemetry', uid: 'u-1', revision: '0a1b2c3d' };
const sylixos = (env: unknown) => ({ image: { config: { process: { env } } } });
const linux = (env: unknown) => ({ image: { config: { env } } });

describe('a mark', () => {
  it('is two variables', () => {
    expect(markText(mark)).toBe('r-1/ground/telemetry/u-1');
    expect(markLines(mark)).toEqual(['ECSM_OWNER=r-1/ground/telemetry/u-1', 'ECSM_REVISION=0a1b2c3d']);
  });

  it.each([
    ['SylixOS', sylixos],
    ['Linux', linux],
  ])('is read back from %s, whatever else is there', (_, detailOf) => {
    const part = fc.stringMatching(/^[a-z0-9-]{1,20}$/);
    const marks = fc.record({
      registry: fc.stringMatching(/^[a-z0-9/-]{0,10}[a-z0-9-]$/),
      namespace: part,
      name: part,
      uid: part,
      revision: part,
    });
    const other = fc.string().filter((line) => !line.startsWith('ECSM_'));
    fc.assert(
      fc.property(marks, fc.array(other), fc.array(other), (one, before, after) => {
        expect(readMark(detailOf([...before, ...markLines(one), ...after]))).toEqual(one);
      }),
    );
  });

  it.each<[what: string, detail: Parameters<typeof readMark>[0]]>([
    ['there is no image', {}],
    ['the image is null', { image: null }],
    ['there is no configuration', { image: { config: null } }],
    ['the environment is not a list', sylixos('ECSM_OWNER=a/b/c/d')],
    ['the environment has no lines', linux([1, null, { name: 'ECSM_OWNER', value: 'a/b/c/d' }])],
    ['no variable is a mark', linux(['A=b'])],
    ['the variable is another', linux(['ECSM_OWNER_OLD=a/b/c/d', 'MY_ECSM_OWNER=a/b/c/d'])],
    ['it is too short', linux(['ECSM_OWNER=b/c/d'])],
    ['a part is empty', linux(['ECSM_OWNER=a//c/d'])],
    ['it is empty', linux(['ECSM_OWNER=', 'ECSM_OWNER'])],
    ['two disagree', linux(['ECSM_OWNER=a/b/c/d', 'ECSM_OWNER=a/b/c/e'])],
  ])('is none where %s', (_, detail) => {
    expect(readMark(detail)).toBeUndefined();
  });

  it('may have no revision, and may occur twice', () => {
    expect(readMark(linux(['ECSM_OWNER=a/b/c/d']))).toMatchObject({ registry: 'a', uid: 'd', revision: '' });
    expect(readMark(linux([...markLines(mark), ...markLines(mark)]))).toEqual(mark);
  });

  it('is ours for the same registry, namespace and name, also of an earlier object', () => {
    const owner = { registryId: 'r-1', namespace: 'ground', name: 'telemetry' };
    expect(isOurs(mark, owner)).toBe(true);
    expect(isOurs({ ...mark, uid: 'u-0', revision: '' }, owner)).toBe(true);
    expect(isOurs({ ...mark, registry: 'r-2' }, owner)).toBe(false);
    expect(isOurs({ ...mark, namespace: 'default' }, owner)).toBe(false);
    expect(isOurs({ ...mark, name: 'camera' }, owner)).toBe(false);
    expect(isOurs(undefined, owner)).toBe(false);
  });
});
