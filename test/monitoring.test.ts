/** The example dashboard and alert rules name only metrics that the operator has. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { EmbeddedRegistry, MemoryStore, MetricRegistry, systemClock } from '@ecsm/runtime';
import { SeededRandom } from '@ecsm/runtime/simulation';
import { Simulator } from '@ecsm/simulator';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { operatorKinds } from '../packages/ecsm-operator/src/apis/kinds.ts';
import { measureRegistry } from '../packages/ecsm-operator/src/controller/metrics.ts';
import { Operator } from '../packages/ecsm-operator/src/controller/operator.ts';
import { root } from './documents.kit.ts';

const read = (name: string) => readFileSync(join(root, 'examples/monitoring', name), 'utf8');

/** The names that an operator exposes. */
function exposed(): ReadonlySet<string> {
  const metrics = new MetricRegistry();
  const registry = new EmbeddedRegistry({ store: new MemoryStore(), kinds: operatorKinds });
  const simulator = new Simulator({ clock: systemClock, random: new SeededRandom(1), nodes: 1 });
  new Operator({ registry, transport: simulator.transport(), metrics });
  measureRegistry(metrics, undefined);
  return new Set([...metrics.render().matchAll(/^# TYPE (\S+)/gm)].map(([, name = '']) => name));
}

/** Every string below a key of this name. */
function stringsAt(value: unknown, wanted: string): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, field]) =>
    key === wanted && typeof field === 'string' ? [field] : stringsAt(field, wanted),
  );
}

const named = (expressions: readonly string[]) =>
  expressions.flatMap((text) =>
    [...text.matchAll(/\b(?:ecsm|controller|workqueue|leader|event)_\w+/g)].map(([name]) => name),
  );

describe('examples/monitoring', () => {
  it.each([
    ['alerts.yaml', () => stringsAt(parse(read('alerts.yaml')), 'expr')],
    [
      'dashboard.json',
      () => [
        ...stringsAt(JSON.parse(read('dashboard.json')), 'expr'),
        ...stringsAt(JSON.parse(read('dashboard.json')), 'query'),
      ],
    ],
  ])('%s names only metrics that exist', (_, expressions) => {
    const names = named(expressions());
    const known = exposed();
    expect(names.length).toBeGreaterThan(5);
    expect(names.filter((name) => !known.has(name))).toEqual([]);
  });

  it('has an alert for each problem, with a summary', () => {
    const { groups } = parse(read('alerts.yaml'));
    for (const { alert, expr, annotations } of groups[0].rules) {
      expect([alert, expr, annotations.summary].every((text) => typeof text === 'string' && text !== '')).toBe(true);
    }
  });
});
