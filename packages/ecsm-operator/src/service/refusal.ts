/** What the platform refused, explained, with its code and text. */
import type { PlatformResponse } from '@ecsm/client';
import type { ServiceStatus } from '../apis/ecsm-service.ts';
import { explanationOf, withReadableSizes } from '../resource/platform-text.ts';
import type { PlanInput } from './model.ts';

export type Refusal = NonNullable<ServiceStatus['refusal']>;

export type PlatformAnswer = Pick<PlatformResponse, 'message' | 'code' | 'httpStatus' | 'fieldErrors'>;

/** `the image does not exist: "镜像ID不存在: radar@9#sylixos" (code 34004)`. Without a known meaning: the text and code alone. */
export function answerText(answer: PlatformAnswer): string {
  const { message, code, httpStatus, fieldErrors } = answer;
  const quoted = message === '' ? 'no reason given' : `"${withReadableSizes(message)}"`;
  const fields = fieldErrors === null || fieldErrors === '' ? '' : `; fields: ${JSON.stringify(fieldErrors)}`;
  const original = `${quoted} (${code === undefined ? `HTTP ${httpStatus}` : `code ${code}`})${fields}`;
  const meaning = explanationOf(message, code);
  if (meaning === undefined) return original;
  const { english, chinese } = meaning;
  return `${english}${message.includes(chinese) ? '' : ` (${chinese})`}: ${original}`;
}

/**
 * The refusal in the status, as long as it stands: the spec is the same, and what was refused is still to be done. It is
 * kept between the attempts, so that the condition names it until the platform accepts a call.
 */
export function standingRefusal({ service }: Pick<PlanInput, 'service'>, hasWork: boolean): Refusal | undefined {
  const refusal = service.status?.refusal;
  return hasWork && refusal?.observedGeneration === service.metadata.generation ? refusal : undefined;
}
