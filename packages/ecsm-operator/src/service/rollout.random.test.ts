/**
 * Many rolling updates on a platform that is slow, fails, and removes the worst instance each time, with an
 * operator that crashes between steps and a spec that changes. After every step and every second: never more instances
 * than allowed, never fewer ready. At the end: one service of the newest revision, and an empty plan.
 */
import { SeededRandom } from '@ecsm/runtime/simulation';
import { repetitions } from '@ecsm/runtime/testing';
import { describe, expect, it } from 'vitest';
import { replicasWanted } from '../apis/service-columns.ts';
import type { Plan, Step } from './model.ts';
import { dynamic, fixed, image, nodes, PlanHarness, rolling, type SpecInput, spec } from './plan-harness.kit.ts';
import { reasons } from './reasons.ts';

interface Case {
  readonly type: 'Dynamic' | 'Static';
  readonly replicas: number;
  readonly maxSurge: number;
  readonly maxUnavailable: number;
  readonly seed: number;
}

const roundsMax = 3_000;
/** For each number of instances and each pair of bounds. */
const seedsEach = repetitions({ test: 4, thorough: 11 });

class Run {
  readonly random: SeededRandom;
  readonly harness: PlanHarness;
  readonly trace: string[] = [];
  /** Set while the platform or a user has exceeded the bounds, until they hold again. */
  isTotalExcused = true;
  isReadyExcused = true;
  /** A user changed the number: the platform chooses the instances to remove, until the desired number is ready. */
  isScaling = false;
  version = 1;
  readonly #placement: (count: number) => SpecInput['deploymentStrategy'];

