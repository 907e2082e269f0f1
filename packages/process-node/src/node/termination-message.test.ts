import { afterEach, describe, expect, it } from 'vitest';
import { cleanUp, pod, startNode } from './node.kit.ts';

afterEach(cleanUp);

async function messageOf(container: Parameters<typeof pod>[0]) {
  const test = await startNode();
  await test.pods.create(pod(container, { restartPolicy: 'Never' }));
  await expect.poll(async () => (await test.container('web'))?.state?.terminated).toBeDefined();
  return (await test.container('web'))?.state?.terminated;
}

describe('the termination message of a container', () => {
  it('is what it has written into its file', async () => {
    const args = ['append', '/dev/termination-log', 'all done'];
    expect(await messageOf({ args })).toMatchObject({ exitCode: 0, reason: 'Completed', message: 'all done' });
  });

  it('may be in another file, that a variable names', async () => {
    const env = [{ name: 'FILE', value: '/run/answer' }];
    const args = ['append', '$(FILE)', 'x'.repeat(5_000)];
    const ended = await messageOf({ args, env, terminationMessagePath: '/run/answer' });
    expect(ended?.message).toBe('x'.repeat(4_096));
  });

  it('is the end of its log if it fails without one, and that is asked for', async () => {
    const args = ['complain', 'a long story', 'no space left'];
    const ended = await messageOf({ args, terminationMessagePolicy: 'FallbackToLogsOnError' });
    expect(ended).toMatchObject({ exitCode: 1, message: 'a long story\nno space left' });
    expect((await messageOf({ args }))?.message).toBeUndefined();
  });
});
