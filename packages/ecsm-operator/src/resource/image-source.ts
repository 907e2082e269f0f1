/** What a template says about its image, with everything that it leaves to defaults. */
import type { ServiceTemplate } from '../apis/ecsm-service.ts';
import { osOf, parseImage } from '../apis/image.ts';

/** As the platform wants it: always with the operating system, which a template may leave out. */
export function imageRefOf(template: ServiceTemplate): string {
  const [nameAndTag = ''] = template.image.split('#', 1);
  return `${nameAndTag}#${osOf(template)}`;
}

export type PullPolicy = NonNullable<ServiceTemplate['imagePullPolicy']>;

/** The platform's own default, written out, so that a change of it by hand is seen. */
export function pullPolicyOf({ image, imagePullPolicy }: ServiceTemplate): PullPolicy {
  return imagePullPolicy ?? (parseImage(image)?.tag === 'latest' ? 'Always' : 'IfNotPresent');
}
