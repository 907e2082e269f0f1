import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Program } from '@ecsm/command-line';
import { ECSMService } from '@ecsm/operator';
import { ApiError } from '@ecsm/runtime';
import { beforeAll, describe, expect, it } from 'vitest';
import { allNamespacesFlag, filenameFlag, globalFlags, recursiveFlag, selectorFlag } from './flags.ts';
import { fillRegistry, registryKit } from './registry.kit.ts';
import { withSession } from './session.ts';
import { missing, objectsOf, targetsOf } from './targets.ts';

/** A program with one command, which prints its targets. */
const program: Program = {
  name: 'ecsmctl',
  help: 'for tests',
  examples: [],
  flags: globalFlags,
  commands: [
    {
      name: 'pick',
      help: 'picks',
      examples: [],
      words: '[WORD...]',
      flags: [
        allNamespacesFlag,
        selectorFlag,
        filenameFlag,
        recursiveFlag,
        { name: 'all', help: 'all of them' },
        { name: 'read', help: 'read them, too' },
      ],
      load: async () => ({
        run: (call) =>
          withSession(call, async (session) => {
            const targets = await targetsOf(call, session);
            for (const { kind, namespace, name } of targets) {
              call.terminal.out.write(`${kind.singular} ${namespace}/${name}\n`);
            }
            if (call.flag('read') === 'true') {
              for (const { object } of await objectsOf(call, session)) call.terminal.out.write(`${object.kind}\n`);
            }
          }),
      }),
    },
  ],
};

const kit = registryKit('sqlite', program);
beforeAll(() => fillRegistry(kit));
writeFileSync(
  join(kit.directory, 'fleet.yaml'),
  `apiVersion: ecsm.sh/v1
kind: ECSMService
metadata: { name: radar, namespace: orbit }
spec:
  deploymentStrategy: { type: Dynamic, replicas: 1, nodePool: [node-1] }
  template: { image: radar@1.0.0 }
`,
);

describe('missing', () => {
  it('names the object also if the user may not list all namespaces', async () => {
    const registry = await kit.open();
    const refused = () => Promise.reject(new ApiError('Forbidden', { reason: 'cannot list at the cluster scope' }));
    const guarded = Object.assign(Object.create(registry), { resource: () => ({ versions: refused }) });
    const target = { kind: ECSMService, namespace: 'orbit', name: 'nothing' };
    expect((await missing({ registry: guarded }, target)).message).toBe(
      'there is no ecsmservice "nothing" in the namespace "orbit"',
    );
  });
});

describe('targetsOf', () => {
  it.each([
    ['service a b', 'ecsmservice default/a\necsmservice default/b\n'],
    ['service/a lease/b -n orbit', 'ecsmservice orbit/a\nlease orbit/b\n'],
    ['services --all', 'ecsmservice default/camera\necsmservice default/telemetry\n'],
    ['services --all -A', 'ecsmservice default/camera\necsmservice default/telemetry\necsmservice orbit/radar\n'],
    ['all -l app=radar -A', 'ecsmservice orbit/radar\n'],
    ['services -l app=radar', ''],
    ['-f fleet.yaml', 'ecsmservice orbit/radar\n'],
    ['-f fleet.yaml --read', 'ecsmservice orbit/radar\nECSMService\n'],
  ])('%s', async (line, out) => {
    expect(await kit.run(`pick ${line}`)).toEqual({ code: 0, out, err: '' });
  });

  it.each([
    ['', 2, 'specify a kind, such as ecsmservices, or KIND/NAME'],
    ['services', 2, 'which ecsmservices? Specify names, -l SELECTOR or --all'],
    ['service a --all', 2, 'use names or --all, not both'],
    ['service a -l app=b', 2, 'use names or -l, not both'],
    ['service a -A', 2, 'names require a single namespace: use -n, not -A'],
    ['service a -f fleet.yaml', 2, 'use names or -f, not both: "service a"'],
    ['--all -f fleet.yaml', 2, 'use --all or -f, not both'],
    ['-l app=b -f fleet.yaml', 2, 'use -l or -f, not both'],
    ['services -l app==b=c', 2, 'label selector "app==b=c": at character 7: found "=", expected "," or the end'],
    ['service nothing --read', 1, 'there is no ecsmservice "nothing" in the namespace "default"'],
  ])('rejects %s', async (line, code, message) => {
    const ran = await kit.run(`pick ${line}`);
    expect({ code: ran.code, err: ran.err.split('\n')[0] }).toEqual({ code, err: `ecsmctl: ${message}` });
  });
});
