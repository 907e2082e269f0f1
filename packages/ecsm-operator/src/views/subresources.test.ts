import { expect, it } from 'vitest';
import { podSubresourceReason } from './subresources.ts';

it.each(['log', 'exec', 'attach', 'portforward'])('tells why pods have no %s', (name) => {
  expect(podSubresourceReason(name)).toContain('the ECSM platform has no API');
});

it.each(['status', 'constructor', ''])('knows no reason for %j', (name) => {
  expect(podSubresourceReason(name)).toBeUndefined();
});
