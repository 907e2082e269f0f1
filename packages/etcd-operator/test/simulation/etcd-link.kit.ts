/** The operator's calls to etcd as effects: they have latency, get lost, and are cut off with the process. */
import { isApiError } from '@ecsm/runtime';
import type { ProcessDependencies } from '@ecsm/runtime/simulation';
import type { ConnectEtcd, EtcdCallOptions, EtcdClient } from '../../src/client/etcd/contract.ts';
import { EtcdError } from '../../src/client/etcd/error.ts';
import type { MembershipCall } from './membership-rules.kit.ts';

const timeoutMsDefault = 5_000;

/** Called when a change arrives at etcd. */
export type OnChange = (method: MembershipCall, subject: string) => void;

export function linkToEtcd(connect: ConnectEtcd, doors: ProcessDependencies, onChange: OnChange): ConnectEtcd {
  return (credentials): EtcdClient => {
    const client = connect(credentials);
    const call = async <T>(
      name: string,
      kind: 'read' | 'write',
      options: EtcdCallOptions | undefined,
      apply: () => Promise<T>,
    ): Promise<T> => {
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
      status: (at, options) => call('status', 'read', options, () => client.status(at, options)),
      memberList: (at, options) => call('memberList', 'read', options, () => client.memberList(at, options)),
      addLearner: (at, url, options) =>
        call(
          'addLearner',
          'write',
          options,
          changing('addLearner', url, () => client.addLearner(at, url, options)),
        ),
      promote: (at, id, options) =>
        call(
          'promote',
          'write',
          options,
          changing('promote', id, () => client.promote(at, id, options)),
        ),
      remove: (at, id, options) =>
        call(
          'remove',
          'write',
          options,
          changing('remove', id, () => client.remove(at, id, options)),
        ),
      moveLeader: (at, id, options) =>
        call(
          'moveLeader',
          'write',
          options,
          changing('moveLeader', id, () => client.moveLeader(at, id, options)),
        ),
      alarms: (at, options) => call('alarms', 'read', options, () => client.alarms(at, options)),
      disarm: (at, alarm, options) => call('disarm', 'write', options, () => client.disarm(at, alarm, options)),
      compact: (at, revision, options) =>
        call('compact', 'write', options, () => client.compact(at, revision, options)),
      defragment: (at, options) => call('defragment', 'write', options, () => client.defragment(at, options)),
      hashKV: (at, revision, options) => call('hashKV', 'read', options, () => client.hashKV(at, revision, options)),
      snapshot: (at, options) => call('snapshot', 'read', options, () => client.snapshot(at, options)),
      get: (at, key, options) => call('get', 'read', options, () => client.get(at, key, options)),
      count: (at, revision, options) => call('count', 'read', options, () => client.count(at, revision, options)),
      put: (at, key, value, options) => call('put', 'write', options, () => client.put(at, key, value, options)),
      close: () => client.close(),
    };
  };
}
