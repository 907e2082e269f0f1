/**
 * The history of a service, as objects: one for each revision, named `<service>-<hash>`. The highest number is the
 * newest. A revision that becomes current again after a rollback is the same object with a new number.
 */
import { isApiError, keyOf, type Registry, shape } from '@ecsm/runtime';
import { ECSMService, type ServiceTemplate } from '../apis/ecsm-service.ts';
import { ServiceRevision } from '../apis/service-revision.ts';
import { restartedAtAnnotation } from '../apis/well-known.ts';
import { hash32 } from '../observe/fingerprint.ts';
import { revisionHash } from '../resource/hash.ts';
import type { Mark } from '../resource/model.ts';
import type { RevisionContent } from '../service/model.ts';

const attemptsMax = 5;
/** A name has 63 characters at most, and the hash with its dash takes nine of them. */
const stemCharactersMax = 54;

/** The revision of the current spec. */
export function revisionOf({ spec, metadata }: ECSMService): RevisionContent {
  const { template } = spec;
  const restartedAt = metadata.annotations?.[restartedAtAnnotation];
  const restart = restartedAt === undefined ? {} : { restartedAt };
  return { hash: revisionHash({ template, ...restart }), template, ...restart };
}

interface RecordedRevision extends RevisionContent {
  /** Whether the service is known to have no other revision. */
  readonly isOnly: boolean;
}

/** Records the revision of the spec as the newest. Writes nothing if it already is. */
export async function ensureRevision(
  registry: Registry,
  service: ECSMService,
  content: RevisionContent = revisionOf(service),
): Promise<RecordedRevision> {
  // The status names the revision that was the newest when it was written, so the others need not be read.
  const isNewest = service.status?.updateRevision === content.hash;
  if (isNewest && (await readRevision(registry, service, content.hash)) !== undefined) {
    return { ...content, isOnly: false };
  }
  let isFirst = isUnchanged(service);
  for (let attempt = 1; ; attempt++) {
    try {
      if (!isFirst) return { ...content, isOnly: await makeNewest(registry, service, content) };
      isFirst = false;
      // If an earlier service of the same name has left one, this throws `AlreadyExists`.
      await registry.resource(ServiceRevision).create(revisionObject(service, content, 1));
      return { ...content, isOnly: true };
    } catch (error) {
      const isRace = isApiError(error, 'AlreadyExists') || isApiError(error, 'Conflict');
      if (!isRace || attempt >= attemptsMax) throw error;
    }
  }
}

/** The newest revision, and the recorded ones of the services and of the status. */
export async function knownRevisions(
  registry: Registry,
  service: ECSMService,
  newest: RevisionContent,
  observed: readonly { readonly mark?: Pick<Mark, 'revision'> }[],
): Promise<ReadonlyMap<string, RevisionContent>> {
  const hashes = [...observed.flatMap(({ mark }) => mark?.revision ?? []), service.status?.currentRevision ?? ''];
  const known = new Map([[newest.hash, newest]]);
  for (const hash of hashes) {
    if (known.has(hash) || !isHash(hash)) continue;
    const revision = await readRevision(registry, service, hash);
    const content = revision && contentOf(revision);
    if (content !== undefined) known.set(hash, content);
  }
  return known;
}

/** Deletes the oldest beyond the limit of the spec. The newest and those in use stay, and do not count. */
export async function pruneRevisions(
  registry: Registry,
  service: ECSMService,
  inUse: ReadonlySet<string>,
): Promise<number> {
  const hashes = await hashesOf(registry, service);
  // Each is an idle revision of this service, or of no concern: nearly always there is nothing to read.
  if (hashes.filter((hash) => !inUse.has(hash)).length <= service.spec.revisionHistoryLimit) return 0;
  const all = await listRevisions(registry, service);
  const idle = all
    .filter(({ spec }) => !inUse.has(spec.hash))
    .sort((one, other) => other.spec.number - one.spec.number);
  const surplus = idle.slice(service.spec.revisionHistoryLimit);
  for (const { metadata } of surplus) {
    const { name, namespace, uid, resourceVersion } = metadata;
    await registry.resource(ServiceRevision).delete(name, { namespace, uid, resourceVersion });
  }
  return surplus.length;
}

/** The revisions of one service, unordered. */
export async function listRevisions(registry: Registry, service: ECSMService): Promise<readonly ServiceRevision[]> {
  return (await listNamed(registry, service)).filter((revision) => isOwn(revision, service));
}

