import { describe, expect, it } from 'vitest';
import { statusOf } from '../response/status.ts';
import { deleteOptionsOf, listOptionsOf, writeOptionsOf } from './options.ts';

const query = (text: string) => new URLSearchParams(text);

function failureOf(action: () => unknown): string {
  try {
    action();
  } catch (error) {
    const { code, body } = statusOf(error, { group: 'ecsm.sh', resource: 'ecsmservices' });
    return `${code} ${body.reason}: ${body.message}`;
  }
  return 'none';
}

describe('listOptionsOf', () => {
  it('has defaults', () => {
    expect(listOptionsOf(query(''))).toEqual({ allowWatchBookmarks: false, sendInitialEvents: undefined });
  });

  it('reads every option of a list', () => {
    const text =
      'labelSelector=a%3Db&fieldSelector=metadata.name%3Dx&limit=500&continue=abc&resourceVersion=7&timeoutSeconds=30&pretty=true';
    expect(listOptionsOf(query(text))).toEqual({
      labelSelector: 'a=b',
      fieldSelector: 'metadata.name=x',
      limit: 500,
      continue: 'abc',
      resourceVersion: '7',
      timeoutSeconds: 30,
      allowWatchBookmarks: false,
      sendInitialEvents: undefined,
    });
  });

  it('reads the options of a streaming list', () => {
    const text =
      'watch=1&allowWatchBookmarks=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&resourceVersion=';
    expect(listOptionsOf(query(text))).toEqual({
      allowWatchBookmarks: true,
      sendInitialEvents: true,
      resourceVersionMatch: 'NotOlderThan',
    });
  });

  it.each(['limit=0', 'limit=-1', 'timeoutSeconds=0', 'labelSelector='])('treats %s as absent', (text) => {
    expect(listOptionsOf(query(text))).toEqual(listOptionsOf(query('')));
  });

  it.each([
    ['limit=x', '400 BadRequest: limit: parsing "x": invalid syntax'],
    ['limit=', '400 BadRequest: limit: parsing "": invalid syntax'],
    ['limit=1e3', '400 BadRequest: limit: parsing "1e3": invalid syntax'],
    ['timeoutSeconds=99999999999999999999', /^400 BadRequest/],
    [
      'resourceVersionMatch=Exact',
      '422 Invalid: ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided',
    ],
    [
      'resourceVersionMatch=Exact&resourceVersion=0',
      /resourceVersionMatch "exact" is forbidden for resourceVersion "0"/,
    ],
    ['resourceVersionMatch=Exact&resourceVersion=5&continue=x', /forbidden when continue is provided/],
    [
      'resourceVersionMatch=Older&resourceVersion=5',
      /Unsupported value: "Older": supported values: "Exact", "NotOlderThan", ""$/,
    ],
    ['resourceVersionMatch=Older', /^422 Invalid: ListOptions.meta.k8s.io "" is invalid: \[.*, .*\]$/],
    ['sendInitialEvents=true', /sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list/],
    ['sendInitialEvents=false', /sendInitialEvents is forbidden for list/],
    ['watch=1&sendInitialEvents=true', /sendInitialEvents requires setting resourceVersionMatch to NotOlderThan/],
    ['watch=1&sendInitialEvents=true&resourceVersionMatch=Exact', /supported values: "NotOlderThan"/],
    ['watch=1&resourceVersionMatch=NotOlderThan', /forbidden for watch unless sendInitialEvents is provided/],
    [
      'watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&continue=x',
      /resourceVersionMatch is forbidden when continue is provided/,
    ],
  ])('rejects %s', (text, message) => {
    expect(failureOf(() => listOptionsOf(query(text)))).toEqual(
      typeof message === 'string' ? message : expect.stringMatching(message),
    );
  });
});

