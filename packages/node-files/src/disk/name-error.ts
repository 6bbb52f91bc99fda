/** Path of a descriptor, which means nothing to people. */
const DESCRIPTOR = /\/proc\/self\/fd\/-?\d+/g;

/** Puts the path of a directory, as a caller knows it, in the place of its descriptor in a system error. */
export function nameError(error: unknown, directoryPath: string): unknown {
  if (!(error instanceof Error)) return error;
  const known: { message: string; path?: unknown; dest?: unknown } = error;
  const shown = (text: string): string => text.replaceAll(DESCRIPTOR, () => directoryPath);
  known.message = shown(known.message);
  if (typeof known.path === 'string') known.path = shown(known.path);
  if (typeof known.dest === 'string') known.dest = shown(known.dest);
  return error;
}

/** Resolves to the outcome of a call through the descriptor of a directory. An error has the path of the directory. */
export async function named<T>(call: Promise<T>, directoryPath: string): Promise<T> {
  try {
    return await call;
  } catch (error) {
    throw nameError(error, directoryPath);
  }
}
