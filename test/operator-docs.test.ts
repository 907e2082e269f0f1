/** Goal and method as in docs.test.ts, for the documents of the operator. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { MetricRegistry, schema } from '@ecsm/runtime';
import { describe, expect, it } from 'vitest';
import type { Program } from '../packages/command-line/src/command/command.ts';
import { flagMeaningOf, flagsOf, flagUsageOf } from '../packages/command-line/src/command/usage.ts';
import { ECSMService } from '../packages/ecsm-operator/src/apis/ecsm-service.ts';
import { hpaMetrics } from '../packages/ecsm-operator/src/controller/autoscaler/autoscaler.ts';
import { measureLink, measureObservation, measureRegistry } from '../packages/ecsm-operator/src/controller/metrics.ts';
import { measureServices } from '../packages/ecsm-operator/src/controller/service-metrics.ts';
import { fleetService } from '../packages/ecsm-operator/src/fleet/fleet.kit.ts';
import { apiserver } from '../packages/ecsm-operator/src/program/apiserver-program.ts';
import { program } from '../packages/ecsm-operator/src/program/program.ts';
import { reasons } from '../packages/ecsm-operator/src/service/reasons.ts';
import { defaultPlanSettings } from '../packages/ecsm-operator/src/service/settings.ts';
import { blocksOf, readDocument, root, tableBelow } from './documents.kit.ts';
import { fieldRows, metricRows } from './tables.kit.ts';

const flags = flagsOf(program, []);
const optionRows = (of: Program) =>
  flagsOf(of, []).map((flag) => [flagUsageOf(flag), flag.variable ?? '', flag.key ?? '', flagMeaningOf(flag)]);
const everyReason = Object.entries(reasons).map(([reason, { in: places, sentence }]) => ({
  reason,
  conditions: places.filter((place) => place !== 'event'),
  isEvent: places.some((place) => place === 'event'),
  sentence,
}));
const hasNoGap = (rows: readonly string[][]) => rows.every((row) => row.at(-1) !== '');

describe('docs/ecsmservice.md', () => {
  const page = readDocument('docs/ecsmservice.md');

  it('lists exactly the fields of the spec with type, default and meaning', () => {
    const tables = ['### Placement and updates', '### Template', '### Platform specifics'];
    expect(tables.flatMap((heading) => tableBelow(page, heading))).toEqual(fieldRows(ECSMService.spec, 'spec'));
  });

  it('lists exactly the fields of the status with type and meaning', () => {
    const rows = fieldRows(ECSMService.status ?? schema.object({}), 'status').map(([path, type, , meaning]) => [
      path,
      type,
      meaning,
    ]);
    expect(tableBelow(page, '### Status')).toEqual(rows);
  });

  it('lists every column of its tables', () => {
    for (const { name } of ECSMService.columns) expect(page).toMatch(new RegExp(`\\b${name}\\b`));
  });

  it('lists every condition', () => {
    const types = new Set(everyReason.flatMap(({ conditions }) => conditions));
    expect(tableBelow(page, '## Conditions').map(([type]) => type)).toEqual([...types]);
  });

  it('lists exactly the reasons of conditions with meaning and remedy', () => {
    const found = tableBelow(page, '### Reasons');
    const rows = everyReason
      .filter(({ conditions }) => conditions.length > 0)
      .map(({ reason, conditions, sentence }) => [reason, conditions.join(', '), sentence]);
    expect(found.map((row) => row.slice(0, 3))).toEqual(rows);
    expect(hasNoGap(found)).toBe(true);
  });

  it('lists exactly the reasons of events with their types', () => {
    const found = tableBelow(page, '### Events');
    expect(found.map(([reason]) => reason)).toEqual(
      everyReason.filter(({ isEvent }) => isEvent).map(({ reason }) => reason),
    );
    expect(found.filter(([, type = '']) => !['Normal', 'Warning'].includes(type))).toEqual([]);
    expect(hasNoGap(found)).toBe(true);
  });

  it('lists every time setting of decisions with its default', () => {
    const rows = Object.entries(defaultPlanSettings).map(([name, value]) => [name, String(value)]);
    expect(tableBelow(page, '### Times').map((row) => row.slice(0, 2))).toEqual(rows);
  });
});

describe('docs/api.md', () => {
  it('lists exactly the options of ecsm-apiserver with their help', () => {
    expect(tableBelow(readDocument('docs/api.md'), '## Without an operator')).toEqual(optionRows(apiserver));
  });
});

describe('docs/operations.md', () => {
  const page = readDocument('docs/operations.md');
  const unit = readFileSync(join(root, 'examples', 'systemd', 'ecsm-operator.service'), 'utf8');

  it('lists exactly the options of the program with their help', () => {
    expect(tableBelow(page, '## Options')).toEqual(optionRows(program));
  });

  it('lists exactly the metrics of the operator with their types and labels', () => {
    const metrics = new MetricRegistry();
    const count = measureLink(metrics, { state: 'reachable', inFlight: 0, window: 4 });
    count({ endpoint: 'GET /node', outcome: 'ok', bytesUp: 1, bytesDown: 1, durationMs: 1 });
    const pace = { intervalMs: 1, pollBytes: 1, auditMs: 1 };
    measureObservation(metrics, { poller: { pace }, owners: { unverifiedCount: 0 } }, 1);
    measureRegistry(metrics, undefined);
    measureServices(
      metrics,
      { get: () => fleetService('a'), onChange: (listener) => listener(undefined, fleetService('a')) },
      () => true,
    );
    const autoscaling = hpaMetrics(metrics);
    autoscaling.rescaled(1);
    autoscaling.failed([{ type: 'Warning', reason: 'FailedGetResourceMetric', message: '' }]);
    const found = tableBelow(page, '## Metrics');
    expect(found.map((row) => row.slice(0, 3)).sort()).toEqual(metricRows(metrics).sort());
    expect(hasNoGap(found)).toBe(true);
  });

  it('installs only files that exist', () => {
    const steps = [...page.matchAll(/^install .* (\S+) \/\S+$/gm)].map(([, file = '']) => file);
    expect(steps.length).toBeGreaterThan(1);
    expect(steps.filter((file) => !existsSync(join(root, file)))).toEqual([]);
  });

  it('shows the systemd unit unchanged', () => {
    expect(blocksOf(page).find(({ language }) => language === 'ini')?.text).toBe(unit);
  });

  it('gives advice only for existing reasons', () => {
    const rows = tableBelow(page, '## Troubleshooting');
    const named = rows.flatMap(([seen = '']) => /^[A-Z]\w+/.exec(seen)?.[0] ?? []);
    expect(named.length).toBeGreaterThan(10);
    expect(named.filter((reason) => !Object.hasOwn(reasons, reason))).toEqual([]);
    expect(hasNoGap(rows)).toBe(true);
  });

  it('names only options that exist', () => {
    const prose = page.replace(/^```.*?^```$/gms, '');
    const named = [...prose.matchAll(/`(?:[^`]* )?--([a-z-]+)/g)].map(([, name]) => name);
    const known = flags.map(({ name }) => name);
    expect(named.length).toBeGreaterThan(flags.length);
    expect(named.filter((name = '') => !known.includes(name))).toEqual([]);
  });
});

describe('examples/systemd/ecsm-operator.service', () => {
  const unit = readFileSync(join(root, 'examples', 'systemd', 'ecsm-operator.service'), 'utf8');
  const valuesOf = (key: string) =>
    [...unit.matchAll(new RegExp(`^${key}=(.*)$`, 'gm'))].map(([, value = '']) => value);

  it('starts the bundle with options that exist', () => {
    const [command = ''] = valuesOf('ExecStart');
    const [, options = ''] = command.split('ecsm-operator.mjs');
    const named = [...options.matchAll(/--([a-z-]+)/g)].map(([, name]) => name);
    expect(named.length).toBeGreaterThan(0);
    expect(named.filter((name) => !flags.some((flag) => flag.name === name))).toEqual([]);
  });

  it('sets only known variables', () => {
    const malloc = ['MALLOC_ARENA_MAX', 'MALLOC_MMAP_THRESHOLD_', 'MALLOC_TRIM_THRESHOLD_'];
    const variables = ['ECSM_HOME', ...malloc, ...flags.flatMap(({ variable }) => variable ?? [])];
    const named = valuesOf('Environment').map((assignment) => assignment.split('=')[0] ?? '');
    expect(named.filter((name) => !variables.includes(name))).toEqual([]);
    for (const [, name = ''] of unit.matchAll(/\b(ECSM_\w+)/g)) expect(variables).toContain(name);
  });

  it('allows calls in flight to finish', () => {
    expect(Number(valuesOf('TimeoutStopSec')[0])).toBeGreaterThan(30);
  });
});
