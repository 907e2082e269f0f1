/** The data of ConfigMaps and Secrets, by key, as bytes. */
import { ConfigMap, Secret } from '@ecsm/apiserver';
import { isApiError, type Registry } from '@ecsm/runtime';

export type ObjectKind = 'ConfigMap' | 'Secret';

interface DataValue {
  readonly bytes: Buffer;
  /** Text of a ConfigMap. Its paths and addresses are rewritten for the host. */
  readonly isText: boolean;
}

export type ObjectData = ReadonlyMap<string, DataValue>;

/** Returns undefined if the object does not exist. */
export type ReadData = (kind: ObjectKind, namespace: string, name: string) => Promise<ObjectData | undefined>;

export function dataReader(registry: Registry): ReadData {
  return async (kind, namespace, name) => {
    try {
      if (kind === 'Secret') {
        const secret = Secret.fieldsOf(await registry.resource(Secret).get(name, { namespace }));
        return new Map(Object.entries(secret.data ?? {}).map(([key, text]) => [key, decoded(text)]));
      }
      const map = ConfigMap.fieldsOf(await registry.resource(ConfigMap).get(name, { namespace }));
      return new Map([
        ...Object.entries(map.binaryData ?? {}).map(([key, text]) => [key, decoded(text)] as const),
        ...Object.entries(map.data ?? {}).map(
          ([key, text]) => [key, { bytes: Buffer.from(text), isText: true }] as const,
        ),
      ]);
    } catch (error) {
      if (isApiError(error, 'NotFound')) return undefined;
      throw error;
    }
  };
}

function decoded(base64: string): DataValue {
  return { bytes: Buffer.from(base64, 'base64'), isText: false };
}
