/**
 * What members do with each other: elect a leader, copy its log, commit what a quorum of voters has, and apply it. Instead
 * of single messages, everything that two connected members would exchange happens at one moment; only catching up and
 * elections take time. Entries exist on the volumes that took them and nowhere else, so they can be lost like real ones.
 */
import type { Clock } from '@ecsm/runtime';
import { type Change, type Entry, minorOf, type SimulatedEtcdTimes } from './model.kit.ts';
import type { Applied, EtcdProcess } from './process.kit.ts';

interface Network {
  /** All processes that run. */
  processes(): readonly EtcdProcess[];
  reaches(from: EtcdProcess, to: EtcdProcess): boolean;
  /** Ends a process that cannot go on. */
  exit(process: EtcdProcess, reason: string): void;
}

export class Raft {
  readonly #network: Network;
  readonly #clock: Clock;
  readonly #times: SimulatedEtcdTimes;
  /** Since when two members have been connected, by both ids. */
  readonly #connectedAtMs = new Map<string, number>();
  #isElectionDue = false;
  #isVersionCheckDue = false;

  constructor(network: Network, clock: Clock, times: SimulatedEtcdTimes) {
    this.#network = network;
    this.#clock = clock;
    this.#times = times;
  }

  /** The leader that a process follows, if it can reach it. */
  leaderOf(process: EtcdProcess): EtcdProcess | undefined {
    const leader = this.#peers(process).find(({ id }) => id === process.leaderId);
    return leader?.isLeader && leader.data.term === process.data.term ? leader : undefined;
  }

  hasQuorum(leader: EtcdProcess): boolean {
    const reached = leader.state.voters.filter(({ id }) => this.#peers(leader).some((peer) => peer.id === id));
    return reached.length >= leader.state.quorum;
  }

  /** How many voters have been connected with a process for long enough. */
  connectedVoters(process: EtcdProcess): number {
    const sinceMs = this.#clock.monotonicMs() - this.#times.healthMs;
    return process.state.voters.filter(
      ({ id }) => id === process.id || (this.#connectedAtMs.get(pair(process.id, id)) ?? sinceMs) < sinceMs,
    ).length;
  }

  isConnected(process: EtcdProcess, id: string): boolean {
    return process.id === id || this.#connectedAtMs.has(pair(process.id, id));
  }

  /** Appends to the log of the leader. The callback may never be called: the outcome is then unknown. */
  propose(process: EtcdProcess, change: Change, applied: Applied): void {
    const leader = this.leaderOf(process);
    if (!leader) return;
    const entry: Entry = { term: leader.data.term, change };
    process.onApplied(entry, applied);
    leader.data.log.push(entry);
    this.#replicate(leader);
  }

  /** A process started, stopped, or the network changed. */
  changed(): void {
    this.#updateConnections();
    for (const process of this.#network.processes()) this.#endIfRemoved(process);
    for (const process of this.#network.processes()) {
      this.#meetLeader(process);
      const isLed = process.isLeader ? this.hasQuorum(process) : this.leaderOf(process) !== undefined;
      if (isLed) process.loss = undefined;
      else if (process.leaderId === undefined) this.#electLater();
      else if (process.loss === undefined) {
        // It misses what the leader appends meanwhile.
        if (!process.isLeader) process.isSynced = false;
        const loss = {};
        process.loss = loss;
        this.#clock.after(this.#times.electionMs, () => {
          if (process.loss === loss) this.#giveUp(process);
        });
      }
    }
    this.#checkVersionsLater();
  }

  transfer(from: EtcdProcess, to: EtcdProcess): void {
    from.isLeader = false;
    this.#lead(to);
  }

  #peers(process: EtcdProcess): readonly EtcdProcess[] {
    return this.#network
      .processes()
      .filter(
        (other) =>
          other === process ||
          (other.data.clusterId === process.data.clusterId && this.#network.reaches(process, other)),
      );
  }

  #updateConnections(): void {
    const connected = new Set<string>();
    for (const process of this.#network.processes()) {
      for (const other of this.#peers(process)) {
        const isKnown = process.state.members.has(other.id) || other.state.members.has(process.id);
        if (other !== process && isKnown) connected.add(pair(process.id, other.id));
      }
    }
    for (const key of this.#connectedAtMs.keys()) if (!connected.has(key)) this.#connectedAtMs.delete(key);
    for (const key of connected) {
      if (!this.#connectedAtMs.has(key)) this.#connectedAtMs.set(key, this.#clock.monotonicMs());
    }
  }

  #endIfRemoved(process: EtcdProcess): void {
    if (this.#peers(process).some(({ state }) => state.removed.has(process.id))) {
      this.#network.exit(process, 'the member has been permanently removed from the cluster');
    }
  }

  /** Follows the newest leader that is connected and knows the member. */
  #meetLeader(process: EtcdProcess): void {
    const leaders = this.#peers(process).filter((peer) => peer.isLeader && peer.state.members.has(process.id));
    const [leader] = leaders.sort((a, b) => b.data.term - a.data.term);
    if (!leader || leader === process || leader.data.term < process.data.term) return;
    if (process.leaderId === leader.id && process.data.term === leader.data.term && process.isSynced) return;
    this.#follow(process, leader);
  }

