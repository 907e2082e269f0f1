/**
 * Plants defects: replaces exported functions of a module during a test. The modules are unchanged; a test mocks them with
 * these.
 */

type Call = (...args: never[]) => unknown;
type Replacement = (original: Call) => Call;

const planted = new Map<string, Replacement>();

/** The same exports. Functions among them can be replaced by name, at any time, for all importers. */
export function breakable<M extends object>(exports: M): M {
  const replaced = Object.entries(exports).map(([name, value]) => [
    name,
    isPlainFunction(value) ? passing(name, value) : value,
  ]);
  return Object.fromEntries(replaced);
}

/** Replaces an exported function of that name. Returns a function that restores it. */
export function replace<F extends Call>(name: string, by: (original: F) => F): () => void {
  if (planted.has(name)) throw new RangeError(`${name} has a defect already`);
  planted.set(name, by as unknown as Replacement);
  return () => void planted.delete(name);
}

/** Replaces methods of a class. Returns a function that restores them. */
export function patch<T extends object>(prototype: T, methods: (original: T) => Partial<T>): () => void {
  const before = Object.getOwnPropertyDescriptors(prototype);
  const replaced = methods(Object.create(null, before) as T);
  Object.assign(prototype, replaced);
  return () => {
    for (const name of Object.keys(replaced)) {
      const descriptor = Object.getOwnPropertyDescriptor(before, name)?.value;
      if (descriptor) Object.defineProperty(prototype, name, descriptor);
    }
  };
}

function passing(name: string, original: Call): Call {
  return (...args) => {
    const by = planted.get(name);
    return (by === undefined ? original : by(original))(...args);
  };
}

/** Classes are not replaced. */
function isPlainFunction(value: unknown): value is Call {
  return typeof value === 'function' && !Function.prototype.toString.call(value).startsWith('class');
}
