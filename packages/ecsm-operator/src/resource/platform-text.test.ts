import { expect, it } from 'vitest';
import { explainedText } from './platform-text.ts';

it.each([
  ['节点磁盘空间不足: 需要 67108864 字节', 'the node has too little disk space: 节点磁盘空间不足: 需要 64Mi'],
  [
    '节点内存不足: 需要 536870912 字节, 剩余 1048576 字节',
    'the node has too little memory: 节点内存不足: 需要 512Mi, 剩余 1024Ki',
  ],
  ['镜像ID不存在', 'the image does not exist: 镜像ID不存在'],
  ['需要 12 字节', '需要 12 字节'],
  ['needs 67108864 bytes', 'needs 64Mi'],
  ['不行', '不行'],
])('explains %s', (message, text) => {
  expect(explainedText(message)).toBe(text);
});
