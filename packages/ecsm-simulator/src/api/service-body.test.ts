import { expect, test } from 'vitest';
import { Bench, field, serviceBody, vsoa } from './api.kit.ts';

test('missing fields get the defaults of the platform', () => {
  const bench = new Bench();
  bench.deploy({ policy: undefined });
  expect(bench.platform.serviceNamed('telemetry')).toMatchObject({
    policy: 'static',
    factor: 1,
    prepull: false,
    image: { pullPolicy: 'IfNotPresent', autoUpgrade: 'Never' },
  });
  const image = { ref: 'gateway@latest#linux', action: 'load', config: {}, vsoa: null };
  bench.deploy({ name: 'g', image, node: { names: ['Ground'] }, factor: null, prepull: null });
  expect(bench.platform.serviceNamed('g')?.image).toEqual({
    ref: 'gateway@latest#linux',
    action: 'load',
    config: {},
    pullPolicy: 'Always',
    autoUpgrade: 'Never',
  });
});

test('unknown fields of an image are kept and returned', () => {
  const bench = new Bench();
  const image = {
    ...serviceBody().image,
    config: { x: { y: [1] } },
    labels: { a: 'b' },
    vsoa: { ...vsoa, tier: 'gold' },
  };
  const id = bench.deploy({ image, mystery: 5 });
  expect(field(bench.data('GET', `/service/${id}`), 'image')).toEqual({
    ...image,
    pullPolicy: 'IfNotPresent',
    autoUpgrade: 'Never',
  });
});

test.each([
  [{ name: undefined }, 'name is missing'],
  [{ name: '  ' }, 'name should have 1 to 1000 characters'],
  [{ name: 5 }, 'name should be a string, but is 5'],
  [
    { image: { ref: 'a', action: 'fly', config: {} } },
    'image.action should be "run" or "load", but is a string of 3 characters',
  ],
  [{ image: { ref: 'a', action: 'run' } }, 'image.config is missing'],
  [{ image: { ref: 'a', action: 'run', config: [] } }, 'image.config should be an object, but is a list'],
  [
    { image: { ref: 'a', action: 'run', config: { process: { env: [5] } } } },
    'image.config.process.env[0] should be a string, but is 5',
  ],
  [
    { image: { ref: 'a', action: 'run', config: { sylixos: { resources: { memory: { memoryLimitMB: '5' } } } } } },
    'image.config.sylixos.resources.memory.memoryLimitMB should be a number, but is a string of 1 characters',
  ],
  [
    { image: { ref: 'a', action: 'run', config: {}, vsoa: { port: 70_000 } } },
    'image.vsoa.port should be from 0 to 65535',
  ],
  [{ node: { names: 'sat-1' } }, 'node.names should be a list, but is a string of 5 characters'],
  [{ node: {} }, 'node.names is missing'],
  [{ factor: 1.5 }, 'factor should be a whole number, but is 1.5'],
  [{ policy: 'both' }, 'policy should be "dynamic" or "static", but is a string of 4 characters'],
  [{ prepull: 'yes' }, 'prepull should be true or false, but is a string of 3 characters'],
])('a body with %j is refused by field', (change, sentence) => {
  const bench = new Bench({ failureFieldErrors: 'text' });
  const reply = bench.call('POST', '/service', serviceBody(change));
  expect(reply.body).toEqual({
    status: 30001,
    message: `请求参数错误: ${sentence}`,
    data: null,
    fieldErrors: sentence,
  });
  expect(bench.platform.services()).toEqual([]);
});
