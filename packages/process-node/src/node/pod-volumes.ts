/** The volumes of a pod, as directories of the host, and the mount paths that stand for them. */
import { existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { PersistentVolumeClaim, type Pod, type Volume } from '@ecsm/kubernetes';
import { isApiError, type Registry } from '@ecsm/runtime';
import type { ObjectData, ObjectKind, ReadData } from './object-data.ts';
import { type Payload, writePayload } from './payload.ts';
import { type PathMapping, type Rewrite, rewriter } from './rewrite.ts';
import { StartFailure } from './start-failure.ts';

interface PodVolumesOptions {
  readonly pod: Pod;
  readonly address: string;
  readonly registry: Registry;
  readonly read: ReadData;
  /** For volumes that end with the pod. */
  readonly podDirectory: string;
  /** For volumes that outlive it: a directory for each PersistentVolume. */
  readonly volumesDirectory: string;
}

const modeDefault = 0o644;

export class PodVolumes {
  readonly #options: PodVolumesOptions;
  /** Directories of the volumes that have been prepared. */
  readonly #directories = new Map<string, string>();
  #preparing: Promise<void> = Promise.resolve();

  constructor(options: PodVolumesOptions) {
    this.#options = options;
  }

  /** What each container has to replace in its command, variables and configuration. */
  get rewrite(): Rewrite {
    const { pod, address } = this.#options;
    const containers = [...pod.spec.containers, ...(pod.spec.initContainers ?? [])];
    const mappings = containers.flatMap(({ volumeMounts = [] }) =>
      volumeMounts.map(
        ({ name, mountPath, subPath = '' }): PathMapping => ({
          mountPath,
          target: join(this.#directoryOf(name), subPath),
        }),
      ),
    );
    return rewriter(mappings, address);
  }

  /** Whether a change of this object matters to the pod. */
  uses(kind: ObjectKind | 'PersistentVolumeClaim', name: string): boolean {
    return (this.#options.pod.spec.volumes ?? []).some(
      ({ configMap, secret, persistentVolumeClaim: claim }) =>
        (kind === 'ConfigMap' && configMap?.name === name) ||
        (kind === 'Secret' && secret?.secretName === name) ||
        (kind === 'PersistentVolumeClaim' && claim?.claimName === name),
    );
  }

  /** Writes what has changed. Throws `StartFailure` while an object is missing that was never mounted. */
  prepare(): Promise<void> {
    // One after another: an older version of an object must not replace a newer one.
    const next = this.#preparing.catch(() => {}).then(() => this.#prepareAll());
    this.#preparing = next;
    return next;
  }

  async #prepareAll(): Promise<void> {
    const volumes = this.#options.pod.spec.volumes ?? [];
    // Claims first: the text of a ConfigMap names their directories.
    const order = [...volumes].sort((left, right) => rank(left) - rank(right));
    for (const volume of order) await this.#prepare(volume);
    this.#linkNested();
  }

  /** A mount below an empty directory that is mounted too is found through both paths. */
  #linkNested(): void {
    const { pod } = this.#options;
    const empty = new Set((pod.spec.volumes ?? []).flatMap(({ name, emptyDir }) => (emptyDir ? [name] : [])));
    const containers = [...pod.spec.containers, ...(pod.spec.initContainers ?? [])];
    for (const { volumeMounts = [] } of containers) {
      for (const outer of volumeMounts.filter(({ name, subPath = '' }) => empty.has(name) && subPath === '')) {
        for (const inner of volumeMounts) {
          if (!inner.mountPath.startsWith(`${outer.mountPath}/`)) continue;
          const link = join(this.#directoryOf(outer.name), inner.mountPath.slice(outer.mountPath.length + 1));
          if (existsSync(link)) continue;
          mkdirSync(dirname(link), { recursive: true });
          symlinkSync(join(this.#directoryOf(inner.name), inner.subPath ?? ''), link);
        }
      }
    }
  }

  async #prepare(volume: Volume): Promise<void> {
    const { name, configMap, secret, persistentVolumeClaim: claim } = volume;
    if (configMap) await this.#write(name, 'ConfigMap', { ...configMap, object: configMap.name ?? '' });
    else if (secret) await this.#write(name, 'Secret', { ...secret, object: secret.secretName ?? '' });
    else if (claim) await this.#mount(name, claim.claimName);
    // An empty directory, also for sources that are not supported, such as the credentials of a service account.
    else mkdirSync(this.#directoryOf(name), { recursive: true });
  }

  async #mount(name: string, claimName: string): Promise<void> {
    if (this.#directories.has(name)) return;
    const { pod, registry, volumesDirectory } = this.#options;
    const volume = await boundVolume(registry, pod.metadata.namespace, claimName);
    if (volume === undefined) throw new StartFailure('ContainerCreating', `claim "${claimName}" is not bound`);
    const directory = join(volumesDirectory, volume);
    mkdirSync(directory, { recursive: true });
    this.#directories.set(name, directory);
  }

  async #write(name: string, kind: ObjectKind, source: DataSource): Promise<void> {
    const { pod, read } = this.#options;
    const data = await read(kind, pod.metadata.namespace, source.object);
    if (data === undefined && !source.optional) {
      // A running pod keeps the files of an object that was deleted.
      if (this.#directories.has(name)) return;
      throw new StartFailure('ContainerCreating', `volume "${name}": ${kind} "${source.object}" not found`);
    }
    const directory = this.#directoryOf(name);
    writePayload(directory, payloadOf(data ?? new Map(), source, this.rewrite), source.defaultMode ?? modeDefault);
    this.#directories.set(name, directory);
  }

  #directoryOf(name: string): string {
    return this.#directories.get(name) ?? join(this.#options.podDirectory, 'volumes', name);
  }
}

interface DataSource {
  readonly object: string;
  readonly items?: readonly { readonly key: string; readonly path: string }[];
  readonly defaultMode?: number;
  readonly optional?: boolean;
}

function rank({ persistentVolumeClaim }: Volume): number {
  return persistentVolumeClaim ? 0 : 1;
}

function payloadOf(data: ObjectData, { items }: DataSource, rewrite: Rewrite): Payload {
  const files = items ?? [...data.keys()].map((key) => ({ key, path: key }));
  return new Map(
    files.flatMap(({ key, path }) => {
      const value = data.get(key);
      if (value === undefined) return [];
      return [[path, value.isText ? Buffer.from(rewrite(value.bytes.toString())) : value.bytes]];
    }),
  );
}

/** The name of the volume of a claim; undefined if it has none yet. */
export async function boundVolume(registry: Registry, namespace: string, claim: string): Promise<string | undefined> {
  try {
    const { spec, status } = await registry.resource(PersistentVolumeClaim).get(claim, { namespace });
    return status?.phase === 'Bound' ? spec.volumeName : undefined;
  } catch (error) {
    if (isApiError(error, 'NotFound')) return undefined;
    throw error;
  }
}
