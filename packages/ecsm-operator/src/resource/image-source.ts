/** The image of a template, with all defaults filled in. */
import type { ServiceTemplate } from '../apis/ecsm-service.ts';
import { osOf, parseImage } from '../apis/image.ts';

/** As the platform requires it: with the operating system, which a template may omit. */
export function imageRefOf(template: ServiceTemplate): string {
  const [nameAndTag = ''] = template.image.split('#', 1);
  return `${nameAndTag}#${osOf(template)}`;
}

type PullPolicy = NonNullable<ServiceTemplate['imagePullPolicy']>;

/** The platform's own default, sent explicitly, so that a manual change is detected. */
export function pullPolicyOf({ image, imagePullPolicy }: ServiceTemplate): PullPolicy {
  return imagePullPolicy ?? (parseImage(image)?.tag === 'latest' ? 'Always' : 'IfNotPresent');
}