  constructor({ type, replicas, maxSurge, maxUnavailable, seed }: Case) {
    this.random = new SeededRandom(seed, replicas, maxSurge, maxUnavailable, type === 'Static' ? 1 : 0);
    this.#placement = type === 'Static' ? fixed : dynamic;
    this.harness = new PlanHarness(
      spec({ deploymentStrategy: this.#placement(replicas), updateStrategy: rolling(maxSurge, maxUnavailable) }),
      {
        seed: this.random.integer(1, 1e9),
        startMsMax: this.random.pick([0, 3_000, 12_000]),
        goMsMax: this.random.pick([0, 2_000, 9_000]),
        failures: this.random.pick([0, 0, 1, 4]),
        refusesZero: this.random.chance(0.5),
      },
      { pollMs: this.random.pick([2_000, 5_000]) },
    );
  }

  run(): void {
    const edits = this.random.integer(1, 4);
    const crashes = this.random.pick([0, 0, 3]);
    for (let edit = 0; edit <= edits; edit++) {
      this.rounds(this.random.integer(1, 12), crashes);
      this.edit(edit === edits);
    }
    for (let round = 0; round < roundsMax; round++) {
      const { steps, requeueAfterMs } = this.round();
      if (steps.length > 0 || requeueAfterMs !== undefined || this.harness.platform.isBusy) continue;
      this.checkEnd();
      return;
    }
    this.fail('it does not come to an end');
  }

  rounds(count: number, crashes: number): void {
    for (let round = 0; round < count; round++) {
      if (crashes > 0 && this.random.chance(0.2)) this.crashSome();
      this.round();
      // While a service is being deleted it looks like any other: a good moment for an edit.
      if (this.isAnyGoing && this.random.chance(0.3)) return;
    }
  }

  get isAnyGoing(): boolean {
    return this.harness.platform.services.some(({ goneMs }) => goneMs !== undefined);
  }

  /** One look and what follows from it; the operator may crash anywhere in between. */
  round(): Plan {
    const { harness, random } = this;
    const plan = harness.plan();
    this.checkPlan(plan);
    const isCrashing = random.chance(0.15);
    // The status is written before the first step, so a crash before it leaves neither.
    const isWritten = !isCrashing || random.chance(0.7);
    if (isWritten) harness.write(plan);
    const count = isCrashing ? random.integer(0, isWritten ? plan.steps.length : 0) : plan.steps.length;
    for (const step of plan.steps.slice(0, count)) {
      try {
        harness.platform.apply(step);
        this.note(`${label(step)}   [${step.why}]`);
      } catch (error) {
        this.note(`refused: ${error}`);
      }
      this.check();
    }
    this.pass(Math.min(plan.requeueAfterMs ?? 15_000, 60_000));
    return plan;
  }

  pass(ms: number): void {
    for (let left = ms; left > 0; left -= 1_000) {
      const { platform } = this.harness;
      if (!platform.isBusy) {
        platform.advance(left);
        return;
      }
      platform.advance(Math.min(left, 1_000));
      this.check();
    }
  }

  crashSome(): void {
    const { platform } = this.harness;
    const [...ready] = platform.ready;
    if (ready.length === 0) return;
    const one = this.random.pick(ready);
    this.note(`crash of ${one.name}`);
    platform.crash(one, this.random.pick([undefined, 2_000, 20_000]));
    if (this.ready() < this.floor()) this.isReadyExcused = true;
  }

  edit(isLast: boolean): void {
    const { harness, random } = this;
    const kinds = ['revise', 'undo', 'scale', 'pause', 'resume'] as const;
    const isUndo = this.isAnyGoing && random.chance(0.5);
    const kind = isLast ? 'revise' : isUndo ? 'undo' : random.pick(kinds);
    this.note(`edit: ${kind}`);
    if (kind === 'revise') harness.edit({ template: image(++this.version), paused: false });
    if (kind === 'undo') harness.edit({ template: image(random.integer(1, this.version)) });
    if (kind === 'pause' || kind === 'resume') harness.edit({ paused: kind === 'pause' });
    if (kind === 'scale') {
      const isStatic = harness.service.spec.deploymentStrategy.type === 'Static';
      harness.edit({ deploymentStrategy: this.#placement(random.integer(isStatic ? 1 : 0, 6)) });
      this.isScaling = true;
      this.isTotalExcused = true;
    }
  }

  check(): void {
    const total = this.harness.platform.containers.length;
    if (total <= this.ceiling()) this.isTotalExcused = false;
    else if (!this.isTotalExcused) this.fail(`${total} instances, ${this.ceiling()} allowed`);
    const ready = this.ready();
    const wanted = replicasWanted(this.harness.service);
    if (ready === wanted && total === wanted) this.isScaling = false;
    if (ready >= this.floor()) this.isReadyExcused = false;
    else if (!this.isReadyExcused && !this.isScaling) this.fail(`${ready} ready, ${this.floor()} needed`);
  }

  /** Instances that run and are there to stay; for a static service, nodes with one. */
  ready(): number {
    const { platform, service } = this.harness;
    const staying = platform.services
      .filter(({ goneMs }) => goneMs === undefined)
      .flatMap(({ containers }) => containers)
      .filter(({ goneMs, status }) => goneMs === undefined && status === 'running');
    const { type, nodes: wanted = [] } = service.spec.deploymentStrategy;
    if (type === 'Dynamic') return staying.length;
    const covered = new Set(staying.map(({ node }) => node));
    return wanted.filter((name) => covered.has(name)).length;
  }

  get bounds() {
    return this.harness.service.spec.updateStrategy.rollingUpdate ?? { maxSurge: 1, maxUnavailable: 1 };
  }

  floor(): number {
    return Math.max(replicasWanted(this.harness.service) - this.bounds.maxUnavailable, 0);
  }

  ceiling(): number {
    return replicasWanted(this.harness.service) + this.bounds.maxSurge;
  }

  checkPlan({ steps, events, conditions }: Plan): void {
    const ids = steps.flatMap((step) => (step.do === 'update' || step.do === 'delete' ? [step.id] : []));
    if (new Set(ids).size !== ids.length) this.fail('two changes of one service');
    for (const { reason } of [...events, ...conditions]) {
      if (!Object.hasOwn(reasons, reason)) this.fail(`${reason} is not a known reason`);
    }
  }

  checkEnd(): void {
    const { harness } = this;
    const { platform } = harness;
    const wanted = replicasWanted(harness.service);
    const [only, ...more] = platform.observe();
    if (more.length > 0 || (only === undefined && wanted > 0)) this.fail('not one service');
    if (only !== undefined && only.mark?.revision !== harness.revision.hash) this.fail('not the newest revision');
    if (platform.ready.length !== wanted || platform.containers.length !== wanted) this.fail('not as many as wanted');
    // Nothing moves at rest: not a step, not a timer, not a word of the status.
    harness.reconcile();
    const before = harness.service.status;
    platform.advance(3_600_000);
    const later = harness.plan();
    harness.write(later);
    expect(later.steps).toEqual([]);
    expect(later.requeueAfterMs).toBeUndefined();
    expect(harness.service.status).toEqual(before);
    expect(harness.condition('Progressing')?.reason).toBe('Complete');
  }

  note(text: string): void {
    this.trace.push(`${this.harness.platform.nowMs % 10_000_000}: ${text}`);
  }

  fail(reason: string): never {
    const state = this.harness.platform.services.map(({ body, goneMs, containers }) => {
      const list = containers.map((one) => `${one.node} ${one.deployment} ${one.status}${one.goneMs ? ' going' : ''}`);
      return `${body.name} ${body.factor ?? body.node.names}${goneMs ? ' going' : ''}: ${list.join('; ')}`;
    });
    const last = this.harness.service.status;
    throw new Error([reason, ...this.trace.slice(-60), ...state, JSON.stringify(last, null, 1)].join('\n'));
  }
}

function label(step: Step): string {
  if ('body' in step) return `${step.do} ${step.body.name} ${step.body.factor ?? step.body.node.names}`;
  return `${step.do} ${'name' in step ? step.name : step.instance}`;
}

function* cases(seeds: number): Generator<Case> {
  for (const type of ['Dynamic', 'Static'] as const) {
    for (let replicas = type === 'Static' ? 1 : 0; replicas <= nodes.length; replicas++) {
      for (let maxSurge = 0; maxSurge <= 3; maxSurge++) {
        for (let maxUnavailable = 0; maxUnavailable <= 3; maxUnavailable++) {
          if (maxSurge + maxUnavailable === 0) continue;
          for (let seed = 1; seed <= seeds; seed++) yield { type, replicas, maxSurge, maxUnavailable, seed };
        }
      }
    }
  }
}

describe('rolling updates', () => {
  it('stay within their bounds and end with one service', { timeout: 900_000 }, () => {
    let count = 0;
    for (const one of cases(seedsEach)) {
      count++;
      try {
        new Run(one).run();
      } catch (error) {
        throw new Error(`${JSON.stringify(one)}: ${error instanceof Error ? error.message : error}`);
      }
    }
    expect(count).toBeGreaterThan(180 * seedsEach);
  });
});
