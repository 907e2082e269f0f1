import { describe, expect, it } from 'vitest';
import type { PlatformService } from '../resource/model.ts';
import { Attention } from './attention.ts';

const instance = (status: string) => ({ taskId: 't', nodeName: 'node-1', status, deployment: 'success', restarts: 0 });
const service = (id: string, status = 'running') =>
  ({ id, name: `name-of-${id}`, instances: [instance(status)] }) as unknown as PlatformService;

describe('what is ours', () => {
  it('is missed when a look does not show it, even if none ever has', () => {
    const attention = new Attention();
    attention.decidedOn(service('a'), 1);
    attention.decidedOn(service('b'), 1);
    expect(attention.keepOnly(new Set(['a']), 2)).toEqual(['name-of-b']);
    expect(attention.ids).toEqual(['a']);
    expect(attention.keepOnly(new Set(['a']), 3)).toEqual([]);
  });

  it('is not missed by a look that began before it was decided on', () => {
    const attention = new Attention();
    attention.decidedOn(service('a'), 2);
    expect(attention.keepOnly(new Set(), 2)).toEqual([]);
    expect(attention.keepOnly(new Set(), 3)).toEqual(['name-of-a']);
  });

  it('surprises when its instances are not what was decided on', () => {
    const attention = new Attention();
    attention.decidedOn(service('a'), 1);
    attention.expect('b', 'name-of-b', 1);
    expect(attention.surprisedBy('a', service('a').instances)).toBeUndefined();
    expect(attention.surprisedBy('a', service('a', 'exited').instances)).toBe('name-of-a');
    expect(attention.surprisedBy('b', [])).toBe('name-of-b');
    expect(attention.surprisedBy('nobody', [])).toBeUndefined();
  });

  it('is doubted once as long as it looks the same', () => {
    const attention = new Attention();
    attention.decidedOn(service('a', 'exited'), 1);
    expect(attention.doubt(service('a', 'exited'))).toBe(true);
    attention.decidedOn(service('a', 'exited'), 2);
    expect(attention.doubt(service('a', 'exited'))).toBe(false);
    attention.decidedOn(service('a', 'running'), 3);
    expect(attention.doubt(service('a', 'exited'))).toBe(true);
  });
});
