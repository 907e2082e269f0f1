/** The object that API servers are measured with: a ConfigMap of 2 KB. */
import { ConfigMap } from '@ecsm/apiserver';
import { thing } from './thing.ts';

export const configMaps = '/api/v1/namespaces/default/configmaps';
export const mapName = (n: number) => `map-${n}`;

const data = Object.fromEntries(thing('').spec.env.map(({ name, value }) => [name, value]));
/** Encoding 2 KB would cost the load generator more than sending them. */
const dataText = JSON.stringify(data);

export const configMapInput = (n: number) => ConfigMap.input({ name: mapName(n) }, { data });
export const configMapText = (n: number) =>
  `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"${mapName(n)}"},"data":${dataText}}`;
export const patchText = (value: number) => `{"data":{"VARIABLE_0":"value ${value}"}}`;
