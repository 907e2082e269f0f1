/**
 * A small Kubernetes for end-to-end tests: an API server (ours, or another one), a process node that runs pods as real
 * etcd processes, and the operator.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ApiServer, Certificates, Namespace, Secret } from '@ecsm/apiserver';
import { openKubernetesRegistry, PersistentVolumeClaim, Pod, StatefulSet } from '@ecsm/kubernetes';
import { type ProcessNode, processNodeKinds, startProcessNode } from '@ecsm/process-node';
import { EmbeddedRegistry, Event, type Kind, MemoryStore, type Registry, sleep, systemClock } from '@ecsm/runtime';
import { type EtcdRelease, etcdBinaries } from '../src/client/etcd/binaries.kit.ts';
import type { EtcdClient } from '../src/client/etcd/contract.ts';
import { connectGateway } from '../src/client/etcd/gateway.ts';
import {
  EtcdBackup,
  EtcdCluster,
  type EtcdClusterInput,
  EtcdOperator,
  EtcdRestore,
  operatorKinds,
  wellKnown,
  whyUnsettled,
} from '../src/index.ts';
import { Writer } from './writer.kit.ts';

/** Every kind once: both packages name some of them. */
export const allKinds: readonly Kind[] = [
  ...new Map(
    [...operatorKinds, ...processNodeKinds, Namespace].map((kind) => [`${kind.apiVersion} ${kind.kind}`, kind]),
  ).values(),
];

export interface WorldOptions {
  /** Default: our API server over HTTPS, on a registry in memory. */
  readonly registry?: Registry;
  /** Whether the server has controllers of its own: kube-controller-manager. */
  readonly hasControllers?: boolean;
  /** Whether to start an operator in this process. Default true. */
  readonly hasOperator?: boolean;
}

const settledMsMax = 240_000;

export class World {
  readonly registry: Registry;
  readonly node: ProcessNode;
  readonly #closing: (() => Promise<void>)[];
  #operator: { readonly stop: AbortController; readonly running: Promise<void> } | undefined;

  private constructor(registry: Registry, node: ProcessNode, closing: (() => Promise<void>)[]) {
    this.registry = registry;
    this.node = node;
    this.#closing = closing;
  }

  static async start(options: WorldOptions = {}): Promise<World> {
    const { registry: given, hasControllers = false, hasOperator = true } = options;
    const closing: (() => Promise<void>)[] = [];
    const registry = given ?? (await openServed(closing));
    const node = await startProcessNode({
      registry,
      binaries: binariesOf,
      controllers: !hasControllers,
      backoff: { msMin: 500, msMax: 2_000 },
    });
    const world = new World(registry, node, closing);
    if (hasOperator) world.startOperator();
    return world;
  }

  get clusters() {
    return this.registry.resource(EtcdCluster);
  }

  /** `deliveryMs`: how long a change of the authority waits for clients. Default: that of the operator. */
  startOperator(own: { readonly deliveryMs?: number } = {}): void {
    const stop = new AbortController();
    const settings = { busyMs: 600, restMs: 3_000, quorumGraceMs: 3_000, workerLookMs: 250, workerRetryMs: 500 };
    const operator = new EtcdOperator({ registry: this.registry, settings: { ...settings, ...own } });
    this.#operator = { stop, running: operator.run({ signal: stop.signal }) };
  }

  async stopOperator(): Promise<void> {
    this.#operator?.stop.abort();
    await this.#operator?.running;
    this.#operator = undefined;
  }

  async create(name: string, spec: EtcdClusterInput['spec']): Promise<void> {
    await this.clusters.create({ metadata: { name }, spec });
    await this.settled(name);
  }

  /** Waits until the cluster is as its spec says. */
  async settled(name: string): Promise<EtcdCluster> {
    return this.until(name, (cluster) => whyUnsettled(cluster) === undefined, 'it is as its spec says');
  }

  async until(name: string, isTrue: (cluster: EtcdCluster) => boolean, what: string): Promise<EtcdCluster> {
    const endMs = systemClock.monotonicMs() + settledMsMax;
    for (;;) {
      const cluster = await this.clusters.get(name);
      if (isTrue(cluster)) return cluster;
      if (systemClock.monotonicMs() > endMs) {
        throw new Error(
          `${name}: not within ${settledMsMax} ms: ${what}\n${JSON.stringify(cluster.status, undefined, 1)}`,
        );
      }
      await sleep(systemClock, 250);
    }
  }

