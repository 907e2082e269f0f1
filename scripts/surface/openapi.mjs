/**
 * The documents of OpenAPI v3 as one: they repeat the same schemas and parameters, which are written once here. An operation
 * is one line.
 */
import { fieldLines, lines, sections } from './text.mjs';

/** @param {Readonly<Record<string, object>>} documents by path, such as `apis/ecsm.sh/v1` */
export function openApiFiles(documents) {
  const schemas = {};
  const parameters = {};
  const operations = [];
  const heads = {};
  for (const [name, { paths, components, ...head }] of Object.entries(documents)) {
    const { schemas: own, ...otherComponents } = components;
    heads[name] = JSON.stringify({ ...head, components: otherComponents });
    for (const [schema, definition] of Object.entries(own)) unite(schemas, schema, definition);
    const named = (all = []) =>
      all.map((parameter) => {
        // Their descriptions name the kind.
        if (parameter.in === 'path') return parameter;
        unite(parameters, `${parameter.in} ${parameter.name}`, parameter);
        return parameter.name;
      });
    for (const [path, { parameters: common, ...methods }] of Object.entries(paths)) {
      for (const [method, operation] of Object.entries(methods)) {
        const all = [...named(common), ...named(operation.parameters)];
        operations.push(`${method.toUpperCase()} ${path} ${JSON.stringify({ ...operation, parameters: all })}`);
      }
    }
  }
  const parameterLines = Object.entries(parameters).map(
    ([name, definition]) => `${name} ${JSON.stringify(definition)}`,
  );
  return {
    'openapi-v3-operations.txt': sections({
      Documents: lines(Object.entries(heads).map((entry) => entry.join(' '))),
      Parameters: lines(parameterLines),
      Operations: lines(operations),
    }),
    'openapi-v3-schemas.txt': sections(schemaTexts(schemas)),
  };
}

/** Adds a definition. Throws if there is another one of that name. */
function unite(all, name, definition) {
  const known = all[name];
  if (known !== undefined && JSON.stringify(known) !== JSON.stringify(definition)) {
    throw new Error(`OpenAPI documents differ in ${name}`);
  }
  all[name] = definition;
}

function schemaTexts(schemas) {
  const entries = Object.entries(schemas).map(([name, schema]) => [name, lines(fieldLines(schema))]);
  return Object.fromEntries(entries.sort());
}
