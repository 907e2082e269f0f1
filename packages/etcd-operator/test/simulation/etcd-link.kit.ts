/** The operator's calls to etcd as effects: they have latency, get lost, and are cut off with the process. */
import { isApiError } from '@ecsm/runtime';
import type { ProcessDependencies } from '@ecsm/runtime/simulation';
import type {
  ConnectEtcd,
  EtcdCallOptions,
  EtcdClient,
  EtcdCredentials,
  EtcdEndpoint,
} from '../../src/client/etcd/contract.ts';
import { EtcdError } from '../../src/client/etcd/error.ts';
import type { MembershipCall } from './membership-rules.kit.ts';

const timeoutMsDefault = 5_000;

/** Called when a change arrives at etcd. */
type OnChange = (method: MembershipCall, subject: string) => void;
/** Why the handshake with the member at an address fails; undefined if it does not. */
type RefusalOf = (address: string, credentials: EtcdCredentials | undefined) => string | undefined;

export function linkToEtcd(
  connect: ConnectEtcd,
  doors: ProcessDependencies,
  onChange: OnChange,
  refusalOf: RefusalOf,
): ConnectEtcd {
  return (credentials): EtcdClient => {
    const client = connect(credentials);
    const call = async <T>(
      name: string,
      kind: 'read' | 'write',
      at: EtcdEndpoint,
      options: EtcdCallOptions | undefined,
      serve: () => Promise<T>,
    ): Promise<T> => {
      const apply = async () => {
        const refusal = refusalOf(at.address, credentials);
        if (refusal !== undefined) throw new EtcdError('Denied', refusal, { isTlsFailure: true });
        return serve();
      };
      const timeoutMs = options?.timeoutMs ?? timeoutMsDefault;
      try {
        return await doors.effect(`etcd ${name}`, apply, { kind, link: 'etcd', timeoutMs });
      } catch (error) {
        if (isApiError(error, 'Timeout')) throw new EtcdError('Timeout', error.message);
        if (isApiError(error, 'Unavailable')) throw new EtcdError('Unavailable', error.message);
        throw error;
      }
    };
    const changing = <T>(method: Parameters<OnChange>[0], subject: string, apply: () => Promise<T>) => {
      return () => {
        onChange(method, subject);
        return apply();
      };
    };
    return {
      status: (at, options) => call('status', 'read', at, options, () => client.status(at, options)),
      memberList: (at, options) => call('memberList', 'read', at, options, () => client.memberList(at, options)),
      addLearner: (at, url, options) =>
        call(
          'addLearner',
          'write',
          at,
          options,
          changing('addLearner', url, () => client.addLearner(at, url, options)),
        ),
      promote: (at, id, options) =>
        call(
          'promote',
          'write',
          at,
          options,
          changing('promote', id, () => client.promote(at, id, options)),
        ),
      remove: (at, id, options) =>
        call(
          'remove',
          'write',
          at,
          options,
          changing('remove', id, () => client.remove(at, id, options)),
        ),
      moveLeader: (at, id, options) =>
        call(
          'moveLeader',
          'write',
          at,
          options,
          changing('moveLeader', id, () => client.moveLeader(at, id, options)),
        ),
      alarms: (at, options) => call('alarms', 'read', at, options, () => client.alarms(at, options)),
      disarm: (at, alarm, options) => call('disarm', 'write', at, options, () => client.disarm(at, alarm, options)),
      compact: (at, revision, options) =>
        call('compact', 'write', at, options, () => client.compact(at, revision, options)),
      defragment: (at, options) => call('defragment', 'write', at, options, () => client.defragment(at, options)),
      hashKV: (at, revision, options) =>
        call('hashKV', 'read', at, options, () => client.hashKV(at, revision, options)),
      snapshot: (at, options) => call('snapshot', 'read', at, options, () => client.snapshot(at, options)),
      get: (at, key, options) => call('get', 'read', at, options, () => client.get(at, key, options)),
      count: (at, revision, options) => call('count', 'read', at, options, () => client.count(at, revision, options)),
      put: (at, key, value, options) => call('put', 'write', at, options, () => client.put(at, key, value, options)),
      close: () => client.close(),
    };
  };
}