describe('writeOptionsOf', () => {
  it('has defaults', () => {
    expect(writeOptionsOf(query(''))).toEqual({ dryRun: false, fieldValidation: 'Warn', force: false, pretty: false });
  });

  it('reads every option of an apply', () => {
    const text = 'dryRun=All&fieldManager=kubectl&fieldValidation=Strict&force=true&pretty=true';
    expect(writeOptionsOf(query(text), 'apply')).toEqual({
      dryRun: true,
      fieldManager: 'kubectl',
      fieldValidation: 'Strict',
      force: true,
      pretty: true,
    });
  });

  it('ignores force in an update', () => {
    expect(writeOptionsOf(query('force=true'), 'update').force).toBe(false);
  });

  it('accepts any printable manager of 128 bytes', () => {
    expect(writeOptionsOf(query(`fieldManager=${'ä'.repeat(64)}`)).fieldManager).toHaveLength(64);
  });

  it.each([
    [
      'dryRun=Some',
      'create',
      '422 Invalid: CreateOptions.meta.k8s.io "" is invalid: dryRun: Unsupported value: ["Some"]: supported values: "All"',
    ],
    ['dryRun=', 'update', /^422 Invalid: UpdateOptions.meta.k8s.io .*dryRun: Unsupported value/],
    ['dryRun=All&dryRun=x', 'patch', /^422 Invalid: PatchOptions.meta.k8s.io .*dryRun: Unsupported value/],
    ['fieldValidation=strict', 'update', /fieldValidation: Unsupported value: "strict"/],
    [`fieldManager=${'ä'.repeat(65)}`, 'update', /fieldManager: Too long: may not be more than 128 bytes/],
    ['fieldManager=a%07b', 'update', /invalid character U\+0007 \(at position 1\)/],
    ['', 'apply', /fieldManager: Required value: is required for apply patch/],
    ['force=true', 'patch', /force: Forbidden: may not be specified for non-apply patch/],
  ] as const)('rejects %s of %s', (text, operation, message) => {
    expect(failureOf(() => writeOptionsOf(query(text), operation))).toEqual(
      typeof message === 'string' ? message : expect.stringMatching(message),
    );
  });
});

describe('deleteOptionsOf', () => {
  it('has defaults', () => {
    expect(deleteOptionsOf(query(''), undefined)).toEqual({ dryRun: false });
  });

  it('reads the query', () => {
    const text = 'dryRun=All&propagationPolicy=Orphan&gracePeriodSeconds=0';
    expect(deleteOptionsOf(query(text), undefined)).toEqual({
      dryRun: true,
      propagationPolicy: 'Orphan',
      gracePeriodSeconds: 0,
    });
  });

  it('reads the body that kubectl sends for a dry run', () => {
    const body = { kind: 'DeleteOptions', apiVersion: 'v1', propagationPolicy: 'Background', dryRun: ['All'] };
    expect(deleteOptionsOf(query(''), body)).toEqual({ dryRun: true, propagationPolicy: 'Background' });
  });

  it('reads preconditions', () => {
    const body = { preconditions: { uid: 'u', resourceVersion: '5' }, gracePeriodSeconds: null };
    expect(deleteOptionsOf(query(''), body)).toEqual({
      dryRun: false,
      preconditions: { uid: 'u', resourceVersion: '5' },
    });
  });

  it('is a dry run if either the query or the body says so', () => {
    expect(deleteOptionsOf(query('dryRun=All'), {}).dryRun).toBe(true);
    expect(deleteOptionsOf(query(''), { dryRun: ['All'] }).dryRun).toBe(true);
  });

  it('understands orphanDependents', () => {
    expect(deleteOptionsOf(query(''), { orphanDependents: true }).propagationPolicy).toBe('Orphan');
    expect(deleteOptionsOf(query('orphanDependents=false'), undefined).propagationPolicy).toBe('Background');
  });

  it.each([
    [{ dryRun: ['Some'] }, /^422 Invalid: DeleteOptions.meta.k8s.io .*dryRun: Unsupported value: \["Some"\]/],
    [{ propagationPolicy: 'Later' }, /propagationPolicy: Unsupported value: "Later"/],
    [{ propagationPolicy: 'Orphan', orphanDependents: true }, /cannot be both set/],
    [{ dryRun: 'All' }, '400 BadRequest: DeleteOptions.dryRun: must be a list'],
    [{ preconditions: { uid: 5 } }, '400 BadRequest: DeleteOptions.preconditions.uid: must be a string'],
    [{ gracePeriodSeconds: 0.5 }, /must be an integer/],
    [[], '400 BadRequest: DeleteOptions: must be an object'],
    [{ kind: 'Pod' }, '400 BadRequest: expected the kind DeleteOptions in the body, found "Pod"'],
  ])('rejects %j', (body, message) => {
    expect(failureOf(() => deleteOptionsOf(query(''), body))).toEqual(
      typeof message === 'string' ? message : expect.stringMatching(message),
    );
  });

  it('rejects a number that does not parse', () => {
    expect(failureOf(() => deleteOptionsOf(query('gracePeriodSeconds=soon'), undefined))).toMatch(/^400/);
  });
});
