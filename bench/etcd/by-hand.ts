/**
 * The same steps without an operator: pods of the same node, made by hand, and calls to etcd in the best order, with
 * nothing in between. Members have names as with the operator, because they take time to become known.
 */
import { Authority, generateAuthority, Secret } from '@ecsm/apiserver';
import { connectGateway, type EtcdClient, type EtcdEndpoint } from '@ecsm/etcd-operator';
import { PersistentVolumeClaim, Pod, Service } from '@ecsm/kubernetes';
import { isApiError, type Registry, systemClock } from '@ecsm/runtime';
import { etcdVersion } from './binaries.ts';

const dayMs = 86_400_000;
const retryMs = 20;
const labels = { app: 'hand' };
const host = (slot: number) => `hand-${slot}.hand.default.svc`;
const peerURL = (slot: number) => `https://${host(slot)}:2380`;
const tls = '/etc/etcd/tls';

export class EtcdByHand {
  readonly #registry: Registry;
  readonly #client: EtcdClient;
  readonly #authority = new Authority(generateAuthority(systemClock), systemClock);
  readonly #addresses = new Map<number, string>();

  constructor(registry: Registry) {
    this.#registry = registry;
    const { certificatePem: cert, keyPem: key } = this.#authority.issue(
      { subject: { commonName: 'root' }, use: 'client' },
      dayMs,
    );
    this.#client = connectGateway(systemClock)({ ca: this.#authority.certificatePem, cert, key });
  }

  /** The Service and the certificates. */
  async prepare(): Promise<void> {
    const names = ['*.hand.default.svc', 'localhost', '127.0.0.1'];
    const pair = this.#authority.issue({ subject: { commonName: 'server' }, use: 'peer', names }, dayMs);
    const texts = { 'ca.crt': this.#authority.certificatePem, 'tls.crt': pair.certificatePem, 'tls.key': pair.keyPem };
    const data = Object.fromEntries(
      Object.entries(texts).map(([name, text]) => [name, Buffer.from(text).toString('base64')]),
    );
    await this.#registry.resource(Secret).apply(Secret.input({ name: 'hand' }, { type: 'Opaque', data }));
    const ports = [{ name: 'peer', port: 2380 }];
    const spec = { clusterIP: 'None', publishNotReadyAddresses: true, selector: labels, ports };
    await this.#registry.resource(Service).apply({ metadata: { name: 'hand' }, spec });
  }

  /** One member, and two that join. */
  async create(): Promise<void> {
    await this.#start(0, 'new', [0]);
    await this.#untilServing(0);
    await this.grow();
  }

  /** All members at once: what is possible only for a cluster that does not exist yet. */
  async createAtOnce(): Promise<void> {
    await this.#startAll('new', [0, 1, 2]);
  }

  async grow(): Promise<void> {
    await this.#join(1, [0, 1]);
    await this.#join(2, [0, 1, 2]);
  }

  async shrink(): Promise<void> {
    for (const slot of [2, 1]) {
      await this.#leave(slot);
      await this.#stop(slot);
      await this.#loseVolume(slot);
    }
  }

  async replace(slot: number): Promise<void> {
    await this.#stop(slot);
    await this.#loseVolume(slot);
    await this.#leave(slot);
    await this.#join(slot, [0, 1, 2]);
  }

  async restart(): Promise<void> {
    for (const slot of [2, 1, 0]) {
      await this.#giveUpLeadership(slot, slot === 0 ? 1 : 0);
      await this.#stop(slot);
      await this.#start(slot, 'existing', [slot]);
      await this.#untilServing(slot);
    }
  }

  async stopAll(): Promise<void> {
    await Promise.all([0, 1, 2].map((slot) => this.#stop(slot)));
  }

  async startAll(): Promise<void> {
    await this.#startAll('existing', undefined);
  }

  async remove(): Promise<void> {
    await this.stopAll();
    await Promise.all([0, 1, 2].map((slot) => this.#loseVolume(slot)));
  }

  close(): void {
    this.#client.close();
  }

  async #startAll(state: 'new' | 'existing', slots: readonly number[] | undefined): Promise<void> {
    await Promise.all(
      [0, 1, 2].map(async (slot) => {
        await this.#start(slot, state, slots ?? [slot]);
        await this.#untilServing(slot);
      }),
    );
  }

  async #join(slot: number, slots: readonly number[]): Promise<void> {
    const { memberId } = await untilDone(() => this.#client.addLearner(this.#endpoint(0), peerURL(slot)));
    await this.#start(slot, 'existing', slots);
    await untilDone(() => this.#client.promote(this.#endpoint(0), memberId));
    await this.#untilServing(slot);
  }

  async #leave(slot: number): Promise<void> {
    await this.#giveUpLeadership(slot, 0);
    await untilDone(async () => {
      const { members } = await this.#client.memberList(this.#endpoint(0));
      const member = members.find(({ peerURLs }) => peerURLs.includes(peerURL(slot)));
      if (member) await this.#client.remove(this.#endpoint(0), member.id);
    });
  }

  async #giveUpLeadership(slot: number, to: number): Promise<void> {
    const [own, other] = await Promise.all([
      this.#client.status(this.#endpoint(slot), { timeoutMs: 500 }).catch(() => undefined),
      untilDone(() => this.#client.status(this.#endpoint(to))),
    ]);
    if (own && own.leaderId === own.memberId) await this.#client.moveLeader(this.#endpoint(slot), other.memberId);
  }

  async #start(slot: number, state: 'new' | 'existing', slots: readonly number[]): Promise<void> {
    const name = `hand-${slot}`;
    const resources = { requests: { storage: '1Gi' } };
    await this.#registry
      .resource(PersistentVolumeClaim)
      .apply({ metadata: { name }, spec: { accessModes: ['ReadWriteOnce'], resources } });
    const volumes = [
      { name: 'data', persistentVolumeClaim: { claimName: name } },
      { name: 'tls', secret: { secretName: 'hand' } },
    ];
    const volumeMounts = [
      { name: 'data', mountPath: '/var/lib/etcd' },
      { name: 'tls', mountPath: tls },
    ];
    const command = ['/usr/local/bin/etcd', ...flags(slot, state, slots)];
    const containers = [{ name: 'etcd', image: `etcd:${etcdVersion}`, command, volumeMounts }];
    await this.#registry
      .resource(Pod)
      .create({ metadata: { name, labels }, spec: { hostname: name, subdomain: 'hand', containers, volumes } });
    const { status } = await untilDone(async () => {
      const pod = await this.#registry.resource(Pod).get(name);
      if (pod.status?.podIP === undefined) throw new Error(`${name} has no address`);
      return pod;
    });
    this.#addresses.set(slot, status?.podIP ?? '');
  }

  async #stop(slot: number): Promise<void> {
    await this.#gone(this.#registry.resource(Pod), `hand-${slot}`);
  }

  async #loseVolume(slot: number): Promise<void> {
    await this.#gone(this.#registry.resource(PersistentVolumeClaim), `hand-${slot}`);
  }

  async #gone(
    resource: { delete(name: string): Promise<unknown>; get(name: string): Promise<unknown> },
    name: string,
  ): Promise<void> {
    await resource.delete(name);
    await untilDone(async () => {
      const isThere = await resource.get(name).then(
        () => true,
        (error) => !isApiError(error, 'NotFound'),
      );
      if (isThere) throw new Error(`${name} is not gone`);
    });
  }

  async #untilServing(slot: number): Promise<void> {
    await untilDone(() => this.#client.get(this.#endpoint(slot), 'bench', { timeoutMs: 500 }));
  }

  #endpoint(slot: number): EtcdEndpoint {
    return { host: host(slot), address: this.#addresses.get(slot) ?? '', port: 2379 };
  }
}

