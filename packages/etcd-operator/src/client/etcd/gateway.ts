/**
 * The client of a real etcd: its JSON gateway, over HTTP or HTTPS; snapshots over gRPC. While authentication is enabled, etcd
 * ignores the certificate of a client of its gateway, and accepts it over gRPC if its common name is a user: then all calls
 * are made over gRPC, on a connection for each. A client that makes some calls and ends makes them over gRPC from the start,
 * on one connection to each member.
 */
import type { ClientHttp2Session } from 'node:http2';
import type { Clock } from '@ecsm/runtime';
import type {
  ConnectEtcd,
  EtcdAlarm,
  EtcdAlarmType,
  EtcdCallOptions,
  EtcdClient,
  EtcdCredentials,
  EtcdEndpoint,
  EtcdHash,
  EtcdId,
  EtcdMember,
  EtcdMemberList,
  EtcdSnapshot,
  EtcdSnapshotOptions,
  EtcdStatus,
  EtcdValue,
} from './contract.ts';
import { EtcdError, isEtcdError } from './error.ts';
import {
  type Answer,
  decimalId,
  flagAt,
  idAt,
  integerAt,
  malformed,
  objectAt,
  objectsAt,
  parseAnswer,
  stringAt,
  stringsAt,
} from './gateway/answer.ts';
import { reportedFailure } from './gateway/failure.ts';
import { Connections } from './gateway/request.ts';
import { methods } from './grpc/messages.ts';
import { openSession } from './grpc/stream.ts';
import { callUnary } from './grpc/unary.ts';
import { openSnapshot, windowBytes } from './snapshot/stream.ts';

export function connectGateway(clock: Clock): ConnectEtcd {
  return (credentials) => new EtcdGateway(credentials, clock);
}

/** For a process that ends soon: a connection that is idle or broken is only replaced if it is known to be closed. */
export function connectGrpc(clock: Clock): ConnectEtcd {
  return (credentials) => new EtcdGateway(credentials, clock, new Map());
}

/** A call that needs a leader fails at once without one; `any` is served by a member on its own. */
type Need = 'leader' | 'any';

class EtcdGateway implements EtcdClient {
  readonly #connections: Connections;
  readonly #credentials: EtcdCredentials | undefined;
  readonly #clock: Clock;
  /** Ends calls over gRPC in flight. */
  readonly #closed = new AbortController();
  /** Authentication was enabled when the gateway was asked last. */
  #isAuthEnabled = false;
  /** By member; undefined for a client of the gateway. */
  readonly #sessions: Map<string, ClientHttp2Session> | undefined;

  constructor(credentials: EtcdCredentials | undefined, clock: Clock, sessions?: Map<string, ClientHttp2Session>) {
    this.#connections = new Connections(credentials, clock);
    this.#sessions = sessions;
    this.#credentials = credentials;
    this.#clock = clock;
  }

  async status(endpoint: EtcdEndpoint, options?: EtcdCallOptions): Promise<EtcdStatus> {
    const answer = await this.#call(endpoint, '/v3/maintenance/status', {}, 'any', options);
    const header = objectAt(answer, 'header');
    const leaderId = idAt(answer, 'leader');
    return {
      clusterId: idAt(header, 'cluster_id'),
      memberId: idAt(header, 'member_id'),
      version: stringAt(answer, 'version'),
      leaderId: leaderId === '0' ? undefined : leaderId,
      isLearner: flagAt(answer, 'isLearner'),
      revision: integerAt(header, 'revision'),
      raftTerm: integerAt(answer, 'raftTerm'),
      raftIndex: integerAt(answer, 'raftIndex'),
      raftAppliedIndex: integerAt(answer, 'raftAppliedIndex'),
      dbSizeBytes: Number(integerAt(answer, 'dbSize')),
      dbSizeInUseBytes: Number(integerAt(answer, 'dbSizeInUse')),
    };
  }

