import { beforeAll } from 'vitest';
import { goldenTests } from './golden.kit.ts';
import { fillRegistry, registryKit } from './registry.kit.ts';

const kit = registryKit();
beforeAll(() => fillRegistry(kit));

goldenTests(kit, new URL('describe.golden.txt', import.meta.url));
