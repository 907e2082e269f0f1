/** Routes to push images. */
import { shape } from '@ecsm/runtime';
import { numberFrom, readBody } from './input.ts';
import type { ControlRoute } from './subject.ts';

const sizeBytesDefault = 20_000_000;

export const imageRoutes: readonly ControlRoute[] = [
  {
    method: 'POST',
    path: '/sim/images',
    does: 'pushes an image to a registry, by default the local one; services with auto-upgrade are updated',
    body: { name: 'telemetry', tag: '1.2.0', os: 'sylixos', sizeBytes: 20_000_000 },
    handle({ platform, request }) {
      const image = readBody(request, {
        name: shape.string(),
        tag: shape.string(),
        os: shape.exactly('linux', 'sylixos'),
        arch: shape.optional(shape.string()),
        sizeBytes: shape.optional(numberFrom(0)),
        author: shape.optional(shape.nullable(shape.string())),
        description: shape.optional(shape.string()),
        registryId: shape.optional(shape.string()),
      });
      const { id, name, tag, os } = platform.pushImage({ sizeBytes: sizeBytesDefault, ...image });
      return { image: `${name}@${tag}#${os}`, id };
    },
  },
];
