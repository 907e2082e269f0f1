/** A small Kubernetes in this process: our API server, and a node that runs pods as processes. */
import { join } from 'node:path';
import { Secret, serverKinds, startServing } from '@ecsm/apiserver';
import { EtcdBackup, EtcdCluster, EtcdRestore, operatorKinds } from '@ecsm/etcd-operator';
import { PersistentVolumeClaim, Pod } from '@ecsm/kubernetes';
import { processNodeKinds, startProcessNode } from '@ecsm/process-node';
import { EmbeddedRegistry, Event, Manager, MemoryStore } from '@ecsm/runtime';

/** Both packages name some of the kinds. */
const kinds = [...new Set([...operatorKinds, ...processNodeKinds, ...serverKinds])];
const kindsWithEvents = [EtcdCluster, EtcdBackup, EtcdRestore].map(({ kind }) => kind);
const backoff = { msMin: 1_000, msMax: 5_000 };

export class World {
  #registry;
  #node;
  #serving;
  #end = new AbortController();
  #managing;

  /** @param binaries the directory with the programs of an image */
  static async start({ directory, port, binaries, nssWrapper }) {
    const world = new World();
    const registry = new EmbeddedRegistry({ store: new MemoryStore(), kinds });
    world.#registry = registry;
    try {
      const address = { host: '127.0.0.1', port };
      world.#serving = await startServing({ registry, address, directory: join(directory, 'pki') });
      const manager = new Manager({ registry });
      for (const runnable of world.#serving.runnables) manager.add(runnable);
      world.#managing = manager.run({ signal: world.#end.signal });
      const names = nssWrapper === undefined ? {} : { names: { nssWrapper } };
      world.#node = await startProcessNode({
        registry,
        binaries,
        directory: join(directory, 'node'),
        backoff,
        ...names,
      });
      return world;
    } catch (error) {
      await world.stop();
      throw error;
    }
  }

  get url() {
    return this.#serving.url;
  }

  get kubeconfig() {
    return this.#serving.adminKubeconfig;
  }

  /** Whether members can find each other by name. */
  get hasNames() {
    return this.#node.names !== 'none';
  }

  get clusters() {
    return this.#registry.resource(EtcdCluster);
  }

  /** Each pod with its address and the process of its container. */
  pods() {
    return this.#node.pods().map(({ name, address, containers: [container] }) => {
      const { pid, restartCount } = container ?? {};
      return { name, address, pid, restartCount };
    });
  }

  /** Whether the container of a pod was restarted and is ready again. */
  async isRestarted(name) {
    const { status } = await this.#registry.resource(Pod).get(name);
    return status?.containerStatuses?.some(({ restartCount, ready }) => restartCount > 0 && ready) ?? false;
  }

  /** Deletes the volume and the pod of a member, as when its disk is lost. */
  async loseVolume(name) {
    await this.#registry.resource(PersistentVolumeClaim).delete(`data-${name}`);
    await this.#registry.resource(Pod).delete(name);
  }

  /** The directory of a claim on this host; undefined if it is not bound. */
  volumeDirectory(claim) {
    return this.#node.volumeDirectory(claim);
  }

  /** Events of clusters, backups and restores, the newest last. */
  async events() {
    const { items: all } = await this.#registry.resource(Event).list();
    const items = all.filter(({ involvedObject }) => kindsWithEvents.includes(involvedObject.kind));
    const isNewer = (one, other) =>
      this.#registry.isNewer(one.metadata.resourceVersion, other.metadata.resourceVersion);
    return items.sort((one, other) => Number(isNewer(one, other)) - Number(isNewer(other, one)));
  }

  /** The values of a Secret; undefined if it does not exist. */
  async secret(name) {
    const { items } = await this.#registry.resource(Secret).list({ fieldSelector: `metadata.name=${name}` });
    const [secret] = items;
    if (secret === undefined) return undefined;
    const values = Object.entries(Secret.fieldsOf(secret).data ?? {});
    return Object.fromEntries(values.map(([key, value]) => [key, Buffer.from(value, 'base64')]));
  }

  /** Ends all members, then the server. */
  async stop() {
    await this.#node?.stop();
    this.#end.abort();
    await this.#managing;
    await this.#serving?.close();
    await this.#registry.close();
  }
}
