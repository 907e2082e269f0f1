import { describe, expect, it } from 'vitest';
import { answerText, type PlatformAnswer } from './refusal.ts';

const answer = (changes: Partial<PlatformAnswer>): PlatformAnswer => ({
  message: '',
  code: undefined,
  httpStatus: 200,
  fieldErrors: null,
  ...changes,
});

describe('the answer of the platform', () => {
  it.each([
    [
      'a known code',
      { message: '已存在', code: 31006 },
      'a service of that name exists already (服务名称已存在): "已存在" (code 31006)',
    ],
    [
      'a known text with details',
      { message: '镜像ID不存在: radar@9#linux', code: 34004 },
      'the image does not exist: "镜像ID不存在: radar@9#linux" (code 34004)',
    ],
    [
      'sizes',
      { message: '节点磁盘空间不足: 需要 67108864 字节', code: 33012 },
      'the node has too little disk space: "节点磁盘空间不足: 需要 64Mi" (code 33012)',
    ],
    ['an unknown text', { message: '不行', code: 39999 }, '"不行" (code 39999)'],
    ['no code', { message: 'bad gateway', httpStatus: 400 }, '"bad gateway" (HTTP 400)'],
    ['no text', { code: 30000 }, 'no reason given (code 30000)'],
    [
      'wrong fields',
      { message: 'no', code: 1, fieldErrors: { factor: 'too large' } },
      '"no" (code 1); fields: {"factor":"too large"}',
    ],
  ])('with %s is explained as far as it is known', (_, changes, text) => {
    expect(answerText(answer(changes))).toBe(text);
  });
});
