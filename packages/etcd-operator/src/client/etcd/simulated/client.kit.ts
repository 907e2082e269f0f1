/** The client of simulated servers: what a member answers, and what it refuses. */
import type {
  EtcdAlarm,
  EtcdCallOptions,
  EtcdClient,
  EtcdEndpoint,
  EtcdHash,
  EtcdId,
  EtcdMemberList,
  EtcdSnapshot,
  EtcdSnapshotOptions,
  EtcdStatus,
  EtcdValue,
} from '../contract.ts';
import type { EtcdError } from '../error.ts';
import { type Answer, answering, Calls } from './call.kit.ts';
import { type Change, memberIdOf, minorOf, patchOf, scopeOf } from './model.kit.ts';
import type { EtcdProcess } from './process.kit.ts';
import { snapshotOf } from './snapshot.kit.ts';
import { bytesOf, refuse } from './state.kit.ts';
import type { SimulatedEtcd } from './world.kit.ts';

export const quotaBytesDefault = 2 * 1024 * 1024 * 1024;

export class SimulatedClient implements EtcdClient {
  readonly #world: SimulatedEtcd;
  readonly #calls: Calls;

  constructor(world: SimulatedEtcd) {
    this.#world = world;
    this.#calls = new Calls(world);
  }

  status(endpoint: EtcdEndpoint, options?: EtcdCallOptions): Promise<EtcdStatus> {
    return this.#calls.call({
      method: 'status',
      endpoint,
      options,
      isLed: false,
      isForLearners: true,
      serve: ({ data, state, options: { version }, leaderId, isLearner, applied }, answer) =>
        answer({
          clusterId: data.clusterId,
          memberId: data.memberId,
          version,
          leaderId,
          isLearner,
          revision: state.revision,
          raftTerm: BigInt(data.term),
          raftIndex: BigInt(data.commit),
          raftAppliedIndex: BigInt(applied),
          dbSizeBytes: data.fileBytes,
          dbSizeInUseBytes: state.bytesInUse,
        }),
    });
  }

  memberList(endpoint: EtcdEndpoint, options?: EtcdCallOptions): Promise<EtcdMemberList> {
    return this.#read('memberList', endpoint, options, (process, answer) => answer(listOf(process)));
  }

  addLearner(
    endpoint: EtcdEndpoint,
    peerURL: string,
    options?: EtcdCallOptions,
  ): Promise<EtcdMemberList & { readonly memberId: EtcdId }> {
    return this.#change('addLearner', endpoint, options, (process, propose, answer) => {
      if (!this.#mayAdd(process)) throw refuse('Unhealthy', 'unhealthy cluster');
      const id = memberIdOf(peerURL, '', this.#world.clock.now());
      propose({ type: 'add', id, peerURL, isLearner: true }, () => answer({ ...listOf(process), memberId: id }));
    });
  }

  promote(endpoint: EtcdEndpoint, memberId: EtcdId, options?: EtcdCallOptions): Promise<void> {
    return this.#change('promote', endpoint, options, (process, propose, answer) => {
      const leader = this.#world.raft.leaderOf(process);
      // Without an answer: a follower forwards the call to the leader.
      if (!leader) return;
      if (!leader.state.members.has(memberId)) throw refuse('MemberNotFound', 'member not found');
      const match = leader.matches.get(memberId) ?? 0;
      if (match < leader.data.log.length * 0.9) {
        throw refuse('LearnerNotReady', 'can only promote a learner member which is in sync with leader');
      }
      propose({ type: 'promote', id: memberId }, () => answer(undefined));
    });
  }

  remove(endpoint: EtcdEndpoint, memberId: EtcdId, options?: EtcdCallOptions): Promise<void> {
    return this.#change('remove', endpoint, options, (process, propose, answer) => {
      const refusal = this.#refusalToRemove(process, memberId);
      if (refusal) throw refusal;
      propose({ type: 'remove', id: memberId }, () => answer(undefined));
    });
  }

  moveLeader(leader: EtcdEndpoint, toMemberId: EtcdId, options?: EtcdCallOptions): Promise<void> {
    return this.#calls.call({
      method: 'moveLeader',
      endpoint: leader,
      options,
      isLed: true,
      serve: (process, answer) => {
        if (!process.isLeader) throw refuse('NotLeader', 'not leader');
        const member = process.state.members.get(toMemberId);
        if (!member || member.isLearner) throw refuse('Other', 'bad leader transferee');
        if (toMemberId === process.id) return answer(undefined);
        const target = this.#world.process(member.peerURLs[0] ?? '');
        if (!target?.isSynced || this.#world.raft.leaderOf(target) !== process) return;
        this.#world.raft.transfer(process, target);
        answer(undefined);
      },
    });
  }

  alarms(endpoint: EtcdEndpoint, options?: EtcdCallOptions): Promise<readonly EtcdAlarm[]> {
    return this.#read('alarms', endpoint, options, ({ state }, answer) => answer([...state.alarms.values()]));
  }

  disarm(endpoint: EtcdEndpoint, alarm: EtcdAlarm, options?: EtcdCallOptions): Promise<void> {
    return this.#change('disarm', endpoint, options, (_, propose, answer) =>
      propose({ type: 'disarm', id: alarm.memberId, alarm: alarm.type }, () => answer(undefined)),
    );
  }

  compact(endpoint: EtcdEndpoint, revision: bigint, options?: EtcdCallOptions): Promise<void> {
    const { clock, times } = this.#world;
    return this.#change('compact', endpoint, options, (process, propose, answer) => {
      const deleted = (): void => {
        if (process.state.hasGarbage) clock.after(times.compactMs, deleted);
        else answer(undefined);
      };
      if (revision <= process.state.compacted) return deleted();
      propose({ type: 'compact', revision }, deleted);
    });
  }

  defragment(endpoint: EtcdEndpoint, options?: EtcdCallOptions): Promise<void> {
    const { clock, times } = this.#world;
    return this.#calls.call({
      method: 'defragment',
      endpoint,
      options,
      isLed: false,
      serve: (process, answer) => {
        process.busyUntilMs = clock.monotonicMs() + times.defragmentMs;
        clock.after(times.defragmentMs, () => {
          process.data.fileBytes = process.state.bytesInUse;
          answer(undefined);
        });
      },
    });
  }

  hashKV(endpoint: EtcdEndpoint, revision: bigint, options?: EtcdCallOptions): Promise<EtcdHash> {
    return this.#calls.call({
      method: 'hashKV',
      endpoint,
      options,
      isLed: false,
      serve: ({ state, data }, answer) => {
        const hash = `${state.hashAt(revision)}${data.isDamaged ? '-damaged' : ''}`;
        answer({ hash, compactRevision: state.compacted });
      },
    });
  }

  snapshot(endpoint: EtcdEndpoint, { signal, idleTimeoutMs }: EtcdSnapshotOptions = {}): Promise<EtcdSnapshot> {
    return this.#calls.call({
      method: 'snapshot',
      endpoint,
      options: { ...(signal ? { signal } : {}), ...(idleTimeoutMs === undefined ? {} : { timeoutMs: idleTimeoutMs }) },
      isLed: false,
      isForLearners: true,
      serve: (process, answer) => answer(snapshotOf(process)),
    });
  }

  get(
    endpoint: EtcdEndpoint,
    key: string,
    options: EtcdCallOptions & { readonly serializable?: boolean } = {},
  ): Promise<EtcdValue | undefined> {
    const serve = ({ state }: EtcdProcess, answer: Answer<EtcdValue | undefined>) => {
      if (state.hasAlarm('CORRUPT')) throw refuse('Corrupt', 'corrupt cluster');
      const found = state.keys.get(key);
      answer(found && { value: found.value, modRevision: found.modRevision });
    };
    if (!options.serializable) return this.#read('get', endpoint, options, serve);
    return this.#calls.call({ method: 'get', endpoint, options, isLed: false, isForLearners: true, serve });
  }

  count(endpoint: EtcdEndpoint, revision: bigint, options?: EtcdCallOptions): Promise<number> {
    return this.#read('count', endpoint, options, ({ state }, answer) => answer(state.countAt(revision)));
  }

  async put(endpoint: EtcdEndpoint, key: string, value: string, options?: EtcdCallOptions): Promise<bigint> {
    const { ledger } = this.#world;
    let scope = '';
    const revision = await this.#change<bigint>('put', endpoint, options, (process, propose, answer) => {
      const { data, state } = process;
      const quotaBytes = process.options.quotaBytes ?? quotaBytesDefault;
      if (data.fileBytes + bytesOf(key, value) > quotaBytes) {
        propose({ type: 'arm', id: process.id, alarm: 'NOSPACE' }, () => {});
        throw refuse('NoSpace', 'mvcc: database space exceeded');
      }
      scope = scopeOf(process.options.peerURL);
      ledger.attempt(scope, key, value);
      propose({ type: 'put', key, value }, () => answer(state.keys.get(key)?.modRevision ?? 0n));
    });
    ledger.acknowledge(scope, key, value);
    return revision;
  }

  close(): void {
    this.#calls.close();
  }

  /** Before 3.5.30 and 3.6.11 all voters have to be connected, later a quorum of one more. */
  #mayAdd(process: EtcdProcess): boolean {
    const { version } = process.options;
    const voters = process.state.voters.length;
    const isStrict = minorOf(version) < 5 || patchOf(version) < (minorOf(version) === 5 ? 30 : 11);
    const needed = isStrict ? voters : voters === 1 ? 1 : Math.floor((voters + 1) / 2) + 1;
    return this.#world.raft.connectedVoters(process) >= needed;
  }

  #refusalToRemove(process: EtcdProcess, memberId: EtcdId): EtcdError | undefined {
    const { state } = process;
    if (state.members.get(memberId)?.isLearner) return undefined;
    const others = state.voters.filter(({ id }) => id !== memberId);
    if (others.filter(({ name }) => name !== '').length < Math.floor(others.length / 2) + 1) {
      return refuse('NotEnoughStarted', 're-configuration failed due to not enough started members');
    }
    if (!this.#world.raft.isConnected(process, memberId)) return undefined;
    const active = this.#world.raft.connectedVoters(process);
    const needed = 1 + Math.floor((state.voters.length - 1) / 2);
    return active - 1 < needed ? refuse('Unhealthy', 'unhealthy cluster') : undefined;
  }

  /** A read that reflects every write before it: through a leader that has a quorum. */
  #read<T>(
    method: string,
    endpoint: EtcdEndpoint,
    options: EtcdCallOptions | undefined,
    serve: (process: EtcdProcess, answer: Answer<T>) => void,
  ): Promise<T> {
    const { raft, clock, times } = this.#world;
    const attempt = (process: EtcdProcess, answer: Answer<T>): void => {
      if (process.hasExited) return;
      const leader = raft.leaderOf(process);
      const isCurrent =
        leader && raft.hasQuorum(leader) && leader.data.log[leader.data.commit - 1]?.term === leader.data.term;
      if (isCurrent && process.applied >= leader.data.commit) serve(process, answer);
      else clock.after(times.readRetryMs, () => answering(answer, () => attempt(process, answer)));
    };
    return this.#calls.call({ method, endpoint, options, isLed: true, serve: attempt });
  }

  /** A change through the log. It is answered when this member has applied it. */
  #change<T>(
    method: string,
    endpoint: EtcdEndpoint,
    options: EtcdCallOptions | undefined,
    serve: (process: EtcdProcess, propose: (change: Change, done: () => void) => void, answer: Answer<T>) => void,
  ): Promise<T> {
    return this.#calls.call<T>({
      method,
      endpoint,
      options,
      isLed: true,
      serve: (process, answer) =>
        serve(
          process,
          (change, done) => this.#world.raft.propose(process, change, (error) => (error ? answer(error) : done())),
          answer,
        ),
    });
  }
}

function listOf({ data, state }: EtcdProcess): EtcdMemberList {
  return { clusterId: data.clusterId, members: [...state.members.values()] };
}
