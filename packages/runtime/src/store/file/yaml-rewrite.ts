/** Changes the data of a YAML text and keeps everything else as it is. */
import type { Document, Node, YAMLMap, YAMLSeq } from 'yaml';
import { isPlainObject, type JsonObject, type JsonValue, ownValue } from '../../api/json.ts';
import { deepEqual } from '../../api/merge.ts';

type Yaml = typeof import('yaml');

/** The result may not equal `value` (aliases): the caller has to parse and compare it. */
export function rewriteYaml(yaml: Yaml, text: string, value: JsonValue): string {
  const document = yaml.parseDocument<Node>(text, { version: '1.2', schema: 'core', merge: false, uniqueKeys: false });
  document.contents = rewritten(yaml, document, document.contents, value);
  // Long texts are not folded: unchanged lines must not change in a diff.
  return document.toString({ lineWidth: 0 });
}

/** Returns the node for a value: the old one with the necessary changes, or a new one. */
function rewritten(yaml: Yaml, document: Document, node: unknown, value: JsonValue | undefined): Node {
  if (yaml.isMap(node) && isPlainObject(value)) return rewriteMap(yaml, document, node, value);
  if (yaml.isSeq(node) && Array.isArray(value)) return rewriteList(yaml, document, node, value);
  if (yaml.isAlias(node) && deepEqual(node.toJS(document), value)) return node;
  if (yaml.isScalar(node) && (typeof value !== 'object' || value === null)) {
    if (node.value === value) return node;
    // The scalar keeps its comment, but not its old format (`0x1f`, a block scalar), which may not fit the new value.
    node.value = value;
    delete node.source;
    delete node.format;
    return node;
  }
  return document.createNode(value);
}

function rewriteMap(yaml: Yaml, document: Document, map: YAMLMap, value: JsonObject): Node {
  const present = new Set<string>();
  map.items = map.items.filter((pair) => {
    const name = String(yaml.isScalar(pair.key) ? pair.key.value : pair.key);
    if (!Object.hasOwn(value, name)) return false;
    present.add(name);
    pair.value = rewritten(yaml, document, pair.value, value[name]);
    return true;
  });
  for (const name of Object.keys(value)) {
    if (!present.has(name)) map.items.push(document.createPair(name, ownValue(value, name)));
  }
  return map;
}

function rewriteList(yaml: Yaml, document: Document, list: YAMLSeq, value: readonly JsonValue[]): Node {
  list.items = value.map((item, index) => rewritten(yaml, document, list.items[index], item));
  return list;
}
