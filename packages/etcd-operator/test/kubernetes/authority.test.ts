import { afterAll, beforeAll } from 'vitest';
import { authority } from '../authority.suite.ts';
import { type EtcdControlPlane, startEtcdControlPlane } from './control-plane.kit.ts';

let control: EtcdControlPlane | undefined;

beforeAll(async () => {
  control = await startEtcdControlPlane();
});

afterAll(async () => {
  await control?.stop();
});

authority('on Kubernetes', async () => {
  if (control === undefined) throw new Error('not started');
  return { registry: control.registry, hasControllers: true };
});
