/** An ECSMService and the platform it is on: plans are made and carried out, as a controller would. */
import { type Condition, setCondition, timestampAt } from '@ecsm/runtime';
import { ECSMService, type ECSMServiceInput, type ServiceStatus } from '../apis/ecsm-service.ts';
import { type FleetServiceChanges, fleetService } from '../fleet/fleet.kit.ts';
import { type FleetService, keyOfService } from '../fleet/fleet-service.ts';
import { revisionHash } from '../resource/hash.ts';
import { renderService } from '../resource/render.ts';
import type { Allocation } from './allocation.ts';
import { dependencyStateOf } from './dependencies/dependency-state.ts';
import type { Plan, PlanInput, PlanSettings, RevisionContent } from './model.ts';
import { plan } from './plan.ts';
import { type ModelService, PlatformModel, type PlatformModelOptions, Refused } from './platform-model.kit.ts';
import { defaultPlanSettings } from './settings.ts';

const registryId = 'registry-1';
export const nodes = ['n1', 'n2', 'n3', 'n4', 'n5', 'n6'] as const;

export type SpecInput = ECSMServiceInput['spec'];

/** Two instances of worker@1.0.0 among six nodes. */
export function spec(changes: Partial<SpecInput> = {}): SpecInput {
  return { deploymentStrategy: dynamic(2), template: { image: 'worker@1.0.0' }, ...changes };
}

export const dynamic = (replicas: number): SpecInput['deploymentStrategy'] => ({
  type: 'Dynamic',
  replicas,
  nodePool: [...nodes],
});
export const fixed = (count: number): SpecInput['deploymentStrategy'] => ({
  type: 'Static',
  nodes: nodes.slice(0, count),
});
export const rolling = (maxSurge = 1, maxUnavailable = 1): NonNullable<SpecInput['updateStrategy']> => ({
  type: 'RollingUpdate',
  rollingUpdate: { maxSurge, maxUnavailable },
});
export const image = (version: number): SpecInput['template'] => ({ image: `worker@${version}.0.0` });

export class PlanHarness {
  readonly platform: PlatformModel;
  readonly settings: PlanSettings;
  readonly revisions = new Map<string, RevisionContent>();
  /** The other services, by key. */
  readonly fleet = new Map<string, FleetService>();
  service: ECSMService;
  /** What the placement of all services allows. */
  allocation: Allocation | undefined;
  #revision: RevisionContent | undefined;

  constructor(input: SpecInput = spec(), options: PlatformModelOptions = {}, settings: Partial<PlanSettings> = {}) {
    this.platform = new PlatformModel(options);
    this.settings = { ...defaultPlanSettings, ...settings };
    this.service = object(input, 1);
  }

  get revision(): RevisionContent {
    const { template } = this.service.spec;
    const restartedAt = this.service.metadata.annotations?.['ecsm.sh/restartedAt'];
    if (this.#revision?.template === template && this.#revision.restartedAt === restartedAt) return this.#revision;
    const hash = revisionHash({ template, restartedAt });
    this.#revision = { hash, template, ...(restartedAt === undefined ? {} : { restartedAt }) };
    this.revisions.set(hash, this.#revision);
    return this.#revision;
  }

  /** Somebody writes another spec. */
  edit(changes: Partial<SpecInput>): void {
    const { metadata, status, spec: before } = this.service;
    const { updateStrategy, ...kept } = before;
    const { spec: after } = object({ ...kept, updateStrategy, ...changes }, 0);
    this.service = {
      ...this.service,
      metadata: { ...metadata, generation: metadata.generation + 1 },
      spec: after,
      ...(status === undefined ? {} : { status }),
    };
  }

  annotate(annotations: Readonly<Record<string, string>>): void {
    this.service = { ...this.service, metadata: { ...this.service.metadata, annotations } };
  }

  /** Another service of the fleet: available with one instance, unless changed. Null: it does not exist. */
  other(name: string, changes: FleetServiceChanges | null = {}): void {
    const key = keyOfService('default', name);
    if (changes === null) this.fleet.delete(key);
    else this.fleet.set(key, fleetService(name, changes));
  }

  input(): PlanInput {
    const { settings } = this;
    const { nowMs } = this.platform;
    const lookup = (key: string) => this.fleet.get(key);
    const dependencies = dependencyStateOf(this.service, { lookup, nowMs, settings });
    return {
      service: this.service,
      registryId,
      revision: this.revision,
      revisions: this.revisions,
      observed: this.platform.observe(),
      offlineNodes: this.platform.offline,
      ...(this.allocation === undefined ? {} : { allocation: this.allocation }),
      nowMs: this.platform.nowMs,
      settings: this.settings,
      ...(dependencies === undefined ? {} : { dependencies }),
    };
  }

  plan(): Plan {
    return plan(this.input());
  }

  /** Plans, writes the status, and carries out the first `stepsMax` steps; a refusal ends it. */
  reconcile(stepsMax = Number.POSITIVE_INFINITY): Plan {
    const made = this.plan();
    this.write(made);
    try {
      for (const step of made.steps.slice(0, stepsMax)) this.platform.apply(step);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
    }
    return made;
  }

  write({ status, conditions }: Pick<Plan, 'status' | 'conditions'>): void {
    const now = timestampAt(this.platform.nowMs);
    const before: readonly Condition[] = this.service.status?.conditions ?? [];
    const after = conditions.reduce((list, one) => setCondition(list, one, now), before);
    const written: ServiceStatus = { ...status, conditions: [...after] };
    this.service = { ...this.service, status: written };
  }

  condition(type: string): Condition | undefined {
    return this.service.status?.conditions.find((one) => one.type === type);
  }

  /** Puts a service of ours on the platform, all of it ready, as an earlier plan would have made it. */
  place(version: number, size: { readonly replicas?: number; readonly nodeNames?: readonly string[] }): ModelService {
    const { template } = object({ ...this.service.spec, template: image(version) }, 0).spec;
    const revision = { template, hash: revisionHash({ template }) };
    this.revisions.set(revision.hash, revision);
    const platformName = `worker-${revision.hash}`;
    const body = renderService({ service: this.service, revision, registryId, platformName, ...size });
    this.platform.apply({ do: 'create', body, why: 'it was there before' });
    this.platform.advance(0);
    const made = this.platform.named(platformName);
    for (const one of made.containers) one.startedMs = this.platform.nowMs - 3_600_000;
    return made;
  }

  /** Until there is nothing to do and nothing to wait for. Returns every plan on the way. */
  settle(roundsMax = 500): Plan[] {
    const plans: Plan[] = [];
    for (let round = 0; round < roundsMax; round++) {
      const made = this.reconcile();
      plans.push(made);
      if (made.steps.length === 0 && made.requeueAfterMs === undefined && !this.platform.isBusy) return plans;
      this.platform.advance(made.requeueAfterMs ?? 15_000);
    }
    throw new Error(`not settled after ${roundsMax} rounds: ${JSON.stringify(plans.at(-1))}`);
  }
}

function object(input: SpecInput, generation: number): ECSMService {
  const {
    apiVersion,
    kind,
    spec: full,
  } = ECSMService.parse({
    apiVersion: 'ecsm.sh/v1',
    kind: 'ECSMService',
    metadata: { name: 'worker' },
    spec: input,
  });
  const metadata = {
    name: 'worker',
    namespace: 'default',
    uid: 'uid-1',
    resourceVersion: '1',
    generation,
    creationTimestamp: '2026-01-01T00:00:00Z',
  };
  return { apiVersion, kind, metadata, spec: full };
}