  /** Changes the spec, and waits until it is true. */
  async change(name: string, spec: Readonly<Record<string, unknown>>): Promise<EtcdCluster> {
    await this.clusters.patch(name, { spec: JSON.parse(JSON.stringify(spec)) });
    return this.settled(name);
  }

  async claims(name: string): Promise<readonly string[]> {
    const selector = { labelSelector: `${wellKnown.labels.cluster}=${name}` };
    const { items } = await this.registry.resource(PersistentVolumeClaim).list(selector);
    return items.map(({ metadata }) => metadata.name).sort();
  }

  async pods(name: string): Promise<readonly Pod[]> {
    const { items } = await this.registry.resource(Pod).list({ labelSelector: `${wellKnown.labels.cluster}=${name}` });
    return items;
  }

  async eventReasons(name: string): Promise<ReadonlySet<string>> {
    return new Set((await this.#events(name)).map(({ reason }) => reason ?? ''));
  }

  async eventMessages(name: string): Promise<readonly string[]> {
    return (await this.#events(name)).map(({ message }) => message ?? '');
  }

  async #events(name: string) {
    const { items } = await this.registry.resource(Event).list({ fieldSelector: `involvedObject.name=${name}` });
    return items.map((event) => Event.fieldsOf(event));
  }

  /** Deletes the volume and the pod of a slot, as when its disk is lost. */
  async loseVolume(name: string, slot: number): Promise<void> {
    await this.registry.resource(PersistentVolumeClaim).delete(wellKnown.names.claim(name, slot));
    await this.registry.resource(Pod).delete(wellKnown.names.pod(name, slot));
  }

  get backups() {
    return this.registry.resource(EtcdBackup);
  }

  get restores() {
    return this.registry.resource(EtcdRestore);
  }

  async createSecret(name: string, values: Readonly<Record<string, string>>): Promise<void> {
    const data = Object.entries(values).map(([key, value]) => [key, Buffer.from(value).toString('base64')]);
    await this.registry.resource(Secret).create(Secret.input({ name }, { data: Object.fromEntries(data) }));
  }

  /** A claim for backups, and its directory on this host. */
  async backupVolume(name: string): Promise<() => Promise<string>> {
    await this.registry.resource(PersistentVolumeClaim).create({
      metadata: { name },
      spec: { accessModes: ['ReadWriteMany'], resources: { requests: { storage: '1Gi' } } },
    });
    return async () => (await this.node.volumeDirectory(name)) ?? '';
  }

  /** Waits until a run has ended. */
  async backedUp(name: string): Promise<EtcdBackup> {
    return ended(
      () => this.backups.get(name),
      ({ status }) => backupEnds.includes(status?.phase ?? ''),
    );
  }

  async restored(name: string): Promise<EtcdRestore> {
    return ended(
      () => this.restores.get(name),
      ({ status }) => restoreEnds.includes(status?.phase ?? ''),
    );
  }

  /** Reads and writes keys of a cluster. */
  async client(name: string) {
    const client = await this.connect(name);
    const endpoint = () => {
      const pod = this.node.pods().find((one) => one.name.startsWith(`${name}-`) && /-\d+$/.test(one.name));
      if (pod === undefined) throw new Error(`no pod of ${name}`);
      return { host: `${pod.name}.${name}-peer.${pod.namespace}.svc`, address: pod.address, port: 2379 };
    };
    return {
      get: async (key: string) => (await client.get(endpoint(), key))?.value,
      put: (key: string, value: string) => client.put(endpoint(), key, value),
      status: () => client.status(endpoint()),
      close: () => client.close(),
    };
  }

  /** Runs etcdctl against a member, with the certificate of the operator. */
  async etcdctl(name: string): Promise<(...words: readonly string[]) => string> {
    const directory = mkdtempSync(join(tmpdir(), 'etcd-operator-client-'));
    this.#closing.push(async () => rmSync(directory, { recursive: true, force: true }));
    for (const [file, pem] of Object.entries((await this.secret(name)) ?? {}))
      writeFileSync(join(directory, file), pem);
    const address = this.node.pods().find((pod) => pod.name.startsWith(`${name}-`) && /-\d+$/.test(pod.name))?.address;
    const tls = { cacert: 'ca.crt', cert: 'tls.crt', key: 'tls.key' };
    const flags = [
      '--insecure-skip-tls-verify',
      ...Object.entries(tls).map(([flag, file]) => `--${flag}=${join(directory, file)}`),
    ];
    const program = join(etcdBinaries('3.5').directory ?? '', 'etcdctl');
    return (...words) =>
      execFileSync(program, [`--endpoints=https://${address}:2379`, ...flags, ...words], { encoding: 'utf8' });
  }

  sets() {
    return this.registry.resource(StatefulSet);
  }

  /** Writes through all members, until it is stopped. */
  async writer(name: string, prefix?: string): Promise<Writer> {
    const client = await this.connect(name);
    const endpoints = () =>
      this.node
        .pods()
        .filter((pod) => pod.name.startsWith(`${name}-`))
        .map((pod) => ({ host: `${pod.name}.${name}-peer.${pod.namespace}.svc`, address: pod.address, port: 2379 }));
    return new Writer(client, endpoints, systemClock, prefix);
  }

  /** With the certificate that clients have now. */
  async connect(name: string): Promise<EtcdClient> {
    const data = await this.secret(name);
    const credentials = data && { ca: data['ca.crt'] ?? '', cert: data['tls.crt'] ?? '', key: data['tls.key'] ?? '' };
    return connectGateway(systemClock)(credentials);
  }

  async secret(name: string): Promise<Readonly<Record<string, string>> | undefined> {
    const { items } = await this.registry.resource(Secret).list();
    const secret = items.find(({ metadata }) => metadata.name === wellKnown.names.clientSecret(name));
    if (secret === undefined) return undefined;
    const { data = {} } = Secret.fieldsOf(secret);
    return Object.fromEntries(
      Object.entries(data).map(([key, value]) => [key, Buffer.from(value, 'base64').toString()]),
    );
  }

  async stop(): Promise<void> {
    await this.stopOperator();
    await this.node.stop();
    for (const close of this.#closing) await close();
  }
}

const backupEnds: readonly string[] = ['Completed', 'Failed', 'Skipped'];
const restoreEnds: readonly string[] = ['Completed', 'Failed'];

async function ended<T>(read: () => Promise<T>, isTrue: (object: T) => boolean): Promise<T> {
  const endMs = systemClock.monotonicMs() + settledMsMax;
  for (;;) {
    const object = await read();
    if (isTrue(object)) return object;
    if (systemClock.monotonicMs() > endMs) throw new Error(`it has not ended: ${JSON.stringify(object, undefined, 1)}`);
    await sleep(systemClock, 100);
  }
}

const launchers = fileURLToPath(new URL('../../../bin', import.meta.url));

const releases: readonly EtcdRelease[] = ['3.4', '3.5', '3.5-built', '3.6'];

/** By the version in the tag of the image. The operator's own image has its launcher. */
function binariesOf(image: string): string | undefined {
  if (image.startsWith('etcd-operator:')) return launchers;
  for (const release of releases) {
    const found = etcdBinaries(release);
    if (found.directory !== undefined && image.endsWith(`:v${found.version}`)) return found.directory;
  }
  return undefined;
}

async function openServed(closing: (() => Promise<void>)[]): Promise<Registry> {
  const directory = mkdtempSync(join(tmpdir(), 'etcd-operator-tls-'));
  const stored = new EmbeddedRegistry({ store: new MemoryStore(), kinds: allKinds });
  const certificates = new Certificates({
    directory,
    names: ['127.0.0.1'],
    clock: systemClock,
    server: 'https://127.0.0.1:6443',
  });
  const certificateAuthority = join(directory, 'authority.pem');
  writeFileSync(certificateAuthority, certificates.authorityPem);
  const api = new ApiServer({ registry: stored, credentials: certificates.server });
  const { port } = await api.listen({ host: '127.0.0.1', port: 0 });
  const end = new AbortController();
  const collected = stored.capabilities.garbage?.collect({ signal: end.signal });
  const registry = await openKubernetesRegistry(`https://127.0.0.1:${port}`, {
    kinds: allKinds,
    env: {},
    certificateAuthority,
  });
  closing.push(async () => {
    await registry.close();
    await api.close();
    end.abort();
    await collected;
    await stored.close();
    rmSync(directory, { recursive: true, force: true });
  });
  return registry;
}
