/** A request as the authorizer and the audit log see it. Both contain only what the request contains. */
import type { IncomingMessage } from 'node:http';
import type { AuditRecord } from '../audit/record.ts';
import type { RequestAttributes, User } from '../auth/contract.ts';
import type { RequestInfo } from '../request/request-info.ts';

export function attributesOf(info: RequestInfo, user: User): RequestAttributes {
  const isResource = info.type === 'resource';
  return {
    user,
    verb: info.verb,
    isResource,
    apiGroup: isResource ? info.group : '',
    apiVersion: isResource ? info.version : '',
    resource: isResource ? info.resource : '',
    subresource: (isResource ? info.subresource : undefined) ?? '',
    namespace: (isResource ? info.namespace : undefined) ?? '',
    // A list of one name is allowed to those who may read that object.
    name: (isResource ? (info.name ?? info.selectedName) : undefined) ?? '',
    path: info.path,
  };
}

/** What an audit log tells of a request. */
export function described(
  { method = 'GET', url = '', headers }: IncomingMessage,
  info: RequestInfo | undefined,
): Pick<AuditRecord, 'verb' | 'uri' | 'object' | 'userAgent'> {
  const userAgent = headers['user-agent'];
  const common = {
    verb: info?.verb ?? method.toLowerCase(),
    uri: url,
    ...(userAgent === undefined ? {} : { userAgent }),
  };
  if (info?.type !== 'resource') return common;
  const { group: apiGroup, version: apiVersion, resource, subresource = '', namespace = '', name = '' } = info;
  return { ...common, object: { apiGroup, apiVersion, resource, subresource, namespace, name } };
}
