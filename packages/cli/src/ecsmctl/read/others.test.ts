import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll } from 'vitest';
import { goldenTests } from '../shared/golden.kit.ts';
import { fillRegistry, registryKit } from '../shared/registry.kit.ts';

const kit = registryKit();
beforeAll(() => fillRegistry(kit));
writeFileSync(join(kit.directory, 'site.yaml'), '# of this site\nnamespace: orbit\n');
writeFileSync(join(kit.directory, 'wrong.yaml'), 'namespaces: orbit\n');

goldenTests(kit, new URL('others.golden.txt', import.meta.url));