/** Also those of an earlier service of the same name. */
async function listNamed(registry: Registry, service: ECSMService): Promise<readonly ServiceRevision[]> {
  const hashes = await hashesOf(registry, service);
  const found = await Promise.all(hashes.map((hash) => readNamed(registry, service, hash)));
  return found.filter((revision) => revision !== undefined);
}

/** The hashes of all revisions with the name of this service. */
async function hashesOf(
  registry: Registry,
  { metadata: { namespace, name } }: ECSMService,
): Promise<readonly string[]> {
  // By name prefix, so that the cost does not depend on the history of other services.
  const namePrefix = `${stemOf(name)}-`;
  const { keys } = await registry.resource(ServiceRevision).versions({ namespace, namePrefix });
  const { length } = keyOf(ServiceRevision, namespace, namePrefix);
  return keys.map((key) => key.slice(length)).filter(isHash);
}

/** Whether its template was never changed, as of a new service: then it has no other revision. */
function isUnchanged({ metadata, status }: ECSMService): boolean {
  return (
    status === undefined && metadata.generation === 1 && metadata.annotations?.[restartedAtAnnotation] === undefined
  );
}

function revisionObject({ metadata }: ECSMService, content: RevisionContent, number: number) {
  const { namespace, name, uid } = metadata;
  const owner = { apiVersion: ECSMService.apiVersion, kind: ECSMService.kind, name, uid, controller: true };
  return {
    metadata: { name: `${stemOf(name)}-${content.hash}`, namespace, ownerReferences: [owner] },
    spec: { service: name, number, ...content },
  };
}

/** Returns whether it is the only one with the name of the service. */
async function makeNewest(registry: Registry, service: ECSMService, content: RevisionContent): Promise<boolean> {
  const revisions = registry.resource(ServiceRevision);
  const all = await listNamed(registry, service);
  const own = all.filter((revision) => isOwn(revision, service));
  const highest = Math.max(0, ...own.map(({ spec }) => spec.number));
  const { metadata, spec } = revisionObject(service, content, highest + 1);
  const same = all.find((revision) => revision.metadata.name === metadata.name);
  if (same === undefined) await revisions.create({ metadata, spec });
  else if (!isOwn(same, service)) await revisions.update({ metadata: { ...same.metadata, ...metadata }, spec });
  else if (same.spec.number < highest) await revisions.update({ ...same, spec: { ...same.spec, number: highest + 1 } });
  return all.every((revision) => revision === same);
}

async function readRevision(
  registry: Registry,
  service: ECSMService,
  hash: string,
): Promise<ServiceRevision | undefined> {
  const revision = await readNamed(registry, service, hash);
  return revision !== undefined && isOwn(revision, service) ? revision : undefined;
}

async function readNamed(
  registry: Registry,
  { metadata: { namespace, name } }: ECSMService,
  hash: string,
): Promise<ServiceRevision | undefined> {
  try {
    return await registry.resource(ServiceRevision).get(`${stemOf(name)}-${hash}`, { namespace });
  } catch (error) {
    if (isApiError(error, 'NotFound')) return undefined;
    throw error;
  }
}

/** Revisions of an earlier service of the same name are about to be deleted by the garbage collector. */
function isOwn({ spec, metadata }: ServiceRevision, service: ECSMService): boolean {
  const { name, uid } = service.metadata;
  return spec.service === name && metadata.ownerReferences?.some((owner) => owner.uid === uid) === true;
}

/** Returns undefined if it was edited: its hash does not match then, and it is not used. */
function contentOf({ spec: { hash, template, restartedAt } }: ServiceRevision): RevisionContent | undefined {
  const restart = restartedAt === undefined ? {} : { restartedAt };
  if (!isTemplate(template) || revisionHash({ template, ...restart }) !== hash) return undefined;
  return { hash, template, ...restart };
}

/** Checks only what computing the hash needs; the hash proves that it was valid. */
function isTemplate(value: unknown): value is ServiceTemplate {
  return shape.isObject(value) && typeof value['image'] === 'string' && shape.isObject(value['platformSpecific']);
}

function stemOf(name: string): string {
  if (name.length <= stemCharactersMax) return name;
  const digest = hash32(name).toString(16).padStart(8, '0');
  return `${name.slice(0, stemCharactersMax - digest.length - 1)}-${digest}`;
}

function isHash(text: string): boolean {
  return /^[0-9a-f]{8}$/u.test(text);
}
