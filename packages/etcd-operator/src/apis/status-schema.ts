/** The status of an EtcdCluster. It contains everything that has to survive a restart of the operator. */
import { conditionsSchema, schema, timestamp } from '@ecsm/runtime';

const { boolean, integer, list, object, optional, string } = schema;

const text = (description: string) => optional(string({ description }));
const count = (description: string) => optional(integer({ minimum: 0, description }));
const time = (description: string) => optional(timestamp({ description }));

export const phases = [
  'Creating',
  'Running',
  'Scaling',
  'Upgrading',
  'Recovering',
  'Restoring',
  'Stopped',
  'Failed',
  'Deleting',
] as const;

export type Phase = (typeof phases)[number];

const member = object({
  name: string({ description: 'Name of the member: that of its pod.' }),
  id: string({ description: 'Id of the member, in hexadecimal.' }),
  peerURL: text('Where other members reach it.'),
  clientURL: text('Where clients reach it.'),
  ready: boolean({ description: 'Whether it serves linearizable reads.' }),
  role: optional(
    string({ enum: ['leader', 'follower', 'learner'], description: 'Its role; absent if it is not known.' }),
  ),
  version: text('Version of etcd that it runs.'),
  dbSizeBytes: count('Size of its database.'),
  lag: count('Number of raft entries that it is behind the leader.'),
  message: text('Why it is not ready.'),
});

const operation = object(
  {
    type: string({ description: 'What the operator is doing, such as AddMember, ReplaceMember or Upgrade.' }),
    slot: count('Number of the pod that it is about.'),
    memberID: text('Id of the member that it is about.'),
    step: text('The last action, such as addLearner.'),
    startedAt: time('When the operation started.'),
    attempts: count('How often it was started over.'),
    volumeUID: text('Uid of the claim whose data is not used any more.'),
    podUID: text('Uid of the pod that is deleted.'),
    message: text('What the operator waits for.'),
  },
  { description: 'What the operator is doing now, written before it is done; absent while there is nothing to do.' },
);

const recovery = object(
  {
    survivor: integer({ minimum: 0, description: 'Number of the pod whose data is kept.' }),
    phase: string({ enum: ['Stopping', 'Forcing', 'Cleaning', 'Moving'], description: 'How far the recovery is.' }),
    startedAt: time('When it started.'),
    podUID: text('Uid of the pod that was started as the only member.'),
    target: count('Number of the pod that the data moves to, above the volumes of former members.'),
  },
  { description: 'A recovery from the loss of the quorum; absent while there is none.' },
);

const slotVolume = object({
  slot: integer({ minimum: 0, description: 'Number of the pod.' }),
  uid: string({ description: 'Uid of the claim.' }),
});

const parkedVolume = object({
  slot: integer({ minimum: 0, description: 'Number of the pod.' }),
  uid: string({ description: 'Uid of the claim.' }),
  byRecovery: optional(
    boolean({ description: 'Whether a recovery has parked it: it is deleted when the cluster was Ready for a day.' }),
  ),
});

const restore = object(
  {
    uid: string({ description: 'Uid of the EtcdRestore.' }),
    phase: string({ enum: ['Stopping', 'Waiting', 'Starting'], description: 'How far the cluster is.' }),
    slot: integer({ minimum: 0, description: 'Number of the pod whose volume gets the restored data.' }),
    startedAt: time('When it started.'),
    revision: text('Revision of the restored member.'),
    keys: count('Number of its keys at the revision of the restored data.'),
    clusterID: text('Id of the cluster that is replaced.'),
    start: count('Number of its first pod.'),
    size: count('Number of its members.'),
    restoredFrom: text('Uid of the EtcdRestore that it had its data from.'),
    volumes: optional(list(slotVolume, { uniqueBy: 'slot', description: 'Its volumes.' })),
  },
  { description: 'A restore in progress, with what is needed to start the former members again; absent otherwise.' },
);

const space = object(
  {
    startedAt: time('When it started.'),
    revision: text('Revision before which the history is deleted.'),
    compactedSlots: optional(list(integer(), { description: 'Numbers of the pods whose member has deleted it.' })),
    defragmented: optional(list(integer(), { description: 'Numbers of the pods whose database was defragmented.' })),
  },
  { description: 'What is done about a full database; absent while there is space.' },
);

const volume = object({
  slot: integer({ minimum: 0, description: 'Number of the pod.' }),
  uid: string({ description: 'Uid of the claim that holds the data of its member.' }),
});

export const status = object(
  {
    phase: optional(string({ enum: phases, description: 'The state of the cluster in one word.' })),
    conditions: optional(conditionsSchema),
    observedGeneration: count('The generation of the spec that this status is about.'),
    replicas: count('Number of members that exist.'),
    readyReplicas: count('Number of members that serve.'),
    selector: text('Labels of the pods, for the scale subresource.'),
    members: optional(list(member, { uniqueBy: 'id', description: 'The members, as etcd lists them.' })),
    leaderID: text('Id of the leader, in hexadecimal.'),
    clusterID: text('Id of the etcd cluster, in hexadecimal. Set once, when it is formed.'),
    clientEndpoints: optional(list(string(), { description: 'URLs for clients.' })),
    currentVersion: text('The oldest version of etcd that a member runs.'),
    targetVersion: text('The version that members run, or are upgraded to.'),
    stoppedSize: count('Number of members when the cluster was stopped. It starts again with as many.'),
    stoppedStart: count('Number of the first pod when the cluster was stopped.'),
    operation: optional(operation),
    recovery: optional(recovery),
    restore: optional(restore),
    restoredFrom: text('Uid of the EtcdRestore that the cluster has its data from.'),
    parkedVolumes: optional(
      list(parkedVolume, {
        uniqueBy: 'slot',
        description: 'Volumes of members before a restore or a recovery. They are not used.',
      }),
    ),
    space: optional(space),
    quorumLostAt: time('Since when there is no quorum; absent while there is one.'),
    volumes: optional(
      list(volume, { uniqueBy: 'slot', description: 'The volumes of members, to notice when one was replaced.' }),
    ),
    certificates: optional(
      object(
        {
          notAfter: time('When the first certificate of a member expires.'),
        },
        { description: 'Validity of the certificates.' },
      ),
    ),
    lastUpdateTime: time('When the phase last changed.'),
  },
  { description: 'The cluster as it was observed.' },
);
