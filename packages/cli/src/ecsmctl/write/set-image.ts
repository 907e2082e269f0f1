/** `ecsmctl set image`: sets the image of services. */
import { type Run, UsageError } from '@ecsm/command-line';
import { fieldAt, patchAt } from '../shared/fields.ts';
import { knownKinds } from '../shared/session.ts';
import { changeEach } from './change.ts';

const imagePath = 'spec.template.image';

export const run: Run = async (call) => {
  const image = call.words.at(-1) ?? '';
  const words = call.words.slice(0, -1);
  checkImage(image, words.length > 0 || call.origin('filename') !== undefined);
  await changeEach(
    { ...call, words },
    {
      command: 'set',
      past: 'image updated',
      patchFor: ({ kind }, object) => {
        if (typeof fieldAt(object, imagePath) !== 'string') {
          throw new UsageError(`${kind.plural} have no image: only ${kindsWithImage().join(', ')} have`);
        }
        return patchAt(imagePath, image);
      },
    },
  );
};

/** The kind validates the reference; these checks explain differences to other tools. */
function checkImage(image: string, hasObjects: boolean): void {
  const usage = 'write ecsmctl set image KIND/NAME IMAGE, as in ecsmctl set image service/telemetry telemetry@1.1.0';
  if (!hasObjects)
    throw new UsageError(
      image === '' ? `specify objects and an image: ${usage}` : `"${image}" alone is not enough: ${usage}`,
    );
  const [, , reference] = /^([\w.-]+)=(.*)$/.exec(image) ?? [];
  if (reference !== undefined) {
    throw new UsageError(`a service has one container, so write the image alone: "${reference}" instead of "${image}"`);
  }
  if (!image.includes('@')) {
    throw new UsageError(
      `"${image}" is not a valid image reference: the last argument has to be NAME@TAG or NAME@TAG#OS, such as telemetry@1.1.0#sylixos`,
    );
  }
}

function kindsWithImage(): readonly string[] {
  return knownKinds.kinds.flatMap(({ spec, plural }) => {
    const template = spec?.properties['template'];
    return template?.type === 'object' && 'image' in template.properties ? [plural] : [];
  });
}
