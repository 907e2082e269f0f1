/** The resources of a server: every kind of the registry, and read-only views of other systems. */
import type { Kind, Registry } from '@ecsm/runtime';
import { allVerbs, readVerbs, type ServedResource, servedKind } from '../discovery/served.ts';
import { pathNotFound } from '../response/http-error.ts';
import type { Target } from '../verbs/call.ts';
import { isNamespace } from '../verbs/namespaces.ts';
import { isWritable } from '../verbs/write.ts';

export class ServedResources {
  readonly all: readonly ServedResource[];
  readonly #targets = new Map<string, Target>();
  /** Those of one namespace. */
  readonly #namespaced = new Map<string, Target>();

  constructor(registry: Registry, views: readonly Target[] = []) {
    const { encoded } = registry.capabilities;
    const stored = registry.kinds.kinds.map((kind) => ({
      kind,
      resource: registry.resource(kind),
      encoded: encoded?.resource(kind),
    }));
    const targets: readonly Target[] = [...stored, ...views];
    for (const target of targets) {
      const { kind, namespace } = target;
      if (namespace === undefined) this.#targets.set(keyOf(kind), target);
      else this.#namespaced.set(`${keyOf(kind)}/${namespace}`, target);
    }
    this.all = [...this.#targets.values()].map(servedResource);
  }

  /** Throws 404 if there is no such resource. */
  get(group: string, version: string, resource: string, namespace?: string): Target {
    const key = keyOf({ group, version, plural: resource });
    const own = this.#namespaced.size === 0 ? undefined : this.#namespaced.get(`${key}/${namespace}`);
    const found = own ?? this.#targets.get(key);
    if (found) return found;
    throw pathNotFound();
  }
}

function keyOf({ group, version, plural }: Pick<Kind, 'group' | 'version' | 'plural'>): string {
  return `${group}/${version}/${plural}`;
}

function servedResource({ kind, resource }: Target): ServedResource {
  const strategicMerge = kind.group === '' || kind.group.endsWith('.k8s.io');
  const verbs = isNamespace(kind) ? allVerbs.filter((verb) => verb !== 'deletecollection') : allVerbs;
  return servedKind(kind, { verbs: isWritable(resource) ? verbs : readVerbs, strategicMerge });
}
