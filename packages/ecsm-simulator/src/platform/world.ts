/**
 * The mutable state of the running platform: the content of `State` with indexes, the time, scheduled events and random
 * values. The operations on it are in the other files.
 */
import { BoundedMap, type Log } from '@ecsm/runtime';
import type { Behaviour } from './behaviour.ts';
import { ContainerIndex } from './container-index.ts';
import { EventQueue } from './event-queue.ts';
import type { EventName } from './events.ts';
import { syncsMax } from './images.ts';
import type {
  ConfigurationEntry,
  Container,
  DeploymentRecord,
  HistoryEntry,
  Image,
  LoadBalance,
  Node,
  PlannedFailure,
  RemoteRegistry,
  Service,
  Sync,
  Template,
  Transaction,
  Upload,
} from './model.ts';
import { drawFraction, drawHex, drawUuid } from './random.ts';
import { Refusal } from './refusal.ts';
import { transactionsMax } from './transactions.ts';
import { uploadsMax } from './uploads.ts';

/** Total usage of the containers on one node. */
export interface NodeTotals {
  readonly running: number;
  readonly cpuPercent: number;
  readonly memoryBytes: number;
  readonly diskBytes: number;
}

export class World {
  readonly log: Log;
  readonly seed: number;
  counter = 0;
  nowMs = 0;
  behaviour: Behaviour;
  readonly agenda = new EventQueue();
  readonly containers = new ContainerIndex();
  readonly nodes = new Map<string, Node>();
  readonly nodesByName = new Map<string, Node>();
  /** Ids of the nodes that are offline. */
  readonly offlineNodes = new Set<string>();
  readonly services = new Map<string, Service>();
  readonly servicesByName = new Map<string, Service>();
  readonly registries = new Map<string, RemoteRegistry>();
  readonly images = new Map<string, Image>();
  /** Images of the local registry, by `name@tag#os`. */
  readonly localImages = new Map<string, Image>();
  readonly records = new Map<string, DeploymentRecord>();
  readonly recordsOfService = new Map<string, DeploymentRecord[]>();
  readonly history = new Map<string, HistoryEntry[]>();
  readonly transactions = new BoundedMap<string, Transaction>(transactionsMax);
  readonly templates = new Map<string, Template>();
  readonly configuration = new Map<string, ConfigurationEntry>();
  readonly loadBalance = new Map<string, LoadBalance>();
  readonly uploads = new BoundedMap<string, Upload>(uploadsMax);
  readonly syncs = new BoundedMap<string, Sync>(syncsMax);
  plannedFailures: PlannedFailure[] = [];
  /** Cache of usage.ts, by node id. */
  readonly totals = new Map<string, NodeTotals>();

  constructor(options: { readonly seed: number; readonly behaviour: Behaviour; readonly log: Log }) {
    this.seed = options.seed;
    this.behaviour = options.behaviour;
    this.log = options.log;
  }

  /** Schedules an event and returns its time. It is obsolete when the subject has a newer `step`. */
  schedule(what: EventName, subject: string, delayMs: number, step = 0): number {
    const atMs = this.nowMs + delayMs;
    this.agenda.add({ atMs, number: ++this.counter, what, subject, step });
    return atMs;
  }

  random(): number {
    return drawFraction(this.seed, ++this.counter);
  }

  uuid(): string {
    return drawUuid(this.seed, ++this.counter);
  }

  hex(length: number): string {
    return drawHex(this.seed, ++this.counter, length);
  }

  /** `name@tag#os` in the local registry; without `#os`, SylixOS first. */
  localImage(ref: string): Image | undefined {
    return this.localImages.get(ref) ?? this.localImages.get(`${ref}#sylixos`) ?? this.localImages.get(`${ref}#linux`);
  }

  requireNode(id: string): Node {
    const node = this.nodes.get(id);
    if (node === undefined) throw new Refusal('nodeNotFound', id);
    return node;
  }

  requireContainer(taskId: string): Container {
    const container = this.containers.get(taskId);
    if (container === undefined) throw new Refusal('containerNotFound', taskId);
    return container;
  }

  requireService(id: string): Service {
    const service = this.services.get(id);
    if (service === undefined) throw new Refusal('serviceNotFound', id);
    return service;
  }
}
