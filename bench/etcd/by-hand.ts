/** The same steps without an operator: etcd processes and calls to them, in the best order, with nothing in between. */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Authority, generateAuthority } from '@ecsm/apiserver';
import { connectGateway, type EtcdClient, type EtcdEndpoint } from '@ecsm/etcd-operator';
import { systemClock } from '@ecsm/runtime';

const dayMs = 86_400_000;
const retryMs = 20;

export class EtcdByHand {
  readonly #binaries: string;
  readonly #directory = mkdtempSync(join(tmpdir(), 'etcd-by-hand-'));
  readonly #network = `127.${[...randomBytes(2)].map((byte) => 1 + (byte % 254)).join('.')}`;
  readonly #children = new Map<number, ChildProcess>();
  readonly #client: EtcdClient;

  constructor(binaries: string) {
    this.#binaries = binaries;
    const authority = new Authority(generateAuthority(systemClock), systemClock);
    const names = ['localhost', '127.0.0.1', ...[0, 1, 2].map((slot) => this.#address(slot))];
    const server = authority.issue({ subject: { commonName: 'server' }, use: 'peer', names }, dayMs);
    const client = authority.issue({ subject: { commonName: 'root' }, use: 'client' }, dayMs);
    const files = { 'ca.crt': authority.certificatePem, 'tls.crt': server.certificatePem, 'tls.key': server.keyPem };
    for (const [name, text] of Object.entries(files)) writeFileSync(join(this.#directory, name), text);
    const { certificatePem: cert, keyPem: key } = client;
    this.#client = connectGateway(systemClock)({ ca: authority.certificatePem, cert, key });
  }

  /** One member, and two that join. */
  async create(): Promise<void> {
    this.#start(0, 'new', [0]);
    await this.#untilServing(0);
    await this.grow();
  }

  /** All members at once: what is possible only for a cluster that does not exist yet. */
  async createAtOnce(): Promise<void> {
    for (const slot of [0, 1, 2]) this.#start(slot, 'new', [0, 1, 2]);
    await Promise.all([0, 1, 2].map((slot) => this.#untilServing(slot)));
  }

  async grow(): Promise<void> {
    await this.#join(1, [0, 1]);
    await this.#join(2, [0, 1, 2]);
  }

  async shrink(): Promise<void> {
    for (const slot of [2, 1]) {
      await this.#leave(slot);
      await this.#stop(slot);
      this.#wipe(slot);
    }
  }

  async replace(slot: number): Promise<void> {
    await this.#stop(slot);
    this.#wipe(slot);
    await this.#leave(slot);
    await this.#join(slot, [0, 1, 2]);
  }

  async restart(): Promise<void> {
    for (const slot of [2, 1, 0]) {
      await this.#giveUpLeadership(slot, slot === 0 ? 1 : 0);
      await this.#stop(slot);
      this.#start(slot, 'existing', [slot]);
      await this.#untilServing(slot);
    }
  }

  async stopAll(): Promise<void> {
    await Promise.all([0, 1, 2].map((slot) => this.#stop(slot)));
  }

  async startAll(): Promise<void> {
    for (const slot of [0, 1, 2]) this.#start(slot, 'existing', [slot]);
    await Promise.all([0, 1, 2].map((slot) => this.#untilServing(slot)));
  }

  async close(): Promise<void> {
    this.#client.close();
    for (const child of this.#children.values()) child.kill('SIGKILL');
    await Promise.all([0, 1, 2].map((slot) => this.#stop(slot)));
    rmSync(this.#directory, { recursive: true, force: true });
  }

  async #join(slot: number, slots: readonly number[]): Promise<void> {
    const { memberId } = await untilDone(() => this.#client.addLearner(this.#endpoint(0), this.#peerURL(slot)));
    this.#start(slot, 'existing', slots);
    await untilDone(() => this.#client.promote(this.#endpoint(0), memberId));
    await this.#untilServing(slot);
  }

  async #leave(slot: number): Promise<void> {
    await this.#giveUpLeadership(slot, 0);
    await untilDone(async () => {
      const { members } = await this.#client.memberList(this.#endpoint(0));
      const member = members.find(({ peerURLs }) => peerURLs.includes(this.#peerURL(slot)));
      if (member) await this.#client.remove(this.#endpoint(0), member.id);
    });
  }

  async #giveUpLeadership(slot: number, to: number): Promise<void> {
    const [own, other] = await Promise.all([
      this.#client.status(this.#endpoint(slot)).catch(() => undefined),
      untilDone(() => this.#client.status(this.#endpoint(to))),
    ]);
    if (own && own.leaderId === own.memberId) await this.#client.moveLeader(this.#endpoint(slot), other.memberId);
  }

  #start(slot: number, state: 'new' | 'existing', slots: readonly number[]): void {
    const file = (name: string) => join(this.#directory, name);
    const clientURL = `https://${this.#address(slot)}:2379`;
    const flags = [
      `--name=etcd-${slot}`,
      `--data-dir=${file(`data-${slot}`)}`,
      `--listen-client-urls=${clientURL}`,
      `--advertise-client-urls=${clientURL}`,
      `--listen-peer-urls=${this.#peerURL(slot)}`,
      `--initial-advertise-peer-urls=${this.#peerURL(slot)}`,
      `--initial-cluster=${slots.map((other) => `etcd-${other}=${this.#peerURL(other)}`).join()}`,
      `--initial-cluster-state=${state}`,
      '--experimental-initial-corrupt-check=true',
      '--logger=zap',
      '--log-level=error',
      ...['', 'peer-'].flatMap((prefix) => [
        `--${prefix}trusted-ca-file=${file('ca.crt')}`,
        `--${prefix}cert-file=${file('tls.crt')}`,
        `--${prefix}key-file=${file('tls.key')}`,
        `--${prefix}client-cert-auth`,
      ]),
    ];
    this.#children.set(slot, spawn(join(this.#binaries, 'etcd'), flags, { stdio: 'ignore' }));
  }

  async #stop(slot: number): Promise<void> {
    const child = this.#children.get(slot);
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await ended;
  }

  #wipe(slot: number): void {
    rmSync(join(this.#directory, `data-${slot}`), { recursive: true, force: true });
  }

  async #untilServing(slot: number): Promise<void> {
    await untilDone(() => this.#client.get(this.#endpoint(slot), 'bench'));
  }

  #endpoint(slot: number): EtcdEndpoint {
    return { host: 'localhost', address: this.#address(slot), port: 2379 };
  }

  #peerURL(slot: number): string {
    return `https://${this.#address(slot)}:2380`;
  }

  #address(slot: number): string {
    return `${this.#network}.${slot + 1}`;
  }
}

/** etcd refuses changes for some seconds after the previous one. */
async function untilDone<T>(call: () => Promise<T>): Promise<T> {
  for (let attempts = 0; ; attempts++) {
    try {
      return await call();
    } catch (error) {
      if (attempts > 3_000) throw error;
      await new Promise((resolve) => setTimeout(resolve, retryMs));
    }
  }
}
