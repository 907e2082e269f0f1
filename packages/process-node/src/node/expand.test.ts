import { describe, expect, it } from 'vitest';
import { expand } from './expand.ts';

const variables = new Map([
  ['POD_NAME', 'main-0'],
  ['EMPTY', ''],
]);

describe('expand', () => {
  it('replaces references to known variables', () => {
    expect(expand('--config-file=/etc/$(POD_NAME).yaml$(EMPTY)', variables)).toBe('--config-file=/etc/main-0.yaml');
  });

  it('leaves references to unknown variables, and escaped ones', () => {
    expect(expand('$(OTHER) $$(POD_NAME) $POD_NAME', variables)).toBe('$(OTHER) $(POD_NAME) $POD_NAME');
  });
});
