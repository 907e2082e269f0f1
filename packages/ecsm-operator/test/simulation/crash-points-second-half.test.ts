import { it } from 'vitest';
import { timeoutMs } from './extent.kit.ts';
import { simulates } from './simulating.kit.ts';

it('survives a crash before and after every effect of every story: the second half', { timeout: timeoutMs }, () =>
  simulates('points', 1, 2),
);
