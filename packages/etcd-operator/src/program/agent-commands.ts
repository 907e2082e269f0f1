/** `etcd-agent …`: runs the job in the environment, and reports its result to Kubernetes. */
import { type Run, wholeNumberOf } from '@ecsm/command-line';
import { readableLog, systemClock, systemRandom, untilSignal } from '@ecsm/runtime';
import { type AgentContext, secretsDirectory } from '../agent/context.ts';
import { type AgentJob, jobVariable, resultVariable } from '../agent/job.ts';
import { serveProgress } from '../agent/progress.ts';
import { runJob, writeResult } from '../agent/run.ts';
import { connectGrpc } from '../client/etcd/gateway.ts';

const resultFileDefault = '/dev/termination-log';
const portMax = 65_535;

export function runAgent(kind: AgentJob['do']): Run {
  return async ({ flag, origin, terminal: { env, err } }) => {
    const portText = flag('progress-port') ?? 'off';
    const port =
      portText === 'off'
        ? undefined
        : wholeNumberOf(portText, origin('progress-port') ?? '--progress-port', 0, portMax);
    const log = readableLog({ write: (line) => err.write(line), level: 'info', colour: false });
    return untilSignal(
      async (signal) => {
        const context: AgentContext = {
          clock: systemClock,
          random: systemRandom,
          log,
          signal,
          connect: connectGrpc(systemClock),
          secrets: env['AGENT_SECRETS'] ?? secretsDirectory,
          progress: { step: 'starting', bytes: 0, totalBytes: 0 },
        };
        // Where pods are processes of one host, each has an address of its own.
        const host = env['AGENT_HOST'];
        const server = port === undefined ? undefined : await serveProgress(context.progress, port, log, host);
        const result = await runJob(env[jobVariable], kind, context);
        server?.close();
        await writeResult(env[resultVariable] ?? resultFileDefault, result);
        log.write(result.ok ? 'info' : 'error', result.ok ? 'done' : result.message, { job: kind });
        return result.ok ? 0 : 1;
      },
      { log },
    );
  };
}
