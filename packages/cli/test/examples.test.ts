/**
 * Every example of every help text, run as a process by a shell, exactly as it stands there. Each finds the world that it
 * speaks of: a platform of four nodes, the services that it names, and the files, in the directory where it runs.
 * Examples that only look share a world; each of the others has one of its own.
 */
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command, Program } from '@ecsm/command-line';
import type { Ran } from '@ecsm/command-line/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ecsmCli } from '../src/ecsm-cli/program.ts';
import { ecsmctl } from '../src/ecsmctl/program.ts';
import { writeKubeconfig } from '../src/ecsmctl/shared/kubeconfig.kit.ts';
import { deliveredPrograms, root } from './programs.kit.ts';
import { type Site, startSite } from './site.kit.ts';

const programs = deliveredPrograms();

/** Upper bound of a site with its preparation, about fifteen processes. On an idle machine it takes a few seconds. */
const siteMsMax = 400_000;

/** What people have done before they copy the example. */
const preparations: Readonly<Record<string, readonly string[]>> = {
  'ecsmctl create -f examples/quickstart/worker.yaml --dry-run': ['ecsmctl delete service worker'],
  'ecsmctl label service telemetry tier=orbit --overwrite': ['ecsmctl label service telemetry tier=ground'],
  'ecsmctl label service telemetry tier-': ['ecsmctl label service telemetry tier=ground'],
  'ecsmctl annotate service telemetry owner-': ["ecsmctl annotate service telemetry owner='ground team'"],
  'ecsmctl scale service/telemetry --replicas 3 --current-replicas 5': ['ecsmctl scale service telemetry --replicas 5'],
  'ecsmctl diff -f examples/quickstart': ['ecsmctl scale service telemetry --replicas 5'],
  'ecsmctl rollout resume service/telemetry': ['ecsmctl rollout pause service/telemetry'],
  'ecsmctl wait service/old --for=delete': ['ecsmctl delete service old --wait=false'],
  "ecsmctl wait service/telemetry --for=jsonpath='{.status.readyReplicas}'=2": [
    'ecsmctl scale service telemetry --replicas 2',
  ],
  'ecsm-cli node remove node-3 --yes': ['ecsm-cli delete telemetry --yes --wait'],
};

/** Exit codes other than 0, which say something. */
const codes: Readonly<Record<string, number>> = {
  'ecsmctl diff -f examples/quickstart': 1,
  'ecsmctl auth can-i update services --as jane -n orbit': 1,
};

function preparationsOf(line: string): readonly string[] {
  if (line.startsWith('ecsmctl rollout undo')) {
    return ['ecsmctl set image service/telemetry telemetry@1.1.0#sylixos', 'ecsmctl rollout status service/telemetry'];
  }
  if (line.startsWith('ecsmctl restore')) return ['ecsmctl backup fleet.backup'];
  if (/^ecsmctl token (list|revoke)/.test(line)) return ['ecsmctl token create --user jane'];
  if (line.startsWith('ecsm-cli start')) return ['ecsm-cli stop telemetry --wait'];
  if (line.startsWith('ecsm-cli unpause')) return ['ecsm-cli pause telemetry --wait'];
  return preparations[line] ?? [];
}

/** The help of the command says so. */
const stopsOperatorFirst = (line: string) => /^ecsmctl (restore|registry migrate)/.test(line);

const isLooking = (line: string) =>
  /^(\w+=\S+ )?(ecsmctl|ecsm-cli) (get|describe|events|explain|api-resources|config|version|completion|validate|diff --live|top|watch|raw GET|image list|node check|registry status|token list|auth can-i|rollout status|rollout history|tree)\b/.test(
    line,
  );

const linesOf = ({ examples, commands = [] }: Pick<Command, 'examples' | 'commands'>): readonly string[] => [
  ...examples.map(({ line }) => line),
  ...commands.flatMap(linesOf),
];

/** What the examples speak of, beyond the files of `examples/quickstart`. */
const others = `
apiVersion: ecsm.sh/v1
kind: ECSMService
metadata: { name: probe, labels: { tier: test } }
spec:
  deploymentStrategy: { type: Dynamic, replicas: 1, nodePool: [node-1, node-2] }
  template: { image: worker@1.0.0#sylixos }
---
apiVersion: ecsm.sh/v1
kind: ECSMService
metadata: { name: old, labels: { tier: ground } }
spec:
  deploymentStrategy: { type: Dynamic, replicas: 1, nodePool: [node-1, node-2] }
  template: { image: worker@1.0.0#sylixos }
---
# There is no such image, so there is a warning to look at.
apiVersion: ecsm.sh/v1
kind: ECSMService
metadata: { name: radar, namespace: orbit }
spec:
  dependsOn: [{ name: probe, namespace: default }]
  deploymentStrategy: { type: Dynamic, replicas: 1, nodePool: [node-1] }
  template: { image: radar@9.9.9#sylixos }
`;

