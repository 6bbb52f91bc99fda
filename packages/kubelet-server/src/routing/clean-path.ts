/** Returns the canonical form of a path: no empty segments, `.` or `..`. A slash at the end stays. */
export function cleanPath(path: string): string {
  const segments: string[] = [];
  for (const segment of path.split('/')) {
    if (segment === '..') segments.pop();
    else if (segment !== '' && segment !== '.') segments.push(segment);
  }
  const clean = `/${segments.join('/')}`;
  return path.endsWith('/') && clean !== '/' ? `${clean}/` : clean;
}

const SLASH = '/';

/** Removes the slashes at the end of a path, in time linear in its length: a regular expression looks at a run of slashes in the middle once for each of them. */
export function trimEndSlashes(path: string): string {
  let end = path.length;
  while (path[end - 1] === SLASH) end -= 1;
  return path.slice(0, end);
}
