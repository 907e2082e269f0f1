/**
 * Plants a defect: in the module whose path ends with PLANT_FILE, the text PLANT_TEXT is replaced by PLANT_BY. Load it
 * before the program: node --import plant.js …
 */
import { register } from 'node:module';

const { PLANT_FILE, PLANT_TEXT, PLANT_BY } = process.env;
const hooks = `
  export async function load(url, context, next) {
    const loaded = await next(url, context);
    if (!url.endsWith(${JSON.stringify(PLANT_FILE)})) return loaded;
    const source = String(loaded.source);
    if (!source.includes(${JSON.stringify(PLANT_TEXT)})) throw new Error('the text to replace is not in ' + url);
    return { ...loaded, source: source.replace(${JSON.stringify(PLANT_TEXT)}, ${JSON.stringify(PLANT_BY)}) };
  }`;
register(`data:text/javascript,${encodeURIComponent(hooks)}`);