  #follow(process: EtcdProcess, leader: EtcdProcess): void {
    // The leader tells a member how far the log is committed that it has acknowledged before.
    const committed = Math.min(leader.matches.get(process.id) ?? 0, leader.data.commit);
    if (committed > process.data.log.length) {
      const length = process.data.log.length;
      this.#network.exit(process, `tocommit(${committed}) is out of range [lastIndex(${length})]`);
      return;
    }
    process.isLeader = false;
    process.leaderId = leader.id;
    process.data.term = leader.data.term;
    process.isSynced = false;
    const { catchUpEmptyMs, catchUpMs } = this.#times;
    this.#clock.after(process.data.log.length === 0 ? catchUpEmptyMs : catchUpMs, () => this.#synchronize(process));
  }

  /** Copies the log of the leader. */
  #synchronize(process: EtcdProcess): void {
    const leader = process.hasExited ? undefined : this.leaderOf(process);
    if (!leader || leader === process || process.isSynced) return;
    const common = process.commonWith(leader);
    if (common < process.data.commit) {
      this.#network.exit(process, `entry ${common + 1} conflict with committed entry`);
      return;
    }
    process.data.log.length = common;
    process.isSynced = true;
    this.#replicate(leader);
    this.#publish(process);
    this.#checkVersionsLater();
  }

  #publish(process: EtcdProcess): void {
    if (process.isServing || process.hasExited) return;
    const { name, clientURL } = process.options;
    this.propose(process, { type: 'publish', id: process.id, name, clientURL }, () => {
      process.isServing = true;
    });
  }

  #replicate(leader: EtcdProcess): void {
    const { data, matches } = leader;
    const followers = this.#peers(leader).filter(
      (peer) => peer !== leader && peer.isSynced && this.leaderOf(peer) === leader,
    );
    for (const { data: copy, id } of followers) {
      for (let index = copy.log.length; index < data.log.length; index++) {
        const entry = data.log[index];
        if (entry) copy.log.push(entry);
      }
      matches.set(id, copy.log.length);
    }
    matches.set(leader.id, data.log.length);
    const reached = leader.state.voters.map(({ id }) => matches.get(id) ?? 0).sort((a, b) => b - a);
    const index = reached[leader.state.quorum - 1] ?? 0;
    // A leader commits entries of former leaders only together with one of its own.
    if (index > data.commit && data.log[index - 1]?.term === data.term) data.commit = index;
    const configurationBefore = leader.state.configuration;
    for (const process of [leader, ...followers]) {
      process.data.commit = Math.max(process.data.commit, Math.min(data.commit, process.data.log.length));
      const isSweeping = process.state.hasGarbage;
      process.applyCommitted();
      if (process.state.hasGarbage && !isSweeping) {
        this.#clock.after(this.#times.compactMs, () => process.state.sweep());
      }
    }
    if (leader.state.configuration !== configurationBefore) this.#clock.after(0, () => this.changed());
  }

  /** A member without its leader, or a leader without a quorum. */
  #giveUp(process: EtcdProcess): void {
    process.isLeader = false;
    process.leaderId = undefined;
    process.isSynced = false;
    this.#elect();
  }

  #electLater(): void {
    if (this.#isElectionDue) return;
    this.#isElectionDue = true;
    this.#clock.after(this.#times.electionMs, () => {
      this.#isElectionDue = false;
      this.#elect();
    });
  }

  /** Members without a leader vote. */
  #elect(): void {
    const candidates = this.#network
      .processes()
      .filter((process) => process.leaderId === undefined && process.isVoter && !process.isFrozen)
      .sort((a, b) => b.lastTerm - a.lastTerm || b.data.log.length - a.data.log.length || (a.id < b.id ? -1 : 1));
    for (const candidate of candidates) {
      if (candidate.leaderId !== undefined) continue;
      const ids = new Set(candidate.state.voters.map(({ id }) => id));
      const votes = this.#peers(candidate).filter(
        (peer) => ids.has(peer.id) && peer.leaderId === undefined && candidate.isAtLeast(peer),
      );
      if (votes.length >= candidate.state.quorum) this.#lead(candidate);
    }
  }

  #lead(process: EtcdProcess): void {
    const terms = this.#peers(process).map(({ data }) => data.term);
    process.data.term = Math.max(...terms) + 1;
    process.isLeader = true;
    process.isSynced = true;
    process.leaderId = process.id;
    process.loss = undefined;
    process.matches.clear();
    process.data.log.push({ term: process.data.term, change: { type: 'none' } });
    this.#replicate(process);
    this.#publish(process);
    this.changed();
  }

  /** The cluster version follows the lowest version of the members, once all of them can be asked. */
  #checkVersionsLater(): void {
    if (this.#isVersionCheckDue) return;
    this.#isVersionCheckDue = true;
    this.#clock.after(this.#times.versionMs, () => {
      this.#isVersionCheckDue = false;
      for (const leader of this.#network.processes().filter(({ isLeader }) => isLeader)) {
        const peers = this.#peers(leader).filter(({ id }) => leader.state.members.has(id));
        const minor = Math.min(...peers.map(({ options }) => minorOf(options.version)));
        if (peers.length !== leader.state.members.size || minor <= leader.state.minor) continue;
        this.propose(leader, { type: 'version', minor }, () => {});
      }
    });
  }
}

function pair(a: string, b: string): string {
  return a < b ? `${a} ${b}` : `${b} ${a}`;
}
