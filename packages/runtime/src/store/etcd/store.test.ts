import { describe } from 'vitest';
import { storeConformance } from '../conformance.suite.ts';
import { etcdHarness } from '../stores.kit.ts';
import { skipWithoutEtcd } from './etcd.kit.ts';

describe.skipIf(skipWithoutEtcd())('with a real server', () => {
  storeConformance('etcd', etcdHarness());
});
