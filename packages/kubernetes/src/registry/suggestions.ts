/** Adds to the unknown fields of a server's error the names that were probably meant. */
import { ApiError, type FieldError, isApiError, type Kind, nearest, type Schema } from '@ecsm/runtime';

export function withSuggestions(kind: Pick<Kind, 'schema'>, error: unknown): unknown {
  if (!isApiError(error, 'Invalid')) return error;
  const { errors, ...details } = error.details;
  if (!errors.some(({ type }) => type === 'Unknown field')) return error;
  return new ApiError('Invalid', { ...details, errors: errors.map((one) => suggested(kind.schema, one)) }, error);
}

function suggested(schema: Schema, error: FieldError): FieldError {
  if (error.type !== 'Unknown field') return error;
  const steps = error.path.split(/\.|\[\d+\]\.?/).filter((step) => step !== '');
  const parent = steps.slice(0, -1).reduce<Schema | undefined>(schemaOf, schema);
  const near = parent?.type === 'object' ? nearest(steps.at(-1) ?? '', Object.keys(parent.properties)) : undefined;
  return near === undefined ? error : { ...error, message: `did you mean "${near}"?` };
}

function schemaOf(parent: Schema | undefined, step: string): Schema | undefined {
  const inner = parent?.type === 'list' ? parent.items : parent;
  const found = inner?.type === 'object' ? inner.properties[step] : inner?.type === 'map' ? inner.values : undefined;
  return found?.type === 'list' ? found.items : found;
}
