/** References to images as the platform writes them: `name@tag` or `name@tag#os`. */

interface ImageReference {
  readonly name: string;
  readonly tag: string;
  readonly os?: string;
}

let lastText: string | undefined;
let lastImage: ImageReference | undefined;

/** A reconcile parses the same image several times, so the last result is kept. */
export function parseImage(text: string): ImageReference | undefined {
  if (text !== lastText) {
    lastImage = parsed(text);
    lastText = text;
  }
  return lastImage;
}

function parsed(text: string): ImageReference | undefined {
  const match = /^([a-zA-Z0-9][\w./-]{0,127})@([\w][\w.+-]{0,127})(?:#([a-z0-9]{1,32}))?$/u.exec(text);
  if (!match) return undefined;
  const [, name = '', tag = '', os] = match;
  return { name, tag, ...(os === undefined ? {} : { os }) };
}

/** Operating systems that the platform has nodes for. */
const systems = ['sylixos', 'linux'];

export const imageFormat = {
  name: 'ecsm-image',
  check: (text: string): string | undefined => {
    const image = parseImage(text);
    if (image === undefined) return 'must be an image such as telemetry@1.2.0 or telemetry@1.2.0#sylixos';
    if (image.os === undefined || systems.includes(image.os)) return undefined;
    return `must be for ${systems.join(' or ')}, such as telemetry@1.2.0#${systems[0]}, not for "${image.os}"`;
  },
};

interface Imaged {
  readonly image: string;
  readonly platformSpecific: { readonly platform?: { readonly os?: string } };
}

/** The operating system of a template: that of the image, else that of the template, else SylixOS. */
export function osOf({ image, platformSpecific }: Imaged): string {
  return parseImage(image)?.os ?? platformSpecific.platform?.os ?? 'sylixos';
}
