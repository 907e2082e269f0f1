/**
 * Images that the platform may change by itself. A service with `upgradeStrategy` Larger or Always follows new images of
 * its name; putting the older one back would be a fight, and the platform would win it at the next upload.
 */
import { type ImageRef, parseImageRef, type ServiceBody, type ServiceDetail } from '@ecsm/client';

/** Whether the platform may have made the second out of the first. */
export function isUpgrade(wantedRef: string, actualRef: string, autoUpgrade: string | undefined): boolean {
  if (autoUpgrade !== 'Always' && autoUpgrade !== 'Larger') return false;
  const wanted = readRef(wantedRef);
  const actual = readRef(actualRef);
  if (wanted === undefined || actual === undefined) return false;
  if (wanted.name !== actual.name || wanted.os !== actual.os) return false;
  return autoUpgrade === 'Always' || isNotSmaller(actual.tag, wanted.tag);
}

/** The body, with the image that the platform upgraded to. For updates that are about something else. */
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
 * How exactly the platform compares versions is not documented, so the benefit of a doubt is its own: only an image whose
 * numbers are smaller, or that has none, was put there by somebody else.
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
