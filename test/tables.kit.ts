/** Metrics and fields of the code as rows, to compare them with tables of the documents. */
import type { MetricRegistry, Schema } from '@ecsm/runtime';

/** Name, type and labels of every metric of the registry. */
export function metricRows(registry: MetricRegistry): string[][] {
  const text = registry.render();
  return [...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].map(([, name = '', type = '']) => {
    const labels = new RegExp(`^${name}\\w*{(.*)}`, 'm').exec(text)?.[1] ?? '';
    const names = [...labels.matchAll(/(\w+)="/g)].map(([, label]) => label).filter((label) => label !== 'le');
    return [name, type, names.join(', ')];
  });
}

/** Path, type, default and description of every field below a schema, in the order of the schema. */
export function fieldRows(schema: Schema, path: string): string[][] {
  switch (schema.type) {
    case 'object':
      return Object.entries(schema.properties).flatMap(([name, field]) => [
        [`${path}.${name}`, typeText(field), defaultText(field), field.description ?? ''],
        ...fieldRows(field, `${path}.${name}`),
      ]);
    case 'list':
      return fieldRows(schema.items, `${path}[]`);
    default:
      return [];
  }
}

function typeText(schema: Schema): string {
  switch (schema.type) {
    case 'string':
      return schema.enum?.join(', ') ?? schema.format?.name ?? (schema.secret ? 'string, secret' : 'string');
    case 'integer':
    case 'number':
      return `${schema.type}${rangeText(schema)}`;
    case 'list':
      return `list of ${typeText(schema.items)}`;
    case 'map':
      return `map to ${typeText(schema.values)}`;
    default:
      return schema.type;
  }
}

function rangeText({ minimum, maximum }: { readonly minimum?: number; readonly maximum?: number }): string {
  if (minimum === undefined) return '';
  return maximum === undefined ? `, from ${minimum}` : `, ${minimum} to ${maximum}`;
}

/** Empty for an optional field. */
function defaultText(schema: Schema): string {
  if (schema.presence === undefined) return 'required';
  if (schema.presence === 'optional') return '';
  return typeof schema.default === 'string' && schema.default !== '' ? schema.default : JSON.stringify(schema.default);
}
