/** The configuration file of etcd for one slot. A file, because the images of etcd have no shell to build flags with. */

import { parseVersion } from '../apis/version.ts';
import { paths, ports } from '../apis/well-known.ts';

/** How the member of a slot starts; see `slotConfigs`. */
export type SlotConfig =
  /** Forms the cluster. */
  | { readonly role: 'first' }
  /** Joins, as a learner. */
  | { readonly role: 'joining'; readonly initialCluster: string }
  /** Has joined, and starts from its data. */
  | { readonly role: 'settled' }
  /** Starts as the only member, from the data of a cluster that lost its quorum. */
  | { readonly role: 'survivor' };

export interface MemberConfig {
  readonly podName: string;
  readonly peerURL: string;
  readonly clientURL: string;
  readonly token: string;
  /** Without `v`. */
  readonly version: string;
  readonly hasClientTls: boolean;
  readonly hasPeerTls: boolean;
  /** Whether the trusted authorities are in a directory of their own. */
  readonly hasCaDirectory: boolean;
  readonly quotaBytes: number;
  readonly autoCompactionMode?: string;
  readonly autoCompactionRetention?: string;
  /** Further settings of etcd, which were checked when the object was validated. */
  readonly options: Readonly<Record<string, string | number | boolean>>;
}

/** JSON, which is YAML too: etcd reads it, and nothing has to be quoted by us. */
export function renderConfig(member: MemberConfig, slot: SlotConfig): string {
  const { podName, peerURL, clientURL, hasClientTls, hasPeerTls } = member;
  const config = {
    ...member.options,
    name: podName,
    'data-dir': paths.data,
    'listen-peer-urls': `${schemeOf(hasPeerTls)}://0.0.0.0:${ports.peer}`,
    'listen-client-urls': `${schemeOf(hasClientTls)}://0.0.0.0:${ports.client}`,
    'listen-metrics-urls': `http://0.0.0.0:${ports.metrics}`,
    'initial-advertise-peer-urls': peerURL,
    'advertise-client-urls': clientURL,
    'initial-cluster-token': member.token,
    'initial-cluster': slot.role === 'joining' ? slot.initialCluster : `${podName}=${peerURL}`,
    'initial-cluster-state': slot.role === 'first' ? 'new' : 'existing',
    ...(slot.role === 'survivor' ? { 'force-new-cluster': true } : {}),
    ...(hasClientTls ? { 'client-transport-security': transport(paths.serverTls, member) } : {}),
    ...(hasPeerTls ? { 'peer-transport-security': transport(paths.peerTls, member) } : {}),
    'quota-backend-bytes': member.quotaBytes,
    ...(member.autoCompactionMode === undefined ? {} : { 'auto-compaction-mode': member.autoCompactionMode }),
    ...(member.autoCompactionRetention === undefined
      ? {}
      : { 'auto-compaction-retention': member.autoCompactionRetention }),
    // Off by default in a configuration file, unlike on the command line.
    'enable-grpc-gateway': true,
    'strict-reconfig-check': true,
    logger: 'zap',
    'log-outputs': ['stderr'],
    ...corruptionChecks(member.version),
  };
  return `${JSON.stringify(config, undefined, 2)}\n`;
}

function transport(directory: string, { hasCaDirectory }: MemberConfig): Readonly<Record<string, string | boolean>> {
  return {
    'cert-file': `${directory}/tls.crt`,
    'key-file': `${directory}/tls.key`,
    'trusted-ca-file': `${hasCaDirectory ? paths.caTls : directory}/ca.crt`,
    'client-cert-auth': true,
  };
}

/** From 3.6 they are feature gates; earlier versions ignore what they do not know. */
function corruptionChecks(version: string): Readonly<Record<string, string | boolean>> {
  if ((parseVersion(version)?.minor ?? 0) >= 6)
    return { 'feature-gates': 'InitialCorruptCheck=true,CompactHashCheck=true' };
  return { 'experimental-initial-corrupt-check': true, 'experimental-compact-hash-check-enabled': true };
}

export function schemeOf(hasTls: boolean): 'http' | 'https' {
  return hasTls ? 'https' : 'http';
}
