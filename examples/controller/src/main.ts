/** The program. `REGISTRY` is the URL of the registry; by default it is a directory of files, which users edit. */
import { openRegistry, readableLog, untilSignal } from '@ecsm/runtime';
import { kinds } from './kinds.ts';
import { program } from './operator.ts';
import { MemoryServer } from './server.ts';

const log = readableLog({ write: (line) => process.stderr.write(line) });
const registry = await openRegistry(process.env['REGISTRY'] ?? 'file:./registry', { kinds, log });
await untilSignal((signal) => program(registry, new MemoryServer(), log).run({ signal }), { log });
await registry.close();
