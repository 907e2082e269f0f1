/**
 * What the platform refused, in English. The platform answers with a code and a text, often Chinese; both are kept, because
 * its manuals and its support know them. Few codes are known: docs/ecsmservice.md lists them.
 */
import type { PlatformResponse } from '@ecsm/client';
import type { ServiceStatus } from '../apis/ecsm-service.ts';
import type { PlanInput } from './model.ts';

export type Refusal = NonNullable<ServiceStatus['refusal']>;

export type PlatformAnswer = Pick<PlatformResponse, 'message' | 'code' | 'httpStatus' | 'fieldErrors'>;

/** Codes that are known from platforms in use. */
export const knownCodes: ReadonlyMap<number, string> = new Map([[31006, 'a service of that name exists already']]);

/** Texts by their meaning. A text may be followed by details. */
export const knownTexts: ReadonlyMap<string, string> = new Map([
  ['镜像ID不存在', 'the image does not exist'],
  ['镜像与节点操作系统不匹配', 'the operating system of the image is not that of the node'],
  ['服务名称已存在', 'a service of that name exists already'],
  ['服务不存在', 'the service does not exist'],
  ['服务正在删除', 'the service is being deleted'],
  ['节点不存在', 'the node does not exist'],
  ['节点离线', 'the node is offline'],
  ['节点内存不足', 'the node has too little memory'],
  ['节点磁盘空间不足', 'the node has too little disk space'],
  ['请求参数错误', 'a parameter of the request is wrong'],
]);

/** `the image does not exist: "镜像ID不存在: radar@9#sylixos" (code 34004)`. Without a known meaning: the text and code alone. */
export function answerText(answer: PlatformAnswer): string {
  const { message, code, httpStatus, fieldErrors } = answer;
  const quoted = message === '' ? 'no reason given' : `"${message}"`;
  const fields = fieldErrors === null || fieldErrors === '' ? '' : `; fields: ${JSON.stringify(fieldErrors)}`;
  const original = `${quoted} (${code === undefined ? `HTTP ${httpStatus}` : `code ${code}`})${fields}`;
  const meaning = meaningOf(answer);
  return meaning === undefined ? original : `${meaning}: ${original}`;
}

function meaningOf({ message, code }: Pick<PlatformAnswer, 'message' | 'code'>): string | undefined {
  const known = code === undefined ? undefined : knownCodes.get(code);
  if (known !== undefined) return known;
  for (const [text, meaning] of knownTexts) if (message.includes(text)) return meaning;
  return undefined;
}

/**
 * The refusal in the status, as long as it stands: the spec is the same, and what was refused is still to be done. It is
 * kept between the attempts, so that the condition names it until the platform accepts a call.
 */
export function standingRefusal({ service }: PlanInput, hasWork: boolean): Refusal | undefined {
  const refusal = service.status?.refusal;
  return hasWork && refusal?.observedGeneration === service.metadata.generation ? refusal : undefined;
}
