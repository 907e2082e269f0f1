/** The operator, composed of its parts. It provides the runnables of a manager. */
import {
  ApiError,
  type Clock,
  Event,
  type Kind,
  Lease,
  type Log,
  Manager,
  type MetricRegistry,
  type Registry,
  type Runnable,
  silentLog,
  standardMetrics,
} from '@ecsm/runtime';
import { EtcdBackup } from '../apis/etcd-backup.ts';
import { EtcdCluster } from '../apis/etcd-cluster.ts';
import { EtcdRestore } from '../apis/etcd-restore.ts';
import { OPERATOR_NAME } from '../apis/well-known.ts';
import type { ConnectEtcd } from '../client/etcd/contract.ts';
import { connectGateway } from '../client/etcd/gateway.ts';
import { BackupMetricsClient } from '../client/metrics/backup-client.ts';
import { MetricsClient } from '../client/metrics/client.ts';
import { type ReadProgress, readProgress } from '../client/worker/progress.ts';
import { type CertificateIssuer, x509Issuer } from '../resource/certificates.ts';
import { managedKinds } from '../resource/managers.ts';
import type { BackupSettings } from '../service/backup/model.ts';
import { BackupMonitoring } from '../service/backup/monitoring.ts';
import type { PassSettings } from '../service/model.ts';
import { MonitoringService } from '../service/monitoring/monitoring.ts';
import { whyUnsettled } from '../service/monitoring/unsettled.ts';
import { BackupController } from './backup.ts';
import { clusterOperation } from './cluster.ts';
import { RestoreController } from './restore.ts';

export { whyUnsettled };

/** The kinds that the operator's registry has to be opened with. */
export const operatorKinds: readonly Kind[] = [EtcdCluster, EtcdBackup, EtcdRestore, ...managedKinds, Event, Lease];

export interface EtcdOperatorSettings extends PassSettings, BackupSettings {
  /** Clusters that are worked on at the same time. Default 4. */
  readonly workers: number;
  /** Of each call to a member. Default 5,000. */
  readonly callTimeoutMs: number;
}

export const settingsDefault: EtcdOperatorSettings = {
  workers: 4,
  callTimeoutMs: 5_000,
  learnerDeadlineMs: 600_000,
  quorumGraceMs: 60_000,
  restartsMax: 5,
  spaceCycleMs: 600_000,
  deliveryMs: 600_000,
  parkedMs: 86_400_000,
  busyMs: 100,
  restMs: 30_000,
  workerLookMs: 2_000,
  workerRetryMs: 10_000,
};

const workerImageDefault = 'etcd-operator:latest';

export interface EtcdOperatorOptions {
  /** Opened with `operatorKinds`. */
  readonly registry: Registry;
  /** Only clusters of this namespace. Default: all. */
  readonly namespace?: string;
  /** Default: the JSON gateway of the members. */
  readonly connect?: ConnectEtcd;
  /** Default: X.509. */
  readonly issuer?: CertificateIssuer;
  /** Image of this operator, which the pods of backups and restores run. Default `etcd-operator:latest`. */
  readonly workerImage?: string;
  /** How the progress of these pods is read. Default: over HTTP. */
  readonly progress?: ReadProgress;
  /** Default: the registry's. */
  readonly clock?: Clock;
  readonly log?: Log;
  readonly settings?: Partial<EtcdOperatorSettings>;
  /** Default: no metrics. */
  readonly metrics?: MetricRegistry;
}

export class EtcdOperator {
  readonly #options: EtcdOperatorOptions;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #operations: readonly Runnable[];
  /** Metrics of clusters and backups, which only the leader exposes. */
  readonly #exposed: readonly Pick<MetricsClient, 'pause' | 'resume'>[];

  /** Throws `BadRequest` for an invalid setting. Starts nothing and calls nothing. */
  constructor(options: EtcdOperatorOptions) {
    const { registry, namespace, metrics } = options;
    const clock = options.clock ?? registry.clock;
    const settings = { ...settingsDefault, ...options.settings };
    checkSettings(settings);
    this.#options = options;
    this.#clock = clock;
    this.#log = options.log ?? silentLog;
    const clusterMetrics = metrics && new MetricsClient(metrics);
    const backupMetrics = metrics && new BackupMetricsClient(metrics);
    this.#exposed = [clusterMetrics, backupMetrics].flatMap((client) => client ?? []);
    const common = {
      workers: settings.workers,
      log: this.#log,
      ...(namespace === undefined ? {} : { namespace }),
      ...(metrics ? { metrics: standardMetrics(metrics) } : {}),
    };
    const clusters = {
      connect: options.connect ?? connectGateway(clock),
      issuer: options.issuer ?? x509Issuer(clock),
      clock,
      settings,
      callTimeoutMs: settings.callTimeoutMs,
      monitoring: new MonitoringService(clusterMetrics),
    };
    const backups = {
      ...common,
      settings,
      progress: options.progress ?? readProgress,
      image: options.workerImage ?? workerImageDefault,
      monitoring: new BackupMonitoring(backupMetrics),
    };
    this.#operations = [
      clusterOperation(clusters, { ...common, eventSource: OPERATOR_NAME }),
      BackupController(backups),
      RestoreController(backups),
    ];
  }

  /** For a manager, in order of start. */
  get runnables(): readonly Runnable[] {
    const metrics: Runnable = {
      name: 'metrics',
      run: async ({ signal }) => {
        for (const client of this.#exposed) client.resume();
        await aborted(signal);
        for (const client of this.#exposed) client.pause();
      },
    };
    return [metrics, ...this.#operations];
  }

  /** Runs everything until the signal aborts, with a manager of its own. */
  async run({ signal }: { readonly signal: AbortSignal }): Promise<void> {
    const manager = new Manager({ registry: this.#options.registry, clock: this.#clock, log: this.#log });
    for (const runnable of this.runnables) manager.add(runnable);
    await manager.run({ signal });
  }

  /** Clusters that are not as their spec says, with the reason. */
  async unsettled(): Promise<readonly { readonly namespace: string; readonly name: string; readonly why: string }[]> {
    const { registry, namespace } = this.#options;
    const { items } = await registry.resource(EtcdCluster).list(namespace === undefined ? {} : { namespace });
    return items.flatMap((cluster) => {
      const why = whyUnsettled(cluster);
      return why === undefined
        ? []
        : [{ namespace: cluster.metadata.namespace ?? '', name: cluster.metadata.name, why }];
    });
  }
}

function checkSettings(settings: EtcdOperatorSettings): void {
  for (const [name, value] of Object.entries(settings)) {
    if (Number.isInteger(value) && value > 0) continue;
    throw new ApiError('BadRequest', { reason: `${name} must be a positive whole number, not ${value}` });
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
