/**
 * Thousands of rolling updates on a platform that is slow, fails, and takes the worst instance each time, with an
 * operator that crashes between steps and people who change their minds. After every step and every second: never more
 * instances than allowed, never fewer ready. At the end: one service of the newest revision, and silence.
 */
import { SeededRandom } from '@ecsm/runtime/simulation';
import { describe, expect, it } from 'vitest';
import { replicasWanted } from '../apis/service-columns.ts';
import { Desk, dynamic, fixed, image, nodes, rolling, type SpecInput, spec } from './desk.kit.ts';
import type { Plan, Step } from './model.ts';
import { reasons } from './reasons.ts';

interface Case {
  readonly type: 'Dynamic' | 'Static';
  readonly replicas: number;
  readonly maxSurge: number;
  readonly maxUnavailable: number;
  readonly seed: number;
}

const roundsMax = 3_000;

class Run {
  readonly random: SeededRandom;
  readonly desk: Desk;
  readonly trace: string[] = [];
  /** Set while the world, or a person, has put things out of bounds; until they are within again. */
  isTotalExcused = true;
  isReadyExcused = true;
  /** A person asked for another number: which instances go is the platform's choice, until as many as wanted are ready. */
  isScaling = false;
  version = 1;
  readonly #placement: (count: number) => SpecInput['deploymentStrategy'];

