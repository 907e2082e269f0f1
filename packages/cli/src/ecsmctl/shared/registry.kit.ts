/**
 * A real registry in a directory of its own, and ecsmctl working on it in a world of tests. The clock of the terminal stands
 * still, so ages are always the same.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nodeFiles, type Program, runProgram } from '@ecsm/command-line';
import { type TestRun, type TestTerminal, type TestTerminalOptions, testTerminal } from '@ecsm/command-line/testing';
import { ECSMService, type ECSMServiceInput, OperatorIdentity, ServiceRevision } from '@ecsm/operator';
import { leaseName, presenceName } from '@ecsm/operator/kinds';
import { type EmbeddedRegistry, EventRecorder, Lease, openRegistry, systemClock } from '@ecsm/runtime';
import { afterAll } from 'vitest';
import { ecsmctl } from '../program.ts';
import { knownKinds } from './session.ts';

/** The fixed time of the clock in tests. */
export const nowMs = Date.UTC(2026, 0, 2, 3, 4, 5);

export interface RegistryKit {
  readonly directory: string;
  readonly url: string;
  /** Opened at `agoMs` before now, so that objects have an age. Closed with the test file. */
  open(agoMs?: number): Promise<EmbeddedRegistry>;
  /** One command line, from beginning to end, with this registry in the environment. */
  run(argv: string, options?: TestTerminalOptions): Promise<TestRun>;
  /** The same, still running: for `-w`. */
  start(argv: string, options?: TestTerminalOptions): { readonly test: TestTerminal; readonly code: Promise<number> };
}

/** All kinds, as they are listed in errors. Derived, so that a new kind changes no error test. */
export const pluralsText = knownKinds.kinds.map(({ plural }) => plural).join(', ');
export const kindsText = knownKinds.kinds.map(({ kind }) => `"${kind}"`).join(', ');

/** Call it at the top of a test file. Arguments are separated by spaces; `'…'` quotes them. */
export function registryKit(scheme: 'sqlite' | 'file' = 'sqlite', program: Program = ecsmctl): RegistryKit {
  const directory = mkdtempSync(join(tmpdir(), 'ecsmctl-'));
  const url = `${scheme}:${join(directory, 'registry')}`;
  const opened: EmbeddedRegistry[] = [];
  afterAll(async () => {
    await Promise.all(opened.map((registry) => registry.close()));
    rmSync(directory, { recursive: true, force: true });
  });
  const start: RegistryKit['start'] = (argv, options = {}) => {
    const test = testTerminal({
      nodeFiles: nodeFiles({ here: directory, home: directory }),
      ...options,
      env: { ECSM_REGISTRY: url, HOME: directory, ...options.env },
    });
    return { test, code: runProgram(program, wordsOf(argv), test.terminal) };
  };
  return {
    directory,
    url,
    async open(agoMs = 0) {
      const clock = { ...systemClock, now: () => nowMs - agoMs };
      const registry = await openRegistry(url, { kinds: knownKinds, clock });
      opened.push(registry);
      return registry;
    },
    start,
    async run(argv, options) {
      const { test, code } = start(argv, options);
      return { code: await code, out: test.out.text, err: test.err.text };
    },
  };
}

export function wordsOf(line: string): string[] {
  const words = line.match(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g) ?? [];
  return words.map((word) => word.replace(/'([^']*)'|"([^"]*)"/g, (_, one, two) => one ?? two));
}

export function serviceInput(
  name: string,
  {
    namespace = 'default',
    labels = {},
    ...spec
  }: Partial<ECSMServiceInput['spec']> & {
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
  } = {},
): ECSMServiceInput {
  return {
    metadata: { name, namespace, ...(Object.keys(labels).length === 0 ? {} : { labels }) },
    spec: {
      deploymentStrategy: { type: 'Dynamic', replicas: 2, nodePool: ['node-1', 'node-2'] },
      template: { image: `${name}@1.0.0#sylixos` },
      ...spec,
    },
  };
}

