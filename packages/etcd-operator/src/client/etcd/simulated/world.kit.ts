/**
 * Simulated etcd servers on an injected clock: start and stop processes by peer URL, cut the network between them, and
 * call them through `connect`. Deterministic: the same calls at the same times have the same results.
 */
import type { Clock } from '@ecsm/runtime';
import type { ConnectEtcd, EtcdAlarmType, EtcdId } from '../contract.ts';
import { boot } from './boot.kit.ts';
import type { CallFault } from './call.kit.ts';
import { SimulatedClient } from './client.kit.ts';
import { Ledger } from './ledger.kit.ts';
import { type SimulatedEtcdOptions, type SimulatedEtcdTimes, scopeOf, timesDefault } from './model.kit.ts';
import type { EtcdProcess } from './process.kit.ts';
import { Raft } from './raft.kit.ts';

export class SimulatedEtcd {
  readonly clock: Clock;
  readonly times: SimulatedEtcdTimes;
  readonly raft: Raft;
  readonly ledger = new Ledger();
  /** Called for each call of a client; a lost request or answer ends with `Timeout`. */
  faultOf: (method: string, address: string) => CallFault = () => 'none';
  /** By peer URL. */
  readonly #processes = new Map<string, EtcdProcess>();
  readonly #starting = new Map<string, () => void>();
  readonly #groups = new Map<string, number>();

  constructor(clock: Clock, times: Partial<SimulatedEtcdTimes> = {}) {
    this.clock = clock;
    this.times = { ...timesDefault, ...times };
    const network = {
      processes: () => [...this.#processes.values()],
      reaches: (from: EtcdProcess, to: EtcdProcess) =>
        !from.isFrozen && !to.isFrozen && this.#isJoined(from.options.peerURL, to.options.peerURL),
      exit: (process: EtcdProcess, reason: string) => this.#exit(process, reason),
    };
    this.raft = new Raft(network, clock, this.times);
  }

  /** The credentials are not checked. */
  readonly connect: ConnectEtcd = () => new SimulatedClient(this);

  /** Starts a process; it takes part after `startMs`. One process at a time for a peer URL. */
  start(options: SimulatedEtcdOptions): void {
    const { peerURL } = options;
    if (this.isRunning(peerURL)) throw new Error(`a process of ${peerURL} runs already`);
    const cancel = this.clock.after(this.times.startMs, () => {
      this.#starting.delete(peerURL);
      const others = options.initialCluster.filter((member) => member.peerURL !== peerURL);
      const peers = others.flatMap((member) => {
        const peer = this.#processes.get(member.peerURL);
        return peer && !peer.isFrozen && this.#isJoined(peerURL, member.peerURL) ? [peer] : [];
      });
      const process = boot(options, peers);
      if (typeof process === 'string') {
        options.onExit?.(process);
        return;
      }
      this.#processes.set(peerURL, process);
      this.raft.changed();
    });
    this.#starting.set(peerURL, cancel);
  }

  /** Kills the process, if there is one. Its volume keeps what it had. */
  stop(peerURL: string): void {
    this.#starting.get(peerURL)?.();
    this.#starting.delete(peerURL);
    const process = this.#processes.get(peerURL);
    if (process) this.#end(process);
  }

  isRunning(peerURL: string): boolean {
    return this.#starting.has(peerURL) || this.#processes.has(peerURL);
  }

  /** A frozen process accepts connections and does nothing. */
  freeze(peerURL: string, isFrozen: boolean): void {
    const process = this.#processes.get(peerURL);
    if (!process) return;
    process.isFrozen = isFrozen;
    this.raft.changed();
  }

  /** Members of different groups do not reach each other; those in no group are one more group. Clients reach all. */
  partition(...groups: readonly (readonly string[])[]): void {
    this.#groups.clear();
    for (const [index, group] of groups.entries()) for (const url of group) this.#groups.set(url, index + 1);
    this.raft.changed();
  }

  heal(): void {
    this.partition();
  }

  /** Raises an alarm as if etcd had. `memberId` of CORRUPT may be `0`: unknown. */
  raise(peerURL: string, alarm: EtcdAlarmType, memberId?: EtcdId): void {
    const process = this.#processes.get(peerURL);
    if (process) this.raft.propose(process, { type: 'arm', id: memberId ?? process.id, alarm }, () => {});
  }

  /** Fills the databases of a cluster with old versions of keys, through the member. */
  age(peerURL: string, bytes: number): void {
    const process = this.#processes.get(peerURL);
    if (process) this.raft.propose(process, { type: 'history', bytes }, () => {});
  }

  /** Makes the data of a member differ from that of the others. */
  damage(peerURL: string): void {
    const process = this.#processes.get(peerURL);
    if (process) process.data.isDamaged = true;
  }

  process(peerURL: string): EtcdProcess | undefined {
    return this.#processes.get(peerURL);
  }

  /** Which process a client reaches at an address. */
  processAt(address: string, port: number): EtcdProcess | undefined {
    return [...this.#processes.values()].find(
      ({ options }) => options.address === address && (options.port ?? 2379) === port,
    );
  }

  /** Every leader of a cluster, by the part of the peer URLs that its members share. More than one is a split. */
  leaders(scope: string): readonly EtcdProcess[] {
    return [...this.#processes.values()].filter(
      (process) => process.isLeader && this.raft.hasQuorum(process) && scopeOf(process.options.peerURL) === scope,
    );
  }

  /** The last acknowledged value of each key that was written through members of a scope. */
  acknowledged(scope: string): ReadonlyMap<string, string> {
    return this.ledger.acknowledged(scope);
  }

  /** The keys whose acknowledged write is lost; undefined while there is not one leader to ask. */
  lostWrites(scope: string): readonly string[] | undefined {
    const [leader, ...others] = this.leaders(scope);
    if (!leader || others.length > 0) return undefined;
    return this.ledger.lost(scope, (key) => leader.state.keys.get(key)?.value);
  }

  #isJoined(a: string, b: string): boolean {
    return (this.#groups.get(a) ?? 0) === (this.#groups.get(b) ?? 0);
  }

  #exit(process: EtcdProcess, reason: string): void {
    if (process.hasExited) return;
    this.#end(process);
    process.options.onExit?.(reason);
  }

  #end(process: EtcdProcess): void {
    process.hasExited = true;
    process.isLeader = false;
    this.#processes.delete(process.options.peerURL);
    for (const listener of [...process.exitListeners]) listener();
    this.clock.after(0, () => this.raft.changed());
  }
}
