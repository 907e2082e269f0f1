/** Every kind of the packages: names, table columns and JSON Schema. Kinds are found among what the packages export. */
import * as apiserver from '@ecsm/apiserver';
import * as etcdOperator from '@ecsm/etcd-operator';
import * as kubernetes from '@ecsm/kubernetes';
import * as operator from '@ecsm/operator';
import * as processNode from '@ecsm/process-node';
import * as runtime from '@ecsm/runtime';
import { fieldLines, lines, sections } from './text.mjs';

/** In the order of their dependencies: a kind belongs to the first one that exports it. */
const packages = {
  runtime,
  kubernetes,
  apiserver,
  operator,
  'process-node': processNode,
  'etcd-operator': etcdOperator,
};

export function kinds() {
  const seen = new Set();
  const byGroup = {};
  for (const [name, exported] of Object.entries(packages)) {
    for (const value of Object.values(exported).flat()) {
      if (typeof value?.jsonSchema !== 'function' || seen.has(value)) continue;
      seen.add(value);
      const { kind, apiVersion, group } = value;
      byGroup[group] = { ...byGroup[group], [`${kind} ${apiVersion} of ${name}`]: described(value) };
    }
  }
  const files = Object.entries(byGroup).map(([group, texts]) => [
    `kinds-${group === '' ? 'core' : group}.txt`,
    sections(Object.fromEntries(Object.entries(texts).sort())),
  ]);
  return Object.fromEntries(files);
}

function described(kind) {
  const { plural, singular, shortNames, categories, scope, names, selectors, exclusive, columns, scale } = kind;
  const about = {
    plural,
    singular,
    shortNames,
    categories,
    scope,
    names,
    selectors: [...selectors.keys()],
    exclusive,
    scale,
  };
  const columnLines = columns.map(({ value: _, ...column }, index) => `column ${index + 1} ${JSON.stringify(column)}`);
  return lines([JSON.stringify(about), ...columnLines, ...fieldLines(kind.jsonSchema())]);
}
