import { beforeAll } from 'vitest';
import { goldenTests } from '../shared/golden.kit.ts';
import { fillRegistry, registryKit } from '../shared/registry.kit.ts';

const kit = registryKit();
beforeAll(() => fillRegistry(kit));

goldenTests(kit, new URL('events.golden.txt', import.meta.url));
