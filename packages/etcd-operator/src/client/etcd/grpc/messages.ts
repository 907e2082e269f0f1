/** The messages of etcd's gRPC API that are used, by the path of the same call in the JSON gateway. */
import type { Message } from './protobuf.ts';

export interface Method {
  readonly path: string;
  readonly request: Message;
  readonly response: Message;
}

const header: Message = {
  cluster_id: [1, 'uint64'],
  member_id: [2, 'uint64'],
  revision: [3, 'int64'],
  raft_term: [4, 'uint64'],
};
const headerOnly: Message = { header: [1, header] };
const alarmNames = ['NONE', 'NOSPACE', 'CORRUPT'] as const;
const memberId: Message = { ID: [1, 'uint64'] };
const member: Message = {
  ...memberId,
  name: [2, 'string'],
  peerURLs: [3, 'string', 'repeated'],
  clientURLs: [4, 'string', 'repeated'],
  isLearner: [5, 'bool'],
};
const members: Message = { ...headerOnly, members: [2, member, 'repeated'] };
const status: Message = {
  ...headerOnly,
  version: [2, 'string'],
  dbSize: [3, 'int64'],
  leader: [4, 'uint64'],
  raftIndex: [5, 'uint64'],
  raftTerm: [6, 'uint64'],
  raftAppliedIndex: [7, 'uint64'],
  dbSizeInUse: [9, 'int64'],
  isLearner: [10, 'bool'],
};
const alarm: Message = { memberID: [1, 'uint64'], alarm: [2, alarmNames] };
const keyValue: Message = { key: [1, 'bytes'], mod_revision: [3, 'int64'], value: [5, 'bytes'] };

const method = (path: string, request: Message, response: Message): Method => ({
  path: `/etcdserverpb.${path}`,
  request,
  response,
});

export const methods: Readonly<Record<string, Method>> = {
  '/v3/maintenance/status': method('Maintenance/Status', {}, status),
  '/v3/maintenance/alarm': method(
    'Maintenance/Alarm',
    { action: [1, ['GET', 'ACTIVATE', 'DEACTIVATE']], memberID: [2, 'uint64'], alarm: [3, alarmNames] },
    { ...headerOnly, alarms: [2, alarm, 'repeated'] },
  ),
  '/v3/maintenance/defragment': method('Maintenance/Defragment', {}, headerOnly),
  '/v3/maintenance/transfer-leadership': method('Maintenance/MoveLeader', { targetID: [1, 'uint64'] }, headerOnly),
  '/v3/maintenance/hashkv': method(
    'Maintenance/HashKV',
    { revision: [1, 'int64'] },
    { ...headerOnly, hash: [2, 'uint64'], compact_revision: [3, 'int64'] },
  ),
  '/v3/cluster/member/list': method('Cluster/MemberList', { linearizable: [1, 'bool'] }, members),
  '/v3/cluster/member/add': method(
    'Cluster/MemberAdd',
    { peerURLs: [1, 'string', 'repeated'], isLearner: [2, 'bool'] },
    { ...headerOnly, member: [2, member], members: [3, member, 'repeated'] },
  ),
  '/v3/cluster/member/promote': method('Cluster/MemberPromote', memberId, members),
  '/v3/cluster/member/remove': method('Cluster/MemberRemove', memberId, members),
  '/v3/kv/range': method(
    'KV/Range',
    {
      key: [1, 'bytes'],
      range_end: [2, 'bytes'],
      revision: [4, 'int64'],
      serializable: [7, 'bool'],
      count_only: [9, 'bool'],
    },
    { ...headerOnly, kvs: [2, keyValue, 'repeated'], count: [4, 'int64'] },
  ),
  '/v3/kv/put': method('KV/Put', { key: [1, 'bytes'], value: [2, 'bytes'] }, headerOnly),
  '/v3/kv/compaction': method('KV/Compact', { revision: [1, 'int64'], physical: [2, 'bool'] }, headerOnly),
};
