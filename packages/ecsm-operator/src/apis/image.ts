/** References to images as the platform writes them: `name@tag` or `name@tag#os`. */

export interface ImageReference {
  readonly name: string;
  readonly tag: string;
  readonly os?: string;
}

export function parseImage(text: string): ImageReference | undefined {
  const match = /^([a-zA-Z0-9][\w./-]{0,127})@([\w][\w.+-]{0,127})(?:#([a-z0-9]{1,32}))?$/u.exec(text);
  if (!match) return undefined;
  const [, name = '', tag = '', os] = match;
  return { name, tag, ...(os === undefined ? {} : { os }) };
}

export const imageFormat = {
  name: 'ecsm-image',
  check: (text: string): string | undefined =>
    parseImage(text) ? undefined : 'must be an image such as telemetry@1.2.0 or telemetry@1.2.0#sylixos',
};

interface Imaged {
  readonly image: string;
  readonly platformSpecific: { readonly platform?: { readonly os?: string } };
}

/** The operating system of a template: that of the image, else that of the template, else SylixOS. */
export function osOf({ image, platformSpecific }: Imaged): string {
  return parseImage(image)?.os ?? platformSpecific.platform?.os ?? 'sylixos';
}
