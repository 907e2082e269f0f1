/** Error cases of ecsmctl: each prints one line with the remedy and writes nothing. */
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ECSMService } from '@ecsm/operator';
import { beforeAll, describe, expect, it } from 'vitest';
import { createHistory } from './history.kit.ts';
import { type RegistryKit, registryKit, serviceInput } from './registry.kit.ts';

/** The command line, its exit code, and the one line behind `ecsmctl: `. `/dir` is the directory of the test. */
export type ErrorCase = readonly [line: string, code: number, message: string];

/** A registry with two revisions of a service, two other services, a good backup of it all, and a file with a lease. */
export function prepared(): RegistryKit {
  const kit = registryKit();
  beforeAll(async () => {
    const revisions = ['1.0.0', '2.0.0'].map((tag, index) => ({
      image: `telemetry@${tag}`,
      hash: `${index + 1}1111111`,
    }));
    await createHistory(kit, revisions);
    const registry = await kit.open();
    await registry.resource(ECSMService).create(serviceInput('camera'));
    await registry.resource(ECSMService).create(serviceInput('radar', { namespace: 'orbit' }));
    await kit.run('backup good.backup');
    const spec = 'spec: { holderIdentity: a, leaseDurationSeconds: 1, leaseTransitions: 0 }';
    const lease = `apiVersion: coordination.k8s.io/v1\nkind: Lease\nmetadata: { name: x }\n${spec}\n`;
    writeFileSync(join(kit.directory, 'leases.yaml'), lease);
  });
  return kit;
}

export function expectErrors(kit: RegistryKit, tables: Readonly<Record<string, readonly ErrorCase[]>>): void {
  describe.each(Object.entries(tables))('%s', (_, cases) => {
    it.each(cases)('ecsmctl %s', async (line, code, message) => {
      const registry = await kit.open();
      const before = [await registry.revision(), ...readdirSync(kit.directory)];
      const result = await kit.run(line.replaceAll('/dir/', `${kit.directory}/`));
      const [line1 = '', hint = '', ...more] = result.err.replaceAll(kit.directory, '/dir').split('\n');
      expect(line1).toBe(`ecsmctl: ${message}`);
      expect(result.code).toBe(code);
      expect(result.out).toBe('');
      expect(hint).toMatch(code === 2 ? /^Try: ecsmctl( [a-z]+)* --help$/ : /^$/);
      expect(more.join('')).toBe('');
      expect([await registry.revision(), ...readdirSync(kit.directory)]).toEqual(before);
    });
  });
}
