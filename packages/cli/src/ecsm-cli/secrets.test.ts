/** Secrets of the platform are hidden in every output, not only in YAML and JSON. */
import { expect, test } from 'vitest';
import { serviceBody, simulated } from './platform.kit.ts';

test('hides arguments and environments of services and records in text, whatever their names are', async () => {
  const kit = await simulated();
  const body = serviceBody('telemetry');
  const config = { process: { args: ['run', 'hunter2'], env: ['ADMIN_PIN=hunter2'] } };
  const data = JSON.stringify({ ...body, image: { ...body.image, config } });
  expect((await kit.run(['-v', 'raw', 'POST', '/service', '-d', data])).err).not.toContain('hunter2');
  const { out: id } = await kit.run('get records --service telemetry -o jsonpath={.items[0].id}');
  for (const line of [
    'get records --service telemetry -o wide',
    `describe record ${id}`,
    'describe service telemetry',
  ]) {
    const { out } = await kit.run(line);
    expect(out).toContain('<hidden>');
    expect(out).not.toContain('hunter2');
  }
});

test('hides secrets in the reasons of failed deployments', async () => {
  const kit = await simulated({ behaviour: 'likely', isQuick: true });
  kit.simulator.platform.failDeployments({ message: 'cannot pull https://admin:hunter2@registry/x', count: 1 });
  const files = { 'x.yaml': JSON.stringify(serviceBody('x', { nodes: ['node-1'] })) };
  const { err } = await kit.run('create service -f x.yaml --wait', { files });
  expect(err).toContain('could not be deployed: cannot pull https://<hidden>@registry/x (on node-1)\n');
  const { out: name } = await kit.run('get containers -o jsonpath={.items[0].name}');
  for (const line of [`describe container ${name}`, 'describe service x']) {
    const { out } = await kit.run(line);
    expect(out).toContain('https://<hidden>@registry/x');
    expect(out).not.toContain('hunter2');
  }
});
