/** Goal: no process outlives its node, even if the process of the node is killed. Method: the built node in a process. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { cleanUp, image, makeImage, pod, removeLater } from '../src/node/node.kit.ts';

afterEach(cleanUp);

const built = (name: string) => JSON.stringify(new URL(`../../${name}/dist/index.js`, import.meta.url).href);

function isRunning(pid: number): boolean {
  try {
    // A zombie has ended.
    return !/^State:\s+Z/mu.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

it('the processes of a node that was killed end', async () => {
  const images = makeImage();
  const directory = join(images, 'node');
  removeLater(directory);
  const script = join(images, 'node.mjs');
  writeFileSync(
    script,
    `import { EmbeddedRegistry, MemoryStore } from ${built('runtime')};
     import { Pod } from ${built('kubernetes')};
     import { processNodeKinds, startProcessNode } from ${built('process-node')};
     const registry = new EmbeddedRegistry({ store: new MemoryStore(), kinds: processNodeKinds });
     const binaries = (wanted) => (wanted === ${JSON.stringify(image)} ? ${JSON.stringify(images)} : undefined);
     const node = await startProcessNode({ registry, binaries, directory: ${JSON.stringify(directory)} });
     await registry.resource(Pod).create(${JSON.stringify(pod({ args: ['deaf'] }))});
     for (;;) {
       const { status } = await registry.resource(Pod).get('web');
       if (status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True')) break;
       await new Promise((resolve) => setTimeout(resolve, 50));
     }
     console.log(node.pods()[0].containers[0].pid);`,
  );
  const child = spawn(process.execPath, [script], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [output] = await once(child.stdout, 'data');
  const pid = Number(String(output));
  expect(isRunning(pid)).toBe(true);
  child.kill('SIGKILL');
  await expect.poll(() => isRunning(pid)).toBe(false);
  expect(existsSync(join(directory, 'pods'))).toBe(true);
  rmSync(directory, { recursive: true });
});
