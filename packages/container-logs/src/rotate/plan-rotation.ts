const COMPRESSED = '.gz';
const TEMPORARY = '.tmp';

/** Removals and compressions among the files of earlier rotations of a log. */
export interface RotationPlan {
  /** Files that are too many, or that an interrupted rotation left. */
  readonly remove: readonly string[];
  /** Files to compress. */
  readonly compress: readonly string[];
}

/**
 * Plans removals and compressions among the files of earlier rotations, before the next rotation.
 * @param names the files whose names begin with that of the log and a dot
 * @param maxFiles maximum number of files afterwards, the log itself and the one that the next rotation adds included
 */
export function planRotation(names: readonly string[], maxFiles: number): RotationPlan {
  const present = new Set(names);
  const isUsed = (name: string): boolean => !name.endsWith(TEMPORARY) && !present.has(name + COMPRESSED);
  // Their names end in the time, so that the order of names is that of age.
  const used = names.filter(isUsed).sort();
  const tooMany = Math.max(0, used.length - (maxFiles - 2));
  return {
    remove: [...names.filter((name) => !isUsed(name)), ...used.slice(0, tooMany)],
    compress: used.slice(tooMany).filter((name) => !name.endsWith(COMPRESSED)),
  };
}

/**
 * The name that a log gets when it is rotated: `<log>.YYYYMMDD-hhmmss`, by the first second from now on that no file stands for, compressed or not. In UTC,
 * as local time goes back once a year and the names would not be in order then.
 */
export function rotatedName(log: string, taken: Iterable<string>, nowMs: number): string {
  const names = new Set(taken);
  for (let timeMs = nowMs; ; timeMs += 1000) {
    const name = `${log}.${timestamp(timeMs)}`;
    if (![name, name + COMPRESSED, name + TEMPORARY].some((candidate) => names.has(candidate))) return name;
  }
}

function timestamp(timeMs: number): string {
  const [date = '', time = ''] = new Date(timeMs).toISOString().slice(0, 19).split('T');
  return `${date.replaceAll('-', '')}-${time.replaceAll(':', '')}`;
}
