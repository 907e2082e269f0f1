import { beforeAll, describe, expect, it } from 'vitest';
import { fillRegistry, registryKit } from './shared/registry.kit.ts';

const kit = registryKit();
const empty = registryKit();
beforeAll(() => fillRegistry(kit));

/** What is offered, without descriptions. */
async function offered(line: string, from = kit): Promise<readonly string[]> {
  const { out, err, code } = await from.run(`__complete -- ${line}`);
  expect({ err, code }).toEqual({ err: '', code: 0 });
  return out
    .split('\n')
    .filter((one) => one !== '')
    .map((one) => one.split('\t')[0] ?? '');
}

describe('completion', () => {
  it('offers kinds', async () => {
    expect(await offered("get ''")).toEqual([
      'ecsmservices',
      'ecsmhpas',
      'servicerevisions',
      'operatoridentities',
      'priorityclasses',
      'events',
      'leases',
      'services',
      'svc',
      'all',
    ]);
    expect(await offered('get s')).toEqual(['servicerevisions', 'services', 'svc']);
    expect(await offered('explain ev')).toEqual(['events']);
  });

  it('offers the existing objects of the given namespace', async () => {
    expect(await offered("get services ''")).toEqual(['camera', 'telemetry']);
    expect(await offered("describe es telemetry ''")).toEqual(['camera']);
    expect(await offered("get services -n orbit ''")).toEqual(['radar']);
    expect(await offered('get rev telemetry-2')).toEqual(['telemetry-2f7fefde']);
  });

  it('offers KIND/NAME after a kind and a slash, by any of its names', async () => {
    expect(await offered('get svc/')).toEqual(['svc/camera', 'svc/telemetry']);
    expect(await offered('rollout status service/t')).toEqual(['service/telemetry']);
    expect(await offered('describe services/camera services/')).toEqual(['services/telemetry']);
    expect(await offered('get nothing/')).toEqual([]);
  });

  it('offers namespaces, KIND/NAME, and formats', async () => {
    expect(await offered("get services -n ''")).toEqual(['default', 'orbit']);
    expect(await offered('events --for ecsmservice/t')).toEqual(['ecsmservice/telemetry']);
    expect(await offered('get services -o j')).toEqual(['json', 'jsonpath=']);
    expect(await offered('events --types W')).toEqual(['Warning']);
  });

  it('offers nothing without a registry or for invalid words', async () => {
    expect(await offered("get services ''", empty)).toEqual([]);
    expect(await offered("get pods ''")).toEqual([]);
    expect(await offered("get services -n ''", empty)).toEqual([]);
  });
});
