import { parseImageReference } from './image-reference.ts';

/** One spelling for `nginx`, `nginx:latest` and `docker.io/library/nginx:latest`, that of runtimes. A digest makes a tag beside it immaterial; what is no name stays. */
export function canonicalImageName(name: string): string {
  try {
    const { domain, path, tag = 'latest', digest } = parseImageReference(name);
    return digest === undefined ? `${domain}/${path}:${tag}` : `${domain}/${path}@${digest}`;
  } catch {
    // An image's id.
    return name;
  }
}
