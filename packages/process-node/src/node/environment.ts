/** The environment variables of a container. */
import type { Container, Pod } from '@ecsm/kubernetes';
import { expand } from './expand.ts';
import type { ObjectKind, ReadData } from './object-data.ts';
import { StartFailure } from './start-failure.ts';

type Variable = NonNullable<Container['env']>[number];
type KeyReference = NonNullable<NonNullable<Variable['valueFrom']>['secretKeyRef']>;

interface EnvironmentSources {
  readonly pod: Pod;
  readonly podAddress: string;
  readonly nodeAddress: string;
  readonly read: ReadData;
}

/** Throws `StartFailure` if an object or a key does not exist, or a field is not supported. */
export async function environmentOf(
  container: Container,
  sources: EnvironmentSources,
): Promise<ReadonlyMap<string, string>> {
  const variables = new Map<string, string>();
  for (const variable of container.env ?? []) {
    const value = await valueOfVariable(variable, variables, sources);
    if (value !== undefined) variables.set(variable.name, value);
  }
  return variables;
}

async function valueOfVariable(
  { name, value, valueFrom }: Variable,
  before: ReadonlyMap<string, string>,
  sources: EnvironmentSources,
): Promise<string | undefined> {
  if (valueFrom === undefined) return expand(value ?? '', before);
  const { fieldRef, secretKeyRef, configMapKeyRef } = valueFrom;
  if (fieldRef) return fieldOf(fieldRef.fieldPath, sources);
  if (secretKeyRef) return keyOf('Secret', secretKeyRef, sources);
  if (configMapKeyRef) return keyOf('ConfigMap', configMapKeyRef, sources);
  throw unusable(`the source of the variable ${name} is not supported`);
}

async function keyOf(
  kind: ObjectKind,
  { name = '', key, optional = false }: KeyReference,
  { pod, read }: EnvironmentSources,
): Promise<string | undefined> {
  const data = await read(kind, pod.metadata.namespace, name);
  const value = data?.get(key);
  if (value !== undefined) return value.bytes.toString();
  if (optional) return undefined;
  throw unusable(data === undefined ? `${kind} "${name}" not found` : `couldn't find key ${key} in ${kind} ${name}`);
}

function fieldOf(path: string, { pod, podAddress, nodeAddress }: EnvironmentSources): string {
  const { metadata, spec } = pod;
  const [, map, key = ''] = /^metadata\.(labels|annotations)\['([^']*)'\]$/u.exec(path) ?? [];
  if (map === 'labels') return metadata.labels?.[key] ?? '';
  if (map === 'annotations') return metadata.annotations?.[key] ?? '';
  switch (path) {
    case 'metadata.name':
      return metadata.name;
    case 'metadata.namespace':
      return metadata.namespace;
    case 'metadata.uid':
      return metadata.uid;
    case 'spec.nodeName':
      return spec.nodeName ?? '';
    case 'spec.serviceAccountName':
      return spec.serviceAccountName ?? 'default';
    case 'status.hostIP':
    case 'status.hostIPs':
      return nodeAddress;
    case 'status.podIP':
    case 'status.podIPs':
      return podAddress;
    default:
      throw unusable(`the field ${path} is not supported`);
  }
}

function unusable(message: string): StartFailure {
  return new StartFailure('CreateContainerConfigError', message);
}