function flags(slot: number, state: 'new' | 'existing', slots: readonly number[]): readonly string[] {
  return [
    `--name=hand-${slot}`,
    '--data-dir=/var/lib/etcd/data',
    '--listen-client-urls=https://0.0.0.0:2379',
    `--advertise-client-urls=https://${host(slot)}:2379`,
    '--listen-peer-urls=https://0.0.0.0:2380',
    `--initial-advertise-peer-urls=${peerURL(slot)}`,
    `--initial-cluster=${slots.map((other) => `hand-${other}=${peerURL(other)}`).join()}`,
    `--initial-cluster-state=${state}`,
    '--experimental-initial-corrupt-check=true',
    '--logger=zap',
    '--log-level=error',
    ...['', 'peer-'].flatMap((prefix) => [
      `--${prefix}trusted-ca-file=${tls}/ca.crt`,
      `--${prefix}cert-file=${tls}/tls.crt`,
      `--${prefix}key-file=${tls}/tls.key`,
      `--${prefix}client-cert-auth`,
    ]),
  ];
}

/** etcd refuses changes for some seconds after the previous one. */
async function untilDone<T>(call: () => Promise<T>): Promise<T> {
  for (let attempts = 0; ; attempts++) {
    try {
      return await call();
    } catch (error) {
      if (attempts > 2_000) throw error;
      await new Promise((resolve) => setTimeout(resolve, retryMs));
    }
  }
}
