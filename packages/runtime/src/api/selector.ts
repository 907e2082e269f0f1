/**
 * Label selectors. A selector is a list of requirements that an object has to meet all, so the empty selector selects
 * everything. As in Kubernetes, `!=` and `notin` are met where the key is absent.
 */
import { ApiError, type FieldError, formatFieldError } from './errors.ts';
import { checkLabelValue, checkQualifiedName, labelValue, qualifiedName } from './names.ts';
import { formatPath } from './path.ts';
import { list, map, object, optional, string } from './schema/build.ts';
import type { Infer } from './schema/schema.ts';

export type Requirement =
  | { readonly key: string; readonly operator: 'In' | 'NotIn'; readonly values: readonly string[] }
  | { readonly key: string; readonly operator: 'Exists' | 'DoesNotExist' };

export interface LabelSelector {
  readonly requirements: readonly Requirement[];
}

export const everything: LabelSelector = { requirements: [] };

export const REQUIREMENTS_MAX = 256;
export const REQUIREMENT_VALUES_MAX = 256;

/** The object form, for the specs of kinds: `selector: labelSelectorSchema`. */
export const labelSelectorSchema = object({
  matchLabels: optional(map(labelValue(), { keys: qualifiedName(), maxProperties: REQUIREMENTS_MAX })),
  matchExpressions: optional(
    list(
      object({
        key: qualifiedName(),
        operator: string({ enum: ['In', 'NotIn', 'Exists', 'DoesNotExist'] }),
        values: optional(list(labelValue(), { maxItems: REQUIREMENT_VALUES_MAX })),
      }),
      { maxItems: REQUIREMENTS_MAX },
    ),
  ),
});
export type LabelSelectorObject = Infer<typeof labelSelectorSchema>;

export function matchesLabels(selector: LabelSelector, labels: Readonly<Record<string, string>> | undefined): boolean {
  return selector.requirements.every((requirement) => meets(requirement, labels));
}

function meets(requirement: Requirement, labels: Readonly<Record<string, string>> | undefined): boolean {
  const { key, operator } = requirement;
  const value = labels !== undefined && Object.hasOwn(labels, key) ? labels[key] : undefined;
  switch (operator) {
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    case 'In':
      return value !== undefined && requirement.values.includes(value);
    case 'NotIn':
      return value === undefined || !requirement.values.includes(value);
  }
}

/** The string form; the inverse of `parseLabelSelector`. */
export function formatLabelSelector(selector: LabelSelector): string {
  return selector.requirements.map(formatRequirement).join(',');
}

function formatRequirement(requirement: Requirement): string {
  const { key, operator } = requirement;
  switch (operator) {
    case 'Exists':
      return key;
    case 'DoesNotExist':
      return `!${key}`;
    case 'In':
    case 'NotIn': {
      const { values } = requirement;
      if (values.length === 1) return `${key}${operator === 'In' ? '=' : '!='}${values[0]}`;
      return `${key} ${operator === 'In' ? 'in' : 'notin'} (${values.join(',')})`;
    }
  }
}

/** Rules of the object form beyond its schema: which operators take values. Keys and values are checked too. */
export function validateLabelSelector(selector: LabelSelectorObject, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const invalid = (segments: readonly (string | number)[], value: string, reason: string | undefined) => {
    if (reason === undefined) return;
    errors.push({
      path: formatPath(path, segments),
      type: 'Invalid value',
      message: `${JSON.stringify(value)}: ${reason}`,
    });
  };
  for (const [key, value] of Object.entries(selector.matchLabels ?? {})) {
    invalid(['matchLabels'], key, checkQualifiedName(key));
    invalid(['matchLabels', key], value, checkLabelValue(value));
  }
  for (const [index, { key, operator, values = [] }] of (selector.matchExpressions ?? []).entries()) {
    const at = ['matchExpressions', index] as const;
    invalid([...at, 'key'], key, checkQualifiedName(key));
    for (const [position, value] of values.entries())
      invalid([...at, 'values', position], value, checkLabelValue(value));
    const takesValues = operator === 'In' || operator === 'NotIn';
    const valuesPath = formatPath(path, [...at, 'values']);
    if (takesValues && values.length === 0) {
      errors.push({ path: valuesPath, type: 'Required value', message: `must be set when operator is ${operator}` });
    } else if (!takesValues && values.length > 0) {
      errors.push({ path: valuesPath, type: 'Forbidden', message: `may not be set when operator is ${operator}` });
    }
  }
  return errors;
}

/** Converts the object form. Throws BadRequest if it is invalid. */
export function labelSelectorOf(selector: LabelSelectorObject): LabelSelector {
  const errors = validateLabelSelector(selector, '');
  if (errors.length > 0) {
    throw new ApiError('BadRequest', { reason: `label selector: ${errors.map(formatFieldError).join('; ')}` });
  }
  const requirements: Requirement[] = Object.entries(selector.matchLabels ?? {}).map(([key, value]) => ({
    key,
    operator: 'In',
    values: [value],
  }));
  for (const { key, operator, values = [] } of selector.matchExpressions ?? []) {
    requirements.push(operator === 'In' || operator === 'NotIn' ? { key, operator, values } : { key, operator });
  }
  return { requirements };
}
