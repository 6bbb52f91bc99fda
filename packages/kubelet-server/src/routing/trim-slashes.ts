const SLASH = '/';

/** Removes the slashes at the end of a path, in time linear in its length: a regular expression looks at a run of slashes in the middle once for each of them. */
export function trimEndSlashes(path: string): string {
  let end = path.length;
  while (path[end - 1] === SLASH) end -= 1;
  return path.slice(0, end);
}