const orbit = `
name: orbit.radar
policy: dynamic
factor: 1
node: { names: [node-1] }
image:
  ref: worker@1.0.0#sylixos
  action: run
  autoUpgrade: Never
  config: { process: { args: [/apps/radar], env: [ECSM_OWNER=registry-1/orbit/radar/uid-1] } }
`;

interface Place {
  readonly site: Site;
  run(line: string): Promise<Ran>;
}

async function openPlace(): Promise<Place> {
  const site = await startSite('instant', 4);
  cpSync(join(root, 'examples'), join(site.directory, 'examples'), { recursive: true });
  const env = {
    HOME: site.directory,
    ECSM_HOME: site.directory,
    ECSM_URL: `http://127.0.0.1:${site.port}`,
    ECSMCLI_PORT: String(site.port),
    EDITOR: "sed -i 's/replicas: 3/replicas: 2/'",
  };
  return { site, run: (line) => programs.shell(line, { cwd: site.directory, env }) };
}

/** Fails with all that it said. */
async function works({ run }: Place, line: string, code = 0): Promise<Ran> {
  const ran = await run(line);
  expect({ line, ...ran }).toEqual({ line, code, out: expect.any(String), err: expect.any(String) });
  return ran;
}

const worlds: Readonly<Record<string, (place: Place, line?: string) => Promise<void>>> = {
  async ecsmctl({ site }, line = '') {
    writeFileSync(join(site.directory, 'others.yaml'), others);
    writeKubeconfig(site.directory);
    mkdirSync(join(site.directory, 'pki'));
    writeFileSync(join(site.directory, 'pki', 'ca.crt'), '-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n');
    const stop = site.operate();
    for (const before of [
      'apply -f examples/quickstart -f others.yaml',
      'label service telemetry app=telemetry',
      'wait services --all --for=condition=Available --timeout 2m',
      'rollout status services --all --timeout 2m',
    ]) {
      expect(await site.run(before)).toMatchObject({ code: 0 });
    }
    if (stopsOperatorFirst(line)) await stop();
  },
  async 'ecsm-cli'(place) {
    writeFileSync(join(place.site.directory, 'orbit.yaml'), orbit);
    await works(place, 'ecsm-cli create service -f examples/ecsm-cli/telemetry.yaml --wait');
    await works(place, 'ecsm-cli create service -f orbit.yaml --wait --yes');
  },
};

async function expectToWork(place: Place, line: string): Promise<void> {
  for (const before of preparationsOf(line)) await works(place, before);
  const { out, err } = await works(place, line, codes[line]);
  expect(err).not.toMatch(/bug|Try:|^\s+at |No \w+ found/m);
  // The one example whose output a file gets.
  if (!line.includes(' > ')) expect(out).not.toBe('');
}

describe.each([ecsmctl, ecsmCli].map((program: Program) => [program.name, program] as const))('%s', (name, program) => {
  const lines = [...new Set(linesOf(program))];
  const prepare = worlds[name] ?? (() => Promise.reject(new Error('no world')));

  describe('an example that reads', () => {
    let place: Place;
    beforeAll(async () => {
      place = await openPlace();
      await prepare(place);
    }, siteMsMax);
    afterAll(() => place.site.close());
    it.each(lines.filter(isLooking))('%s', (line) => expectToWork(place, line));
  });

  describe('an example that writes', () => {
    it.each(lines.filter((line) => !isLooking(line)))('%s', { timeout: siteMsMax }, async (line) => {
      const place = await openPlace();
      try {
        await prepare(place, line);
        await expectToWork(place, line);
      } finally {
        await place.site.close();
      }
    });
  });

  it('has examples for every command', () => {
    const without = (commands: readonly Command[]): readonly string[] =>
      commands.flatMap(({ name: one, examples, hidden, commands: below = [] }) => [
        ...(examples.length === 0 && !hidden ? [one] : []),
        ...without(below),
      ]);
    expect(without(program.commands)).toEqual([]);
  });
});
