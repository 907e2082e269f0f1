/** What a proxy says when the platform behind it does not: a page for people, in the place of JSON. */
import { Buffer } from 'node:buffer';
import type { Answer } from './message.ts';

const titles: Readonly<Record<number, string>> = {
  403: 'Forbidden',
  404: 'Not Found',
  408: 'Request Timeout',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  502: 'Bad Gateway',
  503: 'Service Temporarily Unavailable',
  504: 'Gateway Time-out',
};

export function errorPage(status: number): Answer {
  const title = `${status} ${titles[status] ?? 'Error'}`;
  const page = `<html>\r\n<head><title>${title}</title></head>\r\n<body>\r\n<center><h1>${title}</h1></center>\r\n</body>\r\n</html>\r\n`;
  return { status, headers: { 'content-type': 'text/html' }, body: Buffer.from(page) };
}
