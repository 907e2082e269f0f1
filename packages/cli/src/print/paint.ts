/** Colours for terminals. Who does not want any gets the text as it is. */

export type Look = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan';

export type Paint = { readonly [look in Look]: (text: string) => string };

const codes: Readonly<Record<Look, readonly [start: number, end: number]>> = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
};

export function paintOf(isColoured: boolean): Paint {
  const painter = (look: Look) => {
    const [start, end] = codes[look];
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
