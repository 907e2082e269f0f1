/**
 * Field selectors: `metadata.name=x,status.phase!=y`, on any scalar field. As in Kubernetes an absent field equals the
 * empty string, and `\` escapes a `,`, `=` or `\` in a value.
 */
import { ApiError } from './errors.ts';
import type { Kind } from './kind.ts';
import { formatPath, type PathSegment, parsePath, scalarText, valueAt } from './path.ts';
import { schemaAt } from './schema/lookup.ts';
import { isSecretPath } from './secrets.ts';

export interface FieldRequirement {
  readonly path: readonly PathSegment[];
  readonly operator: '=' | '!=';
  readonly value: string;
  /** If `path` is a name that the kind defines for selectors: the fields whose first value is compared. */
  readonly fields?: readonly (readonly PathSegment[])[];
}

export interface FieldSelector {
  readonly requirements: readonly FieldRequirement[];
}

export const FIELD_SELECTOR_LENGTH_MAX = 64 * 1024;

/** A list or object at the path equals no string: `=` never selects it, `!=` always does. */
export function matchesFields(selector: FieldSelector, object: unknown): boolean {
  return selector.requirements.every(({ path, operator, value, fields }) => {
    const text = fields ? firstText(object, fields) : scalarText(valueAt(object, path));
    return (text === value) === (operator === '=');
  });
}

function firstText(object: unknown, fields: readonly (readonly PathSegment[])[]): string {
  for (const path of fields) {
    const text = scalarText(valueAt(object, path));
    if (text) return text;
  }
  return '';
}

export function formatFieldSelector(selector: FieldSelector): string {
  return selector.requirements
    .map(({ path, operator, value }) => `${formatPath('', path)}${operator}${value.replace(/[\\,=]/gu, '\\$&')}`)
    .join(',');
}

/** Path, operator and value of one term; a value ends at a comma that has no backslash before it. */
const term = /([^=!,]*)(==|!=|=)?((?:[^\\,=]|\\.)*)/uy;

/**
 * Parses the string form. With a kind, unknown fields are refused too: a selector with a typing mistake would
 * select nothing. Throws BadRequest.
 */
export function parseFieldSelector(text: string, kind?: Pick<Kind, 'schema' | 'selectors'>): FieldSelector {
  if (text.length > FIELD_SELECTOR_LENGTH_MAX) {
    throw new ApiError('BadRequest', {
      reason: `field selector is longer than ${FIELD_SELECTOR_LENGTH_MAX} characters`,
    });
  }
  const requirements: FieldRequirement[] = [];
  let offset = 0;
  const fail = (position: number, reason: string) =>
    new ApiError('BadRequest', { reason: `field selector "${text}": at character ${position + 1}: ${reason}` });
  while (text.trim() !== '') {
    term.lastIndex = offset;
    const [whole = '', field = '', operator, value = ''] = term.exec(text) ?? [];
    const end = offset + whole.length;
    if (operator === undefined) throw fail(offset + field.length, 'expected "=", "==" or "!=" after a field');
    const path = parsePath(field.trim());
    if (path === undefined || path.length === 0)
      throw fail(offset, `"${field.trim()}" is not a field, expected one such as metadata.name`);
    const fields = kind?.selectors.get(field.trim());
    const known = kind && schemaAt(kind.schema, path);
    if (kind && !fields && (known === undefined || ['object', 'list', 'map'].includes(known.type))) {
      throw fail(offset, `there is no single value called "${field.trim()}" to select by`);
    }
    // A selector would tell which value a field has, one guess at a time.
    if (kind && isSecretPath(kind.schema, path))
      throw fail(offset, `"${field.trim()}" is hidden: it cannot be selected by`);
    requirements.push({
      path,
      operator: operator === '!=' ? '!=' : '=',
      value: value.replace(/\\([\\,=])/gu, '$1'),
      ...(fields && { fields }),
    });
    if (end === text.length) break;
    if (text[end] !== ',') throw fail(end, 'expected "," or the end (escape as \\, \\= \\\\ in a value)');
    offset = end + 1;
  }
  return { requirements };
}
