/**
 * How a person in another terminal reaches the cluster: one address for clients, which stands for the Service, and a file
 * with the variables of kubectl and etcdctl.
 */
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { dirname, join } from 'node:path';

const clientPort = 2379;

/** Forwards each connection to a member that serves, as the Service of the cluster does on Kubernetes. */
export class Entrance {
  #server;
  #sockets = new Set();
  #count = 0;

  /** @param addresses returns the addresses of the members that serve now */
  async open(port, addresses) {
    this.#server = createServer((client) => {
      const serving = addresses();
      const address = serving[this.#count++ % Math.max(1, serving.length)];
      if (address === undefined) return client.destroy();
      const member = connect({ host: address, port: clientPort });
      for (const [from, to] of [
        [client, member],
        [member, client],
      ]) {
        this.#sockets.add(from);
        from.on('error', () => to.destroy());
        from.once('close', () => {
          this.#sockets.delete(from);
          to.destroy();
        });
        from.pipe(to);
      }
    });
    this.#server.listen({ port, host: '127.0.0.1' });
    await once(this.#server, 'listening');
    return `https://127.0.0.1:${this.#server.address().port}`;
  }

  async close() {
    for (const socket of this.#sockets) socket.destroy();
    if (this.#server?.listening) await new Promise((resolve) => this.#server.close(resolve));
  }
}

/** Writes the certificate of a client for etcdctl, and the file of variables. Returns the file. */
export function writeEnvironment({ directory, kubeconfig, endpoint, secret, programs }) {
  const files = { 'ca.crt': 'ETCDCTL_CACERT', 'tls.crt': 'ETCDCTL_CERT', 'tls.key': 'ETCDCTL_KEY' };
  for (const name of Object.keys(files)) writeFileSync(join(directory, name), secret?.[name] ?? '', { mode: 0o600 });
  const variables = {
    KUBECONFIG: kubeconfig,
    // The address is that of every demonstration: what kubectl remembers of it would be of another one.
    KUBECACHEDIR: join(directory, 'kubectl'),
    ETCDCTL_API: '3',
    ETCDCTL_ENDPOINTS: endpoint,
    ...Object.fromEntries(Object.entries(files).map(([name, variable]) => [variable, join(directory, name)])),
  };
  const folders = [...new Set(programs.filter((path) => path !== undefined).map((path) => dirname(path)))];
  const lines = Object.entries(variables).map(([name, value]) => `export ${name}='${value}'`);
  lines.push(`export PATH="$PATH${folders.map((folder) => `:${folder}`).join('')}"`);
  const file = join(directory, 'env');
  writeFileSync(file, `${lines.join('\n')}\n`);
  return file;
}
