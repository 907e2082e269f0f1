/** What a failed transfer tells people to do. The rest of `restore` is in backup.test.ts. */

import { Failure } from '@ecsm/command-line';
import { ApiError, MemoryStore } from '@ecsm/runtime';
import { describe, expect, it } from 'vitest';
import { explained } from './restore.ts';

describe('a transfer that was refused', () => {
  const told = async (details: { reason: string; remedy?: 'startOver' }) =>
    explained(new ApiError('Forbidden', details), new MemoryStore(), '');

  it('names the flag if the refusal says that starting over helps', async () => {
    const failure = await told({ reason: 'others have written to it', remedy: 'startOver' });
    expect(failure).toBeInstanceOf(Failure);
    expect(failure).toMatchObject({ message: 'others have written to it with --start-over' });
  });

  it('ignores a similar text in the message', async () => {
    expect(await told({ reason: 'the target holds a service "start over"' })).toBeInstanceOf(ApiError);
  });
});
