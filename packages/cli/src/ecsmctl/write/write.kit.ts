/** Files to apply, and a registry to apply them to. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { TestTerminalOptions } from '@ecsm/command-line/testing';
import { type EmbeddedRegistry, systemClock } from '@ecsm/runtime';
import { beforeAll } from 'vitest';
import { nowMs, type RegistryKit, registryKit, usedByOperator } from '../shared/registry.kit.ts';

interface WriteKit extends RegistryKit {
  /** Puts a file where commands run. */
  write(name: string, content: string | Uint8Array): void;
  /**
   * What a command printed, on the output and (behind `!`) on the error output, and its exit code if it is not 0. Without
   * progress lines: whether there are any depends on the speed of the machine.
   */
  shown(line: string, options?: TestTerminalOptions): Promise<string>;
  /** Opens the registry, runs the work, and closes it. */
  inside<T>(work: (registry: EmbeddedRegistry) => Promise<T>): Promise<T>;
}

/** Call it at the top of a test file, or within a `describe`. An operator has used the registry, unless it is `absent`. */
export function writeKit(scheme?: 'sqlite' | 'file', registry: 'used' | 'absent' = 'used'): WriteKit {
  const kit = registryKit(scheme);
  beforeAll(async () => {
    if (registry === 'used') await usedByOperator(await kit.open());
  });
  return {
    ...kit,
    write(name, content) {
      const path = join(kit.directory, name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, content);
    },
    async shown(line, options) {
      const { code, out, err } = await kit.run(line, options);
      const messages = err.replace(/^waiting for .*\n/gm, '');
      return `${out}${messages.replace(/^/gm, '! ').replace(/! $/, '')}${code === 0 ? '' : `= ${code}\n`}`;
    },
    async inside(work) {
      const registry = await kit.open();
      try {
        return await work(registry);
      } finally {
        await registry.close();
      }
    },
  };
}

/** For commands that wait: timers run, and the time of day is fixed, so that elapsed times are `0 s`. */
export const inRealTime: TestTerminalOptions = { clock: { ...systemClock, now: () => nowMs } };

/** A service in YAML. `metadata` and `spec` are more lines, indented by two. */
export function serviceText(name: string, { metadata = '', spec = '' } = {}): string {
  return `apiVersion: ecsm.sh/v1
kind: ECSMService
metadata:
  name: ${name}
${metadata}spec:
  deploymentStrategy: { type: Dynamic, replicas: 2, nodePool: [node-1, node-2] }
${spec}  template:
    image: ${name}@1.0.0#sylixos
    vsoa: { password: hunter2 }
`;
}
