import { type FieldError, formatFieldError, type Position } from '../errors.ts';
import { ownValue } from '../json.ts';
import type { KindSet } from '../kind-set.ts';
import { applyDefaults } from '../schema/defaults.ts';
import { boundedErrors } from '../schema/validate.ts';
import type { Manifest } from './manifest.ts';

/** A field error with the position of the field. */
export interface ManifestError extends FieldError {
  readonly position: Position;
}

/** `services.yaml:12:5: spec.replica: Unknown field: did you mean "replicas"?` */
export function formatManifestError(error: ManifestError): string {
  const { file, line, column } = error.position;
  return `${file}:${line}:${column}: ${formatFieldError(error)}`;
}

/**
 * Returns all errors of a manifest after defaulting, from top to bottom; empty if it is valid. Number and length of the
 * errors are bounded.
 */
export async function validateManifest(manifest: Manifest, kinds: KindSet): Promise<ManifestError[]> {
  const errors: ManifestError[] = [];
  for (const error of boundedErrors(fieldErrors(manifest, kinds))) {
    errors.push({ ...error, position: await manifest.positionOf(error.path) });
  }
  return errors.sort((a, b) => a.position.line - b.position.line || a.position.column - b.position.column);
}

function fieldErrors({ object }: Manifest, kinds: KindSet): FieldError[] {
  const apiVersion = ownValue(object, 'apiVersion');
  const kindName = ownValue(object, 'kind');
  if (typeof apiVersion !== 'string' || typeof kindName !== 'string') {
    const missing = [
      ...(typeof apiVersion === 'string' ? [] : ['apiVersion']),
      ...(typeof kindName === 'string' ? [] : ['kind']),
    ];
    return missing.map((path) => ({ path, type: 'Required value', message: 'must be set to a string' }));
  }
  const kind = kinds.find(apiVersion, kindName);
  if (kind !== undefined) return kind.validate(applyDefaults(kind.schema, object));
  const knownKind = kinds.kinds.some((known) => known.kind === kindName);
  const [path, value] = knownKind ? ['apiVersion', apiVersion] : ['kind', kindName];
  return [
    { path, type: 'Unsupported value', message: `${JSON.stringify(value)}: ${kinds.suggest(apiVersion, kindName)}` },
  ];
}
