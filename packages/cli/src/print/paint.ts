/** Colours for terminals. Without colours the text is unchanged. */

type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan';

export type Paint = { readonly [style in Style]: (text: string) => string };

const codes: Readonly<Record<Style, readonly [start: number, end: number]>> = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
};

export function paintOf(isColoured: boolean): Paint {
  const painter = (style: Style) => {
    const [start, end] = codes[style];
    return (text: string) => (isColoured && text !== '' ? `\u001b[${start}m${text}\u001b[${end}m` : text);
  };
  return {
    bold: painter('bold'),
    dim: painter('dim'),
    red: painter('red'),
    green: painter('green'),
    yellow: painter('yellow'),
    cyan: painter('cyan'),
  };
}
