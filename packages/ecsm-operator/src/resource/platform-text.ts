/**
 * What the platform answers, explained. Its texts are Chinese; they are kept, because its manuals and its support know them,
 * and an English explanation precedes those that are known. Few codes are known: docs/ecsmservice.md lists them.
 */
import { formatBytes } from '../apis/metric-quantity.ts';

interface Explanation {
  readonly chinese: string;
  readonly english: string;
}

/** Codes that are known from platforms in use. */
const knownCodes: ReadonlyMap<number, Explanation> = new Map([
  [31006, { chinese: '服务名称已存在', english: 'a service of that name exists already' }],
]);

/** Texts by their meaning, the more specific one first. A text may be followed by details. */
const knownTexts: readonly (readonly [chinese: string, english: string])[] = [
  ['镜像ID不存在', 'the image does not exist'],
  ['镜像与节点操作系统不匹配', 'the operating system of the image is not that of the node'],
  ['镜像校验失败', 'the image is damaged'],
  ['镜像拉取失败', 'the image could not be pulled'],
  ['节点上没有镜像', 'the node does not have the image'],
  ['服务名称已存在', 'a service of that name exists already'],
  ['服务不存在', 'the service does not exist'],
  ['服务正在删除', 'the service is being deleted'],
  ['容器不存在', 'the container does not exist'],
  ['容器状态不允许该操作', 'the state of the container does not allow this'],
  ['节点不存在', 'the node does not exist'],
  ['节点离线', 'the node is offline'],
  ['节点内存不足', 'the node has too little memory'],
  ['节点磁盘空间不足', 'the node has too little disk space'],
  ['可用节点不足', 'too few nodes are available'],
  ['请求参数错误', 'a parameter of the request is wrong'],
  ['服务器内部错误', 'internal error of the platform'],
  ['部署失败', 'the deployment failed'],
];

/** The code decides before the text. Returns undefined if neither is known. */
export function explanationOf(message: string, code?: number): Explanation | undefined {
  const known = code === undefined ? undefined : knownCodes.get(code);
  if (known !== undefined) return known;
  const [chinese, english] = knownTexts.find(([text]) => message.includes(text)) ?? [];
  return chinese === undefined || english === undefined ? undefined : { chinese, english };
}

/** `the node has too little disk space: 节点磁盘空间不足: 需要 64Mi`. Without a known meaning: the text alone. */
export function explainedText(message: string): string {
  const readable = withReadableSizes(message);
  const explanation = explanationOf(message);
  return explanation === undefined ? readable : `${explanation.english}: ${readable}`;
}

/** `需要 67108864 字节` as `需要 64Mi`. Bundles are ASCII, and esbuild escapes text but not regular expressions. */
export function withReadableSizes(message: string): string {
  return message.replace(/(?<![\w.])(\d{5,15}) ?(?:\u5b57\u8282|bytes?(?![a-z]))/giu, (_, bytes: string) =>
    formatBytes(Number(bytes)),
  );
}
