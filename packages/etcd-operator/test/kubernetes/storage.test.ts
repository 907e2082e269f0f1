import { afterAll, beforeAll } from 'vitest';
import { storage } from '../storage.suite.ts';
import { type EtcdControlPlane, startEtcdControlPlane } from './control-plane.kit.ts';

let control: EtcdControlPlane | undefined;

beforeAll(async () => {
  control = await startEtcdControlPlane();
});

afterAll(async () => {
  await control?.stop();
});

storage('on Kubernetes', { refuses: true }, async () => {
  if (control === undefined) throw new Error('not started');
  return { registry: control.registry, hasControllers: true };
});
