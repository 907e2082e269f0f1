/**
 * A node is lost while all nodes are full: time until the last instance of high priority runs again, because the operator
 * makes room for it. Compared with the platform alone that moves the same number of instances to nodes with room. Both are
 * on virtual time, so the load of the machine does not count. The node is lost at many times of an observation interval,
 * and the slowest run counts.
 */
import { ECSMService, type ECSMServiceInput, Operator, operatorKinds } from '@ecsm/operator';
import { EmbeddedRegistry, MemoryStore, PriorityClass } from '@ecsm/runtime';
import { SeededRandom } from '@ecsm/runtime/simulation';
import { VirtualClock } from '@ecsm/runtime/testing';
import { Simulator } from '@ecsm/simulator';
import { deliver, type Measurement } from '../report.ts';

/** Every fourth node of a simulator runs Linux and cannot run the image: nine nodes remain. */
const nodeCount = 12;
const nodePool = Array.from({ length: nodeCount }, (_, n) => n + 1)
  .filter((number) => number % 4 !== 0)
  .map((number) => `node-${number}`);
const lostNode = 'node-1';
/** Seven instances of 1 GiB fill a node: it has 8 GiB, of which the system uses 512 MiB. */
const perNode = 7;
const critical = { services: 9, replicas: 3 };
const low = { services: 9, replicas: perNode - critical.replicas };
const instanceCount = nodePool.length * perNode;
const phases = 20;
const limitMs = 900_000;
const stepMs = 50;

interface Setup {
  readonly observeMs: number;
  /** How long the platform waits before it moves the instances of a lost node. */
  readonly migrationDelayMs: number;
}

interface Recovery {
  readonly tookMs: number;
  readonly lostCritical: number;
  readonly lostTotal: number;
}

function service(name: string, priorityClassName: string, replicas: number, memory: string): ECSMServiceInput {
  return {
    metadata: { name },
    spec: {
      deploymentStrategy: { type: 'Dynamic', replicas, nodePool },
      priorityClassName,
      template: { image: 'telemetry@1.0.0#sylixos', resources: { limits: { memory } } },
    },
  };
}

/** Without the operator, the instances of low priority are so small that the platform has room for all others. */
async function recover(setup: Setup, phase: number, isOperated: boolean): Promise<Recovery> {
  const clock = new VirtualClock();
  const simulator = new Simulator({
    clock,
    random: new SeededRandom(phase + 1),
    nodes: nodeCount,
    behaviour: { capacityAccounting: 'limit', migrationDelayMs: setup.migrationDelayMs },
  });
  const registry = new EmbeddedRegistry({
    store: new MemoryStore(),
    kinds: operatorKinds,
    clock,
    random: new SeededRandom(phase + 2),
  });
  const operator = new Operator({
    registry,
    transport: simulator.transport(),
    clock,
    random: new SeededRandom(phase + 3),
    settings: { observeMs: setup.observeMs },
  });
  const ending = new AbortController();
  const running = operator.run({ signal: ending.signal });
  const stop = () => {
    ending.abort();
    return clock.run(running);
  };
  const { platform } = simulator;
  const runningOf = (prefix: string) => {
    platform.advance();
    return platform
      .services()
      .filter(({ name }) => name.startsWith(prefix))
      .flatMap(({ id }) => platform.containersOfService(id))
      .filter((container) => platform.statusOf(container) === 'running').length;
  };

  const classes = registry.resource(PriorityClass);
  await classes.create(PriorityClass.input({ name: 'critical' }, { value: 1_000 }));
  await classes.create(PriorityClass.input({ name: 'low' }, { value: -1_000 }));
  const services = registry.resource(ECSMService);
  for (let n = 0; n < critical.services; n++) {
    await services.create(service(`critical-${n}`, 'critical', critical.replicas, '1Gi'));
  }
  await clock.until(() => operator.settled(), limitMs, stepMs);
  for (let n = 0; n < low.services; n++) {
    await services.create(service(`low-${n}`, 'low', low.replicas, isOperated ? '1Gi' : '64Mi'));
  }
  await clock.until(() => runningOf('') === instanceCount, limitMs, stepMs);
  await clock.until(() => operator.settled(), limitMs, stepMs);
  if (!isOperated) await stop();
  await clock.advance(2 * setup.observeMs + (phase * setup.observeMs) / phases);

  const wanted = critical.services * critical.replicas;
  const node = platform.nodes().find(({ name }) => name === lostNode);
  if (node === undefined || runningOf('') !== instanceCount) throw new Error('the fleet does not run before the loss');
  platform.cutNode(node.id);
  const lostCritical = wanted - runningOf('critical-');
  const lostTotal = instanceCount - runningOf('');
  if (lostCritical === 0) throw new Error(`no instance of high priority ran on ${lostNode}`);
  const tookMs = await clock.until(() => runningOf('critical-') === wanted, limitMs, stepMs);
  if (isOperated) await stop();
  await registry.close();
  return { tookMs, lostCritical, lostTotal };
}

async function slowest(setup: Setup, isOperated: boolean): Promise<Recovery> {
  let found: Recovery | undefined;
  for (let phase = 0; phase < phases; phase++) {
    const recovery = await recover(setup, phase, isOperated);
    if (found === undefined || recovery.tookMs > found.tookMs) found = recovery;
  }
  if (found === undefined) throw new Error('nothing was measured');
  return found;
}

async function measure(setup: Setup): Promise<Measurement> {
  const operated = await slowest(setup, true);
  const alone = await slowest(setup, false);
  if (operated.lostCritical !== alone.lostCritical || operated.lostTotal !== alone.lostTotal) {
    throw new Error(`not the same loss: ${JSON.stringify({ operated, alone })}`);
  }
  const lost = `${operated.lostCritical} critical of ${operated.lostTotal} instances lost, no room`;
  const times = `observation ${setup.observeMs / 1000} s, platform moves after ${setup.migrationDelayMs / 1000} s`;
  return {
    name: `${lost}: all critical run again (${times})`,
    value: operated.tookMs / 1000,
    unit: 's',
    beside: { name: 'the platform alone, with room', value: alone.tookMs / 1000 },
  };
}

deliver([
  // The defaults.
  await measure({ observeMs: 15_000, migrationDelayMs: 30_000 }),
  // With a platform that does not wait, the time of the operator is not hidden.
  await measure({ observeMs: 15_000, migrationDelayMs: 0 }),
  await measure({ observeMs: 1_000, migrationDelayMs: 0 }),
]);