  async memberList(endpoint: EtcdEndpoint, options?: EtcdCallOptions): Promise<EtcdMemberList> {
    // 3.4 does not know the field, and answers from its own memory.
    return members(await this.#call(endpoint, '/v3/cluster/member/list', { linearizable: true }, 'leader', options));
  }

  async addLearner(
    endpoint: EtcdEndpoint,
    peerURL: string,
    options?: EtcdCallOptions,
  ): Promise<EtcdMemberList & { readonly memberId: EtcdId }> {
    const body = { peerURLs: [peerURL], isLearner: true };
    const answer = await this.#call(endpoint, '/v3/cluster/member/add', body, 'leader', options);
    return { ...members(answer), memberId: idAt(objectAt(answer, 'member'), 'ID') };
  }

  async promote(endpoint: EtcdEndpoint, memberId: EtcdId, options?: EtcdCallOptions): Promise<void> {
    await this.#call(endpoint, '/v3/cluster/member/promote', { ID: decimalId(memberId) }, 'leader', options);
  }

  async remove(endpoint: EtcdEndpoint, memberId: EtcdId, options?: EtcdCallOptions): Promise<void> {
    await this.#call(endpoint, '/v3/cluster/member/remove', { ID: decimalId(memberId) }, 'leader', options);
  }

  async moveLeader(leader: EtcdEndpoint, toMemberId: EtcdId, options?: EtcdCallOptions): Promise<void> {
    const body = { targetID: decimalId(toMemberId) };
    await this.#call(leader, '/v3/maintenance/transfer-leadership', body, 'leader', options);
  }

  async alarms(endpoint: EtcdEndpoint, options?: EtcdCallOptions): Promise<readonly EtcdAlarm[]> {
    const answer = await this.#call(endpoint, '/v3/maintenance/alarm', { action: 'GET' }, 'leader', options);
    return objectsAt(answer, 'alarms').map((alarm) => ({
      memberId: idAt(alarm, 'memberID'),
      type: alarmType(stringAt(alarm, 'alarm')),
    }));
  }

  async disarm(endpoint: EtcdEndpoint, alarm: EtcdAlarm, options?: EtcdCallOptions): Promise<void> {
    const body = { action: 'DEACTIVATE', memberID: decimalId(alarm.memberId), alarm: alarm.type };
    await this.#call(endpoint, '/v3/maintenance/alarm', body, 'leader', options);
  }

  async compact(endpoint: EtcdEndpoint, revision: bigint, options?: EtcdCallOptions): Promise<void> {
    const body = { revision: String(revision), physical: true };
    try {
      await this.#call(endpoint, '/v3/kv/compaction', body, 'leader', options);
    } catch (error) {
      if (!(isEtcdError(error, 'Other') && error.message.includes('has been compacted'))) throw error;
    }
  }

  async defragment(endpoint: EtcdEndpoint, options?: EtcdCallOptions): Promise<void> {
    await this.#call(endpoint, '/v3/maintenance/defragment', {}, 'any', options);
  }

  async hashKV(endpoint: EtcdEndpoint, revision: bigint, options?: EtcdCallOptions): Promise<EtcdHash> {
    const body = { revision: String(revision) };
    // 3.4 only has the hash of the whole database, which differs between members: there the call fails.
    const answer = await this.#call(endpoint, '/v3/maintenance/hashkv', body, 'any', options);
    const compactRevision = integerAt(answer, 'compact_revision');
    return {
      hash: integerAt(answer, 'hash').toString(16),
      compactRevision: compactRevision < 0n ? 0n : compactRevision,
    };
  }

  snapshot(endpoint: EtcdEndpoint, options: EtcdSnapshotOptions = {}): Promise<EtcdSnapshot> {
    const signal = this.#signalOf(options);
    const connection = { credentials: this.#credentials, session: this.#sessionTo(endpoint) };
    return openSnapshot({ ...options, ...connection, endpoint, signal, clock: this.#clock });
  }

  async get(
    endpoint: EtcdEndpoint,
    key: string,
    options: EtcdCallOptions & { readonly serializable?: boolean } = {},
  ): Promise<EtcdValue | undefined> {
    const { serializable = false } = options;
    const body = { key: base64(key), serializable };
    const answer = await this.#call(endpoint, '/v3/kv/range', body, serializable ? 'any' : 'leader', options);
    const [found] = objectsAt(answer, 'kvs');
    if (!found) return undefined;
    const value = Buffer.from(stringAt(found, 'value'), 'base64').toString('utf8');
    return { value, modRevision: integerAt(found, 'mod_revision') };
  }

  async count(endpoint: EtcdEndpoint, revision: bigint, options?: EtcdCallOptions): Promise<number> {
    // From the smallest key to the end.
    const body = { key: base64('\0'), range_end: base64('\0'), revision: String(revision), count_only: true };
    return Number(integerAt(await this.#call(endpoint, '/v3/kv/range', body, 'leader', options), 'count'));
  }

  async put(endpoint: EtcdEndpoint, key: string, value: string, options?: EtcdCallOptions): Promise<bigint> {
    const body = { key: base64(key), value: base64(value) };
    const answer = await this.#call(endpoint, '/v3/kv/put', body, 'leader', options);
    return integerAt(objectAt(answer, 'header'), 'revision');
  }

  close(): void {
    this.#closed.abort();
    this.#connections.close();
    for (const session of this.#sessions?.values() ?? []) session.destroy();
  }

  async #call(
    endpoint: EtcdEndpoint,
    path: string,
    body: object,
    need: Need,
    options: EtcdCallOptions = {},
  ): Promise<Answer> {
    const isLed = need === 'leader';
    const credentials = this.#credentials;
    if (!this.#sessions && !this.#isAuthEnabled) {
      const { status, text } = await this.#connections.post(endpoint, path, body, isLed, options);
      if (status === 200) return parseAnswer(text);
      // The refusal of the gateway: nothing has happened yet.
      this.#isAuthEnabled = credentials !== undefined && authenticationWords.test(text);
      if (!this.#isAuthEnabled) throw refusal(path, status, text);
    }
    const method = methods[path];
    if (!method) throw new EtcdError('Other', `there is no gRPC call for ${path}`);
    const signal = this.#signalOf(options);
    const connection = { credentials, session: this.#sessionTo(endpoint) };
    const call = { ...connection, endpoint, method, body: { ...body }, isLed, clock: this.#clock, signal };
    return callUnary({ ...call, ...(options.timeoutMs === undefined ? {} : { timeoutMs: options.timeoutMs }) });
  }

  #sessionTo(endpoint: EtcdEndpoint): ClientHttp2Session | undefined {
    if (!this.#sessions || this.#closed.signal.aborted) return undefined;
    const { host, address, port } = endpoint;
    const member = `${host} ${address} ${port}`;
    let session = this.#sessions.get(member);
    if (!session || session.closed || session.destroyed) {
      session = openSession(endpoint, this.#credentials, windowBytes);
      this.#sessions.set(member, session);
    }
    return session;
  }

  #signalOf({ signal }: { readonly signal?: AbortSignal }): AbortSignal {
    const closed = this.#closed.signal;
    return signal ? AbortSignal.any([closed, signal]) : closed;
  }
}

/** With TLS, what every call is answered with while authentication is enabled: measured with 3.5. */
const authenticationWords = /CommonName of client sending a request against gateway/;

/** The error in an answer. One that is not etcd's comes from a proxy, or the server has no such call. */
function refusal(path: string, status: number, text: string): EtcdError {
  let message = '';
  let number = 0;
  try {
    const answer = parseAnswer(text);
    message = stringAt(answer, 'message') || stringAt(answer, 'error');
    number = Number(integerAt(answer, 'code'));
  } catch {
    // The status says enough.
  }
  if (status === 404 && (message === '' || message === 'Not Found')) {
    return new EtcdError('Other', `the server does not have ${path}`);
  }
  return message === '' ? malformed(`HTTP status ${status}`) : reportedFailure(message, number);
}

function members(answer: Answer): EtcdMemberList {
  return {
    clusterId: idAt(objectAt(answer, 'header'), 'cluster_id'),
    members: objectsAt(answer, 'members').map(
      (member): EtcdMember => ({
        id: idAt(member, 'ID'),
        name: stringAt(member, 'name'),
        peerURLs: stringsAt(member, 'peerURLs'),
        clientURLs: stringsAt(member, 'clientURLs'),
        isLearner: flagAt(member, 'isLearner'),
      }),
    ),
  };
}

function alarmType(text: string): EtcdAlarmType {
  if (text === 'NOSPACE' || text === 'CORRUPT') return text;
  throw malformed(`unknown alarm ${JSON.stringify(text)}`);
}

function base64(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64');
}
