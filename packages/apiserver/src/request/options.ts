/** The options of the verbs, from the query and, for deletions, from the body. */
import { ApiError, isPlainObject, type PropagationPolicy } from '@ecsm/runtime';
import {
  dryRunErrors,
  fieldManagerErrors,
  fieldValidations,
  listErrors,
  propagationErrors,
  watchErrors,
} from './option-errors.ts';
import { flag, forbidden, integer, isPretty, notSupported, optionalFlag, rejectInvalid, text } from './query.ts';

interface ListOptions {
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** At least 1. Default: no limit. */
  readonly limit?: number;
  readonly continue?: string;
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: 'Exact' | 'NotOlderThan';
  /** At least 1. Default: the server decides. */
  readonly timeoutSeconds?: number;
  readonly allowWatchBookmarks: boolean;
  /** Undefined if the client did not set it. */
  readonly sendInitialEvents: boolean | undefined;
}

/** Throws BadRequest for a number that does not parse, and Invalid for options that contradict each other. */
export function listOptionsOf(query: URLSearchParams): ListOptions {
  const match = text(query, 'resourceVersionMatch');
  const texts = {
    ...optional('labelSelector', text(query, 'labelSelector')),
    ...optional('fieldSelector', text(query, 'fieldSelector')),
    ...optional('continue', text(query, 'continue')),
    ...optional('resourceVersion', text(query, 'resourceVersion')),
  };
  const sendInitialEvents = optionalFlag(query, 'sendInitialEvents');
  const check = flag(query, 'watch') ? watchErrors : listErrors;
  rejectInvalid('ListOptions', check({ ...texts, sendInitialEvents }, match));
  return {
    ...texts,
    ...optional('limit', positive(integer(query, 'limit'))),
    ...(match === 'Exact' || match === 'NotOlderThan' ? { resourceVersionMatch: match } : {}),
    ...optional('timeoutSeconds', positive(integer(query, 'timeoutSeconds'))),
    allowWatchBookmarks: flag(query, 'allowWatchBookmarks'),
    sendInitialEvents,
  };
}

/** Kubernetes treats 0 and negative numbers as absent. */
function positive(value: number | undefined): number | undefined {
  return value !== undefined && value > 0 ? value : undefined;
}

function optional<Name extends string, Value>(
  name: Name,
  value: Value | undefined,
): { readonly [Key in Name]?: Value } {
  const result: { [Key in Name]?: Value } = {};
  if (value !== undefined) result[name] = value;
  return result;
}

type FieldValidation = 'Strict' | 'Warn' | 'Ignore';

interface WriteOptions {
  readonly dryRun: boolean;
  readonly fieldManager?: string;
  /** What happens with unknown and duplicate fields. */
  readonly fieldValidation: FieldValidation;
  /** Only for apply: take over fields that other managers own. */
  readonly force: boolean;
  readonly pretty: boolean;
}

/** `apply` is a patch with server-side apply. */
type WriteOperation = 'create' | 'update' | 'patch' | 'apply';

const optionKinds = { create: 'CreateOptions', update: 'UpdateOptions', patch: 'PatchOptions', apply: 'PatchOptions' };

const defaultOptions: WriteOptions = { dryRun: false, fieldValidation: 'Warn', force: false, pretty: false };

/** Throws Invalid. */
export function writeOptionsOf(query: URLSearchParams, operation: WriteOperation = 'update'): WriteOptions {
  if (query.size === 0 && operation !== 'apply') return defaultOptions;
  const fieldManager = text(query, 'fieldManager');
  const validation = text(query, 'fieldValidation') ?? 'Warn';
  const force = optionalFlag(query, 'force');
  const dryRun = query.getAll('dryRun');
  const isKnown = validation === 'Strict' || validation === 'Warn' || validation === 'Ignore';
  rejectInvalid(optionKinds[operation], [
    ...(operation === 'patch' && force !== undefined
      ? [forbidden('force', 'may not be specified for non-apply patch')]
      : []),
    ...fieldManagerErrors(fieldManager, operation === 'apply'),
    ...dryRunErrors(dryRun),
    ...(isKnown ? [] : [notSupported('fieldValidation', validation, fieldValidations)]),
  ]);
  return {
    dryRun: dryRun.length > 0,
    ...optional('fieldManager', fieldManager),
    fieldValidation: isKnown ? validation : 'Warn',
    force: operation === 'apply' && force === true,
    pretty: isPretty(query),
  };
}

