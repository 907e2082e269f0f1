/**
 * Members of many etcd clusters without etcd: one server answers for all of them, with the certificate of the cluster that
 * a client asks for. It knows the calls that the operator makes while it creates a cluster and while that is at rest.
 */
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { createServer } from 'node:https';
import { createSecureContext } from 'node:tls';
import { Secret } from '@ecsm/apiserver';
import { wellKnown } from '@ecsm/etcd-operator';
import type { Registry } from '@ecsm/runtime';

export interface EtcdGatewayServer {
  readonly calls: number;
  close(): Promise<void>;
}

interface Member {
  readonly ID: string;
  readonly name: string;
  readonly peerURLs: readonly string[];
  isLearner: boolean;
}

interface Call {
  readonly peerURLs?: readonly string[];
  readonly ID?: string;
}

/** Hosts are as `main-0.main-peer.default.svc`. */
export async function startEtcdGateway(registry: Registry, host: string, version: string): Promise<EtcdGatewayServer> {
  const clusters = new Map<string, Map<string, Member>>();
  let calls = 0;
  const server = createServer(
    {
      SNICallback: (name, done) => {
        contextOf(registry, clusterOf(name)).then(
          (context) => done(null, context),
          (error: Error) => done(error),
        );
      },
    },
    async (request, response) => {
      calls++;
      const body: Call = JSON.parse(await textOf(request));
      const [pod = ''] = (request.headers.host ?? '').split('.');
      const cluster = clusterOf(request.headers.host ?? '');
      const members = clusters.get(cluster) ?? new Map<string, Member>();
      if (members.size === 0) members.set(`${cluster}-0`, memberOf(cluster, 0));
      clusters.set(cluster, members);
      const answer = answerOf(request.url ?? '', body, cluster, pod, members, version);
      const text = JSON.stringify(answer ?? { code: 5, message: 'not found' });
      const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) };
      response.writeHead(answer ? 200 : 500, headers).end(text);
    },
  );
  server.listen(2379, host);
  await once(server, 'listening');
  return {
    get calls() {
      return calls;
    },
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

function answerOf(
  path: string,
  { peerURLs = [], ID }: Call,
  cluster: string,
  pod: string,
  members: Map<string, Member>,
  version: string,
): object | undefined {
  const own = members.get(pod);
  const header = { cluster_id: idOf(cluster, 99), member_id: own?.ID ?? '0', revision: '10', raft_term: '2' };
  switch (path) {
    case '/v3/maintenance/status': {
      const raft = { leader: idOf(cluster, 0), raftIndex: '10', raftTerm: '2', raftAppliedIndex: '10' };
      const sizes = { dbSize: '20480', dbSizeInUse: '20480' };
      return own && { header, version, ...raft, ...sizes, isLearner: own.isLearner };
    }
    case '/v3/cluster/member/list':
      return { header, members: [...members.values()] };
    case '/v3/cluster/member/add': {
      const [, slot = '0'] = /-(\d+)\./.exec(peerURLs[0] ?? '') ?? [];
      const member = { ...memberOf(cluster, Number(slot)), peerURLs, isLearner: true };
      members.set(member.name, member);
      return { header, member, members: [...members.values()] };
    }
    case '/v3/cluster/member/promote':
      for (const member of members.values()) if (member.ID === ID) member.isLearner = false;
      return { header, members: [...members.values()] };
    case '/v3/kv/range':
    case '/v3/maintenance/alarm':
      return { header };
    default:
      return undefined;
  }
}

function memberOf(cluster: string, slot: number): Member & { readonly clientURLs: readonly string[] } {
  const name = `${cluster}-${slot}`;
  const host = wellKnown.names.host(cluster, 'default', slot);
  const [peerURLs, clientURLs] = [[`https://${host}:2380`], [`https://${host}:2379`]];
  return { ID: idOf(cluster, slot), name, peerURLs, clientURLs, isLearner: false };
}

/** A number of its own for each. */
function idOf(cluster: string, slot: number): string {
  return String(1_000 + Number(cluster.replace(/\D/g, '') || 0) * 100 + slot);
}

function clusterOf(host: string): string {
  return (host.split('.')[0] ?? '').replace(/-\d+$/, '');
}

async function contextOf(registry: Registry, cluster: string) {
  const secret = await registry.resource(Secret).get(wellKnown.names.serverSecret(cluster));
  const { data = {} } = Secret.fieldsOf(secret);
  const text = (key: string) => Buffer.from(data[key] ?? '', 'base64');
  return createSecureContext({ cert: text('tls.crt'), key: text('tls.key') });
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}