  constructor({ type, replicas, maxSurge, maxUnavailable, seed }: Case) {
    this.random = new SeededRandom(seed, replicas, maxSurge, maxUnavailable, type === 'Static' ? 1 : 0);
    this.#placement = type === 'Static' ? fixed : dynamic;
    this.desk = new Desk(
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
      if (steps.length > 0 || requeueAfterMs !== undefined || this.desk.world.isBusy) continue;
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
    return this.desk.world.services.some(({ goneMs }) => goneMs !== undefined);
  }

  /** One look and what follows from it; the operator may crash anywhere in between. */
  round(): Plan {
    const { desk, random } = this;
    const plan = desk.plan();
    this.checkPlan(plan);
    const isCrashing = random.chance(0.15);
    // The status is written before the first step, so a crash before it leaves neither.
    const isWritten = !isCrashing || random.chance(0.7);
    if (isWritten) desk.write(plan);
    const count = isCrashing ? random.integer(0, isWritten ? plan.steps.length : 0) : plan.steps.length;
    for (const step of plan.steps.slice(0, count)) {
      try {
        desk.world.apply(step);
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
      const { world } = this.desk;
      if (!world.isBusy) {
        world.advance(left);
        return;
      }
      world.advance(Math.min(left, 1_000));
      this.check();
    }
  }

  crashSome(): void {
    const { world } = this.desk;
    const [...ready] = world.ready;
    if (ready.length === 0) return;
    const one = this.random.pick(ready);
    this.note(`crash of ${one.name}`);
    world.crash(one, this.random.pick([undefined, 2_000, 20_000]));
    if (this.ready() < this.floor()) this.isReadyExcused = true;
  }

  edit(isLast: boolean): void {
    const { desk, random } = this;
    const kinds = ['revise', 'undo', 'scale', 'pause', 'resume'] as const;
    const isUndo = this.isAnyGoing && random.chance(0.5);
    const kind = isLast ? 'revise' : isUndo ? 'undo' : random.pick(kinds);
    this.note(`edit: ${kind}`);
    if (kind === 'revise') desk.edit({ template: image(++this.version), paused: false });
    if (kind === 'undo') desk.edit({ template: image(random.integer(1, this.version)) });
    if (kind === 'pause' || kind === 'resume') desk.edit({ paused: kind === 'pause' });
    if (kind === 'scale') {
      const isStatic = desk.service.spec.deploymentStrategy.type === 'Static';
      desk.edit({ deploymentStrategy: this.#placement(random.integer(isStatic ? 1 : 0, 6)) });
      this.isScaling = true;
      this.isTotalExcused = true;
    }
  }

  check(): void {
    const total = this.desk.world.containers.length;
    if (total <= this.ceiling()) this.isTotalExcused = false;
    else if (!this.isTotalExcused) this.fail(`${total} instances, ${this.ceiling()} allowed`);
    const ready = this.ready();
    const wanted = replicasWanted(this.desk.service);
    if (ready === wanted && total === wanted) this.isScaling = false;
    if (ready >= this.floor()) this.isReadyExcused = false;
    else if (!this.isReadyExcused && !this.isScaling) this.fail(`${ready} ready, ${this.floor()} needed`);
  }

  /** Instances that run and are there to stay; for a static service, nodes with one. */
  ready(): number {
    const { world, service } = this.desk;
    const staying = world.services
      .filter(({ goneMs }) => goneMs === undefined)
      .flatMap(({ containers }) => containers)
      .filter(({ goneMs, status }) => goneMs === undefined && status === 'running');
    const { type, nodes: wanted = [] } = service.spec.deploymentStrategy;
    if (type === 'Dynamic') return staying.length;
    const covered = new Set(staying.map(({ node }) => node));
    return wanted.filter((name) => covered.has(name)).length;
  }

  get bounds() {
    return this.desk.service.spec.updateStrategy.rollingUpdate ?? { maxSurge: 1, maxUnavailable: 1 };
  }

  floor(): number {
    return Math.max(replicasWanted(this.desk.service) - this.bounds.maxUnavailable, 0);
  }

  ceiling(): number {
    return replicasWanted(this.desk.service) + this.bounds.maxSurge;
  }

  checkPlan({ steps, events, conditions }: Plan): void {
    const ids = steps.flatMap((step) => (step.do === 'update' || step.do === 'delete' ? [step.id] : []));
    if (new Set(ids).size !== ids.length) this.fail('two changes of one service');
    for (const { reason } of [...events, ...conditions]) {
      if (!Object.hasOwn(reasons, reason)) this.fail(`${reason} is no known reason`);
    }
  }

  checkEnd(): void {
    const { desk } = this;
    const { world } = desk;
    const wanted = replicasWanted(desk.service);
    const [only, ...more] = world.observe();
    if (more.length > 0 || (only === undefined && wanted > 0)) this.fail('not one service');
    if (only !== undefined && only.mark?.revision !== desk.revision.hash) this.fail('not the newest revision');
    if (world.ready.length !== wanted || world.containers.length !== wanted) this.fail('not as many as wanted');
    // Nothing moves at rest: not a step, not a timer, not a word of the status.
    desk.reconcile();
    const before = desk.service.status;
    world.advance(3_600_000);
    const later = desk.plan();
    desk.write(later);
    expect(later.steps).toEqual([]);
    expect(later.requeueAfterMs).toBeUndefined();
    expect(desk.service.status).toEqual(before);
    expect(desk.condition('Progressing')?.reason).toBe('Complete');
  }

  note(text: string): void {
    this.trace.push(`${this.desk.world.nowMs % 10_000_000}: ${text}`);
  }

  fail(reason: string): never {
    const state = this.desk.world.services.map(({ body, goneMs, containers }) => {
      const list = containers.map((one) => `${one.node} ${one.deployment} ${one.status}${one.goneMs ? ' going' : ''}`);
      return `${body.name} ${body.factor ?? body.node.names}${goneMs ? ' going' : ''}: ${list.join('; ')}`;
    });
    const last = this.desk.service.status;
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
  it('stay within their bounds and end with one service, whatever happens on the way', { timeout: 120_000 }, () => {
    let count = 0;
    for (const one of cases(11)) {
      count++;
      try {
        new Run(one).run();
      } catch (error) {
        throw new Error(`${JSON.stringify(one)}: ${error instanceof Error ? error.message : error}`);
      }
    }
    expect(count).toBeGreaterThan(2_000);
  });
});
