/**
 * Images that the platform may upgrade. A service with `upgradeStrategy` Larger or Always gets new images of the same name
 * from the platform; setting the older one again would only last until the next upload.
 */
import { type ImageRef, parseImageRef, type ServiceBody, type ServiceDetail } from '@ecsm/client';

/** Whether the platform may have upgraded the first image to the second. */
export function isUpgrade(wantedRef: string, actualRef: string, autoUpgrade: string | undefined): boolean {
  if (autoUpgrade !== 'Always' && autoUpgrade !== 'Larger') return false;
  const wanted = readRef(wantedRef);
  const actual = readRef(actualRef);
  if (wanted === undefined || actual === undefined) return false;
  if (wanted.name !== actual.name || wanted.os !== actual.os) return false;
  return autoUpgrade === 'Always' || isNotSmaller(actual.tag, wanted.tag);
}

/** The payload with the image that the platform has upgraded to, for updates of other fields. */
export function keepUpgrade(body: ServiceBody, actual: Pick<ServiceDetail, 'image'>): ServiceBody {
  const ref = actual.image?.ref ?? body.image.ref;
  if (!isUpgrade(body.image.ref, ref, body.image.autoUpgrade)) return body;
  return { ...body, image: { ...body.image, ref } };
}

function readRef(text: string): ImageRef | undefined {
  try {
    return parseImageRef(text);
  } catch {
    return undefined;
  }
}

/**
 * How the platform compares versions is not documented. So every image counts as an upgrade unless its numbers are
 * smaller, or it has none.
 */
function isNotSmaller(actual: string, wanted: string): boolean {
  const [left, right] = [numbersOf(actual), numbersOf(wanted)];
  if (left === undefined || right === undefined) return false;
  for (const [index, number] of left.entries()) {
    const other = right[index] ?? 0;
    if (number !== other) return number > other;
  }
  return true;
}

/** Major, minor and patch. */
function numbersOf(tag: string): readonly number[] | undefined {
  const match = /^v?(\d{1,9})(?:\.(\d{1,9}))?(?:\.(\d{1,9}))?(?:[-+].*)?$/u.exec(tag);
  return match?.slice(1).map((digits: string | undefined) => Number(digits ?? 0));
}
