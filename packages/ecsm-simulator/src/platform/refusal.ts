/**
 * The errors of the platform. Only the code of a service name that is in use is known; the others follow its pattern (a
 * module, then a number), and a client must not depend on them.
 */

export const refusals = {
  badRequest: { code: 30001, httpStatus: 400, text: '请求参数错误' },
  serviceNotFound: { code: 31004, httpStatus: 404, text: '服务不存在' },
  serviceNameTaken: { code: 31006, httpStatus: 409, text: '服务名称已存在' },
  recordNotFound: { code: 31008, httpStatus: 404, text: '部署记录不存在' },
  serviceBusy: { code: 31010, httpStatus: 409, text: '服务正在删除' },
  containerNotFound: { code: 32004, httpStatus: 404, text: '容器不存在' },
  containerState: { code: 32005, httpStatus: 409, text: '容器状态不允许该操作' },
  nodeNotFound: { code: 33004, httpStatus: 404, text: '节点不存在' },
  nodeNameTaken: { code: 33006, httpStatus: 409, text: '节点名称已存在' },
  nodeAddressTaken: { code: 33007, httpStatus: 409, text: '节点地址已存在' },
  nodeOffline: { code: 33010, httpStatus: 409, text: '节点离线' },
  nodeMemory: { code: 33011, httpStatus: 409, text: '节点内存不足' },
  nodeDisk: { code: 33012, httpStatus: 409, text: '节点磁盘空间不足' },
  imageNotFound: { code: 34004, httpStatus: 404, text: '镜像ID不存在' },
  imageUnsuited: { code: 34005, httpStatus: 409, text: '镜像与节点操作系统不匹配' },
  imageDamaged: { code: 34007, httpStatus: 400, text: '镜像校验失败' },
  registryNotFound: { code: 35004, httpStatus: 404, text: '仓库不存在' },
  templateNotFound: { code: 36004, httpStatus: 404, text: '模板不存在' },
  templateNameTaken: { code: 36006, httpStatus: 409, text: '模板名称已存在' },
  configurationNotFound: { code: 37004, httpStatus: 404, text: '配置不存在' },
  configurationKeyTaken: { code: 37006, httpStatus: 409, text: '配置键已存在' },
  noSuchCall: { code: 404, httpStatus: 404, text: '接口不存在' },
} as const;

export type RefusalName = keyof typeof refusals;

export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly why: RefusalName;
  readonly code: number;
  readonly httpStatus: number;
  /** Validation errors by field of the request. */
  readonly fields: Readonly<Record<string, string>>;

  constructor(why: RefusalName, detail?: string, fields: Readonly<Record<string, string>> = {}) {
    const { code, httpStatus, text } = refusals[why];
    super(detail === undefined ? text : `${text}: ${detail}`);
    this.why = why;
    this.code = code;
    this.httpStatus = httpStatus;
    this.fields = fields;
  }
}

/** Returns the value. Throws a `Refusal` if it is negative or too large. */
export function checkAmount(value: number, name: string): number {
  if (value >= 0 && value <= Number.MAX_SAFE_INTEGER) return value;
  throw new Refusal('badRequest', name, { [name]: 'has to be a number, 0 or more' });
}