export interface DeleteOptions {
  readonly dryRun: boolean;
  /** That of `orphanDependents`, if the client set only this older form. */
  readonly propagationPolicy?: PropagationPolicy;
  readonly orphanDependents?: boolean;
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
  readonly gracePeriodSeconds?: number;
}

/**
 * `body` is a parsed `DeleteOptions`, or undefined. Kubernetes ignores the query if there is a body. Here a field that
 * the body leaves out is taken from the query, so that a dry run is never executed by mistake. Throws BadRequest for a
 * field of the wrong type, and Invalid.
 */
export function deleteOptionsOf(query: URLSearchParams, body: unknown): DeleteOptions {
  const fields = deleteFields(body);
  const dryRun = [...(fields.list('dryRun') ?? []), ...query.getAll('dryRun')];
  const policy = fields.string('propagationPolicy') ?? text(query, 'propagationPolicy');
  const orphan = fields.boolean('orphanDependents') ?? optionalFlag(query, 'orphanDependents');
  rejectInvalid('DeleteOptions', [...propagationErrors(policy, orphan), ...dryRunErrors(dryRun)]);
  const preconditions = fields.object('preconditions');
  const uid = preconditions?.string('uid');
  const resourceVersion = preconditions?.string('resourceVersion');
  const propagationPolicy =
    policy === 'Foreground' || policy === 'Background' || policy === 'Orphan' ? policy : orphanPolicy(orphan);
  return {
    dryRun: dryRun.length > 0,
    ...optional('propagationPolicy', propagationPolicy),
    ...optional('orphanDependents', orphan),
    ...(preconditions && {
      preconditions: { ...optional('uid', uid), ...optional('resourceVersion', resourceVersion) },
    }),
    ...optional('gracePeriodSeconds', fields.integer('gracePeriodSeconds') ?? integer(query, 'gracePeriodSeconds')),
  };
}

/** The older form of the propagation policy. */
function orphanPolicy(orphanDependents: boolean | undefined): PropagationPolicy | undefined {
  if (orphanDependents === undefined) return undefined;
  return orphanDependents ? 'Orphan' : 'Background';
}

function deleteFields(body: unknown): BodyFields {
  const fields = new BodyFields('DeleteOptions', body ?? {});
  const kind = fields.string('kind');
  if (kind !== undefined && kind !== 'DeleteOptions') {
    throw new ApiError('BadRequest', { reason: `expected the kind DeleteOptions in the body, found "${kind}"` });
  }
  return fields;
}

/** Reads fields of a body; null is absent. Throws BadRequest for a value of the wrong type. */
class BodyFields {
  readonly #where: string;
  readonly #value: Readonly<Record<string, unknown>>;

  constructor(where: string, value: unknown) {
    if (!isPlainObject(value)) throw new ApiError('BadRequest', { reason: `${where}: must be an object` });
    this.#where = where;
    this.#value = value;
  }

  string(name: string): string | undefined {
    return this.#read(name, 'a string', (value) => typeof value === 'string');
  }

  boolean(name: string): boolean | undefined {
    return this.#read(name, 'a boolean', (value) => typeof value === 'boolean');
  }

  integer(name: string): number | undefined {
    return this.#read(name, 'an integer', (value): value is number => Number.isSafeInteger(value));
  }

  list(name: string): readonly unknown[] | undefined {
    return this.#read(name, 'a list', (value) => Array.isArray(value));
  }

  object(name: string): BodyFields | undefined {
    const value = this.#read(name, 'an object', isPlainObject);
    return value === undefined ? undefined : new BodyFields(`${this.#where}.${name}`, value);
  }

  #read<Value>(name: string, expected: string, is: (value: unknown) => value is Value): Value | undefined {
    const value = Object.hasOwn(this.#value, name) ? this.#value[name] : undefined;
    if (value === undefined || value === null) return undefined;
    if (!is(value)) throw new ApiError('BadRequest', { reason: `${this.#where}.${name}: must be ${expected}` });
    return value;
  }
}