/** Two services in `default`, one with a Chinese node name, and one in `orbit`; `telemetry` with conditions, revisions and events. */
export async function fillRegistry(kit: RegistryKit): Promise<void> {
  const registry = await kit.open(185_000);
  await startedOperator(registry);
  const services = registry.resource(ECSMService);
  const telemetry = await services.create(
    serviceInput('telemetry', {
      labels: { app: 'telemetry', tier: 'ground' },
      template: {
        image: 'telemetry@1.0.0#sylixos',
        env: [
          { name: 'RATE', value: '10' },
          { name: 'DB_PASSWORD', value: 'hunter2' },
        ],
        vsoa: { password: 'hunter2' },
      },
    }),
  );
  await services.create(
    serviceInput('camera', {
      labels: { app: 'camera' },
      deploymentStrategy: { type: 'Static', nodes: ['地面站一号', 'node-2'] },
    }),
  );
  await services.create(
    serviceInput('radar', {
      namespace: 'orbit',
      labels: { app: 'radar' },
      dependsOn: [{ name: 'telemetry', namespace: 'default' }],
    }),
  );
  await services.updateStatus({
    metadata: { name: 'telemetry' },
    status: {
      observedGeneration: 1,
      replicas: 2,
      readyReplicas: 1,
      updatedReplicas: 1,
      unavailableReplicas: 1,
      underlyingServiceID: 'f3a1',
      platformName: 'telemetry',
      currentRevision: '776a66dc',
      updateRevision: '2f7fefde',
      healing: { reason: 'DeploymentFailed', attempts: 3, lastTime: '2026-01-02T03:03:45Z' },
      instances: [
        { name: 'telemetry-1', nodeName: 'node-2', state: 'Ready', restarts: 2, startedTime: '2026-01-02T03:02:05Z' },
        { name: 'telemetry-2', nodeName: '地面站一号', state: 'Failed', restarts: 0, message: '镜像拉取失败' },
      ],
      lostNodes: [{ name: '地面站一号', sinceTime: '2026-01-02T03:03:00Z' }],
      conditions: [
        {
          type: 'Available',
          status: 'False',
          reason: 'NotEnoughReady',
          message: '1 of 2 instances are ready, 2 required',
          lastTransitionTime: '2026-01-02T03:03:45Z',
        },
        {
          type: 'Degraded',
          status: 'True',
          reason: 'DeploymentFailed',
          message: '地面站一号: 镜像拉取失败',
          lastTransitionTime: '2026-01-02T03:03:05Z',
        },
      ],
    },
  });
  for (const [index, hash] of ['776a66dc', '2f7fefde'].entries()) {
    const { apiVersion, kind, metadata } = telemetry;
    const owner = { apiVersion, kind, name: metadata.name, uid: metadata.uid };
    await registry.resource(ServiceRevision).create({
      metadata: { name: `telemetry-${hash}`, ownerReferences: [owner] },
      spec: {
        service: 'telemetry',
        number: index + 1,
        hash,
        template: { image: `telemetry@${index + 1}.0.0#sylixos` },
      },
    });
  }
  await registry.close();
  await recordEvents(kit, telemetry);
}

async function recordEvents(kit: RegistryKit, telemetry: ECSMService): Promise<void> {
  const say = async (agoMs: number, type: 'Normal' | 'Warning', reason: string, message: string, times = 1) => {
    const registry = await kit.open(agoMs);
    const recorder = new EventRecorder({ registry, source: 'ecsm-operator' });
    for (let time = 0; time < times; time++) recorder.record(telemetry, type, reason, message);
    await recorder.flush();
    await registry.close();
  };
  await say(180_000, 'Normal', 'Created', 'created telemetry');
  await say(20_000, 'Warning', 'DeploymentFailed', '地面站一号: 镜像拉取失败', 3);
}

/** The record of an operator on the machine of the test terminal. Without `agoMs` it is one without a lease. */
export async function startedOperator(registry: EmbeddedRegistry, processId = 1, agoMs?: number): Promise<void> {
  const renewed = agoMs === undefined ? {} : { renewTime: new Date(nowMs - agoMs).toISOString().replace('Z', '000Z') };
  await registry.resource(Lease).apply({
    metadata: { name: agoMs === undefined ? presenceName : leaseName },
    spec: { holderIdentity: `here_${processId}_u`, leaseDurationSeconds: 15, leaseTransitions: 0, ...renewed },
  });
}

/** What an operator leaves in a registry when it is stopped. */
export async function usedByOperator(registry: EmbeddedRegistry): Promise<void> {
  await registry.resource(OperatorIdentity).create({ metadata: { name: 'registry' }, spec: { id: 'a-registry-id' } });
}

/** What differs from one run to the next. */
export function stable(text: string): string {
  return text
    .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<uid>')
    .replace(/(telemetry)-[0-9a-z]{14}/g, '$1-<id>----------');
}
