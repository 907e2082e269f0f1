/** Every reason of the tables is used: users read them to write alerts, and one that never occurs misleads. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { conditionReasons, conditionTypes, eventReasons } from './reasons.ts';

const service = fileURLToPath(new URL('../service/', import.meta.url));
const files = readdirSync(service, { recursive: true, encoding: 'utf8' }).filter(
  (name) => /^(?:[a-z]+\/)?[a-z-]+\.ts$/u.test(name) && name !== 'model.ts',
);
const sources = files
  .map((name) => readFileSync(`${service}${name}`, 'utf8'))
  // Phases have some of the same names.
  .map((text) => text.replace(/^export function phaseOf.*?^\}$/msu, ''))
  .join('\n');
const eventCall = /\b(?:normal|warning)\(\s*'(\w+)'/gu;
const others = sources.replace(eventCall, '');
const isNamed = (reason: string) => others.includes(`'${reason}'`);

describe('every reason is used by the service layer', () => {
  it('types of conditions', () => {
    expect(Object.keys(conditionTypes).filter((type) => !isNamed(type))).toEqual([]);
  });

  it('reasons of conditions', () => {
    expect(Object.keys(conditionReasons).filter((reason) => !isNamed(reason))).toEqual([]);
  });

  it('reasons of events', () => {
    const recorded = [...sources.matchAll(eventCall)].map(([, reason]) => reason);
    expect(recorded.length).toBeGreaterThan(10);
    const unused = Object.keys(eventReasons).filter((reason) => !recorded.includes(reason) && !isNamed(reason));
    expect(unused).toEqual([]);
  });
});
