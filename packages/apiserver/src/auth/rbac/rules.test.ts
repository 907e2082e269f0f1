import { describe, expect, it } from 'vitest';
import { request, rule, user } from './rbac.kit.ts';
import { ruleAllows } from './rules.ts';

describe('a rule for names', () => {
  const named = rule('get,list,delete', 'pods', '', 'a,b');

  it.each([
    ['get', 'pods=a', true],
    ['delete', 'pods=b', true],
    ['get', 'pods=c', false],
    ['list', 'pods', false],
    ['get', 'pods/log=a', false],
  ])('to %s %s: %s', (verb, what, isAllowed) => {
    expect(ruleAllows(named, request(user('ann'), verb, what))).toBe(isAllowed);
  });
});
