/** An unreliable network for tests: a TCP proxy on loopback that can close, block and drop connections. */
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

type ProxyMode =
  /** Everything passes. */
  | 'pass'
  /** Connections are taken and nothing passes, in either direction. */
  | 'swallow'
  /** Requests pass; the connection is closed when the response arrives. */
  | 'lose answers';

export interface FaultyProxy {
  readonly endpoint: string;
  /** For connections that exist and for new ones. */
  mode: ProxyMode;
  readonly connections: number;
  /** From now on nothing passes on the connection that was made last; all others are not touched. */
  forgetNewest(): void;
  cutConnections(): void;
  stop(): Promise<void>;
}

export async function startProxy(targetPort: number): Promise<FaultyProxy> {
  const pairs = new Set<{ readonly near: Socket; readonly far: Socket; isDropped: boolean }>();
  const server = createServer((near) => {
    const far = connect(targetPort, '127.0.0.1');
    const pair = { near, far, isDropped: false };
    pairs.add(pair);
    const close = () => {
      pairs.delete(pair);
      near.destroy();
      far.destroy();
    };
    for (const socket of [near, far]) socket.on('close', close).on('error', close);
    near.on('data', (chunk) => {
      if (!pair.isDropped && proxy.mode !== 'swallow') far.write(chunk);
    });
    far.on('data', (chunk) => {
      if (pair.isDropped || proxy.mode === 'swallow') return;
      if (proxy.mode === 'lose answers') close();
      else near.write(chunk);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const proxy: FaultyProxy = {
    endpoint: `127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`,
    mode: 'pass',
    get connections() {
      return pairs.size;
    },
    forgetNewest() {
      const newest = [...pairs].at(-1);
      if (newest) newest.isDropped = true;
    },
    cutConnections() {
      for (const { near } of pairs) near.destroy();
    },
    async stop() {
      proxy.cutConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return proxy;
}
