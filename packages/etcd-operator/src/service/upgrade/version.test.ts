import { describe, expect, it } from 'vitest';
import { upgradeProblem } from './version.ts';

describe('an upgrade', () => {
  it.each([
    ['3.4.30', '3.5.21', undefined],
    ['3.5.21', '3.5.22', undefined],
    ['3.5.26', '3.6.0', undefined],
    ['3.6.0-rc.1', '3.6.0', undefined],
    ['3.5.25', '3.6.0', '3.5.25 has to be upgraded to 3.5.26 or later before 3.6'],
    ['3.4.30', '3.6.0', '3.4.30 has to be upgraded to 3.5 before 3.6.0: one minor version at a time'],
    ['3.5.22', '3.5.21', '3.5.22 cannot be downgraded to 3.5.21'],
    ['3.6.0', '3.5.30', '3.6.0 cannot be downgraded to 3.5.30'],
    ['2.3.8', '3.4.0', 'changes the major version'],
    ['3.6.4', '3.7.0', 'the rules of an upgrade to 3.7 are not known'],
    ['3.2.1', '3.3.0', 'the rules of an upgrade to 3.3 are not known'],
    ['unknown', '3.5.21', 'a member reports a version that is not understood'],
    ['3.5.21', 'newest', 'newest is not a version'],
  ])('from %s to %s: %s', (from, to, problem) => {
    const found = upgradeProblem([from], to, false);
    if (problem === undefined) expect(found).toBeUndefined();
    else expect(found).toEqual({ reason: 'UpgradeBlocked', message: expect.stringContaining(problem) });
  });

  it('has to be allowed for every member', () => {
    expect(upgradeProblem(['3.5.26', '3.5.25'], '3.6.0', false)?.message).toContain('3.5.25');
    expect(upgradeProblem([], '3.6.0', false)).toBeUndefined();
  });

  it('to an unknown minor version is possible if the spec allows it, by one minor version', () => {
    expect(upgradeProblem(['3.6.4'], '3.7.0', true)).toBeUndefined();
    expect(upgradeProblem(['3.6.4'], '3.8.0', true)?.message).toContain('one minor version at a time');
  });
});
