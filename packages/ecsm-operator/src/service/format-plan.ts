/** Formats a plan as text. Payloads are only summarised, so the text contains no secrets. */
import type { Plan, Step } from './model.ts';

export function formatPlan(plan: Plan): string {
  const { steps, conditions, status, requeueAfterMs } = plan;
  const lines =
    steps.length === 0 ? ['nothing to do'] : steps.map((step, index) => `${index + 1}. ${formatStep(step)}`);
  const counts = `${status.replicas} existing, ${status.readyReplicas} ready, ${status.updatedReplicas} up to date`;
  return [
    ...lines,
    `instances: ${counts}`,
    ...conditions.map(({ type, status: is, reason, message }) => `${type}=${is} (${reason}): ${message}`),
    ...(requeueAfterMs === undefined ? [] : [`requeue after ${requeueAfterMs / 1000} s`]),
    '',
  ].join('\n');
}

function formatStep(step: Step): string {
  switch (step.do) {
    case 'create':
    case 'update': {
      const { name, image, node, policy, factor } = step.body;
      const size = policy === 'dynamic' ? `${factor ?? 0} among` : 'one on each of';
      const orElse = step.do === 'update' && step.ifRefused !== undefined ? ', or delete it if rejected' : '';
      return `${step.do} ${name}: ${image.ref}, ${size} ${node.names.join(', ')}${orElse}\n   ${step.why}`;
    }
    case 'startInstance':
      return `start instance ${step.instance}\n   ${step.why}`;
    case 'unpauseInstance':
      return `unpause instance ${step.instance}\n   ${step.why}`;
    case 'delete':
    case 'start':
    case 'unpause':
    case 'redeploy':
      return `${step.do} ${step.name}\n   ${step.why}`;
  }
}
