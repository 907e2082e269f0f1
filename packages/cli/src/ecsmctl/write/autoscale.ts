/** `ecsmctl autoscale`: creates an ECSMHpa for a service. */
import { type Call, Failure, type Run, UsageError } from '@ecsm/command-line';
import { ECSMHpa, type ECSMHpaInput, ECSMService } from '@ecsm/operator/kinds';
import { fieldAt } from '../shared/fields.ts';
import { shortNameOf } from '../shared/kinds.ts';
import { managerOf } from '../shared/managers.ts';
import { flagIfSet, isDryRun, readTarget, type Target } from '../shared/targets.ts';
import { withExistingRegistry } from './dry-run.ts';
import { Report } from './report.ts';
import { selectedTargets } from './selected-targets.ts';

interface Wanted {
  readonly minReplicas?: number;
  readonly maxReplicas: number;
  readonly cpuPercent?: number;
  /** Default: the name of the service. */
  readonly name?: string;
}

export const run: Run = async (call) => {
  const wanted = wantedOf(call);
  const report = new Report(call, 'autoscaled');
  const dryRun = isDryRun(call);
  await withExistingRegistry(call, async (session) => {
    const targets = await selectedTargets(call, session);
    if (wanted.name !== undefined && targets.length > 1) throw new UsageError('--name requires a single service');
    await report.each(targets, async (target) => {
      const { object } = await readTarget(session, target);
      checkScalable(target, object);
      const created = await session.registry
        .resource(ECSMHpa)
        .create(hpaOf(target, wanted), { dryRun, manager: managerOf('autoscale') });
      report.done({ kind: ECSMHpa, object: created }, 'autoscaled');
    });
    await report.print();
  });
  report.end();
};

function wantedOf(call: Call): Wanted {
  const maxReplicas = numberOf(call, 'max');
  if (maxReplicas === undefined) throw new UsageError('specify the maximum number of instances: --max N');
  const minReplicas = numberOf(call, 'min');
  const cpuPercent = numberOf(call, 'cpu-percent');
  const name = flagIfSet(call, 'name');
  if (minReplicas !== undefined && minReplicas > maxReplicas) {
    throw new UsageError(`--min (${minReplicas}) must not be more than --max (${maxReplicas})`);
  }
  return {
    maxReplicas,
    ...(minReplicas !== undefined && { minReplicas }),
    ...(cpuPercent !== undefined && { cpuPercent }),
    ...(name !== undefined && { name }),
  };
}

/** The kind has its own limits. */
const numberMax = 10_000;

function numberOf(call: Call, flag: string): number | undefined {
  const text = flagIfSet(call, flag);
  if (text === undefined) return undefined;
  if (!/^\d{1,5}$/.test(text) || Number(text) < 1 || Number(text) > numberMax) {
    throw new UsageError(`--${flag} has to be a number from 1 to ${numberMax}, not "${text}"`);
  }
  return Number(text);
}

function checkScalable({ kind, name }: Target, object: unknown): void {
  if (kind !== ECSMService) throw new UsageError(`${kind.plural} cannot be autoscaled: only ${ECSMService.plural} can`);
  if (fieldAt(object, 'spec.deploymentStrategy.type') !== 'Static') return;
  throw new Failure(`${shortNameOf(kind, name)} is Static: it runs one instance on each of its nodes`);
}

function hpaOf({ namespace, name }: Target, wanted: Wanted): ECSMHpaInput {
  const { minReplicas, maxReplicas, cpuPercent } = wanted;
  return {
    metadata: { name: wanted.name ?? name, namespace },
    spec: {
      scaleTargetRef: { kind: 'ECSMService', name },
      ...(minReplicas !== undefined && { minReplicas }),
      maxReplicas,
      ...(cpuPercent !== undefined && {
        metrics: [
          {
            type: 'Resource',
            resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: cpuPercent } },
          },
        ],
      }),
    },
  };
}
