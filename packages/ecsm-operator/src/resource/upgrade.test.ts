import { describe, expect, it } from 'vitest';
import { smallService } from '../apis/service.kit.ts';
import { differences } from './differences.ts';
import { platformOf, rendered } from './platform.kit.ts';
import { isUpgrade, keepUpgrade } from './upgrade.ts';

describe('an upgrade by the platform', () => {
  it.each([
    ['a@1.0.0#linux', 'a@1.1.0#linux', 'Larger', true],
    ['a@1.9.0#linux', 'a@1.10.0#linux', 'Larger', true],
    ['a@1.0.0#linux', 'a@1.0.0-rc.1#linux', 'Larger', true],
    ['a@v1#linux', 'a@2.0#linux', 'Larger', true],
    ['a@1.1.0#linux', 'a@1.0.0#linux', 'Larger', false],
    ['a@1.1.0#linux', 'a@latest#linux', 'Larger', false],
    ['a@latest#linux', 'a@1.0.0#linux', 'Larger', false],
    ['a@1.1.0#linux', 'a@1.0.0#linux', 'Always', true],
    ['a@1.1.0#linux', 'a@nightly#linux', 'Always', true],
    ['a@1.0.0#linux', 'b@1.1.0#linux', 'Always', false],
    ['a@1.0.0#linux', 'a@1.1.0#sylixos', 'Always', false],
    ['a@1.0.0#linux', 'nonsense', 'Always', false],
    ['a@1.0.0#linux', 'a@1.1.0#linux', 'Never', false],
    ['a@1.0.0#linux', 'a@1.1.0#linux', undefined, false],
  ])('of %s to %s under %s: %s', (wanted, actual, autoUpgrade, is) => {
    expect(isUpgrade(wanted, actual, autoUpgrade)).toBe(is);
  });

  it.each(['Larger', 'Always'] as const)('is not reverted by an update of another field (%s)', async (type) => {
    const { manager, simulator } = platformOf();
    const input = smallService({ upgradeStrategy: { type }, template: { image: 'telemetry@2.0.0' } });
    await manager.create(rendered(input));
    simulator.platform.pushImage({ name: 'telemetry', tag: '2.1.0', os: 'sylixos', sizeBytes: 1 });
    const [found] = await manager.find('worker');
    if (found === undefined) return expect.fail();
    expect(found.detail.image?.ref).toBe('telemetry@2.1.0#sylixos');
    expect(differences(rendered(input), found.detail)).toEqual([]);
    await manager.update(found.id, keepUpgrade(rendered(input, { replicas: 1 }), found.detail));
    expect(simulator.platform.serviceNamed('worker')).toMatchObject({
      factor: 1,
      image: { ref: 'telemetry@2.1.0#sylixos' },
    });
  });

  it('is reverted if it was forbidden, and nothing of it is kept', async () => {
    const body = rendered(smallService());
    const detail = { image: { ref: 'worker@2.0.0#sylixos' } };
    expect(keepUpgrade(body, detail)).toBe(body);
    expect(keepUpgrade(body, {})).toBe(body);
  });
});
