/** Real etcd servers as processes on loopback addresses of their own, with or without TLS, for tests. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Authority, generateAuthority, type KeyPair } from '@ecsm/apiserver';
import { systemClock } from '@ecsm/runtime';
import { type EtcdRelease, etcdBinaries } from './binaries.kit.ts';
import type { EtcdCredentials, EtcdEndpoint } from './contract.ts';

interface RealEtcdOptions {
  readonly release: EtcdRelease;
  readonly tls: boolean;
  /** The history is then deleted one revision after the other, so that it takes as long as that of a large database. */
  readonly quotaBytes?: number;
}

interface StartOptions {
  readonly state: 'new' | 'existing';
  /** The slots in `initial-cluster`. */
  readonly slots: readonly number[];
}

const dayMs = 86_400_000;
const outputLengthMax = 4_000;

/** Each slot is a member: it keeps its address and its data directory when its process ends. */
export class RealEtcd {
  readonly #options: RealEtcdOptions;
  readonly #directory = mkdtempSync(join(tmpdir(), 'ecsm-etcd-'));
  /** 127.x.y.0, which nothing else uses: so the ports can be etcd's own, and stay free while a member is stopped. */
  readonly #network = `127.${[...randomBytes(2)].map((byte) => 1 + (byte % 254)).join('.')}`;
  readonly #authority = new Authority(generateAuthority(systemClock), systemClock);
  readonly #processes = new Map<number, ChildProcess>();
  readonly #outputs = new Map<number, string>();
  readonly #starts = new Map<number, StartOptions>();
  readonly #endWithUs = () => {
    for (const child of this.#processes.values()) child.kill('SIGKILL');
  };

  constructor(options: RealEtcdOptions) {
    this.#options = options;
    const pair = this.#issue('server', 'peer');
    writeFileSync(join(this.#directory, 'ca.crt'), this.#authority.certificatePem);
    writeFileSync(join(this.#directory, 'tls.crt'), pair.certificatePem);
    writeFileSync(join(this.#directory, 'tls.key'), pair.keyPem);
    process.once('exit', this.#endWithUs);
  }

  get credentials(): EtcdCredentials | undefined {
    return this.#options.tls ? this.credentialsOf(this.#authority) : undefined;
  }

  /** A client certificate of any authority, and trust in this cluster's. */
  credentialsOf(authority: Authority): EtcdCredentials {
    const { certificatePem, keyPem } = authority.issue({ subject: { commonName: 'operator' }, use: 'client' }, dayMs);
    return { ca: this.#authority.certificatePem, cert: certificatePem, key: keyPem };
  }

  /** Runs etcdctl against a member, with the certificate of the client. */
  control(slot: number, ...words: readonly string[]): string {
    const found = etcdBinaries(this.#options.release);
    if (found.directory === undefined) throw new Error(found.reason);
    const files = Object.entries(this.credentials ?? {}).map(([name, pem]) => {
      const file = join(this.#directory, `client-${name}`);
      writeFileSync(file, pem);
      return `--${name === 'ca' ? 'cacert' : name}=${file}`;
    });
    const { address, port } = this.endpoint(slot);
    const flags = [`--endpoints=${this.#scheme}://${address}:${port}`, ...files];
    return execFileSync(join(found.directory, 'etcdctl'), [...flags, ...words], {
      env: { ETCDCTL_API: '3' },
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  }

  endpoint(slot: number): EtcdEndpoint {
    return { host: `etcd-${slot}.etcd-peer.test.svc`, address: `${this.#network}.${slot + 1}`, port: 2379 };
  }

  peerURL(slot: number): string {
    return `${this.#scheme}://${this.#network}.${slot + 1}:2380`;
  }

  /** Starts a process. It does not wait until it serves. */
  start(slot: number, options: StartOptions): void {
    const found = etcdBinaries(this.#options.release);
    if (found.directory === undefined) throw new Error(found.reason);
    this.#starts.set(slot, options);
    const child = spawn(join(found.directory, 'etcd'), this.#flags(slot, options), {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    this.#processes.set(slot, child);
    this.#outputs.set(slot, '');
    child.stderr?.on('data', (chunk: Buffer) => {
      this.#outputs.set(slot, ((this.#outputs.get(slot) ?? '') + chunk.toString()).slice(-outputLengthMax));
    });
  }

  /** Starts a process as before, with the data that it had. */
  restart(slot: number): void {
    const options = this.#starts.get(slot);
    if (options) this.start(slot, options);
  }

  isRunning(slot: number): boolean {
    const child = this.#processes.get(slot);
    return child !== undefined && !hasEnded(child);
  }

  /** The end of what a process wrote, for messages. */
  output(slot: number): string {
    return this.#outputs.get(slot) ?? '';
  }

  async stop(slot: number): Promise<void> {
    const child = this.#processes.get(slot);
    if (!child || hasEnded(child)) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }

  /** A frozen process accepts connections and answers nothing. */
  freeze(slot: number, isFrozen: boolean): void {
    this.#processes.get(slot)?.kill(isFrozen ? 'SIGSTOP' : 'SIGCONT');
  }

  wipe(slot: number): void {
    rmSync(this.#dataDirectory(slot), { recursive: true, force: true });
  }

  async close(): Promise<void> {
    process.off('exit', this.#endWithUs);
    await Promise.all([...this.#processes.keys()].map((slot) => this.stop(slot)));
    rmSync(this.#directory, { recursive: true, force: true });
  }

  get #scheme(): string {
    return this.#options.tls ? 'https' : 'http';
  }

  #dataDirectory(slot: number): string {
    return join(this.#directory, `data-${slot}`);
  }

  #issue(commonName: string, use: 'peer' | 'client'): KeyPair {
    const addresses = Array.from({ length: 9 }, (_, slot) => `${this.#network}.${slot + 1}`);
    // Other members see 127.0.0.1 as the source of a connection.
    const names = ['*.etcd-peer.test.svc', 'localhost', '127.0.0.1', ...addresses];
    return this.#authority.issue({ subject: { commonName }, use, names }, dayMs);
  }

  #flags(slot: number, { state, slots }: StartOptions): readonly string[] {
    const file = (name: string) => join(this.#directory, name);
    const address = `${this.#network}.${slot + 1}`;
    const { quotaBytes, tls } = this.#options;
    return [
      `--name=etcd-${slot}`,
      `--data-dir=${this.#dataDirectory(slot)}`,
      `--listen-client-urls=${this.#scheme}://${address}:2379`,
      `--advertise-client-urls=${this.#scheme}://${address}:2379`,
      `--listen-peer-urls=${this.peerURL(slot)}`,
      `--initial-advertise-peer-urls=${this.peerURL(slot)}`,
      `--initial-cluster=${slots.map((other) => `etcd-${other}=${this.peerURL(other)}`).join(',')}`,
      `--initial-cluster-state=${state}`,
      '--initial-cluster-token=test',
      '--logger=zap',
      '--log-level=error',
      '--log-outputs=stderr',
      ...(quotaBytes === undefined
        ? []
        : [`--quota-backend-bytes=${quotaBytes}`, '--experimental-compaction-batch-limit=1']),
      ...(tls
        ? ['', 'peer-'].flatMap((prefix) => [
            `--${prefix}trusted-ca-file=${file('ca.crt')}`,
            `--${prefix}cert-file=${file('tls.crt')}`,
            `--${prefix}key-file=${file('tls.key')}`,
            `--${prefix}client-cert-auth`,
          ])
        : []),
    ];
  }
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}
