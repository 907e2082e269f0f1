/** How etcd decides who it is when it starts: from its data directory, or with an empty one from its options and its peers. */
import type { EtcdId } from '../contract.ts';
import {
  clusterIdOf,
  type DataDirectory,
  type Entry,
  memberIdOf,
  minorOf,
  type SimulatedEtcdOptions,
} from './model.kit.ts';
import { EtcdProcess } from './process.kit.ts';

/** Returns the process, or the reason why etcd exits. `peers` are those of the initial cluster that answer. */
export function boot(options: SimulatedEtcdOptions, peers: readonly EtcdProcess[]): EtcdProcess | string {
  const { volume } = options;
  if (!volume.data) {
    const created = options.initialClusterState === 'new' ? bootstrap(options, peers) : join(options, peers);
    if (typeof created === 'string') return created;
    volume.data = created;
  } else if (options.forceNewCluster) {
    forceNewCluster(volume.data);
  }
  const process = new EtcdProcess(options, volume.data);
  const minor = Math.max(process.state.minor, ...peers.map(({ state }) => state.minor));
  if (minor > minorOf(options.version)) {
    return `cluster cannot be downgraded (current version: ${options.version} is lower than determined cluster version: 3.${minor})`;
  }
  return process;
}

/** The same log at every member of the initial cluster. */
function bootstrap(options: SimulatedEtcdOptions, peers: readonly EtcdProcess[]): DataDirectory | string {
  const { initialCluster, initialClusterToken: token, peerURL } = options;
  if (!initialCluster.some((member) => member.peerURL === peerURL)) return `couldn't find local name "${options.name}"`;
  const ids = initialCluster.map((member) => memberIdOf(member.peerURL, token));
  const memberId = memberIdOf(peerURL, token);
  if (peers.some(({ state }) => (state.members.get(memberId)?.clientURLs.length ?? 0) > 0)) {
    return `member ${memberId} has already been bootstrapped`;
  }
  const log = initialCluster
    .map((member, index): Entry & { readonly id: EtcdId } => {
      const id = ids[index] ?? '';
      return { id, term: 1, change: { type: 'add', id, peerURL: member.peerURL, isLearner: false } };
    })
    .sort((a, b) => (BigInt(`0x${a.id}`) < BigInt(`0x${b.id}`) ? -1 : 1))
    .map(({ term, change }): Entry => ({ term, change }));
  return {
    clusterId: clusterIdOf(ids),
    memberId,
    log,
    commit: log.length,
    term: 1,
    fileBytes: 0,
    isDamaged: false,
  };
}

/** It gets the id that the others have for its URL, and an empty log. */
function join(options: SimulatedEtcdOptions, peers: readonly EtcdProcess[]): DataDirectory | string {
  const [peer] = peers.filter(({ state }) => state.members.size > 0);
  if (!peer)
    return 'cannot fetch cluster info from peer urls: could not retrieve cluster information from the given URLs';
  const members = [...peer.state.members.values()];
  const urls = options.initialCluster.map(({ peerURL }) => peerURL);
  if (members.length !== urls.length) return 'error validating peerURLs: member count is unequal';
  const unmatched = members.find(({ peerURLs }) => !peerURLs.some((url) => urls.includes(url)));
  const own = members.find(({ peerURLs }) => peerURLs.includes(options.peerURL));
  if (unmatched || !own) return 'error validating peerURLs: unmatched member while checking PeerURLs';
  return {
    clusterId: peer.data.clusterId,
    memberId: own.id,
    log: [],
    commit: 0,
    term: 0,
    fileBytes: 0,
    isDamaged: false,
  };
}

/** Drops what is not committed, and every other member. */
function forceNewCluster(data: DataDirectory): void {
  data.log.length = data.commit;
  data.term++;
  const { state } = new EtcdProcess({ ...withoutPeers, volume: { data, wipe: () => {} } }, data);
  for (const { id, isLearner } of state.members.values()) {
    if (id !== data.memberId) data.log.push({ term: data.term, change: { type: 'remove', id } });
    else if (isLearner) data.log.push({ term: data.term, change: { type: 'promote', id } });
  }
  data.commit = data.log.length;
}

/** To read a log only. */
const withoutPeers = {
  name: '',
  peerURL: '',
  clientURL: '',
  address: '',
  version: '3.5.0',
  initialCluster: [],
  initialClusterState: 'existing',
  initialClusterToken: '',
} as const;
